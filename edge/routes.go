package edge

import (
	"net/http"
	"slices"
	"strings"

	"github.com/julienschmidt/httprouter"

	"kindex/edge/api"
	"kindex/edge/apikey"
	"kindex/edge/web"
	"kindex/exports"
	"kindex/site/sdk"
	"kindex/site/siteurl"
)

// route is a route of the API.
type route struct {
	method string
	path   string
	cost   web.Cost
	scope  apikey.Scope // scope that a key must have
	params []string
	answer web.Handler
}

// routeTable returns the routes of the API, of files and of the form for submissions, each with its cost, required
// scope, parameters and handler. The panel and /mcp add theirs in routes; any other path is a page of the website, which
// has a route table in package pages, or does not exist.
func (s *Server) routeTable() []route {
	const get, post, del = http.MethodGet, http.MethodPost, http.MethodDelete
	page := []string{"limit", "offset", "cursor"}
	list := slices.Concat([]string{web.FilterParams}, page, []string{"sort", "order", "fields", "at"})
	search := slices.Concat([]string{web.FilterParams}, page, []string{"q", "facets", "fields"})
	a := s.api
	routes := []route{
		{get, "/api/entities", web.Metered, apikey.ScopeRead, list, a.Entities},
		{get, "/api/entity/:type/:slug", web.Metered, apikey.ScopeRead, []string{"at"}, a.Entity},
		{get, "/api/entity/:type/:slug/changelog", web.Metered, apikey.ScopeRead, page, a.EntityChangelog},
		{get, "/api/entity/:type/:slug/score", web.Metered, apikey.ScopeRead, []string{"board"}, a.Score},
		{get, "/api/entity/:type/:slug/signals", web.Metered, apikey.ScopeRead, slices.Concat([]string{"name"}, page), a.Signals},
		{get, "/api/entity/:type/:slug/relations", web.Metered, apikey.ScopeRead, nil, a.Relations},
		{get, "/api/entity/:type/:slug/similar", web.Metered, apikey.ScopeRead, []string{"kind", "limit"}, a.Similar},
		{get, "/api/search", web.Metered, apikey.ScopeRead, search, a.Search},
		{get, "/api/suggest", web.Metered, apikey.ScopeRead, []string{"q", "type", "limit"}, a.Suggest},
		{get, "/api/leaderboard/:category", web.Metered, apikey.ScopeRead, slices.Concat(page, []string{"type", "by", "at"}), a.Leaderboard},
		{get, "/api/trending", web.Metered, apikey.ScopeRead, []string{"window", "by", "type", "category", "limit"}, a.Trending},
		{get, "/api/changelog", web.Metered, apikey.ScopeRead, slices.Concat(page, []string{"since", "until", "event", "type", "category", "field", "figures"}), a.Changelog},
		{get, "/api/changelog/:month", web.Metered, apikey.ScopeRead, nil, a.Month},
		{get, "/api/feed", web.Metered, apikey.ScopeRead, []string{"format", "type", "category", "entity", "figures", "page"}, a.Feed},
		{get, "/api/calendar", web.Metered, apikey.ScopeRead, []string{"entity", "type", "category", "provider"}, a.Calendar},
		{get, "/api/resolve", web.Metered, apikey.ScopeRead, []string{"id"}, a.Resolve},
		{post, "/api/resolve", web.Metered, apikey.ScopeRead, nil, a.ResolveBatch},
		{get, "/api/boards", web.Metered, apikey.ScopeRead, nil, a.Boards},
		{get, "/api/kinds", web.Metered, apikey.ScopeRead, nil, a.Kinds},
		{get, "/api/quality", web.Metered, apikey.ScopeRead, nil, a.Quality},
		{get, "/api/categories", web.Metered, apikey.ScopeRead, nil, a.Categories},
		{get, "/api/offers", web.Metered, apikey.ScopeRead, slices.Concat(page, api.OfferParams), a.Offers},
		{get, "/api/cost", web.Metered, apikey.ScopeRead, api.CostParams, a.Cost},
		{get, "/api/export/entities", web.Conditional, apikey.ScopeRead, []string{web.FilterParams, "format", "csv", "fields"}, a.ExportEntities},
		{get, "/api/export/leaderboard", web.Conditional, apikey.ScopeRead, []string{"format", "csv", "category", "at"}, a.ExportLeaderboard},
		{get, "/api/export/changelog", web.Conditional, apikey.ScopeRead, []string{"format", "csv", "since", "type"}, a.ExportChangelog},
		{get, "/api/export/manifest", web.Metered, apikey.ScopeRead, nil, a.ExportManifest},
		{get, "/api/export/croissant", web.Metered, apikey.ScopeRead, nil, a.ExportCroissant},
		{get, "/api/developer/api-keys", web.Metered, apikey.ScopeKeys, nil, a.ListKeys},
		{post, "/api/developer/api-keys", web.Metered, apikey.ScopeKeys, nil, a.CreateKey},
		{del, "/api/developer/api-keys", web.Metered, anyScope, []string{"id"}, a.RevokeKey},
		{post, "/api/developer/api-keys/revoke", web.Free, anyScope, nil, a.RevokeLeakedKey},
		{get, "/api/developer/audit", web.Metered, apikey.ScopeKeys, []string{"limit", "cursor"}, a.Audit},
		{post, "/api/submit", web.Metered, apikey.ScopeSubmit, nil, a.Submit},
		{get, "/api/submissions", web.Metered, apikey.ScopeSubmit, []string{"status", "limit", "cursor"}, a.Submissions},
		{get, "/api/submissions/:id", web.Metered, apikey.ScopeSubmit, nil, a.Submission},
		{del, "/api/submissions/:id", web.Metered, apikey.ScopeSubmit, nil, a.WithdrawSubmission},
		{get, "/api/webhooks", web.Metered, apikey.ScopeWebhooks, nil, a.ListWebhooks},
		{post, "/api/webhooks", web.Metered, apikey.ScopeWebhooks, nil, a.CreateWebhook},
		{get, "/api/webhooks/:id", web.Metered, apikey.ScopeWebhooks, nil, a.OfWebhook(a.Webhook)},
		{del, "/api/webhooks/:id", web.Metered, apikey.ScopeWebhooks, nil, a.OfWebhook(a.DeleteWebhook)},
		{post, "/api/webhooks/:id/test", web.Metered, apikey.ScopeWebhooks, nil, a.OfWebhook(a.TestWebhook)},
		{post, "/api/webhooks/:id/rotate", web.Metered, apikey.ScopeWebhooks, nil, a.OfWebhook(a.RotateWebhook)},
		{get, "/api/webhooks/:id/deliveries", web.Metered, apikey.ScopeWebhooks, []string{"limit", "cursor", "status"}, a.OfWebhook(a.Deliveries)},
		{post, "/api/webhooks/:id/deliveries/:delivery/replay", web.Metered, apikey.ScopeWebhooks, nil, a.OfWebhook(a.ReplayDelivery)},
		{get, "/api/openapi", web.Free, anyScope, []string{"format"}, a.OpenAPI},
		{get, "/api/sdk/typescript", web.Free, anyScope, nil, a.NewestSDK(sdk.TypeScript)},
		{get, "/api/sdk/typescript/:file", web.Free, anyScope, nil, a.SDKVersion(sdk.TypeScript)},
		{get, "/api/sdk/python", web.Free, anyScope, nil, a.NewestSDK(sdk.Python)},
		{get, "/api/sdk/python/:file", web.Free, anyScope, nil, a.SDKVersion(sdk.Python)},
		{get, "/data/:build/*file", web.File, anyScope, nil, a.Data},
		{get, "/badge/:type/:slug", web.Unmetered, anyScope, []string{"show", "label"}, a.Badge},
		{get, "/openapi.json", web.Unmetered, anyScope, nil, api.RedirectToOpenAPI("json")},
		{get, "/openapi.yaml", web.Unmetered, anyScope, nil, api.RedirectToOpenAPI("yaml")},
		{get, "/llms.txt", web.Unmetered, anyScope, nil, a.LLMs},
		{get, api.SecurityPath, web.Unmetered, anyScope, nil, a.SecurityText},
		{get, api.DocsPath, web.Unmetered, anyScope, nil, a.APIDocs},
		{get, api.DocsPath + "/", web.Unmetered, anyScope, nil, a.RedirectToDocs},
		{get, api.DocsPath + "/:asset", web.Asset, anyScope, nil, a.APIDocsAsset},
		{get, "/assets/:asset", web.Asset, anyScope, nil, s.console.Asset},
		{get, siteurl.Submit, web.Unmetered, anyScope, web.AnyParams, s.console.Form},
		{post, siteurl.Submit, web.Unmetered, anyScope, web.AnyParams, s.console.SubmitForm},
		{get, siteurl.CheckSubmission, web.Unmetered, anyScope, web.AnyParams, s.console.RedirectToForm},
		{post, siteurl.CheckSubmission, web.Unmetered, anyScope, web.AnyParams, s.console.CheckForm},
	}
	for _, t := range exports.LongTables {
		params := []string{web.FilterParams, "format", "csv"}
		routes = append(routes, route{get, "/api/export/" + t.Base, web.Conditional, apikey.ScopeRead, params, a.ExportTable(t)})
	}
	return routes
}

