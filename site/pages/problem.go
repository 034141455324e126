package pages

import (
	"net/http"
	"slices"
	"strings"

	"kindex/exports/didyoumean"
	"kindex/exports/record"
	"kindex/exports/view"
	"kindex/indexes"
	"kindex/site/siteurl"
	"kindex/site/textfmt"
)

// problemPage is an error page.
type problemPage struct {
	Heading string
	Text    string
	Near    []link // suggestions
}

// notFound is the page for unknown addresses.
func (r *request) notFound() *page {
	return r.missing("Page not found", "There is nothing at this address.")
}

// parts lists the sections of the site with the first segment of their paths, in the
// order of the navigation.
var parts = []struct{ key, path, name string }{
	{"leaderboards", boardsPath, "Leaderboards"}, {"trending", "/trending/", "Trending"},
	{"changes", "/changes/", "Changes"}, {"categories", "/categories/", "Categories"},
	{"providers", "/providers/", "Providers"}, {"tags", "/tags/", "Tags"}, {"capabilities", "/capabilities/", "Capabilities"},
	{"compare", "/compare/", "Compare"}, {"search", "/search/", "Search"}, {"data", "/data/", "Data"}, {"docs", "/docs/", "Docs"},
	{"submit", siteurl.Submit, "Submit"}, {"developer", "/developer/", "Developers"},
}

// notFoundWithSuggestions is the page for an address that matches no route, such as one
// typed by hand. It suggests sections that resemble the first segment and entities that
// resemble the last.
func (r *request) notFoundWithSuggestions() *page {
	p := r.notFound()
	list := p.Data.(*problemPage)
	first, rest, deeper := strings.Cut(strings.Trim(r.Path, "/"), "/")
	keys := r.types()
	for _, name := range r.types() {
		keys = append(keys, r.kinds().Kind(name).Slug())
	}
	for _, k := range parts {
		keys = append(keys, k.key)
	}
	for _, key := range didyoumean.Names(first, keys, maxNear) {
		if i := slices.IndexFunc(parts, func(k struct{ key, path, name string }) bool { return k.key == key }); i >= 0 {
			list.Near = append(list.Near, link{To: parts[i].path, Name: parts[i].name})
			continue
		}
		if k := r.kindOf(key); k != nil {
			key = k.Name
		}
		if near := (link{To: r.kindPath(key), Name: "All " + r.plural(key)}); !slices.Contains(list.Near, near) {
			list.Near = append(list.Near, near)
		}
	}
	slug := first
	if deeper {
		slug = rest
	} else if len(list.Near) > 0 {
		return p
	}
	if slug == "" || strings.ContainsAny(slug, "/.") { // the path names a file, or is too deep for an entity
		return p
	}
	found := r.suggestEntities(slug, &view.Filter{})
	list.Near = append(list.Near, found[:min(len(found), maxNear-len(list.Near))]...)
	return p
}

func (r *request) missing(heading, text string, list ...link) *page {
	return &page{Template: "problem", Title: heading, Status: http.StatusNotFound, NoIndex: true,
		Data: &problemPage{Heading: heading, Text: text, Near: list}}
}

// maxNear is the maximum number of names that are suggested.
const maxNear = 5

// near returns links to what has a name similar to a text.
func near(text string, known []string, to func(name string) link) (list []link) {
	for _, name := range didyoumean.Names(text, known, maxNear) {
		list = append(list, to(name))
	}
	return list
}

// suggestEntities returns the entities that best match a text.
func (s *Site) suggestEntities(text string, f *view.Filter) []link {
	if s.Index == nil {
		return nil
	}
	all := s.Build.Select(f)
	words, _ := indexes.TruncateQuery(textfmt.Truncate(text, 100), maxPhrases)
	return s.linksTo(s.Index.Alternatives(words, all, maxNear), pathOf)
}

// pathOf returns the path of the page of an entity.
func pathOf(e *record.Entity) string { return siteurl.Entity(e.Type, e.Slug) }

// linksTo returns links to pages about entities, with what each entity is. A function names the pages; "" leaves an
// entity out.
func (s *Site) linksTo(list []uint32, page func(*record.Entity) string) (links []link) {
	for _, o := range list {
		e := s.Build.Entity(o)
		note := s.kindTitle(e.Type) + " · " + textfmt.Name(s.categoryTitle(e.Category))
		if e.Status == record.Deprecated {
			note += " · deprecated"
		}
		if to := page(e); to != "" {
			links = append(links, link{e.Name, to, note})
		}
	}
	return links
}
