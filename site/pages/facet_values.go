package pages

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"kindex/exports/kinds"
	"kindex/exports/record"
	"kindex/exports/view"
	"kindex/site/siteurl"
	"kindex/site/textfmt"
)

// facetKind is a filter field whose values have pages that list entities.
type facetKind struct {
	Field     string // one of view.FilterFields
	Slug      string // the first part of the paths of its pages
	Title     string // of the list of its values
	Label     string // what one of them is, before its name
	One, Many string // what they are, after a number
	Lead      string
	fact      string // the column of facts that shows them
}

// The fields of every entity with pages for their values. Categories have descriptions, and pages of their own.
var (
	byProvider   = &facetKind{"provider", "providers", "Providers", "provider", "provider", "providers", "The people, projects and companies that make or offer the entities in the index.", "provider"}
	byTag        = &facetKind{"tag", "tags", "Tags", "tag", "tag", "tags", "Keywords for finding entities.", "tags"}
	byCapability = &facetKind{"capability", "capabilities", "Capabilities", "capability", "capability", "capabilities", "What entries can do, as stated in their entries.", "capabilities"}
)

// facetKindsOf lists them, and the declared fields whose values have pages.
func facetKindsOf(declared *kinds.Set) []*facetKind {
	list := []*facetKind{byProvider, byTag, byCapability}
	for _, f := range declared.Leaves() {
		if f.Page {
			label, fact := declared.InSentence(f.Path), f.Path
			if f.Group != nil && f.Group.Dated {
				fact = f.Group.Name
			}
			list = append(list, &facetKind{Field: f.Query, Slug: f.Slug(), Title: f.Title, Label: label,
				One: "value", Many: "values", Lead: f.Description, fact: fact})
		}
	}
	return list
}

// facetKind returns the field whose pages have paths with a first part, or nil.
func (s *Site) facetKind(slug string) *facetKind {
	return first(s.facetKinds, func(k *facetKind) bool { return k.Slug == slug })
}

// valuesPath returns the path of the list of the values, also if the entities of a kind, such as providers, have the
// address of the list.
func (s *Site) valuesPath(k *facetKind) string {
	if s.kindOf(k.Slug) != nil {
		return k.partPath(1)
	}
	return "/" + k.Slug + "/"
}

// partPath returns the path of a part of the list, the first of which has it only beside a kind.
func (k *facetKind) partPath(n int) string {
	return "/" + k.Slug + "/all/part-" + strconv.Itoa(n) + "/"
}

func (k *facetKind) path(value string) string {
	return "/" + k.Slug + "/" + siteurl.Key(record.Fold(value)) + "/"
}

type facetValue struct {
	Name   string // the spelling that most entities use
	Title  string // the name shown to people
	Path   string
	Letter string // its group: a letter, "0" for digits or "other"
	Count  int    // number of listed entities; 0 if only withdrawn entities have the value

	key string // in its path
}

const (
	maxFrequent = 40 // in the list of the most frequent values, which is shown first
	// maxFacetValues is the maximum number of values on a page.
	maxFacetValues = 500
)

// countFacet counts the values of a field, by letter and title. It is called once for each build.
func (s *Site) countFacet(k *facetKind) (list []facetValue) {
	known := map[string]bool{}
	add := func(value string, count int) {
		v := facetValue{Name: value, Title: s.valueTitle(k.Field, value), Path: k.path(value), Count: count, Letter: "other", key: siteurl.Key(record.Fold(value))}
		if r, _ := utf8.DecodeRuneInString(record.Fold(v.Title)); r >= 'a' && r <= 'z' {
			v.Letter = string(r)
		} else if r >= '0' && r <= '9' {
			v.Letter = "0"
		}
		if !known[v.key] {
			known[v.key], list = true, append(list, v)
		}
	}
	for _, c := range s.Build.Facet(s.Build.Select(&view.Filter{}), k.Field, math.MaxInt) {
		add(c.Value, c.Count)
	}
	for _, v := range s.Build.Values(k.Field) { // add the values that only withdrawn entities have
		add(v, 0)
	}
	slices.SortFunc(list, func(a, b facetValue) int {
		return cmp.Or(record.CompareBools(a.Letter == "other", b.Letter == "other"), strings.Compare(a.Letter, b.Letter),
			strings.Compare(record.Fold(a.Title), record.Fold(b.Title)), strings.Compare(a.key, b.key))
	})
	return list
}

// usedValues returns the values of a field that listed entities have.
func (s *Site) usedValues(k *facetKind) []facetValue {
	return slices.DeleteFunc(slices.Clone(s.facets[k.Field]()), func(v facetValue) bool { return v.Count == 0 })
}

// valueLinks returns values of a field with links to their pages. Values from earlier versions may no longer
// have a page.
func (s *Site) valueLinks(k *facetKind, values []string) []link {
	return each(values, func(v string) link {
		l := link{Name: s.valueTitle(k.Field, v)}
		if s.Build.Bitmap(k.Field, v) != nil {
			l.To = k.path(v)
		}
		return l
	})
}

