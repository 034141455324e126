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
	cost   routeCost
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
		{get, "/api/entities", metered, apikey.ScopeRead, list, a.Entities},
		{get, "/api/entity/:type/:slug", metered, apikey.ScopeRead, []string{"at"}, a.Entity},
		{get, "/api/entity/:type/:slug/changelog", metered, apikey.ScopeRead, page, a.EntityChangelog},
		{get, "/api/entity/:type/:slug/score", metered, apikey.ScopeRead, []string{"board"}, a.Score},
		{get, "/api/entity/:type/:slug/signals", metered, apikey.ScopeRead, slices.Concat([]string{"name"}, page), a.Signals},
		{get, "/api/entity/:type/:slug/relations", metered, apikey.ScopeRead, nil, a.Relations},
		{get, "/api/entity/:type/:slug/similar", metered, apikey.ScopeRead, []string{"kind", "limit"}, a.Similar},
		{get, "/api/search", metered, apikey.ScopeRead, search, a.Search},
		{get, "/api/suggest", metered, apikey.ScopeRead, []string{"q", "type", "limit"}, a.Suggest},
		{get, "/api/leaderboard/:category", metered, apikey.ScopeRead, slices.Concat(page, []string{"type", "by", "at"}), a.Leaderboard},
		{get, "/api/trending", metered, apikey.ScopeRead, []string{"window", "by", "type", "category", "limit"}, a.Trending},
		{get, "/api/changelog", metered, apikey.ScopeRead, slices.Concat(page, []string{"since", "until", "event", "type", "category", "field", "figures"}), a.Changelog},
		{get, "/api/changelog/:month", metered, apikey.ScopeRead, nil, a.Month},
		{get, "/api/feed", metered, apikey.ScopeRead, []string{"format", "type", "category", "entity", "figures", "page"}, a.Feed},
		{get, "/api/calendar", metered, apikey.ScopeRead, []string{"entity", "type", "category", "provider"}, a.Calendar},
		{get, "/api/resolve", metered, apikey.ScopeRead, []string{"id"}, a.Resolve},
		{post, "/api/resolve", metered, apikey.ScopeRead, nil, a.ResolveBatch},
		{get, "/api/boards", metered, apikey.ScopeRead, nil, a.Boards},
		{get, "/api/kinds", metered, apikey.ScopeRead, nil, a.Kinds},
		{get, "/api/quality", metered, apikey.ScopeRead, nil, a.Quality},
		{get, "/api/categories", metered, apikey.ScopeRead, nil, a.Categories},
		{get, "/api/offers", metered, apikey.ScopeRead, slices.Concat(page, api.OfferParams), a.Offers},
		{get, "/api/cost", metered, apikey.ScopeRead, api.CostParams, a.Cost},
		{get, "/api/export/entities", conditional, apikey.ScopeRead, []string{web.FilterParams, "format", "csv", "fields"}, a.ExportEntities},
		{get, "/api/export/leaderboard", conditional, apikey.ScopeRead, []string{"format", "csv", "category", "at"}, a.ExportLeaderboard},
		{get, "/api/export/changelog", conditional, apikey.ScopeRead, []string{"format", "csv", "since", "type"}, a.ExportChangelog},
		{get, "/api/export/manifest", metered, apikey.ScopeRead, nil, a.ExportManifest},
		{get, "/api/export/croissant", metered, apikey.ScopeRead, nil, a.ExportCroissant},
		{get, "/api/developer/api-keys", metered, apikey.ScopeKeys, nil, a.ListKeys},
		{post, "/api/developer/api-keys", metered, apikey.ScopeKeys, nil, a.CreateKey},
		{del, "/api/developer/api-keys", metered, anyScope, []string{"id"}, a.RevokeKey},
		{post, "/api/developer/api-keys/revoke", free, anyScope, nil, a.RevokeLeakedKey},
		{get, "/api/developer/audit", metered, apikey.ScopeKeys, []string{"limit", "cursor"}, a.Audit},
		{post, "/api/submit", metered, apikey.ScopeSubmit, nil, a.Submit},
		{get, "/api/submissions", metered, apikey.ScopeSubmit, []string{"status", "limit", "cursor"}, a.Submissions},
		{get, "/api/submissions/:id", metered, apikey.ScopeSubmit, nil, a.Submission},
		{del, "/api/submissions/:id", metered, apikey.ScopeSubmit, nil, a.WithdrawSubmission},
		{get, "/api/webhooks", metered, apikey.ScopeWebhooks, nil, a.ListWebhooks},
		{post, "/api/webhooks", metered, apikey.ScopeWebhooks, nil, a.CreateWebhook},
		{get, "/api/webhooks/:id", metered, apikey.ScopeWebhooks, nil, a.OfWebhook(a.Webhook)},
		{del, "/api/webhooks/:id", metered, apikey.ScopeWebhooks, nil, a.OfWebhook(a.DeleteWebhook)},
		{post, "/api/webhooks/:id/test", metered, apikey.ScopeWebhooks, nil, a.OfWebhook(a.TestWebhook)},
		{post, "/api/webhooks/:id/rotate", metered, apikey.ScopeWebhooks, nil, a.OfWebhook(a.RotateWebhook)},
		{get, "/api/webhooks/:id/deliveries", metered, apikey.ScopeWebhooks, []string{"limit", "cursor", "status"}, a.OfWebhook(a.Deliveries)},
		{post, "/api/webhooks/:id/deliveries/:delivery/replay", metered, apikey.ScopeWebhooks, nil, a.OfWebhook(a.ReplayDelivery)},
		{get, "/api/openapi", free, anyScope, []string{"format"}, a.OpenAPI},
		{get, "/api/sdk/typescript", free, anyScope, nil, a.NewestSDK(sdk.TypeScript)},
		{get, "/api/sdk/typescript/:file", free, anyScope, nil, a.SDKVersion(sdk.TypeScript)},
		{get, "/api/sdk/python", free, anyScope, nil, a.NewestSDK(sdk.Python)},
		{get, "/api/sdk/python/:file", free, anyScope, nil, a.SDKVersion(sdk.Python)},
		{get, "/data/:build/*file", file, anyScope, nil, a.Data},
		{get, "/badge/:type/:slug", unmetered, anyScope, []string{"show", "label"}, a.Badge},
		{get, "/openapi.json", unmetered, anyScope, nil, api.RedirectToOpenAPI("json")},
		{get, "/openapi.yaml", unmetered, anyScope, nil, api.RedirectToOpenAPI("yaml")},
		{get, "/llms.txt", unmetered, anyScope, nil, a.LLMs},
		{get, api.SecurityPath, unmetered, anyScope, nil, a.SecurityText},
		{get, api.DocsPath, unmetered, anyScope, nil, a.APIDocs},
		{get, api.DocsPath + "/", unmetered, anyScope, nil, a.RedirectToDocs},
		{get, api.DocsPath + "/:asset", asset, anyScope, nil, a.APIDocsAsset},
		{get, "/assets/:asset", asset, anyScope, nil, s.console.Asset},
		{get, siteurl.Submit, unmetered, anyScope, web.AnyParams, s.console.Form},
		{post, siteurl.Submit, unmetered, anyScope, web.AnyParams, s.console.SubmitForm},
		{get, siteurl.CheckSubmission, unmetered, anyScope, web.AnyParams, s.console.RedirectToForm},
		{post, siteurl.CheckSubmission, unmetered, anyScope, web.AnyParams, s.console.CheckForm},
	}
	for _, t := range exports.LongTables {
		params := []string{web.FilterParams, "format", "csv"}
		routes = append(routes, route{get, "/api/export/" + t.Base, conditional, apikey.ScopeRead, params, a.ExportTable(t)})
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
		if r.cost >= free && !slices.Contains(s.shared.Paths, r.path) {
			s.shared.Paths = append(s.shared.Paths, r.path)
		}
	}
	for _, r := range s.console.Routes {
		h := s.rateLimited(r.Path, func(c *request, w http.ResponseWriter) { r.Answer(c.Call, w) })
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
