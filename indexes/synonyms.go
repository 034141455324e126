package indexes

import "slices"

// synonyms finds the words and phrases of a query that have synonyms. A query is expanded when
// it is searched, so the index does not depend on them.
type synonyms struct {
	groups  [][][]string         // group → entries → words
	byFirst map[string][]synonym // by the singular of their first word, longest first
}

// synonym is an entry of a group.
type synonym struct {
	stems        []string // its words in the singular
	group, entry int
}

// Limits of the expansion of a query.
const (
	maxExpansions = 4    // parts of a query whose synonyms are searched
	maxCandidates = 4096 // records that are scanned for a phrase; of more, all with the words count
)

// synonymWeight is the weight of a synonym relative to the word itself, looseWeight that of the
// words of a phrase anywhere in a description.
const (
	synonymWeight = 0.8
	looseWeight   = 0.4
)

// scoreSynonym returns the score for a synonym of a query, given that for the query itself.
func scoreSynonym(score int32) int32 { return score / 10 * 8 }

// newSynonyms returns nil if there are no groups.
func newSynonyms(groups [][]string) *synonyms {
	if len(groups) == 0 {
		return nil
	}
	s := &synonyms{byFirst: map[string][]synonym{}}
	for i, group := range groups {
		entries := make([][]string, len(group))
		for j, text := range group {
			entries[j] = terms(text)
			if len(entries[j]) > 0 {
				e := synonym{stems: stems(entries[j]), group: i, entry: j}
				s.byFirst[e.stems[0]] = append(s.byFirst[e.stems[0]], e)
			}
		}
		s.groups = append(s.groups, entries)
	}
	for _, list := range s.byFirst {
		slices.SortStableFunc(list, func(a, b synonym) int { return len(b.stems) - len(a.stems) })
	}
	return s
}

func stems(words []string) []string {
	list := make([]string, len(words))
	for i, w := range words {
		list[i] = stem(w)
	}
	return list
}

// longest returns the longest entry that a list of words in the singular starts with.
func (s *synonyms) longest(words []string) (synonym, bool) {
	for _, e := range s.byFirst[words[0]] {
		if len(words) >= len(e.stems) && slices.Equal(words[:len(e.stems)], e.stems) {
			return e, true
		}
	}
	return synonym{}, false
}

// synonymSets holds the records that have a synonym.
type synonymSets struct {
	exact fieldSets // records with the word or phrase, by list
	loose fieldSets // records with all words of the phrase, but not together
}

// findSynonyms finds the synonyms of words and phrases in the unquoted parts of a query, and
// attaches the records that have them to the clauses of those words.
func (r *ranking) findSynonyms(text string) error {
	if r.index.synonyms == nil {
		return nil
	}
	expanded := 0
	for i, part := range splitQuotes(text) {
		if i%2 == 1 {
			continue
		}
		words := stems(terms(part))
		for at := 0; at < len(words) && expanded < maxExpansions; {
			e, ok := r.index.synonyms.longest(words[at:])
			if !ok {
				at++
				continue
			}
			if err := r.expand(e, words[at:at+len(e.stems)]); err != nil {
				return err
			}
			at += len(e.stems)
			expanded++
		}
	}
	return nil
}

// expand searches the synonyms of an entry that occurs in the query.
func (r *ranking) expand(e synonym, words []string) error {
	var covered []int
	for i := range r.clauses {
		if w := &r.clauses[i]; w.phrase == nil && slices.Contains(words, w.stem) {
			covered = append(covered, i)
		}
	}
	if len(covered) == 0 {
		return nil
	}
	whole := r.covers(covered)
	for i, entry := range r.index.synonyms.groups[e.group] {
		if i == e.entry || len(entry) == 0 {
			continue
		}
		found, err := r.searchSynonym(entry)
		if err != nil {
			return err
		}
		for _, at := range covered {
			r.synonymSets[at] = append(r.synonymSets[at], found)
		}
		if whole {
			r.findTopics(entry, true)
		} else {
			for _, slug := range slugsOf(entry) {
				r.addTo(&r.parts, slug, scorePart)
			}
		}
		for list, set := range found.exact {
			if !whole || r.queryWords == 1 || set == nil {
				continue
			}
			if r.synonymPhrases[list] == nil {
				r.synonymPhrases[list] = r.set()
			}
			r.synonymPhrases[list].or(set)
		}
		r.synonyms = append(r.synonyms, spellings(entry))
	}
	return nil
}

// covers reports whether clauses are all that records must have.
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
		return []clause{{term: last, stem: stem(last)}}
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

// searchSynonym returns the records that have a word or a phrase.
func (r *ranking) searchSynonym(words []string) (found synonymSets, err error) {
	all := spellings(words)
	if len(words) == 1 {
		found.exact, err = r.exactSets(&all[0])
		return found, err
	}
	var candidates fieldSets
	for list := range candidates {
		candidates[list] = r.set()
		copy(candidates[list], r.within)
	}
	for _, w := range words {
		if stopWords[w] {
			continue
		}
		sets, err := r.exactSets(&clause{term: w, stem: stem(w)})
		if err != nil {
			return found, err
		}
		for list, set := range sets {
			if set == nil {
				clear(candidates[list])
			} else {
				candidates[list].and(set)
			}
		}
	}
	var phrases []*phrase
	for _, c := range all {
		p, err := r.index.encodePhrase(c.phrase)
		if err != nil {
			return found, err
		}
		if p != nil {
			phrases = append(phrases, p)
		}
	}
	mayContain := r.mayContain(phrases)
	for list, set := range candidates {
		if list == textField {
			found.loose[list] = set
		}
		if set.count() <= maxCandidates {
			narrowed := r.set()
			copy(narrowed, set)
			narrowed.and(mayContain)
			found.exact[list] = r.withPhrase(narrowed, phrases, list)
		} else {
			found.loose[list] = set
		}
	}
	return found, nil
}

// withPhrase returns the records of a set that contain one of the phrases in a list, or nil.
func (r *ranking) withPhrase(candidates set, phrases []*phrase, list int) (found set) {
	for o := range candidates.each {
		if !r.hasAny(o, phrases, list) {
			continue
		}
		if found == nil {
			found = r.set()
		}
		found.add(o)
	}
	return found
}

// hasAny reports whether a record contains one of the phrases in a list.
func (r *ranking) hasAny(o uint32, phrases []*phrase, list int) bool {
	return slices.ContainsFunc(phrases, func(p *phrase) bool { return r.hasPhrase(o, p, list) })
}

// addSynonyms adds the records that have a synonym of a word, and reports whether there are any.
func (m *match) addSynonyms(synonyms []synonymSets) bool {
	before := len(m.groups)
	for i := range synonyms {
		m.add(&synonyms[i].exact, synonymWeight, false)
		m.add(&synonyms[i].loose, looseWeight, false)
	}
	return len(m.groups) > before
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
func (r *Result) loosen() [][]clause {
	var out [][]clause
	for _, spellings := range r.synonyms {
		for _, w := range spellings[0].phrase {
			if !stopWords[w] {
				out = append(out, []clause{{term: w, stem: stem(w)}})
			}
		}
	}
	return out
}
