package content

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"kindex/builder/content/yamldoc"
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
			if word != "" && strings.Contains(name, "-"+word+"-") && (found < 0 || len(word) > len(words[found])) {
				found = size
			}
		}
		if found < 0 {
			continue
		}
		rest := name
		if words[found] != "" {
			rest = strings.Replace(name, "-"+words[found]+"-", "-", 1)
		}
		list = append(list, sized{strconv.Itoa(i) + rest, found})
	}
	if m := billions.FindAllStringSubmatch(name, -1); len(m) == 1 && m[0][1] == "" { // models with an active part are not compared
		size, _ := strconv.Atoi(m[0][2])
		list = append(list, sized{strings.Replace(name, m[0][0], "-", 1), size})
	}
	return list
}

// series returns the keys of the series to which the offers of an entity belong: models of a family at
// one provider.
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

// listPrice returns the blended price of an offer, or an unknown one if the offer is deprecated, free
// or has been checked.
func listPrice(o *record.Offer) record.Price {
	if o.Deprecated || o.Free || slices.Contains(o.Reviewed, cheaperThanSmaller) {
		return record.Price{}
	}
	return pricing.Blend(o.Prices[record.InputPrice], o.Prices[record.OutputPrice])
}

// checkSeries finds an offer that costs less than a smaller model of the series at the same provider. It
// reports one in a file.
func (a *among) checkSeries(r *file, offer func(*record.Offer) int, complain complainer) {
	for _, s := range sizesOf(r.entity.Slug) {
		for i := range r.entity.Offers {
			o := &r.entity.Offers[i]
			if smaller := a.dearer(r, s, o); smaller != "" {
				complain(yamldoc.Warning, offerPath(offer(o), "input"), smaller+"; correct one of them, or add "+cheaperThanSmaller+" to reviewed", "")
				return
			}
		}
	}
}

// dearer describes a smaller model of the series that costs more at the provider of an offer, or
// returns "".
func (a *among) dearer(r *file, s sized, o *record.Offer) string {
	price := listPrice(o)
	if !price.Known() {
		return ""
	}
	for _, other := range a.claims[bySeries][s.series+"\x00"+o.Provider] {
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

// checkShared finds offers whose provider and id another entity has too. It reports one in a file:
// usually an entity has been given the offers of another.
func (a *among) checkShared(r *file, offer func(*record.Offer) int, complain complainer) {
	shared := slices.DeleteFunc(slices.Clone(r.entity.Offers), func(o record.Offer) bool {
		return o.ID == "" || a.claims[byOffer][o.Key()][0] == r
	})
	if len(shared) == 0 {
		return
	}
	o := &shared[0]
	more := ""
	if len(shared) > 1 {
		more = fmt.Sprintf(" (%d offers are shared)", len(shared))
	}
	complain(yamldoc.Warning, offerPath(offer(o), "id"), fmt.Sprintf("%s at %s is also an offer of %s%s; remove it from one of them",
		yamldoc.Quote(o.ID), o.Provider, a.claims[byOffer][o.Key()][0].shown, more), "")
}

// offerPath returns the path of a field of an offer with some index in its file.
func offerPath(at int, field string) []string {
	if at >= 0 {
		return []string{"offers", strconv.Itoa(at), field}
	}
	return []string{"offers"}
}
