package pages

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"kindex/exports/record"
	"kindex/exports/view"
	"kindex/site/textfmt"
)

// maxDescribed is the maximum number of categories that are listed with descriptions.
const maxDescribed = 200

// category is a category with the number of its entities of each type.
type category struct {
	record.Category
	Path   string
	Types  []view.FacetCount // the most frequent first
	Counts string            // the numbers of entities in words
}

// categoryGroup is a group of categories whose entities are mostly of one type.
type categoryGroup struct {
	Title   string
	ID      string
	Classes []category
}

// categoriesPage is the list of all categories.
type categoriesPage struct {
	Groups []categoryGroup
	Total  int
	Brief  bool // there are too many categories to show descriptions
}

// countCategories counts the categories. It is called once for each build.
func (s *Site) countCategories() (list []category) {
	for _, c := range s.Categories {
		types := s.Build.Facet(s.Build.Select(only("category", c.Slug)), "type", len(s.types()))
		var parts []string
		for _, t := range types {
			parts = append(parts, s.counted(t.Count, t.Value))
		}
		list = append(list, category{c, categoryPath(c.Slug), types, strings.Join(parts, ", ")})
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

// categories lists all categories, sorted by their most frequent type, then by title.
func (r *request) categories() (*page, error) {
	all := r.categoryCounts()
	d := &categoriesPage{Total: len(all), Brief: len(all) > maxDescribed}
	for _, t := range append(r.types(), "empty") {
		g := categoryGroup{Title: r.plurals(t), ID: r.kind(t).Slug()}
		for _, c := range all {
			if len(c.Types) == 0 && t == "empty" || len(c.Types) > 0 && c.Types[0].Value == t {
				g.Classes = append(g.Classes, c)
			}
		}
		if len(g.Classes) > 0 {
			d.Groups = append(d.Groups, g)
		}
	}
	return &page{Template: "categories", Title: "Categories", Data: d,
		Description: "All " + textfmt.Plural(len(all), "category", "categories") + ", with their number of entries."}, nil
}

// category lists the entities in a category, highest score first.
func (r *request) category() (*page, error) {
	all, slug := r.categoryCounts(), r.arg("category")
	if now, renamed := r.Build.Preferred("category", slug); renamed {
		return &page{location: r.route.path(map[string]string{"category": now}, r.choices)}, nil
	}
	at := slices.IndexFunc(all, func(c category) bool { return c.Slug == slug })
	if at < 0 {
		return r.missing("Category not found", "", near(slug, slices.Sorted(maps.Keys(r.titles)), func(n string) link {
			return link{Name: r.categoryTitle(n), To: categoryPath(n)}
		})...), nil
	}
	c := all[at]
	l := &listing{Crumbs: []option{{Name: "Categories", To: "/categories/"}}, Heading: c.Title, Text: string(c.Description)}
	if c.Ranked > 0 {
		l.Board = boardPath(slug)
	}
	if !r.mixed(l, only("category", slug), slug) {
		return r.notFound(), nil
	}
	return r.listPage(l, cmp.Or(string(c.Description), c.Title+": "+c.Counts+"."), "/api/feed?category="+slug), nil
}
