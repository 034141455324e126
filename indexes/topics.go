package indexes

import (
	"slices"
	"strings"

	"github.com/RoaringBitmap/roaring/v2"

	"kindex/exports/kinds"
	"kindex/exports/record"
)

// fillers are words of a query that say what kind of thing is wanted, or how good it should be,
// but not what it is about. Records need not have them.
var fillers = wordSet(`ai alternative app application best build competitor create easy example fast fastest framework free good great
	latest library licence license licensed like llm make need new open package platform popular recommended replacement service similar simple software solution something
	source weight still maintained retired retirement deprecated anymore system tool toolkit top use using want`)

func wordSet(list string) map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq(list) {
		m[w] = true
	}
	return m
}

// markFillers marks the words that records need not have, unless the query has no others. Without others, "open
// source llm" is about LLMs.
func markFillers(list []clause) {
	isFiller := func(w clause) bool { return w.phrase == nil && fillers[w.stem] }
	isAbout := func(w clause) bool { return !isFiller(w) }
	if !slices.ContainsFunc(list, isAbout) {
		isAbout = func(w clause) bool { return w.stem == "llm" }
	}
	about := slices.ContainsFunc(list, isAbout)
	for i := range list {
		list[i].filler = about && !isAbout(list[i])
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

// kindNamed returns the kind whose name has a stem, or "". Such a word next to others names the type of an entity.
func (x *Index) kindNamed(of string) string {
	for _, name := range x.build.Kinds().Names() {
		if stem(name) == of {
			return name
		}
	}
	return ""
}

// withoutKinds returns words without a kind at the end.
func (x *Index) withoutKinds(words []string) []string {
	if n := len(words); n > 1 && x.kindNamed(stem(words[n-1])) != "" {
		return words[:n-1]
	}
	return words
}

// topicFields are the fields whose values a query can name, with the scores for records that have
// the value.
var topicFields = [...]struct {
	name  string
	score int32
}{{"category", 20 * scoreUnit}, {"capability", 16 * scoreUnit}, {"tag", 16 * scoreUnit}, {declaredSlugs, 12 * scoreUnit}, {"provider", 12 * scoreUnit}, {"type", 12 * scoreUnit}}

// declaredSlugs stands for the filters by declared slugs, such as the family of a model.
const declaredSlugs = ""

// subjectFields is the number of topicFields that say what an entity is about. A name is often the value of several
// of them, of which the best one counts.
const subjectFields = 3

// topicSets holds records by topicFields. The first set of a field decides its score.
type topicSets [len(topicFields)]award

func (t *topicSets) add(i int, set *roaring.Bitmap, score int32) {
	if t[i].set == nil {
		t[i] = award{set, score}
	} else {
		t[i].set = roaring.Or(t[i].set, set)
	}
}

// findTopics finds the categories, capabilities and tags that the query as a whole, or a synonym
// of it, names, with or without fillers: "best embedding models" names embedding. Values that
// only a synonym names have lower scores.
func (r *ranking) findTopics(words []string, synonym bool) {
	var plain, bare []string // with stop words, since slugs contain them
	for _, w := range words {
		if s := stem(w); !fillers[s] {
			plain = append(plain, w)
			if r.kindNamed(s) == "" {
				bare = append(bare, w)
			}
		}
	}
	seen := map[string]bool{"": true}
	for _, list := range [][]string{words, plain, bare} {
		for _, slug := range slugsOf(list) {
			if !seen[slug] {
				seen[slug] = true
				r.addTo(&r.topicSets, slug, func(score int32) int32 {
					if synonym {
						return scoreSynonym(score)
					}
					return score
				})
			}
		}
	}
}

const maxPart = 4

// findParts finds the topics that parts of the query name, longest parts first, and the
// categories and capabilities whose words it contains in another form or order: "detect prompt injection".
func (r *ranking) findParts(words []string) {
	words = words[:min(len(words), maxClauses)]
	used := make([]bool, len(words))
	named := r.topics()
	for i := 1; i < len(words); i++ { // vision model, but neither model serving nor compress models
		isHead := i == len(words)-1 || stopWords[words[i+1]] || fillers[stem(words[i+1])]
		if kind := r.kindNamed(stem(words[i])); kind != "" && isHead && slices.ContainsFunc(slugsOf(words[i-1:i]), named.has) {
			r.addTo(&r.partSets, kind, func(score int32) int32 { return 3 * score })
		}
	}
	for n := min(len(words)-1, maxPart); n > 0; n-- {
		for at := 0; at+n <= len(words); at++ {
			if slices.Contains(used[at:at+n], true) {
				continue
			}
			for _, slug := range slugsOf(words[at : at+n]) {
				if !r.addTo(&r.partSets, slug, scorePart) {
					continue
				}
				for i := at; i < at+n; i++ {
					used[i] = true
				}
			}
		}
	}
	var roots []string
	for _, w := range words {
		roots = append(roots, root(stem(w)))
	}
	for _, t := range named.roots {
		if t.isIn(roots) {
			r.addTo(&r.partSets, t.slug, scorePart)
		}
	}
}

type topicNames struct {
	records map[string]*[len(topicFields)]*roaring.Bitmap // by slug
	roots   []topicRoot                                   // categories and capabilities of several words
}

func (n *topicNames) has(slug string) bool { return n.records[slug] != nil }

// topicRoot is a category or a capability by the roots of the words in its slug.
type topicRoot struct {
	slug    string
	roots   []string
	ordered bool // text-to-speech is not speech-to-text
}

func (t *topicRoot) isIn(words []string) bool {
	from := 0
	for _, w := range t.roots {
		at := slices.Index(words[from:], w)
		if at < 0 {
			return false
		}
		if t.ordered {
			from += at
		}
	}
	return true
}

func (x *Index) readTopicNames() *topicNames {
	names := &topicNames{records: map[string]*[len(topicFields)]*roaring.Bitmap{}}
	for i, f := range topicFields {
		if f.name == declaredSlugs {
			for _, leaf := range x.build.Kinds().Leaves() {
				if leaf.Filter && leaf.Type == kinds.Slug {
					x.addTopics(names, i, leaf.Query)
				}
			}
			continue
		}
		for _, slug := range x.addTopics(names, i, f.name) {
			if f.name != "category" && f.name != "capability" {
				continue
			}
			t := topicRoot{slug: slug, ordered: strings.Contains(slug, "-to-")}
			for w := range strings.SplitSeq(slug, "-") {
				if !stopWords[w] {
					t.roots = append(t.roots, root(stem(w)))
				}
			}
			if len(t.roots) > 1 {
				names.roots = append(names.roots, t)
			}
		}
	}
	return names
}

// addTopics adds the values of a filter to one of the topicFields. It returns them as slugs.
func (x *Index) addTopics(names *topicNames, i int, filter string) (slugs []string) {
	for _, value := range x.build.Values(filter) {
		slug := strings.ReplaceAll(record.Fold(value), " ", "-")
		for _, name := range append(x.build.ReplacedBy(filter, value), slug) {
			if names.records[name] == nil {
				names.records[name] = new([len(topicFields)]*roaring.Bitmap)
			}
			found := &names.records[name][i]
			if *found == nil {
				*found = x.having(filter, value)
			} else {
				*found = roaring.Or(*found, x.having(filter, value))
			}
		}
		slugs = append(slugs, slug)
	}
	return slugs
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

// scorePart returns the score for what a part of the query names, given that for the whole.
func scorePart(score int32) int32 { return score / 10 * 4 }

// addTo adds the records that have a slug as the value of a topic field, and reports whether there are
// any.
func (r *ranking) addTo(sets *topicSets, slug string, score func(int32) int32) (any bool) {
	records := r.topics().records[slug]
	for i := range topicFields {
		if records != nil && records[i] != nil {
			sets.add(i, records[i], score(topicFields[i].score))
			any = true
		}
	}
	return any
}
