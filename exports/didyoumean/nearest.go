// Package didyoumean finds the valid name that a misspelled word probably meant.
package didyoumean

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/antzucaro/matchr"
)

// Name returns the candidate nearest to word by edit distance, or "" if none is near. A
// candidate is near if it is within one edit per three letters, counting the transposition of
// two adjacent letters as one edit, or if one of the two starts with the other. Case is
// ignored.
func Name(word string, candidates []string) string {
	if list := Names(word, candidates, 1); len(list) > 0 {
		return list[0]
	}
	return ""
}

// maxQueryLen is the maximum length, in letters, of a word that is compared.
const maxQueryLen = 100

// candidate is a candidate with its distance from the word.
type candidate struct {
	name     string
	distance int
}

// Names returns up to limit candidates that are near, as defined by Name, nearest
// first.
func Names(word string, candidates []string, limit int) (names []string) {
	word = strings.ToLower(word)
	n := utf8.RuneCountInString(word)
	if n == 0 || n > maxQueryLen || limit <= 0 {
		return nil
	}
	maxEdits, mask := max(1, n/3), LetterMask(word)
	var found []candidate
	for _, c := range candidates {
		lower := strings.ToLower(c)
		if len(lower) == 0 || len(lower) > 3*n+16 {
			continue
		}
		d := maxEdits + 1
		if more := utf8.RuneCountInString(lower) - n; max(more, -more) <= maxEdits && MinDistance(mask, LetterMask(lower)) <= maxEdits {
			d = matchr.DamerauLevenshtein(word, lower)
		}
		if d > maxEdits && n >= 3 && (strings.HasPrefix(lower, word) || len(lower) >= 3 && strings.HasPrefix(word, lower)) {
			d = maxEdits
		}
		if d <= maxEdits && d < n {
			found = append(found, candidate{c, d})
		}
	}
	slices.SortFunc(found, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.distance, b.distance), cmp.Compare(a.name, b.name))
	})
	for _, f := range found[:min(limit, len(found))] {
		names = append(names, f.name)
	}
	return names
}
