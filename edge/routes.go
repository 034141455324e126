package edge

import (
	"net/http"
	"slices"
	"strings"

	"github.com/julienschmidt/httprouter"

	"kindex/edge/apikey"
	"kindex/edge/query"
	"kindex/site/pages"
	"kindex/site/sdk"
)

// anyScope is the scope of an address that every key may use, or that looks after
// scopes itself.
const anyScope apikey.Scope = ""

// route is an address of the interface.
type route struct {
	verb   string
	path   string
	cost   metering
	scope  apikey.Scope // that a key needs here
	params []string
	answer handler
}

// table is the whole interface on one screen: every address, what a key needs for it,
// the parameters that it takes, and who answers. What is not here is a page of the
// website, which has a table of its own in package pages, or nothing.
func (s *Server) table() []route {
	const get, post, del = http.MethodGet, http.MethodPost, http.MethodDelete
	page := []string{"limit", "offset", "cursor"}
	list := slices.Concat(query.Filters, page, []string{"sort", "order", "fields", "at"})
	search := slices.Concat(query.Filters, page, []string{"q", "facets", "fields"})
	a := s.api
	return []route{
		{get, "/api/entities", metered, apikey.ScopeRead, list, a.entities},
		{get, "/api/entity/:type/:slug", metered, apikey.ScopeRead, []string{"at"}, a.entity},
		{get, "/api/entity/:type/:slug/changelog", metered, apikey.ScopeRead, page, a.entityChangelog},
		{get, "/api/entity/:type/:slug/score", metered, apikey.ScopeRead, nil, a.score},
		{get, "/api/entity/:type/:slug/similar", metered, apikey.ScopeRead, []string{"limit"}, a.similar},
		{get, "/api/search", metered, apikey.ScopeRead, search, a.search},
		{get, "/api/suggest", metered, apikey.ScopeRead, []string{"q", "type", "limit"}, a.suggest},
		{get, "/api/leaderboard/:category", metered, apikey.ScopeRead, slices.Concat(page, []string{"type", "by", "at"}), a.leaderboard},
		{get, "/api/trending", metered, apikey.ScopeRead, []string{"window", "type", "category", "limit"}, a.trending},
		{get, "/api/changelog", metered, apikey.ScopeRead, slices.Concat(page, []string{"since", "until", "event", "type", "category", "field"}), a.changelog},
		{get, "/api/feed", metered, apikey.ScopeRead, []string{"format", "type", "category", "entity", "page"}, a.feed},
		{get, "/api/categories", metered, apikey.ScopeRead, nil, a.categories},
		{get, "/api/export/entities", tagged, apikey.ScopeRead, slices.Concat(query.Filters, []string{"format", "csv", "fields"}), a.exportEntities},
		{get, "/api/export/leaderboard", tagged, apikey.ScopeRead, []string{"format", "csv", "category", "at"}, a.exportLeaderboard},
		{get, "/api/export/changelog", tagged, apikey.ScopeRead, []string{"format", "csv", "since", "type"}, a.exportChangelog},
		{get, "/api/export/manifest", metered, apikey.ScopeRead, nil, a.exportManifest},
		{get, "/api/export/croissant", metered, apikey.ScopeRead, nil, a.exportCroissant},
		{get, "/api/developer/api-keys", metered, apikey.ScopeKeys, nil, a.listKeys},
		{post, "/api/developer/api-keys", metered, apikey.ScopeKeys, nil, a.createKey},
		{del, "/api/developer/api-keys", metered, anyScope, []string{"id"}, a.revokeKey},
		{post, "/api/developer/api-keys/revoke", free, anyScope, nil, a.revokeLeakedKey},
		{get, "/api/developer/audit", metered, apikey.ScopeKeys, []string{"limit", "cursor"}, a.audit},
		{post, "/api/submit", metered, apikey.ScopeSubmit, nil, a.submit},
		{get, "/api/submissions", metered, apikey.ScopeSubmit, []string{"status", "limit", "cursor"}, a.submissions},
		{get, "/api/submissions/:id", metered, apikey.ScopeSubmit, nil, a.submission},
		{del, "/api/submissions/:id", metered, apikey.ScopeSubmit, nil, a.withdrawSubmission},
		{get, "/api/webhooks", metered, apikey.ScopeWebhooks, nil, a.listWebhooks},
		{post, "/api/webhooks", metered, apikey.ScopeWebhooks, nil, a.createWebhook},
		{get, "/api/webhooks/:id", metered, apikey.ScopeWebhooks, nil, a.webhook},
		{del, "/api/webhooks/:id", metered, apikey.ScopeWebhooks, nil, a.deleteWebhook},
		{post, "/api/webhooks/:id/test", metered, apikey.ScopeWebhooks, nil, a.testWebhook},
		{post, "/api/webhooks/:id/rotate", metered, apikey.ScopeWebhooks, nil, a.rotateWebhook},
		{get, "/api/webhooks/:id/deliveries", metered, apikey.ScopeWebhooks, []string{"limit", "cursor", "status"}, a.deliveries},
		{post, "/api/webhooks/:id/deliveries/:delivery/replay", metered, apikey.ScopeWebhooks, nil, a.replayDelivery},
		{get, "/api/openapi", free, anyScope, []string{"format"}, a.openapi},
		{get, "/api/sdk/typescript", free, anyScope, nil, a.newestSDK(sdk.TypeScript)},
		{get, "/api/sdk/typescript/:file", free, anyScope, nil, a.oneSDK(sdk.TypeScript)},
		{get, "/api/sdk/python", free, anyScope, nil, a.newestSDK(sdk.Python)},
		{get, "/api/sdk/python/:file", free, anyScope, nil, a.oneSDK(sdk.Python)},
		{get, "/data/:build/*file", file, anyScope, nil, a.data},
		{get, "/badge/:type/:slug", unmetered, anyScope, []string{"show", "label"}, a.badge},
		{get, "/openapi.json", unmetered, anyScope, nil, toOpenAPI("json")},
		{get, "/openapi.yaml", unmetered, anyScope, nil, toOpenAPI("yaml")},
		{get, "/llms.txt", unmetered, anyScope, nil, a.llms},
		{get, securityPath, unmetered, anyScope, nil, a.securityText},
		{get, docsPath, unmetered, anyScope, nil, a.apiDocs},
		{get, docsPath + "/", unmetered, anyScope, nil, a.toDocs},
		{get, docsPath + "/:asset", asset, anyScope, nil, a.apiDocsAsset},
		{get, "/assets/:asset", asset, anyScope, nil, s.console.asset},
		{get, pages.SubmitPath, unmetered, anyScope, anyParams, s.console.form},
		{post, pages.SubmitPath, unmetered, anyScope, anyParams, s.console.sendForm},
		{get, pages.CheckPath, unmetered, anyScope, anyParams, s.console.toForm},
		{post, pages.CheckPath, unmetered, anyScope, anyParams, s.console.checkForm},
	}
}

