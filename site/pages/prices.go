package pages

import (
	"math"
	"slices"

	"kindex/exports/kinds"
	"kindex/exports/pricing"
	"kindex/exports/record"
	"kindex/exports/view"
	"kindex/exports/where"
	"kindex/site/form"
	"kindex/site/siteurl"
	"kindex/site/textfmt"
)

const pricesPath = "/prices/"

// prices lists the offers that match the query and, if it asks for one, a calculation. A static site
// has neither filters nor a calculator, because both need an edge.
func (r *request) prices() (*page, error) {
	of := r.kinds().With(kinds.Offers)
	if len(of) == 0 {
		return r.notFound(), nil
	}
	l := &listing{Heading: "Prices", Offers: true, What: "offers",
		Text:     "What providers charge for " + r.plural(of[0].Name) + ", in US dollars per million tokens. Each price has a source and the date on which it was read.",
		SortNote: "The blended price assumes three parts input to one part output."}
	l.Cost = r.calculate()
	asked := len(r.Query) > 0
	if l.Filters = r.unfiltered(of, true); !r.Static {
		l.Filters.read(r)
	}
	by := "blended"
	if sort := r.value("sort"); slices.Contains(view.OfferSortKeys, sort) {
		by = sort
	}
	l.Columns = []*column{{Name: "name", Title: of[0].Title + " and provider"}}
	for _, name := range []string{"input", "output", "offerContext", "blended", "read"} {
		c := r.column(name)
		if name == by {
			c.Sorted = "ascending"
		} else if slices.Contains(view.OfferSortKeys, name) && !r.Static {
			c.To = r.asked("sort", name)
		}
		l.Columns = append(l.Columns, c)
	}
	placeCard(l.Columns[1:])
	l.Filters.offers.Models = append([]uint32{}, l.Filters.set.ToArray()...)
	set := r.Build.Offers().Select(&l.Filters.offers)
	refs, _, _ := set.Page(by, nil, 0, len(set))
	for i := range refs {
		l.ordered = append(l.ordered, uint32(i))
	}
	l.at = func(i uint32) item {
		e := r.Build.Entity(refs[i].Model)
		return item{Entity: e, ordinal: refs[i].Model, offer: &r.Build.OffersOf(e)[refs[i].Index]}
	}
	if !r.turn(l) {
		return r.notFound(), nil
	}
	p := r.listPage(l, "What providers charge for "+r.plural(of[0].Name)+", and what your usage costs at each of them.", "")
	p.Canonical, p.NoIndex = pricesPath, asked
	return p, nil
}

// costForm is the form of the cost calculator, as filled in, and its result.
type costForm struct {
	Fields []formField
	Modes  []option
	Wrong  string // what is wrong with the quantities together, or "" if they are valid
	Model  *link
	Use    pricing.Use
	Costs  []costRow
}

type costRow struct {
	pricing.Cost
	Seller string // name of the provider
}

// itemLabels are the items of a calculation, as people read them.
var itemLabels = map[string]string{"input": "Input", "output": "Output", "cacheRead": "Read from a cache", "cacheWrite": "Written to a cache",
	"cacheWrite1h": "Written to a cache for an hour", "inputAudio": "Audio input", "outputAudio": "Audio output",
	"reasoningOutput": "Reasoning", "image": "Images", "request": "Requests", "inputImage": "Image input", "page": "Pages",
	"minute": "Seconds", "second": "Seconds", "character": "Characters"}

// Steps returns the calculation, one sentence for each line.
func (c costRow) Steps() []string {
	var steps []string
	for i := range c.Lines {
		l := &c.Lines[i]
		unit, per := " tokens", "/M"
		switch kind := slices.Index(record.PriceNames, l.Item); {
		case kind == record.MinutePrice:
			unit, per = "", "/60"
		case !record.PerMillion(kind):
			unit, per = "", ""
		}
		text := itemLabels[l.Item] + ": " + textfmt.Count(l.Quantity) + unit + " × "
		if l.Price.Known() {
			text += "$" + l.Price.String() + per + " = $" + l.Dollars()
		} else {
			text += "an unknown price"
		}
		steps = append(steps, text)
	}
	if reason := c.Reason(); reason != "" && (len(steps) == 0 || c.Untold > 0) {
		steps = []string{reason}
	}
	return steps
}

// quantity is a field for tokens or requests, and the part of a use that it sets.
type quantity struct {
	name, label, hint, preset string
	value                     func(*pricing.Use) *int64
}

