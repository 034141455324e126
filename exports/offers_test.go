package exports

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"kindex/builder/suite"
	"kindex/exports/history"
	"kindex/exports/kinds"
	"kindex/exports/record"
	"kindex/exports/view"
)

// withEqualPrices changes the offers of a catalogue, so that many have the same prices and
// families.
func withEqualPrices(rng *rand.Rand, list []*record.Entity) []*record.Entity {
	list = slices.Clone(list)
	for i, e := range list {
		e := *e
		e.Offers = slices.Clone(e.Offers)
		for j := range e.Offers {
			o := &e.Offers[j]
			for _, kind := range []int{record.InputPrice, record.OutputPrice} {
				if o.Prices[kind].Known() {
					o.Prices[kind] = record.PriceOf(int64(rng.IntN(4)))
				}
			}
		}
		if e.Values != nil {
			e.Values = slices.Clone(e.Values)
			e.Values.Set(kinds.Default().Field("family"), pick(rng, 0, "f0", "f1"))
		}
		list[i] = &e
	}
	return list
}

// plainOffer is an offer with its model, as a plain scan finds it.
type plainOffer struct {
	e *record.Entity
	o *record.Offer
}

func (p plainOffer) String() string { return p.e.Key() + " " + p.o.Key() }

// plainValue returns an offer's price for a sort key, or -1 if it is unknown.
func (p plainOffer) plainValue(key string) int64 {
	in, out := p.o.Prices[record.InputPrice], p.o.Prices[record.OutputPrice]
	switch {
	case key == "input" && in.Known():
		return in.Micros()
	case key == "output" && out.Known():
		return out.Micros()
	case key == "blended" && in.Known() && out.Known():
		return (3*in.Micros() + out.Micros() + 2) / 4
	}
	return -1
}

func comparePlain(key string) func(x, y plainOffer) int {
	return func(x, y plainOffer) int {
		a, b := x.plainValue(key), y.plainValue(key)
		if (a < 0) != (b < 0) {
			return cmp.Compare(b, a) // the unknown one is last
		}
		return cmp.Or(cmp.Compare(a, b), cmp.Compare(x.e.Type, y.e.Type), cmp.Compare(x.e.Slug, y.e.Slug),
			cmp.Compare(x.o.Provider, y.o.Provider), cmp.Compare(x.o.ID, y.o.ID))
	}
}

// offerQuery is a filter whose models are keys, because ordinals differ between catalogues.
type offerQuery struct {
	view.OfferFilter
	models []string
}

func randomOfferQuery(rng *rand.Rand, list []*record.Entity) (q offerQuery) {
	maybe := func(f func()) {
		if rng.IntN(3) == 0 {
			f()
		}
	}
	q.Fields = map[string][]string{}
	maybe(func() { q.Fields["provider"] = []string{pick(rng, 0, "acme", "meta", "none")} })
	maybe(func() { q.Fields["family"] = []string{pick(rng, 0, "f0", "f1", "f2"), "f1"} })
	maybe(func() { q.Fields["modality"] = pickSome(rng, 2, "text", 3) })
	maybe(func() { q.MaxInput = record.PriceOf(int64(rng.IntN(4))) })
	maybe(func() { q.MaxOutput = record.PriceOf(int64(rng.IntN(4))) })
	maybe(func() { q.MinContext = rng.Int64N(4) })
	maybe(func() {
		q.models = []string{"model/none"}
		for range rng.IntN(30) {
			q.models = append(q.models, list[rng.IntN(len(list))].Key())
		}
	})
	return q
}

// scan returns the offers that match, in order.
func (q *offerQuery) scan(list []*record.Entity, key string) (found []plainOffer) {
	any := func(wanted, has []string) bool {
		return len(wanted) == 0 || slices.ContainsFunc(has, func(v string) bool { return slices.Contains(wanted, v) })
	}
	atMost := func(limit, p record.Price) bool {
		return !limit.Known() || p.Known() && p.Micros() <= limit.Micros()
	}
	for _, e := range list {
		if e.Status == record.Withdrawn || q.models != nil && !slices.Contains(q.models, e.Key()) {
			continue
		}
		for i := range e.Offers {
			o := &e.Offers[i]
			if any(q.Fields["provider"], []string{o.Provider}) && any(q.Fields["family"], []string{e.Values.Text("family")}) && any(q.Fields["modality"], e.Values.Texts("modalities.input")) &&
				atMost(q.MaxInput, o.Prices[record.InputPrice]) && atMost(q.MaxOutput, o.Prices[record.OutputPrice]) && o.Context >= q.MinContext {
				found = append(found, plainOffer{e, o})
			}
		}
	}
	slices.SortFunc(found, comparePlain(key))
	return found
}

// in returns the filter for a catalogue with the given ordinals.
func (q *offerQuery) in(ordinals map[string]uint32) *view.OfferFilter {
	f := q.OfferFilter
	if q.models != nil {
		f.Models = []uint32{}
	}
	for _, key := range q.models {
		if o, ok := ordinals[key]; ok {
			f.Models = append(f.Models, o)
		}
	}
	return &f
}

