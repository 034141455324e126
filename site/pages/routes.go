package pages

import (
	"iter"
	"net/url"
	"slices"
	"strings"

	"kindex/exports/record"
)

// routes is the whole website on one screen: the addresses, what in them chooses a
// form of the page, who shows it, and which of them a static site has.
var routes []route

func init() { // not where it is declared: pages look their own addresses up in it
	routes = []route{
		{"/", nil, (*request).home, only("/")},
		{"/search/", nil, (*request).search, only("/search/")},
		{"/changes/", changesRoute.choices, (*request).changes, changesPaths},
		{"/categories/", nil, (*request).categories, only("/categories/")},
		{"/categories/:category/", []string{"type", "sort", "page"}, (*request).category, classPaths},
		{"/providers/", nil, termList(byProvider), only("/providers/")},
		{"/providers/:key/", []string{"sort", "page"}, ofTerm(byProvider), termPaths(byProvider)},
		{"/providers/all/", []string{"letter", "page"}, termList(byProvider), letterPaths(byProvider)},
		{"/tags/", nil, termList(byTag), only("/tags/")},
		{"/tags/:key/", []string{"sort", "page"}, ofTerm(byTag), termPaths(byTag)},
		{"/tags/all/", []string{"letter", "page"}, termList(byTag), letterPaths(byTag)},
		{"/capabilities/", nil, termList(byCapability), only("/capabilities/")},
		{"/capabilities/:key/", []string{"sort", "page"}, ofTerm(byCapability), termPaths(byCapability)},
		{"/capabilities/all/", []string{"letter", "page"}, termList(byCapability), letterPaths(byCapability)},
		{"/data/", nil, (*request).data, only("/data/")},
		{"/docs/", nil, (*request).docs, only("/docs/")},
		{"/docs/scoring/", nil, (*request).scoring, only("/docs/scoring/")},
		{"/docs/:guide/", nil, (*request).guide, guidePaths},
		{"/:type/:slug/", []string{"at"}, (*request).entity, entityPaths},
		{"/:type/:slug/history/", []string{"page"}, (*request).entityHistory, historyPaths},
		{"/leaderboards/", nil, (*request).boardsHome, nil},
		{"/leaderboards/:category/", []string{"type", "by", "at", "page"}, (*request).boards, boardPaths},
		{"/trending/", []string{"window", "type"}, (*request).trending, trendingPaths},
		{"/compare/", nil, (*request).compare, only("/compare/")},
		{"/search.json", nil, (*request).searchFile, only("/search.json")},
		{"/:type/:slug/entity.json", nil, (*request).record, (*Site).records},
		{"/:type/:slug/entity.md", nil, (*request).entityMarkdown, filePaths("entity.md")},
		{"/:type/:slug/history.json", nil, (*request).entityChangesJSON, filePaths("history.json")},
		{"/:type/:slug/" + feedFile, nil, (*request).entityFeed, livePaths(feedFile)},
		{"/:type/:slug/" + badgeFile, nil, (*request).entityBadge, livePaths(badgeFile)},
		{"/robots.txt", nil, (*request).robots, only("/robots.txt")},
		{"/favicon.ico", nil, (*request).favicon, only("/favicon.ico")},
		{"/sitemap.xml", nil, (*request).sitemap, (*Site).sitemapFiles},
		{"/sitemap/:file", nil, (*request).sitemapPart, nil},
		{"/og/:file", nil, (*request).indexPicture, only(sharedPicture)},
		{"/og/:type/:file", nil, (*request).entityPicture, picturePaths},
		{"/:type/", nil, (*request).ofType, typePaths},
		{"/:type/all/", []string{"sort", "page"}, (*request).furtherOfType, nil}, // behind those of entities
		{"/developer/", nil, (*request).developer, only("/developer/")},
		{SubmitPath, nil, (*request).contribute, only(SubmitPath)}, // the form is the edge's
	}
}

// route is a kind of page.
type route struct {
	pattern string   // :name stands for one part
	choices []string // names of the choices that may follow, as name-value, in this order
	show    func(*request) (*page, error)
	paths   func(*Site) iter.Seq[string] // nil: a static site has none
}

// find looks up who answers a request, nil for nobody.
func (s *Site) find(q Request) (*request, *route) {
	r := &request{Site: s, Request: q, args: map[string]string{}, choices: map[string]string{}}
	for i := range routes {
		if routes[i].match(q.Path, r.args, r.choices) {
			return r, &routes[i]
		}
		clear(r.args)
		clear(r.choices)
	}
	return r, nil
}

// match reads a path. Each page has one address: choices in another order, twice or
// without a value are none.
func (t *route) match(path string, args, choices map[string]string) bool {
	want := strings.Split(strings.Trim(t.pattern, "/"), "/")
	got := strings.Split(strings.Trim(path, "/"), "/")
	if len(got) < len(want) || strings.HasSuffix(path, "/") != strings.HasSuffix(t.pattern, "/") || strings.Contains(path, "//") {
		return false
	}
	for i, w := range want {
		switch name, isArg := strings.CutPrefix(w, ":"); {
		case !isArg && w != got[i]:
			return false
		case isArg && got[i] == "":
			return false
		case isArg && name == "type" && !slices.Contains(record.Types, got[i]):
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

// path writes an address of the route.
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

func only(paths ...string) func(*Site) iter.Seq[string] {
	return func(*Site) iter.Seq[string] { return slices.Values(paths) }
}

// entityPath is where an entity is.
func entityPath(typ, slug string) string { return "/" + typ + "/" + slug + "/" }

// to is an address of the site for a page: the path with the root before it. A path
// may have a query, or a fragment.
func (s *Site) to(path string) string {
	tail := ""
	if at := strings.IndexAny(path, "?#"); at >= 0 {
		path, tail = path[:at], path[at:]
	}
	u := url.URL{Path: strings.TrimSuffix(s.Root, "/") + path}
	return u.EscapedPath() + tail
}

// api is an address of the API.
func (s *Site) api(path string) string { return s.API + path }

// served tells whether there is an API to lead to.
func (s *Site) served() bool { return !s.Static || s.API != "" }
