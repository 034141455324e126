package exports

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"kindex/builder/suite"
	"kindex/exports/kinds"
	"kindex/exports/pricing"
	"kindex/exports/record"
	"kindex/exports/store"
	"kindex/exports/table"
)

// catalogueSize is large enough to fill several shards and to make many kinds of pages.
const catalogueSize = 3000

// spellings maps values with several spellings to their folded form. It is written by
// hand, because the model must not call Fold.
var spellings = map[string]string{
	"Élan": "elan", "ELAN": "elan", "Elan": "elan", "e\u0301lan": "elan",
	"Ångström": "angstrom", "ANGSTROM": "angstrom", "ﬁne": "fine", "Fine": "fine", "①": "1", "1": "1",
	"ΑΒΓ": "αβγ", "αβγ": "αβγ", "日本語": "日本語", "Ｗide": "wide", "İstanbul": "istanbul", "\u0301": "",
	"Acme, Inc.": "acme, inc.", "ACME, INC.": "acme, inc.", "Acmé, Inc.": "acme, inc.", "acme": "acme",
	"Meta": "meta", "meta": "meta", "a|b": "a|b", "Apache-2.0": "apache-2.0", "MIT": "mit", "mit": "mit",
}

func folded(s string) string {
	if f, ok := spellings[s]; ok {
		return f
	}
	return strings.ToLower(s) // sufficient here, because every other value in the catalogue is ASCII
}

// pick returns a random element of a list, or "" with the given probability.
func pick(rng *rand.Rand, empty float64, list ...string) string {
	if rng.Float64() < empty {
		return ""
	}
	return list[rng.IntN(len(list))]
}

func pickSome(rng *rand.Rand, most int, prefix string, of int) []string {
	var list []string
	for range rng.IntN(most + 1) {
		if s := fmt.Sprint(prefix, rng.IntN(of)); !slices.Contains(list, s) {
			list = append(list, s)
		}
	}
	return list
}

// someDays are edge cases, such as the first and last valid dates and the epoch.
var someDays = []string{"0001-01-01", "1969-12-31", "1970-01-01", "2024-02-29", "2024-03-01", "2026-10-31", "2026-11-01", "9999-12-31"}

func randomDay(rng *rand.Rand) string {
	if rng.IntN(2) == 0 {
		return pick(rng, 0.5, someDays...)
	}
	return fmt.Sprintf("2025-%02d-%02d", 1+rng.IntN(12), 1+rng.IntN(28))
}

func randomScores(rng *rand.Rand) (s record.Scores) {
	for _, name := range record.ScoreNames {
		switch rng.IntN(4) {
		case 0: // null
		case 1:
			s.Set(name, record.ScoreOf([]float64{0, 0.1, 50, 99.9, 100}[rng.IntN(5)]))
		default:
			s.Set(name, record.ScoreOf(float64(rng.IntN(1001))/10))
		}
	}
	return s
}

