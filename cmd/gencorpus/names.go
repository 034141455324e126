package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"kindex/builder/content"
)

// newName generates an unused name of two or three words, and its slug. The slug
// is a function of the folded name, so a new slug implies a new name.
func (s *recordPool) newName(rng *rand.Rand, m *nameGenerator, taken func(slug string) bool) (name, slug string) {
	for attempt := 0; ; attempt++ {
		words := []string{s.firstWord(rng)}
		words = append(words, s.nextWord(rng, words))
		third := rng.Float64()
		isCoined := third < coined || attempt >= patience
		switch {
		case isCoined:
			words = append(words, m.propose(rng))
		case third < coined+longer:
			words = append(words, s.nextWord(rng, words))
		}
		if slices.Contains(words, "") {
			continue
		}
		name = strings.Join(words, " ")
		if slug = content.Slugify(name); taken(slug) {
			continue
		}
		if isCoined {
			m.issue(words[2])
		}
		// Reuse makes common words more common, as in natural language.
		s.words = append(s.words, words...)
		return name, slug
	}
}

// firstWord draws a word that may start a name: not a number or a single letter.
func (s *recordPool) firstWord(rng *rand.Rand) string {
	if w := pick(rng, s.words); leads(w) {
		return w
	}
	return ""
}

// nextWord draws a word that is not in the name yet.
func (s *recordPool) nextWord(rng *rand.Rand, before []string) string {
	w := pick(rng, s.words)
	if slices.ContainsFunc(before, func(b string) bool { return content.Slugify(b) == content.Slugify(w) }) {
		return ""
	}
	return w
}

func leads(word string) bool {
	r, size := utf8.DecodeRuneInString(word)
	return unicode.IsLetter(r) && len(word) > size
}

// varied reports whether there are enough words to generate names.
func varied(words []string) bool {
	distinct := map[string]bool{}
	for _, w := range words {
		if leads(w) {
			distinct[content.Slugify(w)] = true
		}
	}
	return len(distinct) >= 2
}

// wordsOf lists every occurrence of a word in the names of records and, once
// each, the words that occur only in their tags.
func wordsOf(records []*original) []string {
	var words []string
	known := map[string]bool{}
	for _, r := range records {
		for _, w := range nameWords(r.Name) {
			known[content.Slugify(w)] = true
			words = append(words, w)
		}
	}
	for _, r := range records {
		for _, tag := range r.Tags {
			for w := range strings.SplitSeq(tag, "-") {
				if len(w) >= 3 && len(w) <= maxWordLen && !known[w] {
					known[w] = true
					words = append(words, strings.ToUpper(w[:1])+w[1:])
				}
			}
		}
	}
	return words
}

// nameWords splits a name into words.
func nameWords(name string) []string {
	parts := strings.FieldsFunc(name, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) && r != '.' && r != '+'
	})
	var words []string
	for _, p := range parts {
		if p = strings.Trim(p, ".+"); len(p) <= maxWordLen && content.Slugify(p) != "" {
			words = append(words, p)
		}
	}
	return words
}

// nameGenerator coins words from syllables of real names.
type nameGenerator struct {
	syllables []string
	issued    map[string]bool // including real words
}

func newNameGenerator(records []*original) (*nameGenerator, error) {
	m := &nameGenerator{issued: map[string]bool{}}
	for _, r := range records {
		for _, w := range nameWords(r.Name) {
			m.issued[strings.ToLower(w)] = true
			m.syllables = append(m.syllables, syllables(strings.ToLower(w))...)
		}
	}
	slices.Sort(m.syllables)
	m.syllables = slices.Compact(m.syllables)
	if len(m.syllables) < minSyllables {
		return nil, fmt.Errorf("its names have %d syllables, but at least %d are needed to coin words", len(m.syllables), minSyllables)
	}
	return m, nil
}

// propose returns an unused word. Words become longer as the short ones run out.
func (m *nameGenerator) propose(rng *rand.Rand) string {
	for attempt := 0; ; attempt++ {
		var b strings.Builder
		for range 2 + rng.IntN(2) + attempt/patience {
			b.WriteString(pick(rng, m.syllables))
		}
		if w := b.String(); !m.issued[w] {
			return strings.ToUpper(w[:1]) + w[1:]
		}
	}
}

// issue prevents a word from being proposed again.
func (m *nameGenerator) issue(word string) { m.issued[strings.ToLower(word)] = true }

// syllables splits a lower-case word roughly into syllables: consonants, vowels,
// and one more consonant if another consonant or the end of the word follows. A
// word that contains anything but letters has no syllables.
func syllables(word string) []string {
	if strings.Trim(word, "abcdefghijklmnopqrstuvwxyz") != "" {
		return nil
	}
	vowel := func(i int) bool { return i < len(word) && strings.IndexByte("aeiouy", word[i]) >= 0 }
	var found []string
	for i := 0; i < len(word); {
		start := i
		for i < len(word) && !vowel(i) {
			i++
		}
		onset := i - start
		for vowel(i) {
			i++
		}
		isOpen := i == start+onset // no vowel: the rest of the word
		if i < len(word) && !vowel(i+1) {
			i++
		}
		if s := word[start:i]; !isOpen && onset <= 2 && len(s) >= 2 && len(s) <= 5 {
			found = append(found, s)
		}
	}
	return found
}
