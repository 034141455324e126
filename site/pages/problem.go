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

// sections are the first segments of paths that a mistyped address may mean.
var sections = []string{"leaderboards", "trending", "changes", "categories", "providers", "tags", "capabilities", "compare", "search", "data", "docs", "submit", "developer"}

// notFoundWithSuggestions is the page for an address that matches no route, such as one
// typed by hand. It suggests sections that resemble the first segment and entities that
// resemble the last.
func (r *request) notFoundWithSuggestions() *page {
	first, slug, deeper := strings.Cut(strings.Trim(r.Path, "/"), "/")
	known := slices.Concat(r.types(), sections)
	for _, name := range r.types() {
		known = append(known, r.kinds().Kind(name).Slug())
	}
	p := r.notFound()
	d := p.Data.(*problemPage)
	for _, key := range didyoumean.Names(first, known, maxNear) {
		if k := r.kinds().Kind(key); k != nil {
			key = k.Slug()
		}
		if l := (link{To: "/" + key + "/", Name: textfmt.Capitalize(key)}); !slices.Contains(d.Near, l) {
			d.Near = append(d.Near, l)
		}
	}
	if !deeper && len(d.Near) == 0 {
		slug = first
	}
	if slug != "" && !strings.ContainsAny(slug, "/.") { // otherwise, the path names a file, or is too deep for an entity
		found := r.suggestEntities(slug, &view.Filter{})
		d.Near = append(d.Near, found[:min(len(found), maxNear-len(d.Near))]...)
	}
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
