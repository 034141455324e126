package pages

import (
	"cmp"
	"html/template"
	"math"
	"slices"
	"time"

	"kindex/exports"
	"kindex/exports/record"
	"kindex/site/chart"
	"kindex/site/textfmt"
)

// Limits of the history on an entity's page.
const (
	entityVersions     = 300 // the newest ones that are read
	entityPriceChanges = 30  // rows of the table
)

// priceHistory is the price of a model over time.
type priceHistory struct {
	Since   string        // the first day with a price
	Chart   template.HTML // "" if the price never changed
	Words   string        // text alternative to the chart
	Changes []priceChange // of single offers, newest first
	Omitted int           // older changes
}

// priceChange is a price that an offer had from a day on.
type priceChange struct {
	Day, Offer    string
	Input, Output string // "" if unknown
	Gone          bool   // the offer, or its price, was removed
}

// costs are the input and the output price.
type costs [2]record.Price

// dated is a value from a day on.
type dated[T comparable] struct {
	Day   string
	Value T
}

// daily reduces a series to the last value of each day. A value that is not committed is
// from the day asOf.
func daily[T comparable](points []exports.Point[T], asOf string) (list []dated[T]) {
	for _, p := range points {
		d := dated[T]{asOf, p.Value}
		if p.Time != 0 {
			d.Day = time.Unix(p.Time, 0).UTC().Format(time.DateOnly)
		}
		if n := len(list); n > 0 && list[n-1].Day == d.Day {
			list = list[:n-1]
		}
		list = append(list, d)
	}
	return list
}

// priceHistory returns the price of a model over time, or nil if none was ever known.
func (r *request) priceHistory(moments []exports.Moment, asOf string) *priceHistory {
	providers := r.Build.Providers()
	series := daily(exports.Series(moments, func(e *record.Entity) costs {
		p := providers.Compute(e, "").Price
		return costs{p.Input, p.Output}
	}), asOf)
	if len(series) == 0 {
		return nil
	}
	h := &priceHistory{Since: series[0].Day}
	h.addOffers(r, moments, asOf)
	if len(series) > 1 {
		h.draw(series, asOf)
	}
	return h
}

// draw draws the chart.
func (h *priceHistory) draw(series []dated[costs], asOf string) {
	lines := []chart.Line{{Class: "l1"}, {Class: "l2"}}
	highest := 0.0
	for i, name := range []string{"input", "output"} {
		for _, p := range series {
			at, err := time.Parse(time.DateOnly, p.Day)
			if err != nil {
				continue // never in a build
			}
			o := chart.Point{Day: p.Day, At: at, Value: p.Value[i].Float(), Known: p.Value[i].Known(), Title: textfmt.Day(p.Day) + ": " + textfmt.Price(p.Value[i]) + " " + name}
			highest = max(highest, o.Value)
			lines[i].Points = append(lines[i].Points, o)
		}
		h.Words += cmp.Or(" " + describeHistory(name+" price", lines[i].Points, dollars))
	}
	end, err := time.Parse(time.DateOnly, asOf)
	if err != nil {
		return
	}
	top := roundUp(highest)
	p := chart.Plot{High: top, Height: 120, From: lines[0].Points[0].At, To: end}
	h.Chart = p.Steps("prices", lines, []float64{0, top / 2, top}, dollars)
}

func dollars(v float64) string { return "$" + textfmt.Count(math.Round(v*1e6)/1e6) }

// roundUp returns the smallest of 1, 2 and 5 times a power of ten that is not less than x.
func roundUp(x float64) float64 {
	if x <= 0 {
		return 1
	}
	power := math.Pow(10, math.Floor(math.Log10(x)))
	for _, f := range []float64{1, 2, 5} {
		if f*power >= x {
			return f * power
		}
	}
	return 10 * power
}

// addOffers fills in the changes of single offers.
func (h *priceHistory) addOffers(r *request, moments []exports.Moment, asOf string) {
	keys := map[[2]string]bool{}
	for _, m := range moments {
		if m.Entity == nil {
			continue
		}
		for i := range m.Entity.Offers {
			keys[[2]string{m.Entity.Offers[i].Provider, m.Entity.Offers[i].ID}] = true
		}
	}
	for key := range keys {
		name := textfmt.Name(r.providerName(key[0]) + " " + key[1])
		for _, p := range daily(exports.Series(moments, func(e *record.Entity) costs { return costsOf(e, key) }), asOf) {
			h.Changes = append(h.Changes, priceChange{Day: p.Day, Offer: name, Gone: p.Value == costs{},
				Input: textfmt.Price(p.Value[0]), Output: textfmt.Price(p.Value[1])})
		}
	}
	slices.SortFunc(h.Changes, func(a, b priceChange) int { return cmp.Or(cmp.Compare(b.Day, a.Day), cmp.Compare(a.Offer, b.Offer)) })
	if n := len(h.Changes) - entityPriceChanges; n > 0 {
		h.Changes, h.Omitted = h.Changes[:entityPriceChanges], n
	}
}

// costsOf returns the prices of the offer with a provider and an id.
func costsOf(e *record.Entity, key [2]string) costs {
	for i := range e.Offers {
		if o := &e.Offers[i]; o.Provider == key[0] && o.ID == key[1] {
			return costs{o.Prices[record.InputPrice], o.Prices[record.OutputPrice]}
		}
	}
	return costs{}
}

// providerName returns the name of a provider of offers, or its slug if it is unknown.
func (s *Site) providerName(slug string) string {
	for _, p := range s.Build.Providers() {
		if p.Slug == slug {
			return p.Name
		}
	}
	return slug
}
