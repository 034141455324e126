package edge

import (
	"net/http"
	"slices"
	"strings"

	"github.com/julienschmidt/httprouter"

	"kindex/edge/query"
	"kindex/exports/nearest"
	"kindex/site/pages"
	"kindex/site/sdk"
)

// routes is the whole interface on one screen: every address, the parameters
// that it takes, and who answers. What is not here is a page of the website, which
// has a table of its own in package pages, or nothing.
func (s *Server) routes() {
	const get, post, del = http.MethodGet, http.MethodPost, http.MethodDelete
	page := []string{"limit", "offset", "cursor"}
	list := slices.Concat(query.Filters, page, []string{"sort", "order", "fields", "at"})
	search := slices.Concat(query.Filters, page, []string{"q", "facets", "fields"})

	s.router = httprouter.New()
	s.router.RedirectTrailingSlash, s.router.RedirectFixedPath = false, false
	s.router.NotFound = s.elsewhere()
	s.router.MethodNotAllowed = s.plain("method not allowed", s.methodNotAllowed)
	s.router.GlobalOPTIONS = s.plain("options", s.methods)

	for _, r := range []struct {
		verb   string
		path   string
		cost   metering
		params []string
		answer handler
	}{
		{get, "/api/entities", metered, list, s.entities},
		{get, "/api/entity/:type/:slug", metered, []string{"at"}, s.entity},
		{get, "/api/entity/:type/:slug/changelog", metered, page, s.entityChangelog},
		{get, "/api/entity/:type/:slug/score", metered, nil, s.score},
		{get, "/api/entity/:type/:slug/similar", metered, []string{"limit"}, s.similar},
		{get, "/api/search", metered, search, s.search},
		{get, "/api/suggest", metered, []string{"q", "type", "limit"}, s.suggest},
		{get, "/api/leaderboard/:category", metered, slices.Concat(page, []string{"type", "by", "at"}), s.leaderboard},
		{get, "/api/trending", metered, []string{"window", "type", "category", "limit"}, s.trending},
		{get, "/api/changelog", metered, slices.Concat(page, []string{"since", "until", "event", "type", "category", "field"}), s.changelog},
		{get, "/api/feed", metered, []string{"format", "type", "category", "entity", "page"}, s.feed},
		{get, "/api/categories", metered, nil, s.categories},
		{get, "/api/export/entities", metered, slices.Concat(query.Filters, []string{"format", "csv", "fields"}), s.exportEntities},
		{get, "/api/export/leaderboard", metered, []string{"format", "csv", "category", "at"}, s.exportLeaderboard},
		{get, "/api/export/changelog", metered, []string{"format", "csv", "since", "type"}, s.exportChangelog},
		{get, "/api/export/manifest", metered, nil, s.exportManifest},
		{get, "/api/export/croissant", metered, nil, s.exportCroissant},
		{get, "/api/developer/api-keys", metered, nil, s.listKeys},
		{post, "/api/developer/api-keys", metered, nil, s.createKey},
		{del, "/api/developer/api-keys", metered, []string{"id"}, s.revokeKey},
		{post, "/api/submit", metered, nil, s.submit},
		{get, "/api/submissions", metered, []string{"status", "limit", "cursor"}, s.submissions},
		{get, "/api/submissions/:id", metered, nil, s.submission},
		{get, "/api/webhooks", metered, nil, s.listWebhooks},
		{post, "/api/webhooks", metered, nil, s.createWebhook},
		{get, "/api/webhooks/:id", metered, nil, s.webhook},
		{del, "/api/webhooks/:id", metered, nil, s.deleteWebhook},
		{post, "/api/webhooks/:id/test", metered, nil, s.testWebhook},
		{get, "/api/webhooks/:id/deliveries", metered, []string{"limit", "cursor", "status"}, s.deliveries},
		{post, "/api/webhooks/:id/deliveries/:delivery/replay", metered, nil, s.replayDelivery},
		{get, "/api/openapi", free, []string{"format"}, s.openapi},
		{get, "/api/sdk/typescript", free, nil, s.newestSDK(sdk.TypeScript)},
		{get, "/api/sdk/typescript/:file", free, nil, s.oneSDK(sdk.TypeScript)},
		{get, "/api/sdk/python", free, nil, s.newestSDK(sdk.Python)},
		{get, "/api/sdk/python/:file", free, nil, s.oneSDK(sdk.Python)},
		{get, "/data/:build/*file", unmetered, nil, s.data},
		{get, "/badge/:type/:slug", unmetered, []string{"show", "label"}, s.badge},
		{get, "/llms.txt", unmetered, nil, s.llms},
		{get, docsPath, unmetered, nil, s.apiDocs},
		{get, docsPath + "/", unmetered, nil, s.toDocs},
		{get, docsPath + "/:asset", unmetered, nil, s.apiDocsAsset},
		{get, "/assets/:asset", unmetered, nil, s.asset},
		{get, pages.SubmitPath, unmetered, anyParams, s.form},
		{post, pages.SubmitPath, unmetered, anyParams, s.sendForm},
		{get, pages.CheckPath, unmetered, anyParams, s.toForm},
		{post, pages.CheckPath, unmetered, anyParams, s.checkForm},
	} {
		h := s.handle(r.path, r.cost, r.params, r.answer)
		s.router.Handle(r.verb, r.path, h)
		if r.verb == get {
			s.router.HEAD(r.path, h)
		}
		if r.cost != unmetered && !slices.Contains(s.paths, r.path) {
			s.paths = append(s.paths, r.path)
		}
	}
	s.router.POST(agentPath, s.attend(agentPath, s.mcp))
}

// plain answers outside the routes. Parameters do not matter there.
func (s *Server) plain(name string, h handler) http.Handler {
	var by [metered + 1]httprouter.Handle
	for cost := range by {
		by[cost] = s.handle(name, metering(cost), nil, h)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r2 := *r
		u := *r.URL
		u.RawQuery = ""
		r2.URL = &u
		by[meterOf(r.URL.Path)](w, &r2, httprouter.Params{})
	})
}

func (s *Server) notFound(c *call) (*reply, error) {
	p := newProblem("not-found", "There is nothing at "+shorten(c.request.URL.Path)+". GET /api/openapi lists all addresses.")
	return nil, p.suggest(nearest.Name(c.request.URL.Path, s.paths))
}

func (s *Server) methodNotAllowed(c *call) (*reply, error) {
	var allow []string
	for _, m := range []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodDelete} {
		if h, _, _ := s.router.Lookup(m, c.request.URL.Path); h != nil {
			allow = append(allow, m)
		}
	}
	return nil, takesOnly(c, allow...)
}

// takesOnly is the answer to another method than those.
func takesOnly(c *call, allow ...string) error {
	p := newProblem("method-not-allowed", shorten(c.request.URL.Path)+" takes "+strings.Join(allow, ", ")+", not "+shorten(c.request.Method)+".")
	p.allow = strings.Join(append(allow, http.MethodOptions), ", ")
	return p
}

// methods answers OPTIONS; the router has set the header Allow.
func (s *Server) methods(*call) (*reply, error) { return object(http.StatusNoContent, nil) }

// shorten keeps messages readable whatever was sent.
func shorten(s string) string {
	if r := []rune(s); len(r) > 100 {
		return string(r[:100]) + "…"
	}
	return s
}
