// Package didyoumean finds the valid name that a misspelled word probably meant.
package didyoumean

import (
	"cmp"
	"maps"
	"math/bits"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/antzucaro/matchr"
)

// Name returns the candidate nearest to word by edit distance, or "" if none is near. A
// candidate is near if it is within one edit per three letters, counting the transposition of
// two adjacent letters as one edit, if one of the two starts with the other, or if the word is its
// last part, as stars is of signals.stars. Case is ignored.
func Name(word string, candidates []string) string {
	if list := Names(word, candidates, 1); len(list) > 0 {
		return list[0]
	}
	return ""
}

// Key is like Name for keys such as tool/pytorch. It returns one of the same type, or of the nearest one if there
// is none of that, with the nearest slug.
func Key(key string, keys []string) string {
	typ, slug, _ := strings.Cut(key, "/")
	slugs := map[string][]string{}
	for _, k := range keys {
		typ, slug, _ := strings.Cut(k, "/")
		slugs[typ] = append(slugs[typ], slug)
	}
	if slugs[typ] == nil {
		typ = Name(typ, slices.Collect(maps.Keys(slugs)))
	}
	if near := Name(slug, slugs[typ]); near != "" {
		return typ + "/" + near
	}
	return ""
}

// Hint returns the nearest of the known names as a question or, if near is "", all of them.
func Hint(near string, known []string) string {
	if near != "" {
		return "did you mean " + near + "?"
	}
	return "expected one of: " + strings.Join(known, ", ")
}

const maxQueryLen = 100

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
		if strings.HasSuffix(lower, "."+word) {
			d = 1
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

// LetterMask returns a mask with one bit for each letter in a string and another bit for each
// letter that occurs more than once. Letters are distinguished only by their last five bits.
func LetterMask(text string) (mask uint64) {
	for _, r := range text {
		bit := uint64(1) << (r & 31)
		mask |= bit | (mask&bit)<<32
	}
	return mask
}

// MinDistance returns a lower bound for the distance between two strings with these LetterMasks. It holds
// for every distance in which an edit adds at most one letter and removes at most one.
func MinDistance(a, b uint64) int { return max(bits.OnesCount64(a&^b), bits.OnesCount64(b&^a)) }

// Distance returns the optimal string alignment distance between two strings: the number of edits, where
// transposing two adjacent letters is one edit and transposed letters are not edited again.
func Distance(a, b string) int {
	s, t := []rune(a), []rune(b)
	wide := len(t) + 1
	cells := make([]int, (len(s)+1)*wide) // of s[:i] and t[:j]
	for at := range cells {
		switch i, j := at/wide, at%wide; {
		case i == 0 || j == 0:
			cells[at] = i + j
		case s[i-1] == t[j-1]:
			cells[at] = cells[at-wide-1]
		default:
			cells[at] = 1 + min(cells[at-wide], cells[at-1], cells[at-wide-1])
			if i > 1 && j > 1 && s[i-1] == t[j-2] && s[i-2] == t[j-1] {
				cells[at] = min(cells[at], 1+cells[at-2*wide-2])
			}
		}
	}
	return cells[len(cells)-1]
}