// randomEntity returns an entity with the given key and random content.
func randomEntity(rng *rand.Rand, typ, slug string) *record.Entity {
	e := &record.Entity{
		Type: typ, Slug: slug, Status: record.Active,
		Name: pick(rng, 0, "Élan", "ELAN", "Elan", "e\u0301lan", "Ångström", "ANGSTROM", "ﬁne", "Fine", "①", "1",
			"ΑΒΓ", "αβγ", "日本語", "Ｗide", "İstanbul", "\u0301", fmt.Sprint("Name ", rng.IntN(500)), slug),
		Provider:     pick(rng, 0.2, "Acme, Inc.", "ACME, INC.", "ACME, INC.", "Acmé, Inc.", "acme", "Meta", "meta", "a|b", fmt.Sprint("P", rng.IntN(99))),
		Description:  pick(rng, 0, "x | y é ⫶", "two\nlines \"quoted\"", "comma, \u2028 and \t tab", strings.Repeat("word ", 40)),
		Category:     fmt.Sprint("c", rng.IntN(12)),
		Version:      pick(rng, 0.5, "1.10", "2"),
		PricingModel: pick(rng, 0.3, kinds.Default().PricingModels...),
		License:      pick(rng, 0.3, "MIT", "mit", "Apache-2.0", "(MIT OR Apache-2.0) AND BSD-3-Clause"),
		URL:          pick(rng, 0.3, "https://example.org/?a=1&b=<2>"),
		Tags:         pickSome(rng, 8, "t", 40),
		Capabilities: pickSome(rng, 3, "k", 10),
		Scores:       randomScores(rng),
		AddedDate:    randomDay(rng),
		LastUpdated:  randomDay(rng),
	}
	switch rng.IntN(12) {
	case 0:
		e.Status = record.Withdrawn
	case 1:
		e.Status = record.Deprecated
	}
	for _, name := range []string{"homepage", "paper"}[:rng.IntN(3)] {
		e.Links = append(e.Links, record.Link{Name: name, URL: "https://example.org/" + name})
	}
	for _, s := range kinds.Default().Signals {
		if rng.IntN(4) > 0 {
			continue
		}
		f := record.Fact{Name: s.Name, Number: float64(rng.IntN(1 << 40)), Date: pick(rng, 0.3, "2026-01-01", "2025-12", "2025-06-30", "2023-01-25"), Source: pick(rng, 0.3, "https://example.org/s")}
		if s.Name == "archived" || rng.IntN(2) == 0 {
			f.Number = []float64{0, 1, 1, 2, 0.5, 1<<53 - 1}[rng.IntN(6)]
		}
		if s.IsDay() {
			f.Number, f.Day = 0, pick(rng, 0, "2025-06", "2025-06-01", "2025-06-17", "2026-02-03", "2025-06-02", "2024-06-30", "2025-01-01", fmt.Sprintf("2025-%02d", 1+rng.IntN(12)))
		}
		e.Signals.Facts = append(e.Signals.Facts, f)
	}
	for i := range rng.IntN(3) {
		e.Signals.Benchmarks = append(e.Signals.Benchmarks, record.Benchmark{Name: fmt.Sprintf("B (%d)", i), Value: rng.NormFloat64() * 50, Date: pick(rng, 0.5, "2025-03"),
			Metric: pick(rng, 0.5, "pass@1"), Harness: pick(rng, 0.5, "Codex"), Version: pick(rng, 0.5, "2.1"), By: pick(rng, 0.5, record.ResultBy...), Publisher: pick(rng, 0.5, "Scale")})
	}
	randomFacts(rng, e)
	return e
}

// randomAnswer returns true, false or nil.
func randomAnswer(rng *rand.Rand) any { return []any{true, false, nil}[rng.IntN(3)] }

// randomFacts adds what only some entities state.
func randomFacts(rng *rand.Rand, e *record.Entity) {
	for _, namespace := range []string{"github", "pypi"}[:rng.IntN(3)] {
		for i := range 1 + rng.IntN(2) {
			e.IDs = append(e.IDs, record.ID{Namespace: namespace, Value: fmt.Sprint("a/\"b\" ", i)})
		}
	}
	if rng.IntN(2) == 0 {
		e.Values = record.ValuesOf(kinds.Default(), map[string]any{"family": pick(rng, 0.2, "f", "g"), "openWeights": randomAnswer(rng),
			"modalities": map[string]any{"input": pickSome(rng, 2, "text", 2), "output": pickSome(rng, 2, "image", 2)},
			"knowledge":  pick(rng, 0.5, "2025", "2025-03"), "parameters": map[string]any{"total": 1 + rng.Int64N(3), "active": 1 + rng.Int64N(1<<40)},
			"reasoning": randomAnswer(rng), "reasoningEfforts": pickSome(rng, 3, "low", 3)})
	}
	if rng.IntN(3) == 0 {
		e.Lifecycle = &record.Lifecycle{Deprecated: randomDay(rng), Retires: randomDay(rng), ReplacedBy: pick(rng, 0.5, "model/x"), Source: pick(rng, 0.5, "https://example.org/?a=\"")}
	}
	for i := range max(0, rng.IntN(6)-2) {
		o := record.Offer{Provider: pick(rng, 0, "acme", "meta"), ID: fmt.Sprint("x.y/", i), Prices: randomPrices(rng), Context: rng.Int64N(3), OutputLimit: rng.Int64N(1 << 30),
			Free: rng.IntN(2) == 0, Deprecated: rng.IntN(2) == 0, Reviewed: pickSome(rng, 2, "rule", 3), Date: randomDay(rng), Source: pick(rng, 0.5, "https://example.org/p")}
		for j := range rng.IntN(3) {
			o.Tiers = append(o.Tiers, record.Tier{Over: int64(1 + j), Prices: randomPrices(rng)})
		}
		for _, name := range []string{"batch", "flex"}[:rng.IntN(3)] {
			o.Modes = append(o.Modes, record.Mode{Name: name, Prices: randomPrices(rng), Tiers: slices.Clone(o.Tiers)})
		}
		e.Offers = append(e.Offers, o)
	}
	record.SortOffers(e.Offers)
	e.Computed = randomProviders.Compute(e, "2026-03-01")
}

// randomProviders are the providers of random offers, some of which make random models.
var randomProviders = pricing.Providers{{Slug: "acme", Maker: "acme"}, {Slug: "meta", Name: "Meta", Maker: "Meta"}}

