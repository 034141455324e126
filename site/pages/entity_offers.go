package pages

import (
	"cmp"
	"slices"
	"strings"

	"kindex/exports/pricing"
	"kindex/exports/record"
	"kindex/site/textfmt"
)

// entityOffers is the number of offers that are always visible; the others are folded.
const entityOffers = 8

// offerTable is the offers of a model.
type offerTable struct {
	Rows []offerRow // the maker's own first, then the cheapest
	Rest []offerRow
	Cost string // path of the page that calculates costs, or "" for an earlier version
}

// offerRow is an offer. Unknown prices are "".
type offerRow struct {
	Provider  string
	Site      string // URL of the provider, or "" if there is none
	Own       bool   // the provider makes the model
	ID        string
	Input     string
	Output    string
	CacheRead string
	Context   string
	More      []string // other prices, tiers and modes, each as a short text
	Free      bool
	Dead      bool // deprecated
	figure         // Date, Address and Source
}

// offers returns the offers of a model, or nil if there are none.
func (r *request) offers(e *record.Entity, now bool) *offerTable {
	if len(e.Offers) == 0 {
		return nil
	}
	list := slices.Clone(e.Offers)
	providers := r.Build.Providers()
	slices.SortStableFunc(list, func(a, b record.Offer) int {
		own := func(o record.Offer) int { return boolOrder(!providers.Makes(o.Provider, e.Provider)) }
		return cmp.Or(own(a)-own(b), boolOrder(a.Deprecated)-boolOrder(b.Deprecated), comparePrices(&a, &b))
	})
	t := &offerTable{}
	if now {
		t.Cost = "/prices/?" + singleQuery("model", e.Slug)
	}
	for i := range list {
		row := r.offerRow(&list[i])
		row.Own = providers.Makes(list[i].Provider, e.Provider)
		t.Rows = append(t.Rows, row)
	}
	shown := min(entityOffers, len(t.Rows))
	t.Rows, t.Rest = t.Rows[:shown], t.Rows[shown:]
	return t
}

func boolOrder(b bool) int {
	if b {
		return 1
	}
	return 0
}

// comparePrices orders offers by their blended price, and those without one last.
func comparePrices(a, b *record.Offer) int {
	x := pricing.Blend(a.Prices[record.InputPrice], a.Prices[record.OutputPrice])
	y := pricing.Blend(b.Prices[record.InputPrice], b.Prices[record.OutputPrice])
	return cmp.Or(boolOrder(!x.Known())-boolOrder(!y.Known()), cmp.Compare(x.Micros(), y.Micros()))
}

func (r *request) offerRow(o *record.Offer) offerRow {
	row := offerRow{Provider: o.Provider, ID: o.ID, Input: textfmt.Price(o.Prices[record.InputPrice]), Output: textfmt.Price(o.Prices[record.OutputPrice]),
		CacheRead: textfmt.Price(o.Prices[record.CacheReadPrice]), Free: o.Free, Dead: o.Deprecated}
	for _, p := range r.Build.Providers() {
		if p.Slug == o.Provider {
			row.Provider, row.Site = p.Name, textfmt.WebURL(p.URL)
		}
	}
	if o.Context > 0 {
		row.Context = textfmt.Compact(float64(o.Context))
	}
	row.Date = textfmt.ISODay(o.Date)
	row.from(o.Source)
	row.More = moreOfOffer(o)
	return row
}

// columnPrices are the prices that have a column of their own.
var columnPrices = []int{record.InputPrice, record.OutputPrice, record.CacheReadPrice}

// moreOfOffer describes what the columns of an offer do not show.
func moreOfOffer(o *record.Offer) (list []string) {
	if o.OutputLimit > 0 {
		list = append(list, "Output up to "+textfmt.Count(o.OutputLimit)+" tokens")
	}
	rest := o.Prices
	for _, i := range columnPrices {
		rest[i] = record.Price{}
	}
	if rest.Known() {
		list = append(list, textfmt.Capitalize(describePrices(&rest)))
	}
	list = append(list, describeTiers("", o.Tiers)...)
	for _, m := range o.Modes {
		name := textfmt.Capitalize(textfmt.Name(m.Name))
		if m.Prices.Known() {
			list = append(list, name+": "+describePrices(&m.Prices))
		}
		list = append(list, describeTiers(name+", ", m.Tiers)...)
	}
	return list
}

func describeTiers(prefix string, tiers []record.Tier) (list []string) {
	for _, t := range tiers {
		list = append(list, textfmt.Capitalize(prefix+"over "+textfmt.Count(t.Over)+" input tokens: "+describePrices(&t.Prices)))
	}
	return list
}

// priceWords are the names of prices, in the order of record.PriceNames.
var priceWords = [...]string{"input", "output", "cache read", "cache write", "reasoning", "audio input", "audio output", "for an image", "for a request"}

// describePrices lists the known prices.
func describePrices(p *record.Prices) string {
	var parts []string
	for i := range p {
		if p[i].Known() {
			parts = append(parts, textfmt.Price(p[i])+" "+priceWords[i])
		}
	}
	return cmp.Or(strings.Join(parts, ", "), "no prices known")
}
