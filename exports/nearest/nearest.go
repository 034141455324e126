// Package nearest finds the valid name that somebody probably meant.
package nearest

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/antzucaro/matchr"
)

// Name returns the candidate nearest to word by edit distance, "" where none is
// near enough to be more than a coincidence: one edit in three letters at most,
// where exchanging two neighbours is one edit.
// Case is no difference, and a candidate that begins with the word, or the word
// with it, is near.
func Name(word string, candidates []string) string {
	if list := Names(word, candidates, 1); len(list) > 0 {
		return list[0]
	}
	return ""
}

// Names returns up to most near candidates, the nearest first.
func Names(word string, candidates []string, most int) []string {
	type near struct {
		name     string
		distance int
	}
	word = strings.ToLower(word)
	n := len([]rune(word))
	if n == 0 || n > 100 {
		return nil
	}
	allowed := max(1, n/3)
	letters := lettersOf(word)
	var found []near
	for _, c := range candidates {
		lower := strings.ToLower(c)
		if len(lower) == 0 || len(lower) > 3*n+16 {
			continue
		}
		d := allowed + 1
		if abs(utf8.RuneCountInString(lower)-n) <= allowed && letters.apart(lower) <= allowed {
			d = matchr.DamerauLevenshtein(word, lower)
		}
		if n >= 3 && d > allowed && (strings.HasPrefix(lower, word) || len(lower) >= 3 && strings.HasPrefix(word, lower)) {
			d = allowed
		}
		if d <= allowed && d < n {
			found = append(found, near{c, d})
		}
	}
	slices.SortFunc(found, func(a, b near) int {
		return cmp.Or(cmp.Compare(a.distance, b.distance), cmp.Compare(a.name, b.name))
	})
	var names []string
	for _, f := range found[:min(most, len(found))] {
		names = append(names, f.name)
	}
	return names
}

// letters counts the letters of a word, by the last six bits of each.
type letters [64]int16

func lettersOf(word string) (l letters) {
	for _, r := range word {
		l[r&63]++
	}
	return l
}

// apart is a number of edits that two words are apart at least: how many letters one
// of them has more than the other. The distance itself takes a hundred times as long,
// and there may be tens of thousands of names.
func (l letters) apart(word string) int {
	for _, r := range word {
		l[r&63]--
	}
	more, fewer := 0, 0
	for _, n := range l {
		more += int(max(n, 0))
		fewer += int(max(-n, 0))
	}
	return max(more, fewer)
}

func abs(n int) int { return max(n, -n) }
