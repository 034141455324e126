package indexes

import (
	"strings"
	"unicode/utf8"
)

// maxWords is how many words and phrases of a query count; the rest would only
// narrow what is narrow already.
const maxWords = 12

// word is one word of a query, or a phrase in quotes.
type word struct {
	term    string
	stem    string
	edits   int      // how many edits still find it
	letter  bool     // a single letter that is the whole query
	phrase  []string // the words in quotes as they are, nil without quotes
	blurred *pattern // what tells whether a term is within the edits, nil unless edits were tried
}

// parse splits a query into the words and phrases that count.
func parse(text string) []word {
	words := parseAll(text)
	return words[:min(len(words), maxWords)]
}

// parseAll splits a query into words and phrases. Stop words are dropped unless
// there is nothing else or they stand in quotes. A quote that nothing closes is
// closed by the end.
func parseAll(text string) []word {
	var kept, all []word
	seen := map[string]bool{}
	for i, part := range splitQuotes(text) {
		list := terms(part)
		if quoted := i%2 == 1; quoted && len(list) > 0 {
			key := `"` + strings.Join(list, " ")
			if !seen[key] {
				w := word{phrase: list}
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
			w := word{term: t, stem: stem(t), edits: allowedEdits(t)}
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
		kept[0].letter = true
	}
	return kept
}

// splitQuotes cuts a text at its quotes: every second part was within them.
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

// maxBlurredLen is up to how many letters a word is tried with edits: what is longer
// is hardly a word.
const maxBlurredLen = 40

// allowedEdits is one from four letters on and two from eight on. Words with
// digits are not blurred: GPT-4 is not GPT-5.
func allowedEdits(t string) int {
	n := utf8.RuneCountInString(t)
	switch {
	case n < 4 || n > maxBlurredLen || strings.ContainsAny(t, "0123456789"):
		return 0
	case n < 8:
		return 1
	}
	return 2
}

// maxEdits is the largest distance that is looked for.
const maxEdits = 3

// What a match is worth, by list and by how the word was met.
var (
	worthOf      = [listCount]float64{inName: 8, inTopic: 3, inText: 1.5}
	worthExact   = 1.0
	worthPrefix  = 0.35
	worthEdits   = 0.3
	worthInitial = 10.0 // a single letter that a name begins with
)

// group is the set of records that have a word in one way.
type group struct {
	set   set
	worth float64
	exact bool // the word as it is
	name  bool // in the name
}

// match is all that was found for one word.
type match struct {
	groups []group
	union  set
	as     found // the records that have the word as it is
	exact  bool  // there are such
}

func (m *match) add(f *found, share float64, exact bool) {
	for i, set := range f {
		if set != nil {
			m.addGroup(group{set, worthOf[i] * share, exact, i == inName})
		}
	}
}

func (m *match) addExact(f found) {
	m.add(&f, worthExact, true)
	m.as, m.exact = f, len(m.groups) > 0
}

func (m *match) addGroup(g group) {
	m.groups = append(m.groups, g)
	m.union.or(g.set)
}

// find collects what matches a word: as it is, as the beginning of longer
// words, and, where nothing has it as it is, with edits.
func (s *session) find(w *word, within set) (*match, error) {
	m := &match{union: s.set()}
	if w.phrase != nil {
		return m, s.phrase(m, w.phrase, within)
	}
	as, err := s.asItIs(w)
	if err != nil {
		return nil, err
	}
	m.addExact(as)
	if w.letter {
		begins, err := s.prefix(isName, w.term)
		if err == nil && begins != nil {
			m.addGroup(group{begins, worthInitial, false, true})
		}
		return m, err
	}
	var begins found
	for list := range begins {
		if begins[list], err = s.prefix(list, w.term); err != nil {
			return nil, err
		}
	}
	m.add(&begins, worthPrefix, false)
	if m.exact {
		return m, nil
	}
	return m, s.blur(m, w)
}

// asItIs finds a word: in names as it is, elsewhere in the singular.
func (s *session) asItIs(w *word) (f found, err error) {
	for list := range f {
		term := w.stem
		if list == inName {
			term = w.term
		}
		if f[list], err = s.text(list, term); err != nil {
			return f, err
		}
	}
	return f, nil
}

// blur adds the records that have a word with edits, unless they were added
// already.
func (s *session) blur(m *match, w *word) (err error) {
	if w.edits == 0 || w.blurred != nil {
		return nil
	}
	w.blurred = newPattern(w.term, w.edits)
	var near [maxEdits + 1]found
	for list := range listCount {
		sets, err := s.near(list, w.blurred)
		if err != nil {
			return err
		}
		for d := range near {
			near[d][list] = sets[d]
		}
	}
	for d := 1; d <= w.edits; d++ {
		m.add(&near[d], worthEdits/float64(d), false)
	}
	return nil
}

// phrase finds the records within a set that have words in this order, next to
// each other, in one text: those that have all of the words in a list, looked through.
func (s *session) phrase(m *match, phrase []string, within set) error {
	p, err := s.index.phrase(phrase)
	if err != nil || p == nil {
		return err
	}
	var may, has found
	for list := range may {
		may[list] = s.set()
		copy(may[list], within)
	}
	for i := range phrase {
		if err := s.narrow(&may, phrase[i:]); err != nil {
			return err
		}
	}
	for list := range may {
		for o := range may[list].each {
			if s.index.hasPhrase(o, p, list) {
				if has[list] == nil {
					has[list] = s.set()
				}
				has[list].add(o)
			}
		}
	}
	m.addExact(has)
	return nil
}

// narrow leaves those records that have the first word of a phrase in a list; where it
// is a stop word and another follows, those that have both together anywhere.
func (s *session) narrow(may *found, phrase []string) (err error) {
	t := phrase[0]
	var having found
	if !stopWords[t] {
		having, err = s.asItIs(&word{term: t, stem: stem(t)})
	} else {
		if len(phrase) > 1 && stopWords[phrase[1]] {
			t += " " + phrase[1]
		}
		having[0], err = s.text(isStop, t)
		having[1], having[2] = having[0], having[0]
	}
	for list, set := range having {
		if set == nil {
			clear(may[list])
		} else {
			may[list].and(set)
		}
	}
	return err
}