// routes registers all addresses.
func (s *Server) routes() {
	s.router = httprouter.New()
	s.router.RedirectTrailingSlash, s.router.RedirectFixedPath = false, false
	s.router.NotFound = s.fallbackHandler()
	s.router.MethodNotAllowed = s.plain("method not allowed", s.methodNotAllowed)
	s.router.GlobalOPTIONS = s.plain("options", methods)
	for _, r := range s.table() {
		h := s.handle(r.path, r.cost, r.params, needs(r.scope, r.answer))
		s.router.Handle(r.verb, r.path, h)
		if r.verb == http.MethodGet {
			s.router.HEAD(r.path, h)
		}
		if r.cost >= free && !slices.Contains(s.shared.paths, r.path) {
			s.shared.paths = append(s.shared.paths, r.path)
		}
	}
	for _, r := range s.console.routes {
		h := s.paced(r.path, func(c *request, w http.ResponseWriter) { r.answer(c.call, w) })
		s.router.Handle(r.verb, r.path, h)
		if r.verb == http.MethodGet && !strings.HasSuffix(r.path, "/callback") { // which is no mere look
			s.router.HEAD(r.path, h)
		}
	}
	s.router.POST(agentPath, s.paced(agentPath, s.mcp))
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

func (s *Server) methodNotAllowed(c *call) (*reply, error) {
	var allow []string
	for _, m := range []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodDelete} {
		if h, _, _ := s.router.Lookup(m, c.request.URL.Path); h != nil {
			allow = append(allow, m)
		}
	}
	return nil, takesOnly(c, allow...)
}

// methods answers OPTIONS; the router has set the header Allow.
func methods(*call) (*reply, error) { return object(http.StatusNoContent, nil) }