func randomPrices(rng *rand.Rand) (p record.Prices) {
	for i := range p {
		if rng.IntN(2) == 0 {
			p[i] = record.PriceOf(rng.Int64N(3_000_000))
		}
	}
	return p
}

// randomKey returns slugs of which many are prefixes of others.
func randomKey(rng *rand.Rand) (typ, slug string) {
	slug = string(rune('a' + rng.IntN(6)))
	for range rng.IntN(9) {
		slug += []string{"a", "b", "1", "-a", "-0"}[rng.IntN(5)]
	}
	return kinds.Default().Names()[rng.IntN(len(kinds.Default().Names()))], slug
}

// catalogue returns n entities in the order of their ordinals.
func catalogue(seed uint64, n int) []*record.Entity {
	rng := rand.New(rand.NewPCG(seed, 1))
	return grow(rng, nil, n)
}

// grow adds entities to the list until the list has n entities.
func grow(rng *rand.Rand, list []*record.Entity, n int) []*record.Entity {
	taken := map[string]bool{}
	for _, e := range list {
		taken[e.Key()] = true
	}
	for len(list) < n {
		typ, slug := randomKey(rng)
		if taken[typ+"/"+slug] {
			continue
		}
		taken[typ+"/"+slug] = true
		e := randomEntity(rng, typ, slug)
		for range max(0, rng.IntN(6)-3) {
			_, old := randomKey(rng) // may belong to another entity or be listed twice
			e.Formerly = append(e.Formerly, old)
		}
		list = append(list, e)
	}
	slices.SortFunc(list, record.CompareRank)
	return list
}

// someNeighbours returns random lists of similar entities.
func someNeighbours(rng *rand.Rand, n int) ([][]Neighbour, []Feature) {
	features := []Feature{{"category", "c1"}, {"tag", "t1"}, {"word", ""}, {"provider", "Acmé, Inc."}, {"word", "日本"}}
	lists := make([][]Neighbour, n)
	for i := range lists {
		for range rng.IntN(5) {
			nb := Neighbour{Ordinal: uint32(rng.IntN(n)), Similarity: float64(rng.IntN(10001)) / 10000, Alternative: rng.IntN(2) == 0}
			var reasons []uint32
			for range 1 + rng.IntN(MaxReasons) {
				reasons = append(reasons, uint32(rng.IntN(len(features))))
			}
			nb.Reasons = reasons
			lists[i] = append(lists[i], nb)
		}
	}
	return lists, features
}

// writeBuild writes and installs a build as the builder does, and returns its ID.
func writeBuild(t testing.TB, root string, entities []*record.Entity) string {
	t.Helper()
	check := func(err error) {
		t.Helper()
		suite.Check(t, err)
	}
	w, err := NewWriter(root)
	check(err)
	m := &store.Manifest{Builder: "test", Title: "Test", AsOf: "2026-11-01T00:00:00Z", Counts: store.Counts{Types: map[string]int{}}}
	var order []int
	for i, e := range entities {
		if e.Status != record.Withdrawn {
			order = append(order, i)
			m.Counts.Entities++
			m.Counts.Types[e.Type]++
			if e.Scores.Composite.Known() {
				m.Counts.Ranked++
			}
			continue
		}
		m.Counts.Withdrawn++
	}
	slices.SortFunc(order, func(x, y int) int { return record.CompareKey(entities[x], entities[y]) })
	err = w.WriteTable(&Table{Base: EntitiesFile, Columns: table.EntityColumns, Rows: func(write func(table.Row, []byte) error) error {
		for _, i := range order {
			if err := write(table.EntityRow(table.EntityColumns, entities[i], 0), nil); err != nil {
				return err
			}
		}
		return nil
	}})
	check(err)
	near, features := someNeighbours(rand.New(rand.NewPCG(7, 7)), len(entities))
	check(w.WriteNeighbours(near, features))
	check(w.WriteRecords(entities))
	check(w.Add(KindsFile, []byte("ids: [{name: zoo, title: Zoo, page: 'https://zoo.example/{id}'}]\n")))
	check(w.Add(ScoringFile, bytes.Repeat([]byte("{\"version\": \"1\"}\n"), 50)))
	check(w.Finalize(m, func(string) string { return "CC0-1.0" }))
	check(w.Install(m))
	check(store.Publish(root, m.ID))
	return m.ID
}

// openBuild writes a build, verifies it and opens it.
func openBuild(t testing.TB, entities []*record.Entity) *Build {
	t.Helper()
	root := t.TempDir()
	id := writeBuild(t, root, entities)
	suite.Must(store.Verify(filepath.Join(store.BuildsDir(root), id)))(t)
	b := suite.Must(OpenCurrent(root))(t)
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	return b
}
