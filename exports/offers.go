package exports

import (
	"cmp"
	"slices"
	"sort"
	"strconv"

	"github.com/RoaringBitmap/roaring/v2"

	"kindex/exports/packed"
	"kindex/exports/record"
)

// Offers are the offers of the listed models of a catalogue. They are valid until the build
// is closed, and their methods may be called concurrently.
type Offers struct {
	offerColumns
	catalogue offerCatalogue
	edited    *Build // the build with edits that are not in the columns, or nil
}

// offerCatalogue is a Build or a Snapshot.
type offerCatalogue interface {
	Catalogue
	rank(ordinal uint32) int64
	rankOf(typ, slug string) int64
}

// Offers returns the offers of the build, with its edits.
func (b *Build) Offers() *Offers {
	o := &Offers{offerColumns: b.offers, catalogue: b}
	if b.overlay != nil {
		o.edited = b
	}
	return o
}

// OfferFilter selects offers. The zero value selects all offers of listed models.
type OfferFilter struct {
	Models     []uint32     // ordinals of the catalogue, or nil for any
	Providers  []string     // slugs, any of which the offer's provider has
	Families   []string     // slugs, any of which the model's family has
	Modalities []string     // kinds of input, any of which the model takes
	MaxInput   record.Price // unknown for no limit; otherwise the offer's price must be known
	MaxOutput  record.Price
	MinContext int64 // in tokens, as the offer states them; 0 for no limit
}

// OfferRef identifies an offer within one catalogue.
type OfferRef struct {
	Model uint32 // ordinal
	Index int    // in the record
}

// OfferPosition is the place of an offer in an order, as cursors store it. It stays valid
// across builds.
type OfferPosition struct {
	Position // Value is the price in millionths of a dollar, or "" if it is unknown
	Provider string
	ID       string
}

// OfferSet is a selection of offers.
type OfferSet struct {
	offers  *Offers
	numbers *roaring.Bitmap // in the columns
	edited  []editedOffer
}

// editedOffer is an offer of an edited model.
type editedOffer struct {
	OfferRef
	offer *record.Offer
}

// Len returns the number of selected offers.
func (s *OfferSet) Len() int { return int(s.numbers.GetCardinality()) + len(s.edited) }

