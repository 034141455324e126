package pages

import (
	"slices"

	"kindex/exports/didyoumean"
	"kindex/exports/kinds"
	"kindex/exports/view"
	"kindex/exports/where"
	"kindex/site/textfmt"
)

const pricesPath = "/prices/"

// prices lists the offers that match the query and, if it asks for one, a calculation. A static site
// has neither filters nor a calculator, because both need an edge.
func (r *request) prices() (*page, error) {
	offers := r.Build.Offers()
	l := &listing{Heading: "Prices", Offers: true, What: "offers",
		Text:     "What providers charge for models, in US dollars per million tokens. Each price has a source and the date on which it was read.",
		SortNote: "The blended price assumes three parts input to one part output."}
	l.Cost = r.calculate()
	query := r.Query
	l.Filters = r.filtersOfOffers(offers)
	by := "blended"
	if sort := r.value("sort"); slices.Contains(view.OfferSortKeys, sort) {
		by = sort
	}
	for _, name := range []string{"name", "input", "output", "offerContext", "blended", "read"} {
		c := &column{Name: name, Title: "Model and provider"}
		if name != "name" {
			c = r.column(name)
			c.Place = cardPlaces[name]
		}
		if name == by {
			c.Sorted = "ascending"
		} else if slices.Contains(view.OfferSortKeys, name) && !r.Static {
			c.To = r.asked("sort", name)
		}
		l.Columns = append(l.Columns, c)
	}
	if l.Filters.Wrong {
		l.Filters.offers.Models = []uint32{}
	}
	set := offers.Select(&l.Filters.offers)
	refs, _, _ := set.Page(by, nil, 0, set.Len())
	for i := range refs {
		l.ordered = append(l.ordered, uint32(i))
	}
	l.at = func(i uint32) item {
		e := r.Build.Entity(refs[i].Model)
		return item{Entity: e, ordinal: refs[i].Model, offer: &e.Offers[refs[i].Index]}
	}
	if !r.turn(l) {
		return r.notFound(), nil
	}
	p := r.listPage(l, "What providers charge for models, and what your usage costs at each of them.", "")
	p.Canonical, p.NoIndex = pricesPath, len(query) > 0
	return p, nil
}

// filtersOfOffers reads the filters of offers.
func (r *request) filtersOfOffers(offers *view.Offers) *filters {
	f := &filters{Fields: make([]formField, 0, 7)} // so that pointers to the fields stay valid
	if r.Static {
		r.Query = nil
		return f
	}
	narrow := func(models []uint32) {
		if f.offers.Models != nil {
			models = slices.DeleteFunc(models, func(o uint32) bool { return !slices.Contains(f.offers.Models, o) })
		}
		f.offers.Models = append([]uint32{}, models...)
	}
	if model := f.add(r, formField{Name: "model", Label: "Model", Mode: "text"}); model.Value != "" {
		ordinals, near := r.modelsNamed(model.Value, "model")
		if narrow(ordinals); len(ordinals) == 0 {
			model.Wrong, model.Near = "No model has this name.", near
		}
	}
	values := offers.Values("family")
	if family := f.add(r, formField{Name: "family", Label: "Family or maker", Mode: "text", Known: values[:min(len(values), maxOptions)]}); family.Value != "" {
		found, near := r.named("model", family.Value)
		if narrow(found.ToArray()); found.IsEmpty() {
			family.Wrong, family.Near = "No family, maker or model has this name.", r.nearby("family", near)
		}
	}
	values = offers.Values("provider")
	if provider := f.add(r, formField{Name: "provider", Label: "Provider", Mode: "text", Known: values[:min(len(values), maxOptions)]}); provider.Value != "" {
		if f.offers.Providers = r.sellers(provider.Value); f.offers.Providers == nil {
			provider.Wrong, provider.Near = "No provider has this name.", r.nearby("provider", didyoumean.Names(provider.Value, values, maxNear))
		}
	}
	modality := formField{Name: "modality", Label: "Input"}
	for _, v := range r.kinds().Field("modalities.input").Values {
		modality.Options = append(modality.Options, option{Name: textfmt.Capitalize(v), Value: v})
	}
	if modality := f.add(r, modality); modality.Value != "" {
		f.offers.Modalities = []string{modality.Value}
	}
	f.addOfferLimits(r)
	if context := f.add(r, formField{Name: "minContext", Label: "Context at least", Hint: "tokens, such as 200k", Mode: "text"}); context.Value != "" {
		asked := where.Params{"minContext": {context.Value}}
		var err error
		if f.offers.MinContext, err = asked.Count("minContext", 1, 1, 1<<31); err != nil {
			f.blame(err, asked)
		}
	}
	f.finish(r)
	return f
}

// sold reports whether entities of some kind have offers.
func (s *Site) sold() bool {
	return slices.ContainsFunc(s.types(), func(t string) bool { return s.kinds().Kind(t).HasBlock(kinds.Offers) }) && len(s.Build.Offers().Values("provider")) > 0
}
