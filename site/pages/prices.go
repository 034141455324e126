package pages

import (
	"slices"

	"kindex/exports/kinds"
	"kindex/exports/view"
)

const pricesPath = "/prices/"

// offered returns the kinds whose entities have offers.
func (s *Site) offered() []*kinds.Kind {
	return slices.DeleteFunc(slices.Clone(s.kinds().Kinds), func(k *kinds.Kind) bool { return !k.HasBlock(kinds.Offers) })
}

// sold reports whether anything has offers.
func (s *Site) sold() bool {
	return len(s.offered()) > 0 && len(s.Build.Offers().Values("provider")) > 0
}

// prices lists the offers that match the query and, if it asks for one, a calculation. A static site
// has neither filters nor a calculator, because both need an edge.
func (r *request) prices() (*page, error) {
	of := r.offered()
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
	place(place(l.Columns[1:], "p1"), "p2")
	l.Filters.offers.Models = append([]uint32{}, l.Filters.set.ToArray()...)
	set := r.Build.Offers().Select(&l.Filters.offers)
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
	p := r.listPage(l, "What providers charge for "+r.plural(of[0].Name)+", and what your usage costs at each of them.", "")
	p.Canonical, p.NoIndex = pricesPath, asked
	return p, nil
}
