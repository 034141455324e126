package content

import (
	"fmt"
	"slices"
	"strconv"

	"kindex/builder/content/yamldoc"
	"kindex/exports/pricing"
	"kindex/exports/record"
)

// The rules about unlikely prices, as offers name them in reviewed.
const (
	thousandfold     = "thousandfold"
	outputBelowInput = "output-below-input"
	cacheAboveInput  = "cache-above-input"
)

// UnlikelyPrice is a price of an offer that is probably wrong.
type UnlikelyPrice struct {
	Rule    string
	Offer   *record.Offer
	Price   int    // an index of Prices
	Message string // without the field with which it is compared

	other      *record.Offer // with which it is compared
	otherPrice int
	remark     string
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
		add := func(rule string, price int, relation string, other *record.Offer, otherPrice int, remark string) {
			if !slices.Contains(o.Reviewed, rule) {
				list = append(list, UnlikelyPrice{Rule: rule, Offer: o, Price: price, other: other, otherPrice: otherPrice, remark: remark,
					Message: fmt.Sprintf("%s is %s, %s", o.Prices[price], relation, other.Prices[otherPrice])})
			}
		}
		in, out, cache := o.Prices[record.InputPrice], o.Prices[record.OutputPrice], o.Prices[record.CacheReadPrice]
		if out.Known() && out.Micros() < in.Micros() && !cheapOutput(e) {
			add(outputBelowInput, record.OutputPrice, "below the input price", o, record.InputPrice, "")
		}
		if cache.Known() && in.Known() && cache.Micros() > in.Micros() {
			add(cacheAboveInput, record.CacheReadPrice, "above the input price", o, record.InputPrice, "")
		}
		for kind := range record.PriceNames {
			if other := medians[kind]; other != nil && isThousandfold(o.Prices[kind], other.Prices[kind]) {
				add(thousandfold, kind, "far from the median of the offers", other, kind, "; prices are per million tokens")
			}
		}
	}
	return list
}

// warnOfPrices adds warnings about prices that are probably wrong. at has the index of each
// offer in the file.
func warnOfPrices(d *yamldoc.Document, e *record.Entity, at map[string]int) {
	for _, u := range UnlikelyPrices(e) {
		d.AddAt([]string{"offers", strconv.Itoa(at[u.Offer.Key()]), record.PriceNames[u.Price]}, false, yamldoc.Problem{Severity: yamldoc.Warning,
			Message: fmt.Sprintf("%s (offers[%d].%s)%s; correct it, or add %s to reviewed", u.Message, at[u.other.Key()], record.PriceNames[u.otherPrice], u.remark, u.Rule)})
	}
}

// cheapOutput reports whether a model's output may cost less than its input: embeddings,
// relevance scores and speech.
func cheapOutput(e *record.Entity) bool {
	return e.Model != nil && (slices.Contains(e.Model.Output, "embedding") || slices.Contains(e.Model.Output, "score") || slices.Contains(e.Model.Output, "audio"))
}

// isThousandfold reports whether a price differs from the median by a factor of 1000 or more.
// A price of 0 does not.
func isThousandfold(p, median record.Price) bool {
	return p.Micros() > 0 && (p.Micros() >= 1000*median.Micros() || 1000*p.Micros() <= median.Micros())
}
