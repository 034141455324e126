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

// maxAskedLen is up to how many letters a word may have that is meant to be a name.
const maxAskedLen = 100

// Names returns up to most near candidates, the nearest first.
func Names(word string, candidates []string, most int) []string {
	word = strings.ToLower(word)
	n := utf8.RuneCountInString(word)
	if n == 0 || n > maxAskedLen || most <= 0 {
		return nil
	}
	a := asked{text: word, letters: n, kinds: Kinds(word), allowed: max(1, n/3), most: most}
	if n <= MaxWordLen {
		a.word = NewWord(word)
	}
	var doubtful []string // what takes long to compare, when the others have been compared
	for _, c := range candidates {
		lower := strings.ToLower(c)
		if len(lower) == 0 || len(lower) > 3*n+16 {
			continue
		}
		if d, sure := a.within(lower); sure {
			a.add(c, lower, d)
		} else {
			doubtful = append(doubtful, c)
		}
	}
	for _, c := range doubtful {
		lower := strings.ToLower(c)
		d, sure := a.within(lower)
		if !sure {
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

// asked is the word that candidates are compared with.
type asked struct {
	text    string
	letters int
	kinds   uint64
	allowed int   // how many edits away candidates may be
	word    *Word // nil where it is too long

	found []near // the nearest so far, the nearest first
	most  int    // how many are wanted
}

// near is a candidate and how many edits it is away.
type near struct {
	name     string
	distance int
}

// bound is how many edits away a further candidate may be to be of use.
func (a *asked) bound() int {
	if len(a.found) < a.most {
		return a.allowed
	}
	return a.found[a.most-1].distance
}

// add takes a candidate in that is some edits away, if that is near. What begins alike
// is near in any case.
func (a *asked) add(name, lower string, distance int) {
	if distance > a.allowed && a.begins(lower) {
		distance = a.allowed
	}
	if distance > a.bound() || distance >= a.letters {
		return
	}
	c := near{name, distance}
	at, _ := slices.BinarySearchFunc(a.found, c, func(a, b near) int {
		return cmp.Or(cmp.Compare(a.distance, b.distance), cmp.Compare(a.name, b.name))
	})
	a.found = slices.Insert(a.found, at, c)
	a.found = a.found[:min(len(a.found), a.most)]
}

// begins reports whether a candidate begins with the word, or the word with it.
func (a *asked) begins(candidate string) bool {
	return a.letters >= 3 && (strings.HasPrefix(candidate, a.text) || len(candidate) >= 3 && strings.HasPrefix(a.text, candidate))
}

// within is how many edits away a candidate is, or any number above the bound. sure is
// false where that is not known. The distance itself takes up to a hundred times as
// long as this, and there may be tens of thousands of candidates.
func (a *asked) within(candidate string) (distance int, sure bool) {
	bound := a.bound()
	if abs(utf8.RuneCountInString(candidate)-a.letters) > bound || apart(a.kinds, Kinds(candidate)) > bound {
		return a.allowed + 1, true
	}
	if a.word == nil {
		return 0, false
	}
	// Two letters that are exchanged may have others between them, which are deleted
	// before or inserted afterwards. With i of these that is 1+i edits, and 2+i at most
	// when aligned: up to two aligned edits are never fewer, and others by a third at
	// most.
	aligned := a.word.Aligned(candidate)
	if aligned <= 2 {
		return aligned, true
	}
	if 2*aligned > 3*bound {
		return a.allowed + 1, true
	}
	x, y := withoutCommonEnds(a.text, candidate)
	return aligned, bits.OnesCount64(Kinds(x)&Kinds(y)) < 2 // without two letters to be exchanged
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
