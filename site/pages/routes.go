package pages

import (
	"fmt"
	"maps"
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

// routes lists all of the website's pages: their paths and choices, and the functions that
// render them.
var routes []route

func init() { // the table is set in init, because pages look up their own paths in it
	routes = []route{
		{"/:plural/", []string{"page"}, (*request).ofKind}, // before the values of a field, whose list can have the same path
		{"/:values/", nil, (*request).facetList},
		{"/:values/:key/", []string{"type", "page"}, (*request).facetValueList},
		{"/:values/all/", []string{"part"}, (*request).facetList},
		{"/", nil, (*request).home},
		{"/search/", nil, (*request).search},
		{"/changes/", changesRoute.choices, (*request).changes},
		{"/changes/:month/", nil, (*request).month},
		{"/categories/", nil, (*request).categories},
		{"/categories/:category/", []string{"type", "page"}, (*request).category},
		{"/data/", nil, (*request).data},
		{qualityPath, nil, (*request).dataQuality},
		{"/docs/", nil, (*request).docs},
		{"/docs/scoring/", nil, (*request).scoring},
		{"/docs/:guide/", nil, (*request).guide},
		{"/:type/:slug/", []string{"at"}, (*request).entity},
		{"/:type/:slug/history/", []string{"page"}, (*request).entityHistory},
		{boardsPath, nil, (*request).boardsHome},
		{"/leaderboards/:category/", []string{"type", "by", "at", "page"}, (*request).boards},
		{"/trending/", []string{"window", "by", "type"}, (*request).trending},
		{"/quality-and-price/", []string{"category", "by"}, (*request).qualityAndPrice},
		{"/compare/", nil, (*request).compare},
		{pricesPath, []string{"page"}, (*request).prices},
		{"/search.json", nil, (*request).searchFile},
		{"/:type/:slug/entity.json", nil, (*request).record},
		{"/:type/:slug/entity.md", nil, (*request).entityMarkdown},
		{"/:type/:slug/history.json", nil, (*request).entityChangesJSON},
		{"/:type/:slug/" + feedFile, nil, (*request).entityFeed},
		{"/:type/:slug/" + badgeFile, nil, (*request).entityBadge},
		{"/robots.txt", nil, (*request).robots},
		{"/favicon.ico", nil, (*request).favicon},
		{"/sitemap.xml", nil, (*request).sitemap},
		{"/og/:file", nil, (*request).indexPicture},
		{"/og/:type/:file", nil, (*request).entityPicture},
		{"/:type/", nil, (*request).ofType},
		{"/developer/", nil, (*request).developer},
		{siteurl.Submit, nil, (*request).howToSubmit}, // the edge itself serves the form
	}
}

func (s *Site) find(q Request) *request {
	r := &request{Site: s, Request: q, args: map[string]string{}, choices: map[string]string{}}
	for i := range routes {
		if routes[i].match(s, q.Path, r.args, r.choices) {
			r.route = &routes[i]
			return r
		}
		clear(r.args)
		clear(r.choices)
	}
	return r
}

type request struct {
	*Site
	Request
	route   *route            // nil if the address does not belong to a page
	args    map[string]string // named parts of the path
	choices map[string]string // choices in the path, by name; those that there are not are ""
}

// with returns the path of the first page with other choices, given in pairs, or of another page; an empty value
// removes a choice.
func (r *request) with(choices ...string) string {
	chosen := maps.Clone(r.choices)
	delete(chosen, "page")
	for pair := range slices.Chunk(choices, 2) {
		chosen[pair[0]] = pair[1]
	}
	return r.route.path(r.args, chosen)
}

type route struct {
	pattern string   // :name matches one segment
	choices []string // names of optional choices, which follow as name-value, in this order
	show    func(*request) (*page, error)
}

// match parses a path. Each page has one address: choices that are repeated, empty or in a
// different order do not match.
func (t *route) match(s *Site, path string, args, choices map[string]string) bool {
	want := strings.Split(strings.Trim(t.pattern, "/"), "/")
	got := strings.Split(strings.Trim(path, "/"), "/")
	if len(got) < len(want) || strings.HasSuffix(path, "/") != strings.HasSuffix(t.pattern, "/") || strings.Contains(path, "//") {
		return false
	}
	for i, w := range want {
		switch name, isArg := strings.CutPrefix(w, ":"); {
		case !isArg && w != got[i], got[i] == "" && w != "",
			name == "type" && s.kinds().Kind(got[i]) == nil,
			name == "plural" && s.kindOf(got[i]) == nil,
			name == "values" && s.facetKind(got[i]) == nil:
			return false
		case isArg:
			args[name] = got[i]
		}
	}
	open := t.choices
	for _, part := range got[len(want):] {
		name, value, found := strings.Cut(part, "-")
		at := slices.Index(open, name)
		if !found || at < 0 || value == "" {
			return false
		}
		choices[name] = value
		open = open[at+1:]
	}
	return true
}

func (t *route) path(args, choices map[string]string) string {
	var b strings.Builder
	for part := range strings.SplitSeq(strings.Trim(t.pattern, "/"), "/") {
		if name, isArg := strings.CutPrefix(part, ":"); isArg {
			part = args[name]
		}
		b.WriteString("/" + part)
	}
	for _, name := range t.choices {
		if v := choices[name]; v != "" {
			b.WriteString("/" + name + "-" + v)
		}
	}
	return strings.TrimSuffix(b.String(), "/") + "/"
}

// Routes returns the patterns of all pages' paths, in which :name stands for one segment.
func Routes() []string {
	return each(routes, func(t route) string { return t.pattern })
}

// Route returns the pattern that a path belongs to, or "" if there is no such page.
func (s *Site) Route(path string) string {
	if r := s.find(Request{Path: path}); r.route != nil {
		return r.route.pattern
	}
	return ""
}

type problemPage struct {
	Text string
	Near []link // suggestions
}

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
	known := slices.Concat(r.types(), sections, each(r.types(), func(name string) string { return r.kinds().Kind(name).Slug() }))
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
		d.Near = append(d.Near, r.suggestEntities(slug, &view.Filter{})...)
		d.Near = d.Near[:min(len(d.Near), maxNear)]
	}
	return p
}

