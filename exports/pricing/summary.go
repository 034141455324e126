// Package pricing computes from the offers of a model what it costs: in short, and for a
// given use. All arithmetic is exact, in integers.
package pricing

import (
	"cmp"
	"slices"
	"strings"

	"kindex/exports/record"
)

// On returns offers as they are at the end of a day, YYYY-MM-DD, as record.Offer.On does; as stated for "".
func On(offers []record.Offer, day string) []record.Offer {
	if day == "" || !slices.ContainsFunc(offers, func(o record.Offer) bool { return o.Until != "" || o.Next != nil }) {
		return offers
	}
	on := make([]record.Offer, len(offers))
	for i := range offers {
		on[i] = offers[i].On(day)
	}
	return on
}

// Summarize returns the price of a model with some offers: that of its maker's own offer or, without one,
// for each price the median of the offers that are not deprecated. isMaker reports whether
// a provider of offers makes the model. It returns the zero value if no price is known.
func Summarize(e *record.Entity, offers []record.Offer, isMaker func(provider string) bool) record.PriceSummary {
	if own := makersOffer(e.IDs, offers, isMaker); own != nil {
		in, out := own.Prices[record.InputPrice], own.Prices[record.OutputPrice]
		return record.PriceSummary{Input: in, Output: out, Blended: Blend(in, out), Provider: own.Provider, Date: own.Date}
	}
	in, out := median(offers, record.InputPrice), median(offers, record.OutputPrice)
	return record.PriceSummary{Input: in, Output: out, Blended: Blend(in, out), Date: earliestReading(offers)}
}

// earliestReading returns the earliest day on which one of the offers that a median considers
// was read, or "" if that is unknown for one of them.
func earliestReading(offers []record.Offer) (day string) {
	for i := range offers {
		o := &offers[i]
		if o.Deprecated || !o.Prices[record.InputPrice].Known() && !o.Prices[record.OutputPrice].Known() {
			continue
		}
		if o.Date == "" {
			return ""
		}
		if day == "" || o.Date < day {
			day = o.Date
		}
	}
	return day
}

// makersOffer returns the maker's offer that states a price: if there are several, the one
// whose id is among the entity's identifiers, otherwise the first.
func makersOffer(ids []record.ID, offers []record.Offer, isMaker func(provider string) bool) *record.Offer {
	var first *record.Offer
	for i := range offers {
		o := &offers[i]
		if !isMaker(o.Provider) || !o.Prices[record.InputPrice].Known() && !o.Prices[record.OutputPrice].Known() {
			continue
		}
		if slices.ContainsFunc(ids, func(id record.ID) bool { return id.Value == o.ID || strings.HasSuffix(id.Value, "/"+o.ID) }) {
			return o
		}
		if first == nil {
			first = o
		}
	}
	return first
}

// median returns the median of a price over the offers that are not deprecated; of two
// middle prices, the lower one.
func median(offers []record.Offer, kind int) record.Price {
	var known []int64
	for i := range offers {
		if p := offers[i].Prices[kind]; p.Known() && !offers[i].Deprecated {
			known = append(known, p.Micros())
		}
	}
	if len(known) == 0 {
		return record.Price{}
	}
	slices.Sort(known)
	return record.PriceOf(known[(len(known)-1)/2])
}

// MedianOffer returns the offer with the median price of a kind, or nil if fewer than three offers
// have one: the median of two does not tell which of them is unusual. Prices of 0 do not count.
func MedianOffer(offers []record.Offer, kind int) *record.Offer {
	var known []*record.Offer
	for i := range offers {
		if offers[i].Prices[kind].Micros() > 0 {
			known = append(known, &offers[i])
		}
	}
	if len(known) < 3 {
		return nil
	}
	slices.SortStableFunc(known, func(a, b *record.Offer) int {
		return cmp.Compare(a.Prices[kind].Micros(), b.Prices[kind].Micros())
	})
	return known[(len(known)-1)/2]
}

// Blend returns the price of three parts input and one part output, rounded half up to a
// millionth of a dollar. It is unknown unless both are known.
func Blend(in, out record.Price) record.Price {
	if !in.Known() || !out.Known() {
		return record.Price{}
	}
	return record.PriceOf((3*in.Micros() + out.Micros() + 2) / 4)
}

// Provider sells access to models, or hosts them.
type Provider struct {
	Slug  string `json:"slug"`
	Name  string `json:"name"`
	URL   string `json:"url"`   // its site, or ""
	Maker string `json:"maker"` // the provider of the models that it makes itself, or ""
}

// Providers are the providers of an index.
type Providers []Provider

// Makes reports whether the provider of an offer makes the models of a maker.
func (p Providers) Makes(provider, maker string) bool {
	for i := range p {
		if p[i].Slug == provider {
			return p[i].Maker != "" && p[i].Maker == maker
		}
	}
	return false
}

// Compute returns what is computed from the facts of an entity as of a day, YYYY-MM-DD.
func (p Providers) Compute(e *record.Entity, day string) record.Computed {
	number, err := record.DayNumber(day)
	if err != nil {
		number = record.NoDate
	}
	c := record.Computed{Maintenance: record.MaintenanceOf(&e.Signals, number)}
	if len(e.Offers) > 0 {
		c.Price = Summarize(e, On(e.Offers, day), func(provider string) bool { return p.Makes(provider, e.Provider) })
	}
	return c
}
