package indexes_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/antzucaro/matchr"

	"kindex/builder/suite"
	"kindex/exports/record"
	"kindex/indexes"
)

// ranks adds up the reciprocal ranks that known items have among the first ten
// hits.
type ranks struct {
	sum    float64
	n      int
	missed []string
}

func (r *ranks) ask(t testing.TB, c *catalogue, q, want string) {
	t.Helper()
	keys, _ := c.find(t, q, 10)
	r.n++
	if i := slices.Index(keys, want); i >= 0 {
		r.sum += 1 / float64(i+1)
		if i == 0 {
			return
		}
	}
	r.missed = append(r.missed, fmt.Sprintf("%q found %v, not %s", q, keys[:min(3, len(keys))], want))
}

// atLeast prints the mean reciprocal rank and checks its minimum.
func (r *ranks) atLeast(t *testing.T, want float64, minQueries int) {
	t.Helper()
	mrr := r.sum / float64(r.n)
	t.Logf("MRR@10 %.4f over %d queries, %d of them not first", mrr, r.n, len(r.missed))
	for _, m := range r.missed[:min(8, len(r.missed))] {
		t.Log("  ", m)
	}
	if r.n < minQueries || mrr < want {
		t.Errorf("MRR@10 %.4f over %d queries, want at least %.2f over %d", mrr, r.n, want, minQueries)
	}
}

// TestKnownItems searches for every entity the way people search for
// things they know.
func TestKnownItems(t *testing.T) {
	suite.InTest(t)
	c := realCatalogue(t)
	rng := rand.New(rand.NewPCG(11, 13))
	names := nameWords(t, c)
	frequency := descriptionWords(t, c)
	var byName, bySlug, oneTypo, twoTypos, beginning, joined, rarest ranks
	c.each(t, func(e *record.Entity) {
		byName.ask(t, c, e.Name, e.Key())
		bySlug.ask(t, c, e.Slug, e.Key())
		if r := []rune(e.Name); len(r) >= 5 {
			beginning.ask(t, c, string(r[:(len(r)*6+9)/10]), e.Key())
		}
		joined.ask(t, c, strings.ReplaceAll(strings.ReplaceAll(e.Name, " ", ""), "-", ""), e.Key())
		for _, q := range misspelt(rng, e.Name, names, 4, 1) {
			oneTypo.ask(t, c, q, e.Key())
		}
		for _, q := range misspelt(rng, e.Name, names, 8, 2) {
			twoTypos.ask(t, c, q, e.Key())
		}
		if q := rarestWords(e.Description, frequency, 4); len(q) >= 3 {
			rarest.ask(t, c, strings.Join(q, " "), e.Key())
		}
	})
	for _, k := range []struct {
		name   string
		ranks  *ranks
		want   float64
		fewest int
	}{
		{"by name", &byName, 0.99, 200}, {"by slug", &bySlug, 0.99, 200}, {"without spaces", &joined, 0.98, 200},
		{"one typo", &oneTypo, 0.98, 500}, {"two typos in long words", &twoTypos, 0.98, 150},
		{"the first 60% of the name", &beginning, 0.8, 180}, {"rarest words of the description", &rarest, 0.9, 180},
	} {
		t.Run(k.name, func(t *testing.T) { k.ranks.atLeast(t, k.want, k.fewest) })
	}
}

// nameWords returns the words in all names, and how many entities have each word.
func nameWords(t testing.TB, c *catalogue) map[string]int {
	words := map[string]int{}
	c.each(t, func(e *record.Entity) {
		for _, w := range plainWords(e.Name) {
			words[w]++
		}
	})
	return words
}

// plainWords splits a text at all characters but letters and digits.
func plainWords(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// misspelt returns misspelled versions of a name, one for every kind of edit, made in a word
// that consists only of letters. It leaves out typos that could also be meant as a word in
// another name.
func misspelt(rng *rand.Rand, name string, names map[string]int, least, edits int) []string {
	var words []string
	for _, w := range plainWords(name) {
		if utf8.RuneCountInString(w) >= least && !strings.ContainsFunc(w, unicode.IsDigit) {
			words = append(words, w)
		}
	}
	if len(words) == 0 {
		return nil
	}
	word := words[rng.IntN(len(words))]
	var out []string
	for kind := range 4 {
		typo := word
		for range edits {
			typo = typos(rng, typo)[kind]
		}
		if !ambiguous(typo, word, names, edits) {
			out = append(out, replaceWord(name, word, typo))
		}
	}
	return out
}

func replaceWord(name, word, by string) string {
	return regexp.MustCompile(`(?i)(^|[^\pL\pN])`+regexp.QuoteMeta(word)+`($|[^\pL\pN])`).ReplaceAllString(name, "${1}"+by+"${2}")
}

func ambiguous(typo, word string, names map[string]int, edits int) bool {
	if d := matchr.OSA(typo, word); d == 0 || d > edits || utf8.RuneCountInString(typo) < 4*edits {
		return true // no longer a typo, or a typo that searches need not tolerate
	}
	for other := range names {
		if other != word && matchr.OSA(typo, other) <= edits {
			return true
		}
	}
	return false
}

// descriptionWords returns how many descriptions contain each word.
func descriptionWords(t testing.TB, c *catalogue) map[string]int {
	frequency := map[string]int{}
	c.each(t, func(e *record.Entity) {
		for _, w := range slices.Compact(slices.Sorted(slices.Values(indexes.Words(e.Description)))) {
			frequency[w]++
		}
	})
	return frequency
}

func rarestWords(description string, frequency map[string]int, n int) []string {
	words := slices.Compact(slices.Sorted(slices.Values(indexes.Words(description))))
	slices.SortStableFunc(words, func(a, b string) int { return cmp.Compare(frequency[a], frequency[b]) })
	return words[:min(n, len(words))]
}
