package record_test

import (
	"fmt"
	"strings"
	"testing"

	"kindex/exports/kinds"
	"kindex/exports/record"
)

func offer(provider, id string, change ...func(*record.Offer)) record.Offer {
	o := record.Offer{Provider: provider, ID: id, Date: "2026-07-01", Source: "https://a.example/"}
	o.Prices[record.InputPrice] = record.PriceOf(3_000_000)
	for _, f := range change {
		f(&o)
	}
	return o
}

// TestDiffOfFacts compares states of an entity field by field.
func TestDiffOfFacts(t *testing.T) {
	entity := func(change func(*record.Entity)) *record.Entity {
		e := &record.Entity{Type: "model", Slug: "m", Status: record.Active, Links: []record.Link{{Name: "repository", URL: "https://github.com/a/b"}},
			Offers: []record.Offer{offer("acme", "m.1/x"), offer("zeta", "m")}}
		e.IDs = record.LinkedIDs(e.Links)
		if change != nil {
			change(e)
		}
		record.SortOffers(e.Offers)
		return e
	}
	for name, c := range map[string]struct {
		change func(*record.Entity)
		want   string
	}{
		"nothing":           {nil, ""},
		"a date, a source":  {func(e *record.Entity) { e.Offers[0].Date, e.Offers[1].Source = "2026-08-01", "" }, ""},
		"computed":          {func(e *record.Entity) { e.Maintenance.State, e.Price.Provider = "slow", "acme" }, ""},
		"a linked id":       {func(e *record.Entity) { e.IDs = nil }, ""},
		"a price":           {func(e *record.Entity) { e.Offers[0].Prices[record.InputPrice] = record.PriceOf(2_500_000) }, "offers.acme/m%2E1%2Fx.input: 3 → 2.5"},
		"a price not known": {func(e *record.Entity) { e.Offers[1].Prices[record.InputPrice] = record.Price{} }, "offers.zeta/m.input: 3 → null"},
		"a mode": {func(e *record.Entity) {
			e.Offers[1].Modes = []record.Mode{{Name: "batch", Prices: e.Offers[1].Prices}}
		}, "offers.zeta/m.modes.batch.input: null → 3"},
		"tiers": {func(e *record.Entity) { e.Offers[1].Tiers = []record.Tier{{Over: 10, Prices: e.Offers[1].Prices}} }, `offers.zeta/m.tiers: null → [{"over":10,"input":3}]`},
		"a removed offer": {func(e *record.Entity) { e.Offers = e.Offers[:1] },
			`offers.zeta/m: {"provider":"zeta","id":"m","input":3,"output":null,"cacheRead":null,"cacheWrite":null,"reasoningOutput":null,"inputAudio":null,"outputAudio":null,"image":null,"request":null,"context":null,"outputLimit":null,"tiers":[],"modes":{},"free":false,"deprecated":false,"reviewed":[],"date":"2026-07-01","source":"https://a.example/"} → null`},
		"an added offer with a similar id": {func(e *record.Entity) { e.Offers = append(e.Offers, offer("zeta", "m-2")) }, `offers.zeta/m-2: null → {"provider":"zeta","id":"m-2","input":3`},
		"a family, a modality, an id": {func(e *record.Entity) {
			e.Values = record.ValuesOf(kinds.Default(), map[string]any{"family": "f", "openWeights": false,
				"modalities": map[string]any{"output": []string{"text"}}})
			e.IDs = append(e.IDs, record.ID{Namespace: "pypi", Value: "x"})
		}, `ids.pypi: null → ["x"]; family: null → "f"; openWeights: null → false; modalities.output: null → ["text"]`},
		"two repositories": {func(e *record.Entity) { e.IDs = append(e.IDs, record.ID{Namespace: "github", Value: "c/d"}) }, `ids.github: null → ["a/b","c/d"]`},
		"a lifecycle": {func(e *record.Entity) {
			e.Lifecycle = &record.Lifecycle{Retires: "2026-01-01", Source: "https://a.example/"}
		}, `lifecycle.retires: null → "2026-01-01"`},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, f := range record.Diff(entity(nil), entity(c.change)) {
				got = append(got, fmt.Sprintf("%s: %s → %s", f.Field, f.Old, f.New))
			}
			if list := strings.Join(got, "; "); list != c.want && !(strings.HasSuffix(name, "similar id") && strings.HasPrefix(list, c.want) && len(got) == 1) {
				t.Errorf("got  %s\nwant %s", list, c.want)
			}
		})
	}
}
