package indexes

import (
	"strings"
	"unicode/utf8"
)

// maxClauses is the maximum number of words and phrases in a query that are used. More words
// would only narrow down a query that is already narrow.
const maxClauses = 12

// clause is a word in a query, or a phrase in quotes.
type clause struct {
	term         string
	stem         string
	fuzziness    int           // maximum number of edits
	filler       bool          // records need not have the word
	dropped      bool          // some matches lack the word because few records have all words
	singleLetter bool          // the query is a single letter
	phrase       []string      // the words in quotes, or nil if there are no quotes
	fuzzy        *fuzzyPattern // set if the word was searched with edits
	isPrefix     bool          // a word of some name starts with the word
}

// parse splits a query into words and phrases and returns those that are used.
func parse(text string) []clause {
	words := parseAll(text)
	words = words[:min(len(words), maxClauses)]
	markFillers(words)
	return words
}

// parseAll splits a query into words and phrases. Stop words are dropped unless they are in
// quotes or the query contains nothing else. An unclosed quote extends to the end of the
// query.
func parseAll(text string) []clause {
	var kept, all []clause
	seen := map[string]bool{}
	for i, part := range splitQuotes(text) {
		list := terms(part)
		if quoted := i%2 == 1; quoted && len(list) > 0 {
			key := `"` + strings.Join(list, " ")
			if !seen[key] {
				w := clause{phrase: list}
				kept, all = append(kept, w), append(all, w)
			}
			seen[key] = true
			continue
		}
		for _, t := range list {
			if seen[t] {
				continue
			}
			seen[t] = true
			w := clause{term: t, stem: stem(t), fuzziness: fuzziness(t)}
			all = append(all, w)
			if !stopWords[t] {
				kept = append(kept, w)
			}
		}
	}
	if len(kept) == 0 {
		kept = all
	}
	if len(kept) == 1 && utf8.RuneCountInString(kept[0].term) == 1 {
		kept[0].singleLetter = true
	}
	return kept
}

// splitQuotes splits a query at quotes. Every second part was in quotes.
func splitQuotes(text string) []string {
	var parts []string
	for {
		at := strings.IndexAny(text, `"“”„`)
		if at < 0 {
			return append(parts, text)
		}
		_, size := utf8.DecodeRuneInString(text[at:])
		parts = append(parts, text[:at])
		text = text[at+size:]
	}
}

// maxFuzzyLen is the maximum length, in letters, of a word for which near words are searched.
// Anything longer is unlikely to be a word.
const maxFuzzyLen = 40

// fuzziness returns the number of edits that a word allows: one if it has four
// letters or more, two if it has eight or more, and none if it contains digits,
// because GPT-4 is not GPT-5.
func fuzziness(t string) int {
	n := utf8.RuneCountInString(t)
	switch {
	case n < 4 || n > maxFuzzyLen || strings.ContainsAny(t, "0123456789"):
		return 0
	case n < 8:
		return 1
	}
	return 2
}

// maxEdits is the largest edit distance that is searched for.
const maxEdits = 3

// The weights of matches, by list and kind of match.
var (
	fieldWeights = [wordFields]float64{nameField: 8, topicField: 3, textField: 1.5}
	exactWeight  = 1.0
	prefixWeight = 0.35
	fuzzyWeight  = 0.3

	inflectedWeight = 0.5
	initialWeight   = 10.0 // a name starts with the single letter
)

// group is the set of records that match a word in a particular way.
type group struct {
	set    set
	weight float64
	exact  bool // the exact word matches
	list   int  // where the match is
}

// match holds all matches that were found for one word.
type match struct {
	groups    []group
	union     set
	exactSets fieldSets // records with the exact word, by list
	hasExact  bool      // exactSets is not empty
}

func (m *match) add(f *fieldSets, share float64, exact bool) {
	for i, set := range f {
		if set != nil {
			m.addGroup(group{set, fieldWeights[i] * share, exact, i})
		}
	}
}

func (m *match) addExact(f fieldSets) {
	m.add(&f, exactWeight, true)
	m.exactSets, m.hasExact = f, len(m.groups) > 0
}

func (m *match) addGroup(g group) {
	m.groups = append(m.groups, g)
	m.union.or(g.set)
}

