// Package didyoumean finds the valid name that a misspelled word probably meant.
package didyoumean

import (
	"cmp"
	"math/bits"
	"slices"
	"strings"
	"unicode/utf8"
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

// Names returns up to limit candidates that are near, as defined by Name, nearest
// first.
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
	var inexact []inexactCandidate // slow to compare, so compared after all other candidates
	for _, c := range candidates {
		lower := strings.ToLower(c)
		if len(lower) == 0 || len(lower) > 3*n+16 {
			continue
		}
		if d, exact := a.distance(lower); exact {
			a.add(c, lower, d)
		} else {
			inexact = append(inexact, inexactCandidate{c, lower, d})
		}
	}
	// The nearest come first, because they lower the maximum distance for the others.
	slices.SortFunc(inexact, func(x, y inexactCandidate) int { return cmp.Compare(x.atLeast, y.atLeast) })
	var t table
	for _, c := range inexact {
		if c.atLeast > a.maxDistance() {
			break
		}
		a.add(c.name, c.lower, t.distance(withoutCommonEnds(word, c.lower)))
	}
	var names []string
	for _, f := range a.found {
		names = append(names, f.name)
	}
	return names
}

// query holds the word that candidates are compared with.
type query struct {
	text       string
	letters    int
	letterMask uint64
	maxEdits   int   // maximum distance of a near candidate
	word       *Word // nil if the word is too long

	found []candidate // the nearest candidates so far, nearest first
	limit int         // maximum length of found
}

// candidate is a candidate with its distance from the word.
type candidate struct {
	name     string
	distance int
}

// inexactCandidate is a candidate whose distance is not known yet.
type inexactCandidate struct {
	name, lower string
	atLeast     int // lower bound of the distance
}

// maxDistance returns the maximum distance at which another candidate would be
// kept.
func (a *query) maxDistance() int {
	if len(a.found) < a.limit {
		return a.maxEdits
	}
	return a.found[a.limit-1].distance
}

// add keeps a candidate at the given distance if it is near enough. A candidate is always
// near if it starts with the word or the word starts with it.
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

// sharesPrefix reports whether the candidate starts with the word or the word
// starts with the candidate. The prefix must have at least three letters.
func (a *query) sharesPrefix(candidate string) bool {
	return a.letters >= 3 && (strings.HasPrefix(candidate, a.text) || len(candidate) >= 3 && strings.HasPrefix(a.text, candidate))
}

// distance returns a candidate's distance, or any number above maxDistance if the candidate
// is too far away to be kept. If exact is false, it is a lower bound of the true distance, which
// takes much longer to compute, and there may be tens of thousands of candidates.
func (a *query) distance(candidate string) (distance int, exact bool) {
	bound := a.maxDistance()
	if abs(utf8.RuneCountInString(candidate)-a.letters) > bound || minDistance(a.letterMask, LetterMask(candidate)) > bound {
		return a.maxEdits + 1, true
	}
	if a.word == nil {
		return 0, false
	}
	// Two transposed letters may have i other letters between them, which are
	// deleted before the transposition or inserted after it. That takes 1+i edits,
	// and at most 2+i with optimal string alignment. So an aligned distance of at
	// most two is exact, and otherwise the true distance is at least two thirds of
	// it.
	alignedDistance := a.word.Distance(candidate)
	if alignedDistance <= 2 {
		return alignedDistance, true
	}
	atLeast := (2*alignedDistance + 2) / 3
	if atLeast > bound {
		return a.maxEdits + 1, true
	}
	x, y := withoutCommonEnds(a.text, candidate)
	if bits.OnesCount64(LetterMask(x)&LetterMask(y)) < 2 {
		return alignedDistance, true // there are no two letters to transpose
	}
	return atLeast, false
}

// withoutCommonEnds removes the common prefix and suffix of two words. Neither
// needs any edits.
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
