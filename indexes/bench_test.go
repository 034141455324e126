package indexes_test

import (
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"kindex/exports"
	"kindex/exports/record"
	"kindex/indexes"
)

// benchBuild is the output folder of a build to measure instead of the content for tests:
// KINDEX_BENCH_BUILD=/tmp/out go test -bench . -run '^$' ./indexes
const benchBuild = "KINDEX_BENCH_BUILD"

func benchCatalogue(b testing.TB) *catalogue {
	dir := os.Getenv(benchBuild)
	if dir == "" {
		return realCatalogue(b)
	}
	return openOutput(b, dir)
}

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

// queries are the classes of queries that are measured.
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

func BenchmarkSearch(b *testing.B) {
	c := benchCatalogue(b)
	classes := wordsOf(c).queries()
	var names []string
	for name := range classes {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		b.Run(name, func(b *testing.B) {
			rng := rand.New(rand.NewPCG(3, 4))
			var took []time.Duration
			for b.Loop() {
				q := classes[name](rng)
				start := time.Now()
				if _, err := c.index.Search(q, c.all, nil, 0, 20); err != nil {
					b.Fatal(err)
				}
				took = append(took, time.Since(start))
			}
			report(b, took)
		})
	}
	b.Run("facets", func(b *testing.B) {
		rng := rand.New(rand.NewPCG(3, 4))
		var took []time.Duration
		for b.Loop() {
			q := classes["common"](rng)
			start := time.Now()
			res, err := c.index.Search(q, c.all, nil, 0, 20)
			if err != nil {
				b.Fatal(err)
			}
			c.build.Facets(res.Matches, []string{"category", "tag", "license"}, 20)
			took = append(took, time.Since(start))
		}
		report(b, took)
	})
}

func report(b *testing.B, took []time.Duration) {
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds()), "p50-µs")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "p99-µs")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkWith applies sixty edits to an index.
func BenchmarkWith(b *testing.B) {
	c := benchCatalogue(b)
	var edits []exports.Edit
	for o := range uint32(60) {
		e := c.build.Entity(o * 5)
		e.Name += " edited"
		edits = append(edits, exports.Edit{Type: e.Type, Slug: e.Slug, Entity: e})
	}
	with, err := c.build.WithEdits(edits)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := c.index.WithEdits(with, c.titles); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkOpen opens the index.
func BenchmarkOpen(b *testing.B) {
	root := os.Getenv(benchBuild)
	if root == "" {
		root = builtOut(b)
	}
	c := benchCatalogue(b)
	for b.Loop() {
		x, err := indexes.Open(root, c.build)
		if err != nil {
			b.Fatal(err)
		}
		if err := x.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkWrite builds an index of all documents, and another that reuses it after one in
// three hundred documents has been edited and all scores have changed.
func BenchmarkWrite(b *testing.B) {
	c := benchCatalogue(b)
	var entities []*record.Entity
	c.each(b, func(e *record.Entity) { entities = append(entities, e) })
	root := b.TempDir()
	const before = "20261101-0000000000000001"
	for b.Loop() {
		p := indexes.Prepare(entities, c.titles)
		dir, err := p.Write(root)
		if err != nil {
			b.Fatal(err)
		}
		if err := p.Install(root, dir, before); err != nil {
			b.Fatal(err)
		}
	}
}