// matchClause collects the matches for a word: the exact word, longer words that
// start with it, its synonyms and, if there is no exact match, words within the number of edits
// that it allows.
func (s *session) matchClause(w *clause, synonyms []synonymSets, within set) (*match, error) {
	m := &match{union: s.set()}
	if w.phrase != nil {
		return m, s.matchPhrase(m, w.phrase, within)
	}
	exact, err := s.exactSets(w)
	if err != nil {
		return nil, err
	}
	m.addExact(exact)
	if w.filler {
		return m, nil
	}
	if w.singleLetter {
		prefixed, err := s.prefixSet(exactField, w.term)
		if err == nil && prefixed != nil {
			m.addGroup(group{prefixed, initialWeight, false, nameField})
		}
		return m, err
	}
	var prefixed fieldSets
	for list := range prefixed {
		prefix := w.stem // robots also finds robotics
		if list == nameField {
			prefix = w.term
		}
		if prefixed[list], err = s.prefixSet(list, prefix); err != nil {
			return nil, err
		}
	}
	m.add(&prefixed, prefixWeight, false)
	w.isPrefix = prefixed[nameField] != nil
	inflected, err := s.inflectedSets(w)
	if err != nil {
		return nil, err
	}
	m.add(&inflected, inflectedWeight, false)
	if found := m.addSynonyms(synonyms); found || m.hasExact || w.isPrefix || !inflected.empty() {
		return m, nil
	}
	return m, s.addFuzzy(m, w)
}

// exactSets returns the records that contain a word: names must contain the word itself,
// other text its singular.
func (s *session) exactSets(w *clause) (f fieldSets, err error) {
	for list := range f {
		term := w.stem
		if list == nameField {
			term = w.term
		}
		if f[list], err = s.termSet(list, term); err != nil {
			return f, err
		}
	}
	return f, nil
}

// addFuzzy adds the records that have a word within the allowed number of edits, unless they
// have already been added.
func (s *session) addFuzzy(m *match, w *clause) (err error) {
	if w.fuzziness == 0 || w.fuzzy != nil || w.filler {
		return nil
	}
	w.fuzzy = newFuzzyPattern(w.term, w.fuzziness)
	var byEdits [maxEdits + 1]fieldSets
	for list := range wordFields {
		sets, err := s.fuzzySets(list, w.fuzzy)
		if err != nil {
			return err
		}
		for d := range byEdits {
			byEdits[d][list] = sets[d]
		}
	}
	for d := 1; d <= w.fuzziness; d++ {
		m.add(&byEdits[d], fuzzyWeight/float64(d), false)
	}
	return nil
}

// maxNarrowing is the number of words of a phrase that narrow down the records to read. More would hardly leave out
// any, and a phrase can have hundreds.
const maxNarrowing = 16

// matchPhrase finds the records in a set that contain the words consecutively. Unless the index has a set for
// the phrase, it reads the records that pass the filter of word pairs and have all of the words in one list.
func (s *session) matchPhrase(m *match, words []string, within set) error {
	p, err := s.index.encodePhrase(words)
	if err != nil || p == nil {
		return err
	}
	var candidates, matched fieldSets
	narrowed := s.mayContain([]*phrase{p})
	narrowed.and(within)
	for list := range candidates {
		candidates[list] = s.set()
		copy(candidates[list], narrowed)
	}
	for i := range min(len(words), maxNarrowing) {
		unused := s.taken
		if err := s.narrowPhrase(&candidates, words[i:]); err != nil {
			return err
		}
		s.taken = unused
	}
	for list := range candidates {
		found := candidates[list]
		if s.keepPhrase(found, p, list); !found.empty() {
			matched[list] = found
		}
	}
	m.addExact(matched)
	return nil
}

// narrowPhrase keeps the candidates that have the first word of a phrase in the respective
// list. For a stop word without a stored set, it keeps those that have the word in any list or, if the next word
// is a stop word too, those that have the pair of words in any list.
func (s *session) narrowPhrase(candidates *fieldSets, phrase []string) (err error) {
	t := phrase[0]
	var sets fieldSets
	if !stopWords[t] {
		sets, err = s.exactSets(&clause{term: t, stem: stem(t)})
	} else {
		if len(phrase) > 1 && stopWords[phrase[1]] {
			t += " " + phrase[1]
		}
		sets[0], err = s.termSet(stopField, t)
		sets[1], sets[2] = sets[0], sets[0]
	}
	for list, set := range sets {
		if set == nil {
			clear(candidates[list])
			continue
		}
		candidates[list].and(set)
		if stored, ok := s.phraseSet(phrase[:1], list); ok {
			candidates[list].andEither(stored, s.inMemory())
		}
	}
	return err
}
