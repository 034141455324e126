package edge

import (
	"net/http"
	"slices"
	"strings"

	"github.com/julienschmidt/httprouter"

	"kindex/edge/query"
	"kindex/exports/nearest"
)

// routes is the whole interface on one screen: every address, the parameters
// that it takes, and who answers.
func (s *Server) routes() {
	page := []string{"limit", "offset", "cursor"}
	list := slices.Concat(query.Filters, page, []string{"sort", "order", "fields", "at"})
	search := slices.Concat(query.Filters, page, []string{"q", "facets", "fields"})

	s.router = httprouter.New()
	s.router.RedirectTrailingSlash, s.router.RedirectFixedPath = false, false
	s.router.NotFound = s.plain("not found", s.notFound)
	s.router.MethodNotAllowed = s.plain("method not allowed", s.methodNotAllowed)

	for _, r := range []struct {
		path   string
		params []string
		answer handler
	}{
		{"/api/entities", list, s.entities},
		{"/api/entity/:type/:slug", []string{"at"}, s.entity},
		{"/api/entity/:type/:slug/changelog", page, s.entityChangelog},
		{"/api/entity/:type/:slug/score", nil, s.score},
		{"/api/entity/:type/:slug/similar", []string{"limit"}, s.similar},
		{"/api/search", search, s.search},
		{"/api/suggest", []string{"q", "type", "limit"}, s.suggest},
		{"/api/leaderboard/:category", slices.Concat(page, []string{"type", "by", "at"}), s.leaderboard},
		{"/api/trending", []string{"window", "type", "category", "limit"}, s.trending},
		{"/api/changelog", slices.Concat(page, []string{"since", "until", "event", "type", "category", "field"}), s.changelog},
		{"/api/feed", []string{"format", "type", "category", "entity", "page"}, s.feed},
		{"/api/categories", nil, s.categories},
		{"/api/export/entities", slices.Concat(query.Filters, []string{"format", "fields"}), s.exportEntities},
		{"/api/export/leaderboard", []string{"format", "category", "at"}, s.exportLeaderboard},
		{"/api/export/changelog", []string{"format", "since", "type"}, s.exportChangelog},
		{"/api/export/manifest", nil, s.exportManifest},
		{"/api/openapi", []string{"format"}, s.openapi},
		{"/data/:build/*file", nil, s.data},
		{"/", nil, s.home},
	} {
		h := s.handle(r.path, r.params, r.answer)
		s.router.GET(r.path, h)
		s.router.HEAD(r.path, h)
		if strings.HasPrefix(r.path, "/api/") {
			s.paths = append(s.paths, r.path)
		}
	}
}

// plain answers outside the routes. Parameters do not matter there.
func (s *Server) plain(name string, h handler) http.Handler {
	m := s.handle(name, nil, h)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r2 := *r
		u := *r.URL
		u.RawQuery = ""
		r2.URL = &u
		m(w, &r2, httprouter.Params{})
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
	p := newProblem("method-not-allowed", shorten(c.request.URL.Path)+" takes "+strings.Join(allow, ", ")+", not "+shorten(c.request.Method)+".")
	p.allow = strings.Join(append(allow, http.MethodOptions), ", ")
	return nil, p
}

// shorten keeps messages readable whatever was sent.
func shorten(s string) string {
	if r := []rune(s); len(r) > 100 {
		return string(r[:100]) + "…"
	}
	return s
}
