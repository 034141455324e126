package view

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync"

	"github.com/RoaringBitmap/roaring/v2"

	"kindex/exports/kinds"
	"kindex/exports/pricing"
	"kindex/exports/record"
)

// OfferSortKeys are the prices by which offers can be sorted, cheapest first.
var OfferSortKeys = []string{"input", "output", "blended"}

// unknownPrice is the sort value of an unknown price.
const unknownPrice = math.MaxInt64

// Offers are the offers of the listed models of a view. Offers are numbered by type and slug of their
// models, then by provider and id, so that the number breaks ties.
type Offers struct {
	view   *View
	list   []offer
	first  map[uint32]int                        // by ordinal, the number of its first offer
	values map[string]map[string]*roaring.Bitmap // the offers that have a value in a field
	orders [3]func() []uint32                    // by OfferSortKeys
}

type offer struct {
	OfferRef
	prices  [3]int64 // by OfferSortKeys, in millionths of a dollar, or unknownPrice
	context int64    // in tokens, 0 if unknown
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
	o := &Offers{view: v, first: map[uint32]int{}, values: map[string]map[string]*roaring.Bitmap{}}
	for _, ordinal := range v.byKey {
		e := v.entities[ordinal]
		if e.Status == record.Withdrawn || len(e.Offers) == 0 {
			continue
		}
		o.first[ordinal] = len(o.list)
		offers := v.OffersOf(e)
		for i := range offers {
			o.add(e, &offers[i], OfferRef{ordinal, i})
		}
	}
	for key := range OfferSortKeys {
		o.orders[key] = sync.OnceValue(func() []uint32 { return o.sorted(key) })
	}
	return o
}

func (o *Offers) add(e *record.Entity, x *record.Offer, ref OfferRef) {
	number := uint32(len(o.list))
	in, out := x.Prices[record.InputPrice], x.Prices[record.OutputPrice]
	o.list = append(o.list, offer{ref, [3]int64{sortPrice(in), sortPrice(out), sortPrice(pricing.Blend(in, out))}, x.Context})
	add := func(field, value string) {
		if o.values[field] == nil {
			o.values[field] = map[string]*roaring.Bitmap{}
		}
		set := o.values[field][value]
		if set == nil {
			set = roaring.New()
			o.values[field][value] = set
		}
		set.Add(number)
	}
	add("provider", x.Provider)
	for _, field := range kinds.OfferFilters {
		for _, value := range e.FieldValues(field) {
			add(field, value)
		}
	}
}

func sortPrice(p record.Price) int64 {
	if !p.Known() {
		return unknownPrice
	}
	return p.Micros()
}

// sorted returns the numbers of all offers in the order of one of the OfferSortKeys.
func (o *Offers) sorted(key int) []uint32 {
	list := make([]uint32, len(o.list))
	for i := range list {
		list[i] = uint32(i)
	}
	slices.SortStableFunc(list, func(a, b uint32) int { return cmp.Compare(o.list[a].prices[key], o.list[b].prices[key]) })
	return list
}

// Values returns the sorted values that the offers and their models have in a field: provider or one of
// kinds.OfferFilters.
func (o *Offers) Values(field string) []string {
	return append([]string{}, slices.Sorted(maps.Keys(o.values[field]))...)
}

// OfferSet is a selection of offers.
type OfferSet struct {
	offers  *Offers
	numbers *roaring.Bitmap
}

// Len returns the number of selected offers.
func (s *OfferSet) Len() int { return int(s.numbers.GetCardinality()) }

// Select returns the offers that match a filter.
func (o *Offers) Select(f *OfferFilter) *OfferSet {
	set := roaring.New()
	if f.Models == nil {
		set.AddRange(0, uint64(len(o.list)))
	}
	for _, ordinal := range f.Models {
		if first, ok := o.first[ordinal]; ok {
			set.AddRange(uint64(first), uint64(first+len(o.view.entities[ordinal].Offers)))
		}
	}
	for field, wanted := range f.Fields {
		if len(wanted) == 0 {
			continue
		}
		any := roaring.New()
		for _, value := range wanted {
			if with := o.values[field][value]; with != nil {
				any.Or(with)
			}
		}
		set.And(any)
	}
	if f.MaxInput.Known() || f.MaxOutput.Known() || f.MinContext > 0 {
		set.And(o.within(f))
	}
	return &OfferSet{o, set}
}

// within returns the offers within the limits of a filter.
func (o *Offers) within(f *OfferFilter) *roaring.Bitmap {
	set := roaring.New()
	for i := range o.list {
		x := &o.list[i]
		if (!f.MaxInput.Known() || x.prices[0] <= f.MaxInput.Micros()) &&
			(!f.MaxOutput.Known() || x.prices[1] <= f.MaxOutput.Micros()) && x.context >= f.MinContext {
			set.Add(uint32(i))
		}
	}
	return set
}

// Page returns up to limit offers of the set, sorted by one of the OfferSortKeys, after skipping the
// first skip, and reports whether more follow. If after is not nil, the page starts after that position,
// which need not be that of an offer; ok is false if the position is not valid.
func (s *OfferSet) Page(sortKey string, after *OfferPosition, skip, limit int) (page []OfferRef, more, ok bool) {
	o, key := s.offers, slices.Index(OfferSortKeys, sortKey)
	order := o.orders[key]()
	if after != nil {
		price, ok := parsePrice(after.Value)
		if !ok {
			return nil, false, false
		}
		order = order[sort.Search(len(order), func(i int) bool { return o.compare(order[i], key, price, after) > 0 }):]
	}
	for _, n := range order {
		switch {
		case !s.numbers.Contains(n):
		case skip > 0:
			skip--
		case len(page) == limit:
			return page, true, true
		default:
			page = append(page, o.list[n].OfferRef)
		}
	}
	return page, false, true
}

// compare compares an offer with a position at a price.
func (o *Offers) compare(number uint32, key int, price int64, p *OfferPosition) int {
	x := &o.list[number]
	e := o.view.entities[x.Model]
	own := &e.Offers[x.Index]
	return cmp.Or(cmp.Compare(x.prices[key], price), strings.Compare(e.Type, p.Type), strings.Compare(e.Slug, p.Slug),
		strings.Compare(own.Provider, p.Provider), strings.Compare(own.ID, p.ID))
}

func parsePrice(text string) (price int64, ok bool) {
	if text == "" {
		return unknownPrice, true
	}
	price, err := strconv.ParseInt(text, 10, 64)
	return price, err == nil && price >= 0
}

// PositionOf returns the position of an offer in an order.
func (o *Offers) PositionOf(sortKey string, ref OfferRef) OfferPosition {
	e := o.view.entities[ref.Model]
	x := &e.Offers[ref.Index]
	p := OfferPosition{Position: Position{Type: e.Type, Slug: e.Slug}, Provider: x.Provider, ID: x.ID}
	if price := o.list[o.first[ref.Model]+ref.Index].prices[slices.Index(OfferSortKeys, sortKey)]; price != unknownPrice {
		p.Value = strconv.FormatInt(price, 10)
	}
	return p
}
