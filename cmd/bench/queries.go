package main

import (
	"cmp"
	"errors"
	"math/rand/v2"
	"strings"
	"unicode"
	"unicode/utf8"

	"kindex/exports"
	"kindex/indexes"
)

// words generates queries from the words of listed documents, so that a word's frequency in
// queries matches its frequency in documents. It reads the documents from the build each
// time, because keeping the words in the heap would slow down the code being measured.
type words struct {
	build *exports.Build
	err   error // the first error, to be checked after generating all queries
}

// maxAttempts is the maximum number of documents to try when looking for a suitable
// word.
const maxAttempts = 10_000

// draw picks a random document and returns its words: all of them, or only those in its
// name.
func (w *words) draw(rng *rand.Rand, name bool) []string {
	e, err := w.build.Entity(uint32(rng.IntN(w.build.Listed())))
	if err != nil {
		w.err = cmp.Or(w.err, err)
		return nil
	}
	if name {
		return split(e.Name)
	}
	return split(strings.Join([]string{e.Name, e.Provider, strings.Join(e.Tags, " "), strings.Join(e.Capabilities, " "), e.Description}, " "))
}

// one draws words until one is suitable.
func (w *words) one(rng *rand.Rand, name bool, good func(word string, all []string) bool) string {
	for range maxAttempts {
		all := w.draw(rng, name)
		if len(all) == 0 {
			continue
		}
		if word := all[rng.IntN(len(all))]; good(word, all) {
			return word
		}
	}
	w.err = cmp.Or(w.err, errors.New("the documents have no words suitable for this kind of query"))
	return ""
}

// split lists the words in a text that people would search for: those with at least
// two letters that are not stop words.
func split(text string) []string {
	var list []string
	for _, w := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		if utf8.RuneCountInString(w) >= 2 && len(indexes.Words(w)) == 1 {
			list = append(list, w)
		}
	}
	return list
}

// term returns a word of a document, possibly a frequent one.
func (w *words) term(rng *rand.Rand) []string {
	word := w.one(rng, false, func(string, []string) bool { return true })
	return []string{word}
}

// two returns different words of one document.
func (w *words) two(rng *rand.Rand) []string {
	var second string
	first := w.one(rng, false, func(first string, all []string) bool {
		second = all[rng.IntN(len(all))]
		return first != second
	})
	return []string{first, second}
}

// phrase returns two or three consecutive words of a description, joined by spaces. Any of them may be a stop
// word.
func (w *words) phrase(rng *rand.Rand) []string {
	for range maxAttempts {
		e, err := w.build.Entity(uint32(rng.IntN(w.build.Listed())))
		if err != nil {
			w.err = cmp.Or(w.err, err)
			break
		}
		all, n := strings.Fields(strings.ToLower(e.Description)), 2+rng.IntN(2)
		if len(all) < n {
			continue
		}
		from := rng.IntN(len(all) - n + 1)
		phrase := strings.Join(all[from:from+n], " ")
		if !strings.ContainsFunc(phrase, func(r rune) bool { return r != ' ' && !unicode.IsLetter(r) }) {
			return []string{phrase}
		}
	}
	w.err = cmp.Or(w.err, errors.New("the descriptions have no phrases of letters"))
	return []string{""}
}

// prefix returns the first three or four letters of a longer word.
func (w *words) prefix(rng *rand.Rand) []string {
	n := 3 + rng.IntN(2)
	word := w.one(rng, false, func(word string, _ []string) bool { return utf8.RuneCountInString(word) > n })
	if word == "" {
		return []string{""}
	}
	return []string{string([]rune(word)[:n])}
}

// typo returns a word from a name after one random edit, and the original word. Each has at
// least four letters and contains only letters.
func (w *words) typo(rng *rand.Rand) []string {
	var typed string
	meant := w.one(rng, true, func(meant string, _ []string) bool {
		if utf8.RuneCountInString(meant) < 4 || strings.ContainsFunc(meant, func(r rune) bool { return !unicode.IsLetter(r) }) {
			return false
		}
		typed = typo(rng, meant)
		return typed != meant && utf8.RuneCountInString(typed) >= 4
	})
	return []string{typed, meant}
}

// typo makes one edit: it replaces, drops, adds or transposes a letter.
func typo(rng *rand.Rand, word string) string {
	r := []rune(word)
	at, letter := rng.IntN(len(r)), rune('a'+rng.IntN(26))
	switch rng.IntN(4) {
	case 0:
		r[at] = letter
	case 1:
		r = append(r[:at], r[at+1:]...)
	case 2:
		r = append(r[:at], append([]rune{letter}, r[at:]...)...)
	default:
		if at+1 < len(r) {
			r[at], r[at+1] = r[at+1], r[at]
		}
	}
	return string(r)
}