var quantities = []quantity{
	{"input", "Input", "tokens", "1000", func(u *pricing.Use) *int64 { return &u.Input }},
	{"output", "Output", "tokens", "500", func(u *pricing.Use) *int64 { return &u.Output }},
	{"cached", "Read from a cache", "tokens of the input", "", func(u *pricing.Use) *int64 { return &u.Cached }},
	{"cacheWrite", "Written to a cache", "tokens of the input", "", func(u *pricing.Use) *int64 { return &u.CacheWrite }},
	{"cacheWrite1h", "Written to a cache for an hour", "tokens of the input", "", func(u *pricing.Use) *int64 { return &u.CacheWrite1h }},
	{"inputAudio", "Audio input", "tokens of the input", "", func(u *pricing.Use) *int64 { return &u.InputAudio }},
	{"inputImage", "Image input", "tokens of the input", "", func(u *pricing.Use) *int64 { return &u.InputImage }},
	{"reasoning", "Reasoning", "tokens of the output", "", func(u *pricing.Use) *int64 { return &u.Reasoning }},
	{"outputAudio", "Audio output", "tokens of the output", "", func(u *pricing.Use) *int64 { return &u.OutputAudio }},
	{"images", "Images", "if they are priced apart", "", func(u *pricing.Use) *int64 { return &u.Images }},
	{"pages", "Pages", "if they are priced apart", "", func(u *pricing.Use) *int64 { return &u.Pages }},
	{"seconds", "Seconds", "of audio or video, if they are priced apart", "", func(u *pricing.Use) *int64 { return &u.Seconds }},
	{"characters", "Characters", "if they are priced apart", "", func(u *pricing.Use) *int64 { return &u.Characters }},
	{"requests", "Requests", "of this size", "1", func(u *pricing.Use) *int64 { return &u.Requests }},
}

// calculate fills in the calculator, and calculates if the query names a model.
func (r *request) calculate() *costForm {
	c := &costForm{}
	asked := r.value("calculate")
	model := formField{Name: "calculate", Label: "Model", Value: asked}
	var found []uint32
	if asked != "" {
		if found, model.Near = r.modelsNamed(asked, "calculate"); len(found) == 0 {
			model.Wrong = "No model has this name."
		}
	}
	c.Fields = append(c.Fields, model)
	c.readUse(r)
	wrong := c.Wrong != "" || slices.ContainsFunc(c.Fields, func(x formField) bool { return x.Wrong != "" })
	if len(found) == 0 || wrong {
		return c
	}
	e := r.Build.Entity(found[0])
	c.Model = &link{Name: e.Name, To: siteurl.Entity(e.Type, e.Slug)}
	c.Costs = each(pricing.CalculateAll(r.Build.OffersOf(e), "", c.Use), func(cost pricing.Cost) costRow {
		return costRow{cost, r.providerName(cost.Offer.Provider)}
	})
	return c
}

// readUse reads the quantities and the mode. Without any quantity, the form contains an
// example.
func (c *costForm) readUse(r *request) {
	given := slices.ContainsFunc(quantities, func(q quantity) bool { return r.value(q.name) != "" })
	for _, q := range quantities {
		x := formField{Name: q.name, Label: q.label, Hint: q.hint, Value: r.value(q.name)}
		if x.Value == "" && (!given || q.name == "requests") {
			x.Value = q.preset
		}
		if x.Value != "" {
			n, _, ok := where.WholeAmount(x.Value)
			if !ok || n > pricing.MaxQuantity {
				x.Wrong = "Enter a whole number up to 1,000,000,000."
			}
			*q.value(&c.Use) = n
		}
		c.Fields = append(c.Fields, x)
	}
	c.Modes = []option{{Name: "Standard"}}
	for _, name := range record.OfferModes {
		c.Modes = append(c.Modes, option{Name: modeName(name), Value: name})
	}
	if c.Use.Mode = r.value("mode"); !markChosen(c.Modes, c.Use.Mode) {
		c.Use.Mode = ""
	}
	if !slices.ContainsFunc(c.Fields, func(x formField) bool { return x.Wrong != "" }) {
		if err := c.Use.Check(); err != nil {
			c.Wrong = form.Sentence(err.Error())
		}
	}
}

// cheapest returns the cheapest of some offers that matches the filters, or nil if there is none.
func (f *filters) cheapest(offers []record.Offer) (best *record.Offer) {
	if f == nil {
		f = &filters{}
	}
	price := func(o *record.Offer) int64 {
		for _, name := range []string{"blended", "input"} { // embeddings have no output price, so no blended one
			if p := offerPrice(o, name); p.Known() {
				return p.Micros()
			}
		}
		return math.MaxInt64
	}
	for i := range offers {
		o := &offers[i]
		if !o.Deprecated && f.offers.Within(o) && (best == nil || price(o) < price(best)) {
			best = o
		}
	}
	return best
}

// item returns an entity with its cheapest offer.
func (f *filters) item(s *Site, o uint32) item {
	e := s.Build.Entity(o)
	return item{Entity: e, ordinal: o, offer: f.cheapest(s.Build.OffersOf(e))}
}
