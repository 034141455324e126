package pages

import (
	"iter"
	"slices"

	"kindex/site/siteurl"
)

// routes lists all of the website's pages: their paths and choices, the functions that
// render them, and the paths that a static site has.
var routes []route

func init() { // the table is set in init, because pages look up their own paths in it
	routes = []route{
		{"/", nil, (*request).home, only("/")},
		{"/search/", nil, (*request).search, only("/search/")},
		{"/changes/", changesRoute.choices, (*request).changes, changesPaths},
		{"/categories/", nil, (*request).categories, only("/categories/")},
		{"/categories/:category/", []string{"type", "sort", "page"}, (*request).category, categoryPaths},
		{"/providers/", nil, facetList(byProvider), only("/providers/")},
		{"/providers/:key/", []string{"sort", "page"}, facetValueList(byProvider), facetValuePaths(byProvider)},
		{"/providers/all/", []string{"letter", "page"}, facetList(byProvider), letterPaths(byProvider)},
		{"/tags/", nil, facetList(byTag), only("/tags/")},
		{"/tags/:key/", []string{"sort", "page"}, facetValueList(byTag), facetValuePaths(byTag)},
		{"/tags/all/", []string{"letter", "page"}, facetList(byTag), letterPaths(byTag)},
		{"/capabilities/", nil, facetList(byCapability), only("/capabilities/")},
		{"/capabilities/:key/", []string{"sort", "page"}, facetValueList(byCapability), facetValuePaths(byCapability)},
		{"/capabilities/all/", []string{"letter", "page"}, facetList(byCapability), letterPaths(byCapability)},
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
		{pricesPath, nil, (*request).prices, only(pricesPath)},
		{"/search.json", nil, (*request).searchFile, only("/search.json")},
		{"/:type/:slug/entity.json", nil, (*request).record, (*Site).records},
		{"/:type/:slug/entity.md", nil, (*request).entityMarkdown, filePaths("entity.md")},
		{"/:type/:slug/history.json", nil, (*request).entityChangesJSON, filePaths("history.json")},
		{"/:type/:slug/" + feedFile, nil, (*request).entityFeed, externalPaths(feedFile)},
		{"/:type/:slug/" + badgeFile, nil, (*request).entityBadge, externalPaths(badgeFile)},
		{"/robots.txt", nil, (*request).robots, only("/robots.txt")},
		{"/favicon.ico", nil, (*request).favicon, only("/favicon.ico")},
		{"/sitemap.xml", nil, (*request).sitemap, (*Site).sitemapFiles},
		{"/sitemap/:file", nil, (*request).sitemapPart, nil},
		{"/og/:file", nil, (*request).indexPicture, only(sharedPicture)},
		{"/og/:type/:file", nil, (*request).entityPicture, picturePaths},
		{"/:type/", nil, (*request).ofType, typePaths},
		{"/:type/all/", []string{"sort", "page"}, (*request).ofTypePage, nil}, // must follow the routes of entities
		{"/developer/", nil, (*request).developer, only("/developer/")},
		{siteurl.Submit, nil, (*request).howToSubmit, only(siteurl.Submit)}, // the edge itself serves the form
	}
}

// find finds the route of a request.
func (s *Site) find(q Request) *request {
	r := &request{Site: s, Request: q, args: map[string]string{}, choices: map[string]string{}}
	for i := range routes {
		if routes[i].match(q.Path, r.args, r.choices) {
			r.route = &routes[i]
			return r
		}
		clear(r.args)
		clear(r.choices)
	}
	return r
}

func only(paths ...string) func(*Site) iter.Seq[string] {
	return func(*Site) iter.Seq[string] { return slices.Values(paths) }
}
