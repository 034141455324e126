package content

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"kindex/builder/content/yamldoc"
	"kindex/exports/kinds"
	"kindex/exports/pricing"
	"kindex/exports/record"
)

// sizes are the words by which makers tell the sizes of otherwise equal models apart, from the
// smallest to the largest; "" stands for a name without such a word.
var sizes = [][]string{
	{"nano", "mini", "", "pro"}, {"tiny", "small", "medium", "large"}, {"micro", "lite", "pro", "premier"},
	{"flash-lite", "flash", "pro", "ultra"}, {"turbo", "flash", "plus", "max"}, {"haiku", "sonnet", "opus"}, {"luna", "terra", "sol", "astra"},
}

// billions matches the number of parameters in a slug, of the whole model or of its active part.
var billions = regexp.MustCompile(`-(a?)([0-9]{1,5})b-`)

// sized is the size of a model in a series: models whose names differ only by the size.
type sized struct {
	series string
	size   int
}

// sizesOf returns the size of a model in each series that it may belong to.
func sizesOf(slug string) (list []sized) {
	name := "-" + slug + "-"
	for i, words := range sizes {
		found := slices.Index(words, "")
		for size, word := range words {
			// The longest word counts: flash-lite is not flash.
			if strings.Contains(name, "-"+word+"-") && (found < 0 || len(word) > len(words[found])) {
				found = size
			}
		}
		if found >= 0 {
			list = append(list, sized{strconv.Itoa(i) + strings.Replace(name, "-"+words[found]+"-", "-", 1), found})
		}
	}
	if m := billions.FindAllStringSubmatch(name, -1); len(m) == 1 && m[0][1] == "" { // models with an active part are not compared
		size, _ := strconv.Atoi(m[0][2])
		list = append(list, sized{strings.Replace(name, m[0][0], "-", 1), size})
	}
	return list
}

// series returns the keys of the series of an entity: models of a family at one provider.
func series(e *record.Entity) (keys []string) {
	if len(e.Offers) == 0 {
		return nil
	}
	for _, s := range sizesOf(e.Slug) {
		for i := range e.Offers {
			if key := s.series + "\x00" + e.Offers[i].Provider; !slices.Contains(keys, key) {
				keys = append(keys, key)
			}
		}
	}
	return keys
}

// listPrice returns the blended price of an offer, unless it is deprecated, free or has been checked.
func listPrice(o *record.Offer) record.Price {
	if o.Deprecated || o.Free || slices.Contains(o.Reviewed, cheaperThanSmaller) {
		return record.Price{}
	}
	return pricing.Blend(o.Prices[record.InputPrice], o.Prices[record.OutputPrice])
}

// checkSeries finds the first offer that costs less than a smaller model of the series at the same provider.
func (a *among) checkSeries(r *file, c *siblingCheck) {
	for _, s := range sizesOf(r.entity.Slug) {
		for i := range r.entity.Offers {
			o := &r.entity.Offers[i]
			if smaller := a.dearer(r, s, o); smaller != "" {
				c.d.Warn(c.offerPath(o, "input"), smaller+"; correct one of them, or add "+cheaperThanSmaller+" to reviewed")
				return
			}
		}
	}
}

// dearer describes a smaller model of the series that costs more at the provider of an offer, or returns "".
func (a *among) dearer(r *file, s sized, o *record.Offer) string {
	price := listPrice(o)
	if !price.Known() {
		return ""
	}
	for _, other := range a.claims[claim{bySeries, s.series + "\x00" + o.Provider}] {
		at := slices.IndexFunc(sizesOf(other.slug), func(x sized) bool { return x.series == s.series && x.size < s.size })
		if other == r || at < 0 {
			continue
		}
		for i := range other.entity.Offers {
			small := &other.entity.Offers[i]
			if p := listPrice(small); small.Provider == o.Provider && p.Micros() > price.Micros() {
				return fmt.Sprintf("the model costs less than the smaller one in %s at %s (blended %s and %s)", other.shown, o.Provider, price, p)
			}
		}
	}
	return ""
}

// checkShared finds the first offer that another entity has too: usually it was given the offers of another.
func (a *among) checkShared(r *file, c *siblingCheck) {
	shared := slices.DeleteFunc(slices.Clone(r.entity.Offers), func(o record.Offer) bool {
		return o.ID == "" || a.claims[claim{byOffer, o.Key()}][0] == r
	})
	if len(shared) == 0 {
		return
	}
	o := &shared[0]
	more := ""
	if len(shared) > 1 {
		more = fmt.Sprintf(" (%d offers are shared)", len(shared))
	}
	c.d.Warn(c.offerPath(o, "id"), fmt.Sprintf("%s at %s is also an offer of %s%s; remove it from one of them",
		yamldoc.Quote(o.ID), o.Provider, a.claims[claim{byOffer, o.Key()}][0].shown, more))
}

// Rules about unlikely prices, as offers name them in reviewed.
const (
	implausible        = "implausible"
	cheaperThanSmaller = "cheaper-than-smaller" // not a rule of one entity; see among.checkSeries
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
			add("output-below-input", record.OutputPrice, "below the input price", o, record.InputPrice)
		}
		if cache.Known() && in.Known() && cache.Micros() > in.Micros() {
			add("cache-above-input", record.CacheReadPrice, "above the input price", o, record.InputPrice)
		}
		for kind := range record.PriceNames {
			if why := Implausible(kind, o.Prices[kind].Float()); why != "" {
				if !slices.Contains(o.Reviewed, implausible) {
					list = append(list, UnlikelyPrice{Rule: implausible, Offer: o, Price: kind, Message: why})
				}
			} else if other := medians[kind]; other != nil && isFar(kind, o.Prices[kind], other.Prices[kind]) {
				add("far-from-median", kind, "far from the median of the offers", other, kind)
			}
		}
	}
	return list
}

// warnOfPrices warns of prices that are probably wrong. at has the index of each offer in the file.
func warnOfPrices(d *yamldoc.Document, e *record.Entity, at map[string]int) {
	for _, u := range UnlikelyPrices(e) {
		with := ""
		if u.other != nil {
			with = fmt.Sprintf(" (offers[%d].%s)", at[u.other.Key()], record.PriceNames[u.otherPrice])
		}
		d.Warn([]string{"offers", strconv.Itoa(at[u.Offer.Key()]), record.PriceNames[u.Price]}, u.Message+with+"; correct it, or add "+u.Rule+" to reviewed")
	}
}

// cheapOutput reports whether output may cost less than input: embeddings, relevance scores and speech.
func cheapOutput(e *record.Entity) bool {
	return slices.ContainsFunc(e.FieldValues(kinds.OutputModality), func(kind string) bool { return kind == "embedding" || kind == "score" || kind == "audio" })
}

// isFar reports whether an input or output price is ten times the median or a tenth of it, or another price, in
// which providers differ more, a hundred times or a hundredth. A price of 0 is not far.
func isFar(kind int, p, median record.Price) bool {
	factor := int64(100)
	if kind == record.InputPrice || kind == record.OutputPrice {
		factor = 10
	}
	return p.Micros() > 0 && (p.Micros() >= factor*median.Micros() || factor*p.Micros() <= median.Micros())
}