// routes registers all routes.
func (s *Server) routes() {
	s.router = httprouter.New()
	s.router.RedirectTrailingSlash, s.router.RedirectFixedPath = false, false
	s.router.NotFound = s.fallbackHandler()
	s.router.MethodNotAllowed = s.unrouted("method not allowed", s.methodNotAllowed)
	s.router.GlobalOPTIONS = s.unrouted("options", answerOptions)
	for _, r := range s.routeTable() {
		h := s.handle(r.path, r.cost, r.params, requireScope(r.scope, r.answer))
		s.router.Handle(r.method, r.path, h)
		if r.method == http.MethodGet {
			s.router.HEAD(r.path, h)
		}
		if r.cost >= web.Free && !slices.Contains(s.shared.Paths, r.path) {
			s.shared.Paths = append(s.shared.Paths, r.path)
		}
	}
	for _, r := range s.console.Routes {
		h := s.rateLimited(r.Path, r.Answer)
		s.router.Handle(r.Verb, r.Path, h)
		if r.Verb == http.MethodGet && !strings.HasSuffix(r.Path, "/callback") { // a sign-in callback has side effects
			s.router.HEAD(r.Path, h)
		}
	}
	s.router.POST(agentPath, s.rateLimited(agentPath, s.mcp))
}

// requireScope rejects requests with a key that lacks the scope with 403 and, unless the scope is that
// of reading, requests without a key with 401.
func requireScope(scope apikey.Scope, answer web.Handler) web.Handler {
	if scope == anyScope {
		return answer
	}
	return func(c *web.Call) (*web.Reply, error) {
		if err := c.RequireScope(scope); err != nil {
			return nil, err
		}
		if scope != apikey.ScopeRead {
			if _, err := c.Account(); err != nil {
				return nil, err
			}
		}
		return answer(c)
	}
}

