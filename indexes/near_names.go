package indexes

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// findNear finds the records whose complete name or slug is the query apart from typos, within the
// number of edits that the misspelled words allow. Matching single words is not enough: "olama"
// is near Ollama, but also near one of the words of LlamaIndex. If words of names start with a word
// of the query, that word counts as unfinished, not as misspelled.
func (r *ranking) findNear(words []string) error {
	edits := 0
	for i, w := range r.clauses {
		switch {
		case w.fuzzy != nil && !w.isPrefix:
			edits = min(edits+w.fuzziness, 2)
		case utf8.RuneCountInString(w.term) == 3 && len(r.clauses) > 1 && digits(w.term) == "" && !r.matched[i].hasExact:
			edits = max(edits, 1) // too short to be searched alone
		}
	}
	joined := strings.Join(words, "")
	if edits == 0 || utf8.RuneCountInString(joined) > maxFuzzyLen {
		return nil
	}
	query := newFuzzyPattern(joined, edits)
	near, err := r.nearNames(query)
	if err != nil {
		return err
	}
	for name := range near {
		if name == joined || digits(name) != digits(joined) {
			continue // no typo, or another version: GPT-4 is not GPT-5
		}
		unused := r.taken
		found, err := r.termSet(joinedField, name)
		if err != nil {
			return err
		}
		if d := query.Distance(name); found == nil { // part of a name
			r.taken = unused
		} else if r.near[d] == nil {
			r.near[d] = found
		} else {
			r.near[d].or(found)
			r.taken = unused
		}
	}
	// If the name and the slug of a record differ, the nearer one counts.
	for d := range r.near {
		for _, nearer := range r.near[:d] {
			if r.near[d] != nil && nearer != nil {
				r.near[d].andNot(nearer)
			}
		}
	}
	return nil
}

// nearNames returns the terms in names that are within the number of edits that a pattern allows.
// The terms include each complete name without its spaces.
func (s *session) nearNames(w *fuzzyPattern) (map[string]bool, error) {
	near := map[string]bool{}
	add := func(term string, _ uint64, _ int) error {
		near[term] = true
		return nil
	}
	if err := s.index.vocabularies[nameField].fuzzy(w, add); err != nil {
		return nil, err
	}
	for _, l := range s.index.memSegments {
		if err := l.terms[nameField].vocabulary.fuzzy(w, add); err != nil {
			return nil, err
		}
	}
	return near, nil
}

// digits returns the digits in a text.
func digits(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsDigit(r) {
			return r
		}
		return -1
	}, text)
}
