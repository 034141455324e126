package diff

import (
	"strings"
	"unicode"

	"github.com/antzucaro/matchr"

	"kindex/exports/record"
)

// normalizeName is a name without what people write in one way or another: case,
// accents, spaces and punctuation. A plus and a hash stay: C++ and C# are not C.
func normalizeName(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || r == '+' || r == '#' {
			return r
		}
		return -1
	}, record.Fold(name))
}

// minLetters is how many letters a name must have for another one to be taken
// for a misspelling of it.
const minLetters = 5

// nearKeys are what two joined names share if one edit parts them: the name
// itself and what is left of it without one letter. Names that are too short for
// it have none.
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

// oneEdit tells whether two joined names are one edit apart – a letter more,
// less or other, or two neighbours exchanged – and have the same digits at that:
// GPT-4 is not GPT-5.
func oneEdit(a, b string) bool {
	return digits(a) == digits(b) && matchr.DamerauLevenshtein(a, b) == 1
}

// digits are the digits of a name with a space where others stand between them.
func digits(name string) string {
	return strings.Join(strings.FieldsFunc(name, func(r rune) bool { return !unicode.IsDigit(r) }), " ")
}