type facetPage struct {
	*facetKind
	Used     int          // values on all pages
	Frequent []facetValue // the most frequent values, if there are many more
	Letters  []option
	Groups   []group[facetValue] // those with the same letter
	Others   []option            // the fields with such a list, including this one
	pager
}

// facetList lists the values of a field by letter. The path of a further page cannot clash with that of a value,
// because the paths of values never contain a choice.
func (r *request) facetList() (*page, error) {
	k := r.facetKind(r.args["values"])
	used := r.usedValues(k)
	d := &facetPage{facetKind: k, Used: len(used)}
	paths := []string{r.valuesPath(k)} // of the parts
	for len(paths)*maxFacetValues < len(used) {
		paths = append(paths, k.partPath(len(paths)+1))
	}
	at := slices.Index(paths, r.Path)
	if at < 0 {
		return r.notFound(), nil
	}
	letter, i := func(v facetValue) string { return v.Letter }, 0
	for _, g := range grouped(used, letter) {
		d.Letters = append(d.Letters, option{Name: cmp.Or(map[string]string{"0": "0–9"}[g.Title], textfmt.Capitalize(g.Title)), Count: len(g.Rows), To: paths[i/maxFacetValues] + "#letter-" + g.Title})
		i += len(g.Rows)
	}
	d.Groups = grouped(used[at*maxFacetValues:min((at+1)*maxFacetValues, len(used))], letter)
	if at > 0 {
		d.Prev = paths[at-1]
	} else if d.Used > maxFrequent {
		d.Frequent = slices.SortedStableFunc(slices.Values(used), func(a, b facetValue) int { return b.Count - a.Count })[:maxFrequent]
	}
	if at+1 < len(paths) {
		d.Next = paths[at+1]
	}
	for _, o := range r.facetKinds {
		if o == k || r.Build.Values(o.Field) != nil {
			d.Others = append(d.Others, option{Name: o.Title, To: r.valuesPath(o), Chosen: o == k})
		}
	}
	return &page{Template: "facet-values", Title: d.Title, Data: d, Description: "All " + textfmt.Plural(d.Used, k.One, k.Many) + " in the index."}, nil
}

// category is a category with the number of its entities of each type.
type category struct {
	record.Category
	Types  []view.FacetCount // the most frequent first
	Counts string            // the numbers of entities in words
}

// countCategories counts the categories. It is called once for each build.
func (s *Site) countCategories() (list []category) {
	for _, c := range s.Categories {
		x := category{Category: c, Types: s.Build.Facet(s.Build.Select(only("category", c.Slug)), "type", len(s.types()))}
		for i, t := range x.Types {
			x.Counts += map[bool]string{false: ", "}[i == 0] + s.counted(t.Count, t.Value)
		}
		list = append(list, x)
	}
	slices.SortStableFunc(list, func(a, b category) int {
		return strings.Compare(record.Fold(a.Title), record.Fold(b.Title))
	})
	return list
}

func categoryPath(slug string) string { return "/categories/" + slug + "/" }

// only returns a filter of entities with values of fields, given in pairs.
func only(pairs ...string) *view.Filter {
	f := &view.Filter{Fields: map[string][][]string{}}
	for pair := range slices.Chunk(pairs, 2) {
		f.Fields[pair[0]] = append(f.Fields[pair[0]], []string{pair[1]})
	}
	return f
}

func (r *request) categories() (*page, error) {
	var groups []group[category]
	all := r.categoryCounts()
	for _, t := range append(r.types(), "empty") {
		g := group[category]{Title: r.plurals(t), ID: r.kind(t).Slug()}
		for _, c := range all {
			if len(c.Types) == 0 && t == "empty" || len(c.Types) > 0 && c.Types[0].Value == t {
				g.Rows = append(g.Rows, c)
			}
		}
		if len(g.Rows) > 0 {
			groups = append(groups, g)
		}
	}
	return &page{Template: "categories", Title: "Categories", Data: groups,
		Description: "All " + textfmt.Plural(len(all), "category", "categories") + ", with their number of entries."}, nil
}

// category lists the entities in a category, highest score first.
func (r *request) category() (*page, error) {
	all, slug := r.categoryCounts(), r.args["category"]
	if now, renamed := r.Build.Preferred("category", slug); renamed {
		return r.moved(r.route.path(map[string]string{"category": now}, r.choices), ""), nil
	}
	c := first(all, func(c category) bool { return c.Slug == slug })
	if c.Slug == "" {
		return r.missing("Category not found", "", near(slug, slices.Sorted(maps.Keys(r.titles)), func(n string) link {
			return link{Name: r.categoryTitle(n), To: categoryPath(n)}
		})...), nil
	}
	l := &listing{Crumbs: []option{{Name: "Categories", To: "/categories/"}}, Heading: c.Title, Text: string(c.Description)}
	if c.Ranked > 0 {
		l.Board = boardPath(slug)
	}
	if !r.mixed(l, only("category", slug), slug) {
		return r.notFound(), nil
	}
	return r.listPage(l, cmp.Or(string(c.Description), c.Title+": "+c.Counts+"."), "category="+slug), nil
}