func (r *request) missing(heading, text string, list ...link) *page {
	return &page{Template: "problem", Title: heading, Answer: Answer{Status: http.StatusNotFound}, NoIndex: true,
		Data: &problemPage{text, list}}
}

// missingChoice is the answer if there is no page with a value of a choice. It suggests similar values.
func (r *request) missingChoice(choice, value string, known []string) *page {
	similar := near(value, known, func(v string) link { return link{To: r.with(choice, v), Name: r.label(v)} })
	list := append([]link{{Name: "All", To: r.with(choice, "")}}, similar...)
	text := fmt.Sprintf("Unknown “%s”", textfmt.Name(value))
	if len(known) > 0 {
		text += "; expected one of: " + strings.Join(known, ", ")
	}
	return r.missing("Page not found", text+".", list...)
}

// maxNear is the maximum number of names that are suggested.
const maxNear = 5

// near returns links to what has a name similar to a text.
func near(text string, known []string, to func(name string) link) []link {
	return each(didyoumean.Names(text, known, maxNear), to)
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

func pathOf(e *record.Entity) string { return siteurl.Entity(e.Type, e.Slug) }

// linksTo returns links to pages about entities, with what each entity is. A function names the pages; "" leaves an
// entity out.
func (s *Site) linksTo(list []uint32, page func(*record.Entity) string) (links []link) {
	for _, o := range list {
		e := s.Build.Entity(o)
		note := s.kind(e.Type).Title + " · " + textfmt.Name(s.categoryTitle(e.Category))
		if e.Status == record.Deprecated {
			note += " · deprecated"
		}
		if to := page(e); to != "" {
			links = append(links, link{e.Name, to, note})
		}
	}
	return links
}
