// Package didyoumean finds the valid name that somebody probably meant.
package didyoumean

import (
	"cmp"
	"math/bits"
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

// maxQueryLen is up to how many letters a word may have that is meant to be a name.
const maxQueryLen = 100

// Names returns up to most near candidates, the nearest first.
func Names(word string, candidates []string, limit int) []string {
	word = strings.ToLower(word)
	n := utf8.RuneCountInString(word)
	if n == 0 || n > maxQueryLen || limit <= 0 {
		return nil
	}
	a := query{text: word, letters: n, letterMask: LetterMask(word), maxEdits: max(1, n/3), limit: limit}
	if n <= MaxWordLen {
		a.word = NewWord(word)
	}
	var inexact []string // what takes long to compare, when the others have been compared
	for _, c := range candidates {
		lower := strings.ToLower(c)
		if len(lower) == 0 || len(lower) > 3*n+16 {
			continue
		}
		if d, exact := a.distance(lower); exact {
			a.add(c, lower, d)
		} else {
			inexact = append(inexact, c)
		}
	}
	for _, c := range inexact {
		lower := strings.ToLower(c)
		d, exact := a.distance(lower)
		if !exact {
			d = matchr.DamerauLevenshtein(withoutCommonEnds(word, lower))
		}
		a.add(c, lower, d)
	}
	var names []string
	for _, f := range a.found {
		names = append(names, f.name)
	}
	return names
}

// query is the word that candidates are compared with.
type query struct {
	text       string
	letters    int
	letterMask uint64
	maxEdits   int   // how many edits away candidates may be
	word       *Word // nil where it is too long

	found []candidate // the nearest so far, the nearest first
	limit int         // how many are wanted
}

// candidate is a candidate and how many edits it is away.
type candidate struct {
	name     string
	distance int
}

// maxDistance is how many edits away a further candidate may be to be of use.
func (a *query) maxDistance() int {
	if len(a.found) < a.limit {
		return a.maxEdits
	}
	return a.found[a.limit-1].distance
}

// add takes a candidate in that is some edits away, if that is near. What begins alike
// is near in any case.
func (a *query) add(name, lower string, distance int) {
	if distance > a.maxEdits && a.sharesPrefix(lower) {
		distance = a.maxEdits
	}
	if distance > a.maxDistance() || distance >= a.letters {
		return
	}
	c := candidate{name, distance}
	at, _ := slices.BinarySearchFunc(a.found, c, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.distance, b.distance), cmp.Compare(a.name, b.name))
	})
	a.found = slices.Insert(a.found, at, c)
	a.found = a.found[:min(len(a.found), a.limit)]
}

// sharesPrefix reports whether a candidate begins with the word, or the word with it.
func (a *query) sharesPrefix(candidate string) bool {
	return a.letters >= 3 && (strings.HasPrefix(candidate, a.text) || len(candidate) >= 3 && strings.HasPrefix(a.text, candidate))
}

// distance is how many edits away a candidate is, or any number above the bound. exact is
// false where that is not known. The distance itself takes up to a hundred times as
// long as this, and there may be tens of thousands of candidates.
func (a *query) distance(candidate string) (distance int, exact bool) {
	bound := a.maxDistance()
	if abs(utf8.RuneCountInString(candidate)-a.letters) > bound || minDistance(a.letterMask, LetterMask(candidate)) > bound {
		return a.maxEdits + 1, true
	}
	if a.word == nil {
		return 0, false
	}
	// Two letters that are exchanged may have others between them, which are deleted
	// before or inserted afterwards. With i of these that is 1+i edits, and 2+i at most
	// when aligned: up to two aligned edits are never fewer, and others by a third at
	// most.
	alignedDistance := a.word.Distance(candidate)
	if alignedDistance <= 2 {
		return alignedDistance, true
	}
	if 2*alignedDistance > 3*bound {
		return a.maxEdits + 1, true
	}
	x, y := withoutCommonEnds(a.text, candidate)
	return alignedDistance, bits.OnesCount64(LetterMask(x)&LetterMask(y)) < 2 // without two letters to be exchanged
}

// withoutCommonEnds leaves out what two words begin and end with alike, which is never
// edited.
func withoutCommonEnds(a, b string) (string, string) {
	for a != "" && b != "" {
		r, n := utf8.DecodeRuneInString(a)
		s, m := utf8.DecodeRuneInString(b)
		if r != s {
			break
		}
		a, b = a[n:], b[m:]
	}
	for a != "" && b != "" {
		r, n := utf8.DecodeLastRuneInString(a)
		s, m := utf8.DecodeLastRuneInString(b)
		if r != s {
			break
		}
		a, b = a[:len(a)-n], b[:len(b)-m]
	}
	return a, b
}

func abs(n int) int { return max(n, -n) }
