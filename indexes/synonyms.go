package indexes

import (
	"slices"

	"github.com/RoaringBitmap/roaring/v2"
)

// synonyms finds the words and phrases of a query that have synonyms. A query is expanded when
// it is searched, so the index does not depend on them.
type synonyms struct {
	groups  [][][]string // group → entries → words
	entries []synonym    // longest first
}

// synonym is an entry of a group.
type synonym struct {
	stems        []string // its words in the singular
	group, entry int
}

const maxExpansions = 4

// synonymWeight is the weight of a synonym relative to the word itself, looseWeight that of the
// words of a phrase anywhere in a description.
const (
	synonymWeight = 0.8
	looseWeight   = 0.4
)

// scoreSynonym returns the score for a synonym of a query, given that for the query itself.
func scoreSynonym(score int32) int32 { return score / 10 * 8 }

func newSynonyms(groups [][]string) *synonyms {
	s := &synonyms{}
	for i, group := range groups {
		entries := make([][]string, len(group))
		for j, text := range group {
			if entries[j] = terms(text); len(entries[j]) > 0 {
				s.entries = append(s.entries, synonym{stems: stems(entries[j]), group: i, entry: j})
			}
		}
		s.groups = append(s.groups, entries)
	}
	slices.SortStableFunc(s.entries, func(a, b synonym) int { return len(b.stems) - len(a.stems) })
	return s
}

func stems(words []string) []string {
	list := make([]string, len(words))
	for i, w := range words {
		list[i] = stem(w)
	}
	return list
}

type synonymSets struct {
	exact fieldSets // records with the word or phrase, by list
	loose fieldSets // records with all words of the phrase, but not together
}

// findSynonyms finds the synonyms of words and phrases in the unquoted parts of a query, and
// attaches the records that have them to the clauses of those words.
func (r *ranking) findSynonyms(text string) {
	expanded := 0
	for i, part := range splitQuotes(text) {
		if i%2 == 1 {
			continue
		}
		words := stems(terms(part))
		for at := 0; at < len(words) && expanded < maxExpansions; {
			i := slices.IndexFunc(r.Index.synonyms.entries, func(e synonym) bool {
				return len(words)-at >= len(e.stems) && slices.Equal(words[at:at+len(e.stems)], e.stems)
			})
			if i < 0 {
				at++
				continue
			}
			e := r.Index.synonyms.entries[i]
			r.expand(e, words[at:at+len(e.stems)])
			at += len(e.stems)
			expanded++
		}
	}
}

func (r *ranking) expand(e synonym, words []string) {
	var covered []int
	for i := range r.clauses {
		if w := &r.clauses[i]; w.phrase == nil && slices.Contains(words, w.stem) {
			covered = append(covered, i)
		}
	}
	if len(covered) == 0 {
		return
	}
	whole := r.covers(covered)
	for i, entry := range r.Index.synonyms.groups[e.group] {
		if i == e.entry || len(entry) == 0 {
			continue
		}
		found := r.searchSynonym(entry)
		for _, at := range covered {
			r.synonymSets[at] = append(r.synonymSets[at], found)
		}
		if kind := r.kindNamed(stem(entry[len(entry)-1])); whole && kind != "" && len(entry) > 1 { // an LLM is a language model
			r.addTo(&r.partSets, kind, func(score int32) int32 { return 3 * scoreSynonym(score) })
		}
		if whole {
			r.findTopics(entry, true)
		} else {
			for _, slug := range slugsOf(entry) {
				r.addTo(&r.partSets, slug, scorePart)
			}
		}
		if whole && r.queryWords > 1 {
			for list, set := range found.exact {
				r.phrases = append(r.phrases, award{set, scoreSynonym(scorePhrase[max(list, topicField)])})
			}
		}
		r.synonyms = append(r.synonyms, spellings(entry))
	}
}

func (r *ranking) covers(clauses []int) bool {
	for i, w := range r.clauses {
		if !w.filler && !slices.Contains(clauses, i) {
			return false
		}
	}
	return true
}

// spellings returns a word or phrase as clauses: as it is, and with its last word in the
// singular or the plural.
func spellings(words []string) []clause {
	last := words[len(words)-1]
	if len(words) == 1 {
		return []clause{newClause(last)}
	}
	var list []clause
	for _, end := range []string{last, stem(last), stem(last) + "s"} {
		phrase := append(words[:len(words)-1:len(words)-1], end)
		if !slices.ContainsFunc(list, func(c clause) bool { return slices.Equal(c.phrase, phrase) }) {
			list = append(list, clause{phrase: phrase})
		}
	}
	return list
}

func (r *ranking) searchSynonym(words []string) (found synonymSets) {
	if found.exact = r.spelled(words); len(words) == 1 {
		return found
	}
	loose := r.within
	for _, w := range words {
		if !stopWords[w] {
			loose = roaring.And(loose, r.term(textField, stem(w)))
		}
	}
	found.loose[textField] = loose
	return found
}

// spelled returns the records that have a word, or a phrase in one of its spellings.
func (r *ranking) spelled(words []string) (found fieldSets) {
	if len(words) == 1 {
		return r.exact(words[0])
	}
	for list := range found {
		found[list] = roaring.New()
		for _, c := range spellings(words) {
			found[list].Or(r.phrase(list, c.phrase, r.within))
		}
	}
	return found
}

// matchExactly returns how many words at the start of a list are the words of a clause, or 0.
func (w *clause) matchExactly(list []span) int {
	if w.phrase != nil {
		if w.matchesPhrase(list) {
			return len(w.phrase)
		}
		return 0
	}
	if term := list[0].term; term == w.term || stem(term) == w.stem {
		return 1
	}
	return 0
}

// loosen returns the single words of the synonyms, for records that have them, but not together.
func (r *Result) loosen() (out []clause) {
	for _, spellings := range r.synonyms {
		for _, w := range spellings[0].phrase {
			if !stopWords[w] {
				out = append(out, newClause(w))
			}
		}
	}
	return out
}