// checkOffers compares selections, pages and positions of a catalogue with a scan of its
// entities.
func checkOffers(t *testing.T, rng *rand.Rand, v *view.View, list []*record.Entity) {
	t.Helper()
	ordinals, offers := map[string]uint32{}, v.Offers()
	for _, e := range list {
		ordinals[e.Key()], _, _ = v.Find(e.Type, e.Slug)
	}
	some := 0
	for range 60 {
		q, key := randomOfferQuery(rng, list), view.OfferSortKeys[rng.IntN(3)]
		set, want := offers.Select(q.in(ordinals)), q.scan(list, key)
		if set.Len() != len(want) {
			t.Fatalf("%+v: %d offers, not %d", q, set.Len(), len(want))
		}
		if len(want) > 0 {
			some++
		}
		page := func(after *view.OfferPosition, skip, from int) {
			limit := 1 + rng.IntN(60)
			from = min(from+skip, len(want))
			refs, more, ok := set.Page(key, after, skip, limit)
			if !ok {
				t.Fatal("the position is not valid")
			}
			var got, expected []string
			for _, r := range refs {
				e := v.Entity(r.Model)
				got = append(got, plainOffer{e, &e.Offers[r.Index]}.String())
			}
			end := min(from+limit, len(want))
			for _, p := range want[from:end] {
				expected = append(expected, p.String())
			}
			if !slices.Equal(got, expected) || more != (end < len(want)) {
				t.Fatalf("%+v by %s after %+v, skip %d, more %v:\ngot  %s\nwant %s", q, key, after, skip, more, strings.Join(got, "\n     "), strings.Join(expected, "\n     "))
			}
			if len(refs) == 0 {
				return
			}
			last := want[end-1]
			p := offers.PositionOf(key, refs[len(refs)-1])
			if p.Type != last.e.Type || p.Slug != last.e.Slug || p.Provider != last.o.Provider || p.ID != last.o.ID {
				t.Fatalf("%v is at %+v", last, p)
			}
		}
		page(nil, 0, 0)
		page(nil, rng.IntN(len(want)+5), 0)
		// After any offer, whether it is in the selection or no longer exists.
		at := plainOffer{list[rng.IntN(len(list))], &record.Offer{Provider: pick(rng, 0, "acme", "lynx", "zeta"), ID: "x.y/1"}}
		at.o.Prices[record.InputPrice] = record.PriceOf(int64(rng.IntN(4)))
		if len(want) > 0 && rng.IntN(2) == 0 {
			at = want[rng.IntN(len(want))]
		}
		position := &view.OfferPosition{Position: view.Position{Type: at.e.Type, Slug: at.e.Slug}, Provider: at.o.Provider, ID: at.o.ID}
		if v := at.plainValue(key); v >= 0 {
			position.Value = fmt.Sprint(v)
		}
		before := 0
		for before < len(want) && comparePlain(key)(want[before], at) <= 0 {
			before++
		}
		page(position, rng.IntN(3), before)
	}
	if some < 20 {
		t.Errorf("only %d selections have offers", some)
	}
}

// TestOffersEqualAPlainScan selects offers in a build, in the same build with edits, and in
// one without any.
func TestOffersEqualAPlainScan(t *testing.T) {
	suite.InTest(t)
	t.Parallel()
	rng := rand.New(rand.NewPCG(4, 20))
	list := withEqualPrices(rng, catalogue(31, 800))
	base := openBuild(t, list)
	checkOffers(t, rng, base.View, list)
	for _, n := range []int{1, 12, 300} {
		next := onlySome(rng, list, withEqualPrices(rng, nextYear(rng, list)), n)
		with, err := base.WithEdits(editsBetween(list, next))
		if err != nil {
			t.Fatal(err)
		}
		checkOffers(t, rng, with.View, next)
		want := openBuild(t, next).Offers()
		for _, field := range []string{"provider", "family", "modality"} {
			if got := with.Offers().Values(field); len(got) == 0 || n > 1 && !containsAll(got, want.Values(field)) {
				t.Errorf("%s: %q lacks some of %q", field, got, want.Values(field))
			}
		}
	}
	empty := openBuild(t, nil).Offers()
	if set := empty.Select(&view.OfferFilter{MinContext: 1}); set.Len() != 0 {
		t.Errorf("%d offers without models", set.Len())
	}
	for _, value := range []string{"-1", "x", "1.5", "99999999999999999999"} {
		if _, _, ok := empty.Select(&view.OfferFilter{}).Page("input", &view.OfferPosition{Position: view.Position{Value: value, Type: "model", Slug: "x"}}, 0, 1); ok {
			t.Errorf("%q is a price of a position", value)
		}
	}
}

func containsAll(list, wanted []string) bool {
	return !slices.ContainsFunc(wanted, func(v string) bool { return !slices.Contains(list, v) })
}

// TestDaysInMemory checks that a few days stay in memory, among them always the one that today's leaderboards are
// compared with, and that this one is made without admission.
func TestDaysInMemory(t *testing.T) {
	_, b := archived(t, 84, 20, 40)
	a, admitted := b.History(), 0
	refused := errors.New("refused")
	a.Guard(func() (func(), error) {
		if admitted++; admitted > 5 {
			return nil, refused
		}
		return func() {}, nil
	})
	first := map[string]*history.Day{}
	for _, day := range []string{"2026-10-25", "2026-10-01", "2026-10-02", "2026-10-02", "2026-10-01", "2026-10-25", "2026-10-03", "2026-10-01", "2026-10-04"} {
		d, err := a.Day(day)
		if err != nil {
			t.Fatal(err)
		}
		if first[day] != nil && d != first[day] {
			t.Errorf("%s was forgotten", day)
		}
		first[day] = d
	}
	if d, err := a.Day("2026-10-02"); err != nil || d == first["2026-10-02"] {
		t.Errorf("the day that was used least recently is still in memory: %v", err)
	}
	for range 2 { // the first three are three that stay
		if d, err := a.Day("2026-10-25"); err != nil || d != first["2026-10-25"] {
			t.Error("the day that today is compared with was forgotten", err)
		}
		if _, err := a.Day("2026-10-09"); !errors.Is(err, refused) {
			t.Errorf("a day was made without admission: %v", err)
		}
	}
}
