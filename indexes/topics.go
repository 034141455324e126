package indexes

import "strings"

// fillers are words of a query that say what kind of thing is wanted, or how good it should be,
// but not what it is about. Records need not have them.
var fillers = wordSet(`ai alternative app application best cheap cheapest easy example fast fastest framework free good great
	latest library like need new open package platform popular recommended service similar simple software solution source
	system tool toolkit top use using want`)

// kinds are words that, next to others, name the type of an entity.
var kinds = wordSet(`model tool`)

func wordSet(list string) map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq(list) {
		m[w] = true
	}
	return m
}

// markFillers marks the words that records need not have, unless the query has no others.
func markFillers(list []clause) {
	others := 0
	for _, w := range list {
		if w.phrase != nil || !fillers[w.stem] {
			others++
		}
	}
	for i := range list {
		list[i].filler = others > 0 && list[i].phrase == nil && fillers[list[i].stem]
	}
}

// trimFillers returns the words between the fillers at both ends, or all if there are no others.
func trimFillers(words []string) []string {
	from, to := 0, len(words)
	for from < to && fillers[stem(words[from])] {
		from++
	}
	for to > from && fillers[stem(words[to-1])] {
		to--
	}
	if from == to {
		return words
	}
	return words[from:to]
}

// topicFields are the fields whose values a query can name, with the scores for records that have
// the value.
var topicFields = []struct {
	name  string
	score int32
}{{"category", 20 * scoreUnit}, {"capability", 16 * scoreUnit}, {"tag", 6 * scoreUnit}}

// findTopics finds the categories, capabilities and tags that the query as a whole, or a synonym
// of it, names, with or without fillers: "best embedding models" names embedding. Values that
// only a synonym names have lower scores.
func (r *ranking) findTopics(words []string, synonym bool) {
	var plain, bare []string // with stop words, since slugs contain them
	for _, w := range words {
		if s := stem(w); !fillers[s] {
			plain = append(plain, w)
			if !kinds[s] {
				bare = append(bare, w)
			}
		}
	}
	seen := map[string]bool{"": true}
	for _, list := range [][]string{words, plain, bare} {
		for _, slug := range slugsOf(list) {
			if !seen[slug] {
				seen[slug] = true
				r.addTopic(slug, synonym)
			}
		}
	}
}

// slugsOf returns the slugs that words can stand for: with the last word as it is, in the
// singular and in the plural.
func slugsOf(words []string) []string {
	if len(words) == 0 || len(words) > maxClauses {
		return nil
	}
	var slugs []string
	for _, c := range spellings(words) {
		if c.phrase == nil {
			c.phrase = []string{c.term}
		}
		slugs = append(slugs, strings.Join(c.phrase, "-"))
	}
	if len(words) == 1 {
		slugs = append(slugs, stem(words[0]), stem(words[0])+"s")
	}
	return slugs
}

// addTopic adds the records that have a slug as a category, a capability or a tag.
func (r *ranking) addTopic(slug string, synonym bool) {
	for i, f := range topicFields {
		value, _ := r.index.build.Preferred(f.name, slug)
		found := r.index.build.Bitmap(f.name, value)
		if found == nil {
			continue
		}
		if r.topics[i].set == nil {
			r.topics[i].set, r.topics[i].score = r.set(), f.score
			if synonym {
				r.topics[i].score = scoreSynonym(f.score)
			}
			found.WriteDenseTo(r.topics[i].set)
			continue
		}
		dense := r.set()
		found.WriteDenseTo(dense)
		r.topics[i].set.or(dense)
	}
}
