package nearest

import (
	"math/rand/v2"
	"testing"

	"github.com/antzucaro/matchr"
)

func TestName(t *testing.T) {
	known := []string{"limit", "name", "category", "tool", "model", "minScore", "ab"}
	for word, want := range map[string]string{
		"limt": "limit", "ilmit": "limit", "nmae": "name", "LIMIT": "limit", "categry": "category", "cat": "category",
		"tools": "tool", "minscore": "minScore", "xyz": "", "": "", "q": "", "abc": "ab", "li": "",
		"limitlimitlimit": "limit",
	} {
		if got := Name(word, known); got != want {
			t.Errorf("Name(%q) = %q, want %q", word, got, want)
		}
	}
	if got := Names("modl", []string{"model", "modal", "mode", "module"}, 2); len(got) != 2 || got[0] != "modal" && got[0] != "mode" && got[0] != "model" {
		t.Errorf("%v", got)
	}
}

// TestApart compares the bound with the distance, of words with few letters, which are
// near by chance.
func TestApart(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	word := func() string {
		w := make([]rune, 1+r.IntN(8))
		for i := range w {
			w[i] = []rune("abcé界A\x01")[r.IntN(7)]
		}
		return string(w)
	}
	tight := 0
	for range 20_000 {
		a, b := word(), word()
		bound, distance := lettersOf(a).apart(b), matchr.DamerauLevenshtein(a, b)
		if bound > distance {
			t.Fatalf("%q and %q are %d apart, not %d at least", a, b, distance, bound)
		}
		if bound == distance {
			tight++
		}
	}
	if tight < 1000 {
		t.Errorf("the bound is the distance of %d pairs only", tight)
	}
}