// Values returns the sorted values that the offers and their models have in a field:
// provider, family or modality.
func (o *Offers) Values(field string) []string {
	list := o.postings.Values(field)
	if o.edited == nil {
		return list
	}
	for _, e := range o.edited.Edited() {
		for i := range e.Offers {
			for name, values := range offerValues(e, &e.Offers[i]) {
				if name == field {
					list = append(list, values...)
				}
			}
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// Select returns the offers that match a filter.
func (o *Offers) Select(f *OfferFilter) *OfferSet {
	set := roaring.New()
	if f.Models == nil {
		set.AddRange(0, uint64(o.n))
	}
	for _, ordinal := range f.Models {
		from, to := o.ofModel(ordinal)
		set.AddRange(uint64(from), uint64(to))
	}
	for field, values := range f.lists {
		if len(values) > 0 {
			set = packed.And(set, o.postings.Any(field, values))
		}
	}
	s := &OfferSet{offers: o, numbers: o.within(set, f)}
	if o.edited != nil {
		s.applyEdits(f)
	}
	return s
}

// lists yields the lists of values of a filter by field.
func (f *OfferFilter) lists(yield func(field string, values []string) bool) {
	_ = yield(offerProvider, f.Providers) && yield(offerFamily, f.Families) && yield(offerModality, f.Modalities)
}

// within removes the offers that are beyond the limits of a filter.
func (o *Offers) within(set *roaring.Bitmap, f *OfferFilter) *roaring.Bitmap {
	if !f.limited() {
		return set
	}
	kept := make([]uint64, (o.n+63)/64)
	buf := make([]uint32, 1024)
	it := set.ManyIterator()
	for n := it.NextMany(buf); n > 0; n = it.NextMany(buf) {
		for _, i := range buf[:n] {
			if f.allows(o.price(sortByInput, i), o.price(sortByOutput, i), o.contextOf(i)) {
				kept[i>>6] |= 1 << (i & 63)
			}
		}
	}
	return roaring.FromDense(kept, false)
}

func (f *OfferFilter) limited() bool {
	return f.MaxInput.Known() || f.MaxOutput.Known() || f.MinContext > 0
}

// allows reports whether the sort values of an offer and its context are within the limits.
func (f *OfferFilter) allows(in, out uint64, context int64) bool {
	return (!f.MaxInput.Known() || in <= uint64(f.MaxInput.Micros())) &&
		(!f.MaxOutput.Known() || out <= uint64(f.MaxOutput.Micros())) && context >= f.MinContext
}

// applyEdits removes the offers of replaced models and adds the matching ones of edited
// models.
func (s *OfferSet) applyEdits(f *OfferFilter) {
	b := s.offers.edited
	it := b.Replaced().Iterator()
	for it.HasNext() {
		from, to := s.offers.ofModel(it.Next())
		s.numbers.RemoveRange(uint64(from), uint64(to))
	}
	for ordinal, e := range b.edits {
		if e.Status == record.Withdrawn || f.Models != nil && !slices.Contains(f.Models, ordinal) {
			continue
		}
		for i := range e.Offers {
			if f.matches(e, &e.Offers[i]) {
				s.edited = append(s.edited, editedOffer{OfferRef{ordinal, i}, &e.Offers[i]})
			}
		}
	}
}

// matches reports whether an offer of an entity matches everything but Models.
func (f *OfferFilter) matches(e *record.Entity, o *record.Offer) bool {
	for field, wanted := range f.lists {
		found := len(wanted) == 0
		for name, values := range offerValues(e, o) {
			found = found || name == field && slices.ContainsFunc(values, func(v string) bool { return slices.Contains(wanted, v) })
		}
		if !found {
			return false
		}
	}
	prices := offerPrices(o)
	return f.allows(prices[sortByInput], prices[sortByOutput], o.Context)
}

// place is the place of an offer in an order.
type place struct {
	value uint64 // the price
	rank  int64  // of the model, in the order by type and slug
	index int    // twice the index in the record, so that there is room between two offers
	OfferRef
}

func comparePlaces(x, y place) int {
	return cmp.Or(cmp.Compare(x.value, y.value), cmp.Compare(x.rank, y.rank), cmp.Compare(x.index, y.index))
}

// placeOf returns the place of an offer of the columns.
func (o *Offers) placeOf(key int, number uint32) place {
	model := o.models.At(int(number))
	index := int(number) - int(o.first.At(int(model)))
	return place{o.price(key, number), o.catalogue.rank(model), 2 * index, OfferRef{model, index}}
}

// Page returns up to limit offers of the set, sorted by one of the OfferSortKeys, after
// skipping the first skip, and reports whether more follow. If after is not nil, the page
// starts after that position; ok is false if the position is not valid.
func (s *OfferSet) Page(sortKey string, after *OfferPosition, skip, limit int) (page []OfferRef, more, ok bool, err error) {
	key := slices.Index(OfferSortKeys, sortKey)
	var from *place
	if after != nil {
		if from, err = s.offers.placeAfter(*after); from == nil {
			return nil, false, false, err
		}
	}
	for ref := range s.walk(key, from) {
		if skip > 0 {
			skip--
			continue
		}
		if len(page) == limit {
			return page, true, true, nil
		}
		page = append(page, ref())
	}
	return page, false, true, nil
}

// placeAfter converts a position to a place. An offer that does not exist gets a place between
// its neighbours. It returns nil if the position is not valid.
func (o *Offers) placeAfter(p OfferPosition) (*place, error) {
	at := &place{value: unknownPrice, rank: o.catalogue.rankOf(p.Type, p.Slug)}
	if p.Value != "" {
		micros, err := strconv.ParseInt(p.Value, 10, 64)
		if err != nil || micros < 0 {
			return nil, nil //nolint:nilerr // the caller refuses a position that is not valid
		}
		at.value = uint64(micros)
	}
	ordinal, found := o.find(at.rank)
	if !found {
		return at, nil
	}
	e, err := o.catalogue.Entity(ordinal)
	if err != nil {
		return nil, err
	}
	i, same := slices.BinarySearchFunc(e.Offers, p, func(o record.Offer, p OfferPosition) int {
		return cmp.Or(cmp.Compare(o.Provider, p.Provider), cmp.Compare(o.ID, p.ID))
	})
	at.index = 2*i - boolInt(!same)
	return at, nil
}

// find returns the listed model with offers that has a rank.
func (o *Offers) find(rank int64) (ordinal uint32, ok bool) {
	if o.edited != nil {
		for ordinal := range o.edited.edits {
			if o.edited.rank(ordinal) == rank {
				return ordinal, true
			}
		}
	}
	i := sort.Search(o.n, func(i int) bool { return o.catalogue.rank(o.models.At(i)) >= rank })
	if i == o.n || o.catalogue.rank(o.models.At(i)) != rank {
		return 0, false
	}
	return o.models.At(i), true
}

// walk yields the set's offers in order, those after a place if it is not nil. Offers of the
// columns are looked up only if they are needed.
func (s *OfferSet) walk(key int, after *place) func(yield func(ref func() OfferRef) bool) {
	return func(yield func(func() OfferRef) bool) {
		edited := s.editedPlaces(key, after)
		isAfter := func(n uint32) bool { return after == nil || comparePlaces(s.offers.placeOf(key, n), *after) > 0 }
		var number uint32
		ofNumber := func() OfferRef { return s.offers.placeOf(key, number).OfferRef }
		for number = range s.inOrder(key, isAfter) {
			for len(edited) > 0 && comparePlaces(edited[0], s.offers.placeOf(key, number)) < 0 {
				if !yield(edited[0].ref) {
					return
				}
				edited = edited[1:]
			}
			if !yield(ofNumber) {
				return
			}
		}
		for _, p := range edited {
			if !yield(p.ref) {
				return
			}
		}
	}
}

func (p place) ref() OfferRef { return p.OfferRef }

// editedPlaces returns the places of the offers of edited models, in order, those after a place
// if it is not nil.
func (s *OfferSet) editedPlaces(key int, after *place) (list []place) {
	for _, x := range s.edited {
		p := place{offerPrices(x.offer)[key], s.offers.catalogue.rank(x.Model), 2 * x.Index, x.OfferRef}
		if after == nil || comparePlaces(p, *after) > 0 {
			list = append(list, p)
		}
	}
	slices.SortFunc(list, comparePlaces)
	return list
}

// inOrder yields the numbers of the set's offers in order, starting with the first one for
// which isAfter returns true.
func (s *OfferSet) inOrder(key int, isAfter func(number uint32) bool) func(yield func(uint32) bool) {
	return func(yield func(uint32) bool) {
		o := s.offers
		// Sort a small set. For a large one, walk the whole order, which soon finds enough.
		if s.numbers.GetCardinality() < uint64(o.n)/32 {
			list := s.numbers.ToArray()
			slices.SortFunc(list, func(x, y uint32) int {
				return cmp.Or(cmp.Compare(o.price(key, x), o.price(key, y)), cmp.Compare(x, y))
			})
			for _, n := range list[sort.Search(len(list), func(i int) bool { return isAfter(list[i]) }):] {
				if !yield(n) {
					return
				}
			}
			return
		}
		order, wanted := o.orders[key], s.numbers.ToDense()
		for i := sort.Search(order.Len(), func(i int) bool { return isAfter(order.At(i)) }); i < order.Len(); i++ {
			n := order.At(i)
			if w := int(n >> 6); w < len(wanted) && wanted[w]>>(n&63)&1 == 1 && !yield(n) {
				return
			}
		}
	}
}

// PositionOf returns the position of an offer of the catalogue in an order.
func (o *Offers) PositionOf(sortKey string, ref OfferRef) (p OfferPosition, err error) {
	e, err := o.catalogue.Entity(ref.Model)
	if err != nil {
		return p, err
	}
	offer := &e.Offers[ref.Index]
	p = OfferPosition{Position: Position{Type: e.Type, Slug: e.Slug}, Provider: offer.Provider, ID: offer.ID}
	if v := offerPrices(offer)[slices.Index(OfferSortKeys, sortKey)]; v != unknownPrice {
		p.Value = strconv.FormatUint(v, 10)
	}
	return p, nil
}

func (c *offerColumns) contextOf(number uint32) int64 {
	return int64(packed.Uint64At(c.context, int(number)))
}
