package view

import (
	"cmp"
	"slices"
	"strings"

	"github.com/RoaringBitmap/roaring/v2"

	"kindex/exports/kinds"
	"kindex/exports/pricing"
	"kindex/exports/record"
)

// OfferSortKeys are the prices by which offers can be sorted, cheapest first.
var OfferSortKeys = []string{"input", "output", "blended"}

// Offers are the offers of the listed models of a view, by type and slug of their models, then by provider and id.
type Offers struct {
	list      []offer
	providers []string
}

type offer struct {
	OfferRef
	entity *record.Entity
	*record.Offer
}

// OfferRef identifies an offer within one view.
type OfferRef struct {
	Model uint32 // ordinal
	Index int    // in the record
}

// OfferFilter selects offers. The zero value selects all offers of listed models.
type OfferFilter struct {
	Models []uint32 // ordinals of the view, or nil for any
	// Fields holds values, any of which the offer's provider (provider) or its model (one of
	// kinds.OfferFilters) has.
	Fields     map[string][]string
	MaxInput   record.Price // unknown for no limit; otherwise the offer's price must be known
	MaxOutput  record.Price
	MinContext int64 // in tokens, as the offer states them; 0 for no limit
	// AnyContext makes MinContext let offers through that do not state their context, which is then that of the model.
	AnyContext bool
}

// OfferPosition is the place of an offer in an order, as cursors store it. It stays valid across
// builds.
type OfferPosition struct {
	Position // Value is the price in millionths of a dollar, or "" if it is unknown
	Provider string
	ID       string
}

// OffersOf returns the offers of an entity of the view as they are on its day. Their indexes are those in the
// record.
func (v *View) OffersOf(e *record.Entity) []record.Offer {
	return pricing.On(e.Offers, cmp.Or(v.Day, v.AsOf))
}

// Offers returns the offers of the listed models.
func (v *View) Offers() *Offers { return v.offers() }

func (v *View) newOffers() *Offers {
	all := &Offers{}
	for _, ordinal := range v.byKey {
		e := v.entities[ordinal]
		if e.Status == record.Withdrawn {
			continue
		}
		offers := v.OffersOf(e)
		for i := range offers {
			all.list = append(all.list, offer{OfferRef{ordinal, i}, e, &offers[i]})
			all.providers = append(all.providers, offers[i].Provider)
		}
	}
	slices.Sort(all.providers)
	all.providers = slices.Compact(all.providers)
	return all
}

// Providers returns the sorted slugs of the providers of the offers. The caller owns the list.
func (o *Offers) Providers() []string { return append([]string{}, o.providers...) }

// OfferSet is a selection of offers, in the order of Offers.
type OfferSet []offer

// Select returns the offers that match a filter.
func (o *Offers) Select(f *OfferFilter) (set OfferSet) {
	models := roaring.BitmapOf(f.Models...)
	for _, x := range o.list {
		if (f.Models == nil || models.Contains(x.Model)) && f.matches(&x) {
			set = append(set, x)
		}
	}
	return set
}

// Within reports whether the prices and the context of an offer are within the limits.
func (f *OfferFilter) Within(o *record.Offer) bool {
	within := func(limit record.Price, price int) bool {
		return !limit.Known() || o.Prices[price].Known() && o.Prices[price].Micros() <= limit.Micros()
	}
	return within(f.MaxInput, record.InputPrice) && within(f.MaxOutput, record.OutputPrice) &&
		(o.Context >= f.MinContext || o.Context == 0 && f.AnyContext)
}

// matches reports whether an offer meets all conditions besides the model.
func (f *OfferFilter) matches(x *offer) bool {
	any := func(field string, values ...string) bool {
		wanted := f.Fields[field]
		return len(wanted) == 0 || slices.ContainsFunc(values, func(value string) bool { return slices.Contains(wanted, value) })
	}
	return any("provider", x.Provider) && f.Within(x.Offer) &&
		!slices.ContainsFunc(kinds.OfferFilters, func(field string) bool { return !any(field, x.entity.FieldValues(field)...) })
}

// price returns the price in one of the OfferSortKeys.
func (x *offer) price(sortKey string) int64 {
	switch in, out := x.Prices[record.InputPrice], x.Prices[record.OutputPrice]; sortKey {
	case "input":
		return priceNumber(in)
	case "output":
		return priceNumber(out)
	default:
		return priceNumber(pricing.Blend(in, out))
	}
}

// Page returns up to limit offers of the set, sorted by one of the OfferSortKeys, after skipping the
// first skip, and the position of the last one if more follow. If after is not nil, the page starts after that
// position, which need not be that of an offer; ok is false if the position is not valid.
func (s OfferSet) Page(sortKey string, after *OfferPosition, skip, limit int) (page []OfferRef, next *OfferPosition, ok bool) {
	rest := slices.Clone(s)
	if after != nil {
		price, ok := number{}.parse(after.Value)
		if !ok || after.Value != "" && price < 0 {
			return nil, nil, false
		}
		rest = slices.DeleteFunc(rest, func(x offer) bool {
			return cmp.Or(Sort{}.compareNumbers(x.price(sortKey), price), after.compare(x.entity),
				strings.Compare(x.Provider, after.Provider), strings.Compare(x.ID, after.ID)) <= 0
		})
	}
	slices.SortStableFunc(rest, func(a, b offer) int { return Sort{}.compareNumbers(a.price(sortKey), b.price(sortKey)) })
	rest = rest[min(skip, len(rest)):]
	for _, x := range rest[:min(limit, len(rest))] {
		page = append(page, x.OfferRef)
	}
	if 0 < len(page) && len(page) < len(rest) {
		last := rest[len(page)-1]
		next = &OfferPosition{Position{number{}.format(last.price(sortKey)), last.entity.Type, last.entity.Slug}, last.Provider, last.ID}
	}
	return page, next, true
}
