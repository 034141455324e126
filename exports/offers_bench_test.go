package exports

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"kindex/exports/record"
)

// BenchmarkOffers measures 400,000 offers of 100,000 models: writing the columns, selecting and
// paging, and collecting the offers of a past day.
func BenchmarkOffers(b *testing.B) {
	const n = 100_000
	rng := rand.New(rand.NewPCG(6, 6))
	list := make([]*record.Entity, n)
	for i := range list {
		e := randomEntity(rng, "model", fmt.Sprintf("model-%06d", i))
		e.Status, e.Offers = record.Active, nil
		e.Model = &record.Model{Family: fmt.Sprint("f", rng.IntN(200)), Input: []string{"text", "image"}[:1+rng.IntN(2)]}
		for j := range 4 {
			o := record.Offer{Provider: fmt.Sprint("p", j, "-", rng.IntN(20)), ID: e.Slug, Context: 1000 * rng.Int64N(1000), Date: "2026-01-01", Source: "https://example.org/prices"}
			o.Prices[record.InputPrice], o.Prices[record.OutputPrice] = record.PriceOf(rng.Int64N(20_000_000)), record.PriceOf(rng.Int64N(60_000_000))
			e.Offers = append(e.Offers, o)
		}
		record.SortOffers(e.Offers)
		list[i] = e
	}
	p := newMadeHistory(6, list)
	versions, entities := p.listed(len(p.versions), rng)
	a := p.archive(len(p.versions))
	a.Snapshots = []*SnapshotData{snapshotOf("2026-01-01", versions, entities)}
	build := openBuild(b, entities, a)
	file, _, _ := build.File(offersFile)
	b.Logf("%d bytes", len(file))
	b.Run("write", func(b *testing.B) {
		for range b.N {
			if _, err := packOffers(n, func(o uint32) int64 { return build.rank(o) }, func(o uint32) (*record.Entity, error) { return entities[o], nil }); err != nil {
				b.Fatal(err)
			}
		}
	})
	for name, f := range map[string]*OfferFilter{
		"all": {}, "provider": {Providers: []string{"p1-3"}}, "family": {Families: []string{"f7"}},
		"limits": {MaxInput: record.PriceOf(5_000_000), MaxOutput: record.PriceOf(9_000_000), MinContext: 500_000},
		"image":  {Modalities: []string{"image"}, MaxOutput: record.PriceOf(100)},
	} {
		for _, skip := range []int{0, 300_000} {
			b.Run(fmt.Sprintf("%s/skip-%d", name, skip), func(b *testing.B) {
				for range b.N {
					if _, _, _, err := build.Offers().Select(f).Page("blended", nil, skip, 100); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
	b.Run("past day", func(b *testing.B) {
		s, _ := build.Archive().Snapshot("2026-01-01")
		for range b.N {
			if _, err := s.collectOffers(); err != nil {
				b.Fatal(err)
			}
		}
	})
}
