package pages

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"kindex/exports/didyoumean"
	"kindex/exports/record"
	"kindex/exports/view"
	"kindex/site/textfmt"
)

// maxDescribed is the maximum number of categories that are listed with descriptions.
const maxDescribed = 200

// category is a category with the number of its entities of each type.
type category struct {
	record.Category
	Path  string
	Types []typeCount
}

// typeCount is the number of entities of a type in a category.
type typeCount struct {
	Type  string
	Count int
	Path  string
}

// Counts returns the numbers of entities in words.
func (c category) Counts() string {
	var parts []string
	for _, t := range c.Types {
		parts = append(parts, textfmt.Plural(t.Count, t.Type, t.Type+"s"))
	}
	return strings.Join(parts, ", ")
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

// countCategories returns a function that counts the categories on its first call.
func (s *Site) countCategories() func() ([]category, error) {
	return sync.OnceValues(func() ([]category, error) {
		var list []category
		for _, c := range s.Categories {
			k := category{Category: c, Path: categoryPath(c.Slug)}
			for _, t := range s.types() {
				set := s.Build.Select(categoryFilter(c.Slug, t))
				if n := int(set.GetCardinality()); n > 0 {
					k.Types = append(k.Types, typeCount{t, n, categoryPath(c.Slug) + "type-" + t + "/"})
				}
			}
			list = append(list, k)
		}
		return list, nil
	})
}

func categoryPath(slug string) string { return "/categories/" + slug + "/" }

func categoryFilter(category, typ string) *view.Filter {
	f := &view.Filter{Fields: map[string][][]string{"category": {{category}}}}
	if typ != "" {
		f.Fields["type"] = [][]string{{typ}}
	}
	return f
}

// categories lists all categories, sorted by their most frequent type, then by title.
func (r *request) categories() (*page, error) {
	all, err := r.categoryCounts()
	if err != nil {
		return nil, err
	}
	d := &categoriesPage{Total: len(all), Brief: len(all) > maxDescribed}
	group := func(title, id string, belongs func(category) bool) {
		g := categoryGroup{Title: title, ID: id}
		for _, c := range all {
			if belongs(c) {
				g.Classes = append(g.Classes, c)
			}
		}
		slices.SortStableFunc(g.Classes, func(a, b category) int { return cmp.Compare(record.Fold(a.Title), record.Fold(b.Title)) })
		if len(g.Classes) > 0 {
			d.Groups = append(d.Groups, g)
		}
	}
	for _, t := range r.types() {
		group(textfmt.Capitalize(t)+"s", t+"s", func(c category) bool { return c.mainType() == t })
	}
	group("Empty", "empty", func(c category) bool { return c.mainType() == "" })
	return &page{Template: "categories", Title: "Categories", Data: d,
		Description: "All " + textfmt.Plural(len(all), "category", "categories") + " of tools and models, with their number of entities."}, nil
}

// mainType returns the type that most entities in a category have, or "" if the category is
// empty.
func (c category) mainType() string {
	best := typeCount{}
	for _, t := range c.Types {
		if t.Count > best.Count {
			best = t
		}
	}
	return best.Type
}

// category lists the entities in a category, highest score first.
func (r *request) category() (*page, error) {
	all, err := r.categoryCounts()
	if err != nil {
		return nil, err
	}
	slug := r.arg("category")
	if now, renamed := r.Build.Preferred("category", slug); renamed {
		return &page{location: r.route.path(map[string]string{"category": now}, r.choices)}, nil
	}
	at := slices.IndexFunc(all, func(c category) bool { return c.Slug == slug })
	if at < 0 {
		return r.missing("Category not found", "", nearCategories(slug, all)), nil
	}
	c := all[at]
	l := &listing{Crumbs: []option{{Name: "Categories", To: "/categories/"}}, Heading: c.Title, Text: string(c.Description)}
	if c.Ranked > 0 {
		l.Board = boardPath(slug)
	}
	if !r.mixed(l, categoryFilter(slug, ""), slug) {
		return r.notFound(), nil
	}
	return r.listPage(l, cmp.Or(string(c.Description), c.Title+": "+c.Counts()+"."), "/api/feed?category="+slug), nil
}

func nearCategories(slug string, all []category) []suggestion {
	var names []string
	for _, c := range all {
		names = append(names, c.Slug)
	}
	var list []suggestion
	for _, n := range didyoumean.Names(slug, names, maxNear) {
		c := all[slices.Index(names, n)]
		list = append(list, suggestion{c.Path, c.Title, textfmt.Plural(c.Count, "entity", "entities")})
	}
	return list
}
