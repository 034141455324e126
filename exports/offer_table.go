package exports

import (
	"encoding/binary"
	"math"

	"kindex/exports/packed"
	"kindex/exports/pricing"
	"kindex/exports/record"
)

// OfferSortKeys are the prices by which offers can be sorted, cheapest first.
var OfferSortKeys = []string{"input", "output", "blended"}

// offerSort are the indexes of OfferSortKeys.
const (
	sortByInput = iota
	sortByOutput
	sortByBlended
	offerSortCount
)

// The fields of offers and their models that the postings of an offer table contain.
const (
	offerProvider = "provider"
	offerFamily   = "family"
	offerModality = "modality" // of the input
)

// offerColumns are the columns of a lookup/offers.bin: the offers of all listed models. Offers
// are numbered by type and slug of their models, then by provider and id, so that the number
// breaks ties.
type offerColumns struct {
	n        int
	first    packed.Uint32s                 // by ordinal of a listed record: its first offer, or where that would be
	models   packed.Uint32s                 // the ordinal of the model
	prices   [offerSortCount][]byte         // millionths of a dollar, or unknownPrice
	context  []byte                         // tokens, 0 if unknown
	orders   [offerSortCount]packed.Uint32s // the offers by price, unknown ones last
	postings packed.Postings
}

// unknownPrice is the sort value of an unknown price.
const unknownPrice = math.MaxUint64

// offerSections is the number of sections of lookup/offers.bin.
const offerSections = 3 + 2*offerSortCount + packed.PostingSections

// sortPrice returns the sort value of a price.
func sortPrice(p record.Price) uint64 {
	if !p.Known() {
		return unknownPrice
	}
	return uint64(p.Micros())
}

// offerPrices returns the sort values of an offer, by OfferSortKeys.
func offerPrices(o *record.Offer) [offerSortCount]uint64 {
	in, out := o.Prices[record.InputPrice], o.Prices[record.OutputPrice]
	return [offerSortCount]uint64{sortPrice(in), sortPrice(out), sortPrice(pricing.Blend(in, out))}
}

// packOffers returns the offers of the records with the ordinals 0 to listed-1 as
// lookup/offers.bin. rank is the position of a record in the order by type and slug.
func packOffers(listed int, rank func(ordinal uint32) int64, entity func(ordinal uint32) (*record.Entity, error)) ([]byte, error) {
	byRank := make([]sortItem, listed)
	for i := range byRank {
		byRank[i] = sortItem{uint64(rank(uint32(i))), uint32(i)}
	}
	var models []uint32
	var context []byte
	var prices [offerSortCount][]uint64
	first, postings := make([]uint32, listed), packed.PostingsBuilder{}
	for _, ordinal := range radixSort(byRank) {
		e, err := entity(ordinal)
		if err != nil {
			return nil, err
		}
		first[ordinal] = uint32(len(models))
		for i := range e.Offers {
			o, number := &e.Offers[i], len(models)
			models = append(models, ordinal)
			context = binary.LittleEndian.AppendUint64(context, uint64(o.Context))
			for key, p := range offerPrices(o) {
				prices[key] = append(prices[key], p)
			}
			for field, values := range offerValues(e, o) {
				for _, v := range values {
					postings.Add(field, v, number)
				}
			}
		}
	}
	sections := [][]byte{packed.PackUint32s(first), packed.PackUint32s(models), context}
	for _, column := range prices {
		var b []byte
		for _, p := range column {
			b = binary.LittleEndian.AppendUint64(b, p)
		}
		sections = append(sections, b)
	}
	for _, column := range prices {
		sections = append(sections, packed.PackUint32s(orderByPrice(column)))
	}
	lists, err := postings.Pack(packed.NoPostings(), 0, len(models))
	return packed.PackSections(append(sections, lists...)...), err
}

// offerValues yields the values of an offer and its model in each field of the postings.
func offerValues(e *record.Entity, o *record.Offer) func(yield func(field string, values []string) bool) {
	return func(yield func(string, []string) bool) {
		if yield(offerProvider, []string{o.Provider}) && e.Model != nil &&
			(e.Model.Family == "" || yield(offerFamily, []string{e.Model.Family})) {
			yield(offerModality, e.Model.Input)
		}
	}
}

// orderByPrice returns the numbers of offers by price, then by number.
func orderByPrice(prices []uint64) []uint32 {
	items := make([]sortItem, len(prices))
	for i, p := range prices {
		items[i] = sortItem{p, uint32(i)}
	}
	return radixSort(items)
}

// openOffers opens a file that packOffers wrote for a catalogue with the given number of
// listed records.
func openOffers(s *packed.SectionReader, name string, listed int) offerColumns {
	parts := s.Open(name, offerSections)
	if s.Err() != nil {
		return offerColumns{}
	}
	c := offerColumns{first: parts[0], models: parts[1], context: parts[2]}
	c.n = c.models.Len()
	s.Check(name, c.first.Len() >= listed && len(c.context) == 8*c.n)
	for key := range offerSortCount {
		c.prices[key], c.orders[key] = parts[3+key], parts[3+offerSortCount+key]
		s.Check(name, len(c.prices[key]) == 8*c.n && c.orders[key].Len() == c.n)
	}
	c.postings = s.Postings(name, parts[3+2*offerSortCount:])
	return c
}

// price returns the sort value of an offer.
func (c *offerColumns) price(key int, number uint32) uint64 {
	return packed.Uint64At(c.prices[key], int(number))
}

// ofModel returns the range of the offers of a listed record.
func (c *offerColumns) ofModel(ordinal uint32) (from, to int) {
	if int(ordinal) >= c.first.Len() {
		return 0, 0
	}
	from = int(c.first.At(int(ordinal)))
	for to = from; to < c.n && c.models.At(to) == ordinal; to++ {
	}
	return from, to
}