// anyScope is the scope of routes that every key can use, or that check the scopes themselves.
const anyScope apikey.Scope = ""

func (s *Server) handle(route string, cost web.Cost, params []string, h web.Handler) httprouter.Handle {
	return s.shared.Instrument(route, func(c *web.Call, w http.ResponseWriter) { c.Run(w, s.reloader, cost, params, h) })
}

// rateLimited returns a handler whose requests are limited like those of pages.
func (s *Server) rateLimited(route string, answer func(*web.Call, http.ResponseWriter)) httprouter.Handle {
	return s.shared.Instrument(route, func(c *web.Call, w http.ResponseWriter) {
		if err := c.LimitRate(); err != nil {
			c.Fail(w, err)
			return
		}
		answer(c, w)
	})
}

// fallbackHandler handles paths that have no route. It answers with a page of the website or,
// for the paths of the API, with a problem document.
func (s *Server) fallbackHandler() http.Handler {
	nothing, allowed, refused := s.unrouted("not found", (*web.Call).NotFound), s.unrouted("options", answerOptions), s.unrouted("method not allowed", s.console.PageMethodNotAllowed)
	page := s.handle("page", web.Unmetered, web.AnyParams, s.console.Page)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case web.CostOfPath(r.URL.Path) != web.Unmetered || strings.HasPrefix(r.URL.Path, "/badge/") || strings.HasPrefix(r.URL.Path, "/assets/"):
			nothing.ServeHTTP(w, r)
		case r.Method == http.MethodGet || r.Method == http.MethodHead:
			page(w, r, nil)
		case r.Method == http.MethodOptions:
			w.Header().Set("Allow", "GET, HEAD, OPTIONS")
			allowed.ServeHTTP(w, r)
		default:
			refused.ServeHTTP(w, r)
		}
	})
}

// unrouted returns a handler for requests that match no route. It ignores the query parameters.
func (s *Server) unrouted(name string, h web.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r = r.WithContext(r.Context())
		u := *r.URL
		u.RawQuery, r.URL = "", &u
		s.handle(name, web.CostOfPath(u.Path), nil, h)(w, r, nil)
	})
}

func (s *Server) methodNotAllowed(c *web.Call) (*web.Reply, error) {
	var allow []string
	for _, m := range []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodDelete} {
		if h, _, _ := s.router.Lookup(m, c.Request.URL.Path); h != nil {
			allow = append(allow, m)
		}
	}
	return nil, web.MethodNotAllowed(c, allow...)
}

// answerOptions answers OPTIONS requests; the router has already set the Allow header.
func answerOptions(*web.Call) (*web.Reply, error) { return web.JSONReply(http.StatusNoContent, nil) }
