package pages

import (
	"cmp"
	"encoding/json"
	"math"
	"net/url"
	"slices"
	"strconv"

	"github.com/RoaringBitmap/roaring/v2"

	"kindex/exports/kinds"
	"kindex/exports/safetext"
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
	return first(s.kinds().Leaves(), func(leaf *kinds.Field) bool { return leaf.Filter && leaf.Query == filter })
}

// concerns reports whether a filter concerns the entities of each of some kinds.
func (s *Site) concerns(filter string, types ...string) bool {
	leaf := s.facetOf(filter)
	return !slices.ContainsFunc(types, func(t string) bool {
		k := s.kind(t)
		return filter == "maintenance" && !k.HasBlock(kinds.Maintenance) || leaf != nil && !k.Has(leaf)
	})
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
	types := r.Query["type"]
	if len(types) != 1 {
		types = r.types()
	}
	for _, f := range r.facetNames() {
		chosen := r.Query[f]
		for _, v := range chosen {
			if f != "type" || len(d.Types) == 0 { // the choice of types shows it
				d.Chosen = append(d.Chosen, option{Name: r.valueTitle(f, v), Value: v, To: r.toggled(f, v)})
			}
			d.Hidden = append(d.Hidden, option{Name: f, Value: v})
		}
		if f == "type" && len(chosen) < 2 || len(chosen) == 0 && !r.concerns(f, types...) {
			continue
		}
		shown := listMenu{Name: f, Title: r.filterTitle(f)}
		shown.Options = each(counted[f], func(v view.FacetCount) option {
			return option{r.valueTitle(f, v.Value), v.Value, v.Count, r.toggled(f, v.Value), slices.Contains(chosen, v.Value)}
		})
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

// addTypes fills in the types. Choosing one drops the filters that do not concern it. If one is
// chosen, the numbers of the others are unknown.
func (r *request) addTypes(d *searchPage, counts []view.FacetCount) {
	chosen, types := r.Query["type"], r.types()
	if d.Total == 0 || len(types) < 2 || len(chosen) > 1 {
		return
	}
	choose := func(of ...string) string {
		return r.queried(func(q url.Values) {
			for _, f := range r.facetNames() {
				if f == "type" || !r.concerns(f, of...) {
					q.Del(f)
				}
			}
			if len(of) == 1 {
				q.Set("type", of[0])
			}
		})
	}
	d.Types = []option{{Name: "All", To: choose(types...), Chosen: len(chosen) == 0}}
	for _, t := range types {
		o := option{r.plurals(t), t, first(counts, func(c view.FacetCount) bool { return c.Value == t }).Count, choose(t), slices.Contains(chosen, t)}
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
		for _, w := range s.Build.Words(filter) {
			if w.Slug == value {
				value = cmp.Or(string(w.Title), value)
			}
		}
		return textfmt.Name(value)
	case filter == "type" || filter == "pricingModel" || filter == "maintenance":
		return s.label(value)
	case leaf == nil:
		return textfmt.Name(value)
	case leaf.Type == kinds.Boolean:
		return textfmt.Value(leaf, value == "true")
	case leaf.Words() == kinds.Reference:
		return s.reference(value).Name
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

// searchFields lists the first columns of the search file. Those of the other filters follow, as lists.
var searchFields = []string{"type", "slug", "name", "provider", "description", "category", "tag", "license", "pricingModel", "composite", "rank", "lastUpdated"}

// searchFilter tells the script of a static site about a filter.
type searchFilter struct {
	Name   string            `json:"name"`
	Title  string            `json:"title"`
	Types  []string          `json:"types"`  // those that it concerns
	Titles map[string]string `json:"titles"` // of its values
}

func (s *Site) searchFilter(f string) searchFilter {
	x := searchFilter{f, s.filterTitle(f), slices.DeleteFunc(s.types(), func(t string) bool { return !s.concerns(f, t) }), map[string]string{}}
	for _, c := range s.Build.Facet(s.Build.Select(&view.Filter{}), f, math.MaxInt) {
		if title := s.valueTitle(f, c.Value); f != "category" && title != c.Value {
			x.Titles[c.Value] = title
		}
	}
	return x
}

// searchFile renders the file that the search on a static site uses: a row for each
// entity, best first, with the columns named once, and the synonyms.
func (r *request) searchFile() (*page, error) {
	if !r.Static {
		return r.notFound(), nil
	}
	filters := slices.DeleteFunc(r.facetNames(), func(f string) bool { return slices.Contains(searchFields, f) })
	list := r.Build.InRankOrder(r.Build.Select(&view.Filter{}))
	titles, plurals := map[string]string{}, map[string]string{}
	for _, c := range r.Categories {
		titles[c.Slug] = textfmt.Name(c.Title)
	}
	for _, t := range r.types() {
		plurals[t] = r.plurals(t)
	}
	rows := make([][]any, 0, len(list))
	for _, o := range list {
		e := r.Build.Entity(o)
		text := textfmt.Truncate(safetext.OneLine(e.Description), textfmt.MaxLineLen)
		row := []any{e.Type, e.Slug, textfmt.Name(e.Name), textfmt.Name(e.Provider), text, e.Category, each(e.Tags, textfmt.Name), textfmt.Name(e.License),
			e.PricingModel, e.Scores.Composite, r.Build.Rank(o), e.LastUpdated}
		for _, f := range filters {
			row = append(row, each(e.FieldValues(f), textfmt.Name))
		}
		rows = append(rows, row)
	}
	b, err := json.Marshal(map[string]any{"fields": slices.Concat(searchFields, filters), "filters": each(r.facetNames(), r.searchFilter), "types": plurals, "categories": titles,
		"synonyms": append([][]string{}, r.Build.Synonyms()...), "rows": rows})
	return file("application/json", b, 0), err
}

// record renders an entity as the API returns it, with its rank on the overall
// leaderboard, or null if it has none.
func (r *request) record() (*page, error) {
	o, moved, ok := r.Build.Find(r.args["type"], r.args["slug"])
	if !r.Static || !ok || moved {
		return r.notFound(), nil
	}
	rank := "null"
	if n := r.Build.Rank(o); n > 0 {
		rank = strconv.Itoa(n)
	}
	body := append([]byte(nil), r.Build.Record(o)...)
	body = append(body[:len(body)-1], `,"rank":`+rank...)
	return file("application/json", append(body, "}\n"...), 0), nil
}
