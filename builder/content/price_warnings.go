package content

import (
	"fmt"
	"slices"
	"strconv"

	"kindex/builder/content/yamldoc"
	"kindex/exports/kinds"
	"kindex/exports/pricing"
	"kindex/exports/record"
)

// The rules about unlikely prices, as offers name them in reviewed.
const (
	implausible      = "implausible"
	farFromMedian    = "far-from-median"
	outputBelowInput = "output-below-input"
	cacheAboveInput  = "cache-above-input"

	// cheaperThanSmaller is not a rule of one entity; see among.checkSeries.
	cheaperThanSmaller = "cheaper-than-smaller"
)

// UnlikelyPrice is a price of an offer that is probably wrong.
type UnlikelyPrice struct {
	Rule    string
	Offer   *record.Offer
	Price   int    // an index of Prices
	Message string // without the field with which it is compared

	other      *record.Offer // with which it is compared, or nil
	otherPrice int
}

// Prices per token and per thousand tokens, taken for prices per million, are below the bounds of
// plausible prices, and prices multiplied by mistake are above them. No known price is beyond them.
const (
	minTokenPrice = 0.001 // dollars per million tokens
	minCachePrice = 0.0001
	maxTokenPrice = 1000
	maxOnePrice   = 100 // dollars for an image, a request and the like
)

// Implausible returns why no offer can have a price in dollars, or "". kind is an index of Prices.
func Implausible(kind int, dollars float64) string {
	least, most, unit := minTokenPrice, float64(maxTokenPrice), " dollars for a million tokens"
	switch {
	case kind == record.CacheReadPrice:
		least = minCachePrice
	case !record.PerMillion(kind):
		least, most, unit = 0, maxOnePrice, " dollars for one "+record.PriceNames[kind]
	}
	amount := strconv.FormatFloat(dollars, 'f', -1, 64) + unit
	switch {
	case dollars > 0 && dollars < least:
		return amount + " is implausibly little: perhaps it is the price of one or a thousand tokens"
	case dollars > most:
		return amount + " is implausibly much"
	}
	return ""
}

// UnlikelyPrices returns the prices of an entity that are probably wrong, except those that a
// person has checked.
func UnlikelyPrices(e *record.Entity) (list []UnlikelyPrice) {
	var medians [len(record.Prices{})]*record.Offer
	for kind := range medians {
		medians[kind] = pricing.MedianOffer(e.Offers, kind)
	}
	for i := range e.Offers {
		o := &e.Offers[i]
		add := func(rule string, price int, relation string, other *record.Offer, otherPrice int) {
			if !slices.Contains(o.Reviewed, rule) {
				list = append(list, UnlikelyPrice{Rule: rule, Offer: o, Price: price, other: other, otherPrice: otherPrice,
					Message: fmt.Sprintf("%s is %s, %s", o.Prices[price], relation, other.Prices[otherPrice])})
			}
		}
		in, out, cache := o.Prices[record.InputPrice], o.Prices[record.OutputPrice], o.Prices[record.CacheReadPrice]
		if out.Known() && out.Micros() < in.Micros() && !cheapOutput(e) {
			add(outputBelowInput, record.OutputPrice, "below the input price", o, record.InputPrice)
		}
		if cache.Known() && in.Known() && cache.Micros() > in.Micros() {
			add(cacheAboveInput, record.CacheReadPrice, "above the input price", o, record.InputPrice)
		}
		for kind := range record.PriceNames {
			if why := Implausible(kind, o.Prices[kind].Float()); why != "" {
				if !slices.Contains(o.Reviewed, implausible) {
					list = append(list, UnlikelyPrice{Rule: implausible, Offer: o, Price: kind, Message: why})
				}
			} else if other := medians[kind]; other != nil && isFar(kind, o.Prices[kind], other.Prices[kind]) {
				add(farFromMedian, kind, "far from the median of the offers", other, kind)
			}
		}
	}
	return list
}

// warnOfPrices adds warnings about prices that are probably wrong. at has the index of each
// offer in the file.
func warnOfPrices(d *yamldoc.Document, e *record.Entity, at map[string]int) {
	for _, u := range UnlikelyPrices(e) {
		with := ""
		if u.other != nil {
			with = fmt.Sprintf(" (offers[%d].%s)", at[u.other.Key()], record.PriceNames[u.otherPrice])
		}
		d.AddAt([]string{"offers", strconv.Itoa(at[u.Offer.Key()]), record.PriceNames[u.Price]}, false, yamldoc.Problem{Severity: yamldoc.Warning,
			Message: u.Message + with + "; correct it, or add " + u.Rule + " to reviewed"})
	}
}

// cheapOutput reports whether a model's output may cost less than its input: embeddings,
// relevance scores and speech.
func cheapOutput(e *record.Entity) bool {
	return slices.ContainsFunc(e.FieldValues(kinds.OutputModality), func(kind string) bool { return kind == "embedding" || kind == "score" || kind == "audio" })
}

// isFar reports whether an input or output price differs from the median by a factor of 10 or more.
// Providers differ more in what they charge for caches and the like: there it takes a factor of 100.
// A price of 0 is not far.
func isFar(kind int, p, median record.Price) bool {
	factor := int64(100)
	if kind == record.InputPrice || kind == record.OutputPrice {
		factor = 10
	}
	return p.Micros() > 0 && (p.Micros() >= factor*median.Micros() || factor*p.Micros() <= median.Micros())
}
