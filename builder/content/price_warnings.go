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

// warnOfPrices adds warnings about prices that are probably wrong. at has the index of each
// offer in the file.
func warnOfPrices(d *yamldoc.Document, e *record.Entity, at map[string]int) {
	var medians [len(record.Prices{})]*record.Offer
	for kind := range medians {
		medians[kind] = pricing.MedianOffer(e.Offers, kind)
	}
	for i := range e.Offers {
		o := &e.Offers[i]
		index := strconv.Itoa(at[o.Key()])
		warn := func(rule, field, message string) {
			if !slices.Contains(o.Reviewed, rule) {
				d.AddAt([]string{"offers", index, field}, false, yamldoc.Problem{Severity: yamldoc.Warning,
					Message: message + "; correct it, or add " + rule + " to reviewed"})
			}
		}
		in, out, cache := o.Prices[record.InputPrice], o.Prices[record.OutputPrice], o.Prices[record.CacheReadPrice]
		if out.Known() && out.Micros() < in.Micros() && !cheapOutput(e) {
			warn(outputBelowInput, "output", fmt.Sprintf("%s is below the input price, %s (offers[%s].input)", out, in, index))
		}
		if cache.Known() && in.Known() && cache.Micros() > in.Micros() {
			warn(cacheAboveInput, "cacheRead", fmt.Sprintf("%s is above the input price, %s (offers[%s].input)", cache, in, index))
		}
		for kind, name := range record.PriceNames {
			if other := medians[kind]; other != nil && isThousandfold(o.Prices[kind], other.Prices[kind]) {
				warn(thousandfold, name, fmt.Sprintf("%s is far from the median of the offers, %s (offers[%d].%s); prices are per million tokens",
					o.Prices[kind], other.Prices[kind], at[other.Key()], name))
			}
		}
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
