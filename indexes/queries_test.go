package indexes_test

import (
	"math/rand/v2"
	"slices"
	"strings"

	"kindex/indexes"
)

// corpusWords are the words in descriptions and names, most common first.
type corpusWords struct {
	common, rare, name []string
	phrases            []string
}

func wordsOf(c *catalogue) *corpusWords {
	rng := rand.New(rand.NewPCG(1, 2))
	count := map[string]int{}
	w := &corpusWords{}
	for range min(4000, c.build.Listed()) {
		e := c.build.Entity(uint32(rng.IntN(c.build.Listed())))
		list := indexes.Words(e.Description)
		slices.Sort(list)
		for _, t := range slices.Compact(list) {
			count[t]++
		}
		w.name = append(w.name, strings.Fields(strings.ToLower(e.Name))...)
		if f := strings.Fields(strings.Trim(e.Description, ".")); len(f) > 4 {
			i := rng.IntN(len(f) - 2)
			w.phrases = append(w.phrases, strings.Join(f[i:i+2+rng.IntN(2)], " "))
		}
	}
	var all []string
	for t := range count {
		all = append(all, t)
	}
	slices.SortFunc(all, func(x, y string) int {
		if count[x] != count[y] {
			return count[y] - count[x]
		}
		return strings.Compare(x, y)
	})
	w.common = all[:min(50, len(all))]
	for _, t := range all {
		if count[t] <= 3 {
			w.rare = append(w.rare, t)
		}
	}
	return w
}

// queries are classes of queries.
func (w *corpusWords) queries() map[string]func(*rand.Rand) string {
	of := func(rng *rand.Rand, list []string) string { return list[rng.IntN(len(list))] }
	long := func(least int) []string {
		var out []string
		for _, n := range w.name {
			if len(n) >= least && strings.Trim(n, "abcdefghijklmnopqrstuvwxyz") == "" {
				out = append(out, n)
			}
		}
		return out
	}
	four, eight := long(5), long(8)
	stops := []string{"a", "an", "and", "for", "in", "of", "on", "the", "to", "with"}
	return map[string]func(*rand.Rand) string{
		"one-letter":     func(r *rand.Rand) string { return string(rune('a' + r.IntN(26))) },
		"two-letters":    func(r *rand.Rand) string { return of(r, four)[:2] },
		"prefix":         func(r *rand.Rand) string { n := of(r, four); return n[:3+r.IntN(len(n)-3)] },
		"common":         func(r *rand.Rand) string { return of(r, w.common) },
		"rare":           func(r *rand.Rand) string { return of(r, w.rare) },
		"two-common":     func(r *rand.Rand) string { return of(r, w.common) + " " + of(r, w.common) },
		"two-rare":       func(r *rand.Rand) string { return of(r, w.rare) + " " + of(r, w.rare) },
		"one-typo":       func(r *rand.Rand) string { return edited(r, of(r, four)) },
		"two-typos":      func(r *rand.Rand) string { return edited(r, edited(r, of(r, eight))) },
		"two-words-typo": func(r *rand.Rand) string { return edited(r, of(r, four)) + " " + of(r, w.common) },
		"phrase":         func(r *rand.Rand) string { return `"` + of(r, w.phrases) + `"` },
		"quoted":         func(r *rand.Rand) string { return `"` + of(r, w.common) + `"` },
		"quoted-stops":   func(r *rand.Rand) string { return `"` + of(r, stops) + `" "` + of(r, stops) + `"` },
		"eight-words": func(r *rand.Rand) string {
			var l []string
			for range 8 {
				l = append(l, of(r, w.common))
			}
			l[3], l[5] = of(r, w.rare), "xyzzyx"
			return strings.Join(l, " ")
		},
		"nothing": func(r *rand.Rand) string { return "q" + of(r, eight) + "zqjx" },
	}
}

func edited(r *rand.Rand, s string) string { return typos(r, s)[r.IntN(4)] }
