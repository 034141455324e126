package edge

import (
	"net/http"
	"slices"
	"strings"

	"github.com/julienschmidt/httprouter"

	"kindex/edge/apikey"
	"kindex/edge/query"
	"kindex/exports/didyoumean"
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
	return []route{
		{get, "/api/entities", metered, apikey.ScopeRead, list, s.entities},
		{get, "/api/entity/:type/:slug", metered, apikey.ScopeRead, []string{"at"}, s.entity},
		{get, "/api/entity/:type/:slug/changelog", metered, apikey.ScopeRead, page, s.entityChangelog},
		{get, "/api/entity/:type/:slug/score", metered, apikey.ScopeRead, nil, s.score},
		{get, "/api/entity/:type/:slug/similar", metered, apikey.ScopeRead, []string{"limit"}, s.similar},
		{get, "/api/search", metered, apikey.ScopeRead, search, s.search},
		{get, "/api/suggest", metered, apikey.ScopeRead, []string{"q", "type", "limit"}, s.suggest},
		{get, "/api/leaderboard/:category", metered, apikey.ScopeRead, slices.Concat(page, []string{"type", "by", "at"}), s.leaderboard},
		{get, "/api/trending", metered, apikey.ScopeRead, []string{"window", "type", "category", "limit"}, s.trending},
		{get, "/api/changelog", metered, apikey.ScopeRead, slices.Concat(page, []string{"since", "until", "event", "type", "category", "field"}), s.changelog},
		{get, "/api/feed", metered, apikey.ScopeRead, []string{"format", "type", "category", "entity", "page"}, s.feed},
		{get, "/api/categories", metered, apikey.ScopeRead, nil, s.categories},
		{get, "/api/export/entities", tagged, apikey.ScopeRead, slices.Concat(query.Filters, []string{"format", "csv", "fields"}), s.exportEntities},
		{get, "/api/export/leaderboard", tagged, apikey.ScopeRead, []string{"format", "csv", "category", "at"}, s.exportLeaderboard},
		{get, "/api/export/changelog", tagged, apikey.ScopeRead, []string{"format", "csv", "since", "type"}, s.exportChangelog},
		{get, "/api/export/manifest", metered, apikey.ScopeRead, nil, s.exportManifest},
		{get, "/api/export/croissant", metered, apikey.ScopeRead, nil, s.exportCroissant},
		{get, "/api/developer/api-keys", metered, apikey.ScopeKeys, nil, s.listKeys},
		{post, "/api/developer/api-keys", metered, apikey.ScopeKeys, nil, s.createKey},
		{del, "/api/developer/api-keys", metered, anyScope, []string{"id"}, s.revokeKey},
		{post, "/api/developer/api-keys/revoke", free, anyScope, nil, s.revokeLeakedKey},
		{get, "/api/developer/audit", metered, apikey.ScopeKeys, []string{"limit", "cursor"}, s.audit},
		{post, "/api/submit", metered, apikey.ScopeSubmit, nil, s.submit},
		{get, "/api/submissions", metered, apikey.ScopeSubmit, []string{"status", "limit", "cursor"}, s.submissions},
		{get, "/api/submissions/:id", metered, apikey.ScopeSubmit, nil, s.submission},
		{del, "/api/submissions/:id", metered, apikey.ScopeSubmit, nil, s.withdrawSubmission},
		{get, "/api/webhooks", metered, apikey.ScopeWebhooks, nil, s.listWebhooks},
		{post, "/api/webhooks", metered, apikey.ScopeWebhooks, nil, s.createWebhook},
		{get, "/api/webhooks/:id", metered, apikey.ScopeWebhooks, nil, s.webhook},
		{del, "/api/webhooks/:id", metered, apikey.ScopeWebhooks, nil, s.deleteWebhook},
		{post, "/api/webhooks/:id/test", metered, apikey.ScopeWebhooks, nil, s.testWebhook},
		{post, "/api/webhooks/:id/rotate", metered, apikey.ScopeWebhooks, nil, s.rotateWebhook},
		{get, "/api/webhooks/:id/deliveries", metered, apikey.ScopeWebhooks, []string{"limit", "cursor", "status"}, s.deliveries},
		{post, "/api/webhooks/:id/deliveries/:delivery/replay", metered, apikey.ScopeWebhooks, nil, s.replayDelivery},
		{get, "/api/openapi", free, anyScope, []string{"format"}, s.openapi},
		{get, "/api/sdk/typescript", free, anyScope, nil, s.newestSDK(sdk.TypeScript)},
		{get, "/api/sdk/typescript/:file", free, anyScope, nil, s.oneSDK(sdk.TypeScript)},
		{get, "/api/sdk/python", free, anyScope, nil, s.newestSDK(sdk.Python)},
		{get, "/api/sdk/python/:file", free, anyScope, nil, s.oneSDK(sdk.Python)},
		{get, "/data/:build/*file", file, anyScope, nil, s.data},
		{get, "/badge/:type/:slug", unmetered, anyScope, []string{"show", "label"}, s.badge},
		{get, "/openapi.json", unmetered, anyScope, nil, toOpenAPI("json")},
		{get, "/openapi.yaml", unmetered, anyScope, nil, toOpenAPI("yaml")},
		{get, "/llms.txt", unmetered, anyScope, nil, s.llms},
		{get, securityPath, unmetered, anyScope, nil, s.securityText},
		{get, docsPath, unmetered, anyScope, nil, s.apiDocs},
		{get, docsPath + "/", unmetered, anyScope, nil, s.toDocs},
		{get, docsPath + "/:asset", asset, anyScope, nil, s.apiDocsAsset},
		{get, "/assets/:asset", asset, anyScope, nil, s.asset},
		{get, pages.SubmitPath, unmetered, anyScope, anyParams, s.form},
		{post, pages.SubmitPath, unmetered, anyScope, anyParams, s.sendForm},
		{get, pages.CheckPath, unmetered, anyScope, anyParams, s.toForm},
		{post, pages.CheckPath, unmetered, anyScope, anyParams, s.checkForm},
	}
}

// routes registers all addresses.
func (s *Server) routes() {
	s.router = httprouter.New()
	s.router.RedirectTrailingSlash, s.router.RedirectFixedPath = false, false
	s.router.NotFound = s.elsewhere()
	s.router.MethodNotAllowed = s.plain("method not allowed", s.methodNotAllowed)
	s.router.GlobalOPTIONS = s.plain("options", s.methods)
	for _, r := range s.table() {
		h := s.handle(r.path, r.cost, r.params, needs(r.scope, r.answer))
		s.router.Handle(r.verb, r.path, h)
		if r.verb == http.MethodGet {
			s.router.HEAD(r.path, h)
		}
		if r.cost >= free && !slices.Contains(s.paths, r.path) {
			s.paths = append(s.paths, r.path)
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

func (s *Server) notFound(c *call) (*reply, error) {
	p := newProblem("not-found", "There is nothing at "+shorten(c.request.URL.Path)+". GET /api/openapi lists all addresses.")
	return nil, p.suggest(didyoumean.Name(c.request.URL.Path, s.paths))
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
