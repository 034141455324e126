package pages

import (
	"cmp"
	"net/url"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"kindex/exports/kinds"
	"kindex/exports/view"
	"kindex/site/textfmt"
)

// facetNames lists the fields that results are filtered and counted by: of every entity, and what the kinds
// declare.
func (s *Site) facetNames() []string {
	list := []string{"type", "category", "tag", "provider", "license", "pricingModel"}
	for _, leaf := range s.kinds().Leaves() {
		if leaf.Filter && !leaf.IsNumber() && !leaf.IsDay() {
			list = append(list, leaf.Query)
		}
	}
	if s.kinds().HasBlock(kinds.Maintenance) {
		list = append(list, "maintenance")
	}
	return list
}

// facetOf returns the declared field with a filter, or nil if the filter is of every entity or of a block.
func (s *Site) facetOf(filter string) *kinds.Field {
	for _, leaf := range s.kinds().Leaves() {
		if leaf.Filter && leaf.Query == filter {
			return leaf
		}
	}
	return nil
}

// concerns reports whether a filter concerns the entities of a kind.
func (s *Site) concerns(kind, filter string) bool {
	k, leaf := s.kinds().Kind(kind), s.facetOf(filter)
	if filter == "maintenance" {
		return k != nil && k.HasBlock(kinds.Maintenance)
	}
	return leaf == nil || k != nil && k.Has(leaf)
}

// filterTitle returns the title of a filter.
func (s *Site) filterTitle(filter string) string {
	if leaf := s.facetOf(filter); leaf != nil {
		return leaf.Title
	}
	return s.label(filter)
}

// addFacets fills in the filters and orders.
func (r *request) addFacets(d *searchPage, found *roaring.Bitmap) {
	counted := r.Build.Facets(found, r.facetNames(), searchFacets)
	r.addTypes(d, counted["type"])
	for _, f := range r.facetNames() {
		chosen := r.Query[f]
		shown := listMenu{Name: f, Title: r.filterTitle(f)}
		types := r.Query["type"]
		if len(types) != 1 {
			types = r.types()
		}
		if alien := func(t string) bool { return !r.concerns(t, f) }; f == "type" && len(chosen) < 2 || len(chosen) == 0 && slices.ContainsFunc(types, alien) {
			r.addChosen(d, f)
			continue
		}
		for _, v := range counted[f] {
			o := option{Name: r.valueTitle(f, v.Value), Value: v.Value, Count: v.Count, Chosen: slices.Contains(chosen, v.Value)}
			o.To = r.toggled(f, v.Value)
			shown.Options = append(shown.Options, o)
		}
		r.addChosen(d, f)
		if len(shown.Options) > 1 || len(chosen) > 0 && len(shown.Options) > 0 {
			d.Facets = append(d.Facets, shown)
		}
	}
	for i, o := range sorts {
		if (i > 0 || !d.Browse) && (r.ranks() || o.Sort != view.DefaultSort) {
			d.Sorts = append(d.Sorts, option{Name: o.Title, Value: o.Name, Chosen: o.Name == d.Sort, To: r.asked("sort", o.Name)})
		}
	}
}

// addChosen adds the chosen values of a field.
func (r *request) addChosen(d *searchPage, field string) {
	for _, v := range r.Query[field] {
		if field != "type" || len(d.Types) == 0 { // the choice of types shows it
			d.Chosen = append(d.Chosen, option{Name: r.valueTitle(field, v), Value: v, To: r.toggled(field, v)})
		}
		d.Hidden = append(d.Hidden, option{Name: field, Value: v})
	}
}

// addTypes fills in the types. Choosing one drops the filters that do not concern it. If one is
// chosen, the numbers of the others are unknown.
func (r *request) addTypes(d *searchPage, counts []view.FacetCount) {
	chosen := r.Query["type"]
	types := r.types()
	if d.Total == 0 || len(types) < 2 || len(chosen) > 1 {
		return
	}
	choose := func(typ string) string {
		return r.queried(func(q url.Values) {
			for _, f := range r.facetNames() {
				if typ != "" && !r.concerns(typ, f) || typ == "" && slices.ContainsFunc(types, func(t string) bool { return !r.concerns(t, f) }) {
					q.Del(f)
				}
			}
			if q.Del("type"); typ != "" {
				q.Set("type", typ)
			}
		})
	}
	d.Types = []option{{Name: "All", To: choose(""), Chosen: len(chosen) == 0}}
	for _, t := range types {
		o := option{Name: r.plurals(t), Value: t, To: choose(t), Chosen: slices.Contains(chosen, t)}
		for _, c := range counts {
			if c.Value == t {
				o.Count = c.Count
			}
		}
		if o.Chosen || len(chosen) == 1 || o.Count > 0 {
			d.Types = append(d.Types, o)
		}
	}
}

// valueTitle returns the title of a value of a filter.
func (s *Site) valueTitle(filter, value string) string {
	leaf := s.facetOf(filter)
	switch {
	case filter == "category":
		return textfmt.Name(s.categoryTitle(value))
	case filter == byCapability.Field:
		return textfmt.Name(cmp.Or(s.wordTitles[value], value))
	case filter == "type" || filter == "pricingModel" || filter == "maintenance":
		return s.label(value)
	case leaf == nil:
		return textfmt.Name(value)
	case leaf.Type == kinds.Boolean:
		return textfmt.Value(leaf, value == "true")
	case leaf.Words() == kinds.Reference && s.successor(value) != nil:
		return s.successor(value).Name
	case leaf.Titles[value] == "" && leaf.Choices() != nil:
		return s.label(value)
	}
	return textfmt.Name(cmp.Or(leaf.Titles[value], value))
}

// toggled returns the URL of the first page with a value of a filter added or removed.
func (r *request) toggled(name, value string) string {
	return r.queried(func(q url.Values) {
		if list := slices.DeleteFunc(slices.Clone(q[name]), func(v string) bool { return v == value }); len(list) < len(q[name]) {
			q[name] = list
		} else {
			q.Add(name, value)
		}
	})
}

// queried returns the address of the first page with a changed query.
func (r *request) queried(change func(url.Values)) string {
	to := *r
	to.Query = url.Values{}
	for k, v := range r.Query {
		to.Query[k] = slices.Clone(v)
	}
	to.Query.Del("page")
	change(to.Query)
	return to.here()
}
