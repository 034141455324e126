package diff

import (
	"strings"
	"unicode"

	"github.com/antzucaro/matchr"
)

// minLetters is the minimum number of letters that a name must have before misspellings of it
// are looked for.
const minLetters = 5

// nearKeys returns the keys of a normalized name: the name itself, and the name without one
// of its letters, for each letter. Two names that are one edit apart share a key. Names that
// are too short have no keys.
func nearKeys(name string) []string {
	runes := []rune(name)
	letters := 0
	for _, r := range runes {
		if unicode.IsLetter(r) {
			letters++
		}
	}
	if letters < minLetters {
		return nil
	}
	keys := make([]string, 0, len(runes)+1)
	keys = append(keys, name)
	for i, r := range runes {
		if (i == 0 || runes[i-1] != r) && unicode.IsLetter(r) {
			keys = append(keys, string(runes[:i])+string(runes[i+1:]))
		}
	}
	return keys
}

// oneEdit reports whether two normalized names are one edit apart (an inserted, deleted or
// replaced letter, or two adjacent letters swapped) and have the same digits: GPT-4 is not
// GPT-5.
func oneEdit(a, b string) bool {
	return digits(a) == digits(b) && matchr.DamerauLevenshtein(a, b) == 1
}

// digits returns the digits of a name, with a space between separate numbers.
func digits(name string) string {
	return strings.Join(strings.FieldsFunc(name, func(r rune) bool { return !unicode.IsDigit(r) }), " ")
}
