package edge

import (
	"net/http/httptest"
	"strings"
	"testing"

	"kindex/edge/api"
	"kindex/exports"
	"kindex/exports/record"
)

// TestMarkdownOfOneAddress: the two forms of an entity have different entity tags, and errors
// are problem documents in both.
func TestMarkdownOfOneAddress(t *testing.T) {
	s := serve(t, 4)
	json := s.ask(t, "GET", "/api/entity/tool/n1")
	md := s.ask(t, "GET", "/api/entity/tool/n1", "Accept", "text/markdown")
	if json.header.Get("ETag") == md.header.Get("ETag") || md.header.Get("Content-Type") != api.MarkdownType || md.header.Get("Vary") != "Accept-Encoding, Accept, Origin" {
		t.Errorf("JSON has %v\nMarkdown has %v", json.header, md.header)
	}
	if got := s.ask(t, "GET", "/api/entity/tool/n1.md", "If-None-Match", md.header.Get("ETag")); got.status != 304 {
		t.Errorf("unchanged page: %d", got.status)
	}
	if got := s.ask(t, "HEAD", "/api/entity/tool/n1.md"); got.status != 200 || len(got.body) > 0 || got.header.Get("Content-Length") == "0" {
		t.Errorf("HEAD: %d, %v", got.status, got.header)
	}
	for path, code := range map[string]string{
		"/api/entity/tool/n99.md": "unknown-entity", "/api/entity/tool/.md": "unknown-entity", "/api/entity/tool/n1.md.md": "unknown-entity",
		"/api/entity/tool/n1.md/score": "unknown-entity", "/api/entity/tool/n1.md?at=2020-01-01": "no-history", "/api/entity/tool/n1.md?fields=name": "unknown-parameter",
		"/badge/tool/n1": "not-found", "/badge/tool/n1.png": "not-found", "/badge/tool/n1.svg?show=it": "invalid-parameter", "/badge/n1.svg": "not-found",
		"/llms.txt?x=1": "unknown-parameter", "/api/export/croissant?format=json": "unknown-parameter",
	} {
		if a := s.ask(t, "GET", path); !strings.Contains(string(a.body), `"code":"`+code+`"`) || a.header.Get("Content-Type") != "application/problem+json" {
			t.Errorf("%s: %d %s", path, a.status, a.body)
		}
	}
}

// TestOtherFormsOfEdits: edits appear in Markdown, badges and /llms.txt, but not in the
// files.
func TestOtherFormsOfEdits(t *testing.T) {
	s := serve(t, 10)
	before := s.ask(t, "GET", "/api/export/croissant")
	o, _, _ := s.published().Build.Find("tool", "n3")
	e := s.published().Build.Entity(o)
	edited := *e
	edited.Name, edited.Category = "Edited *here*", "not-yet-built"
	edited.Signals.Facts = append([]record.Fact(nil), e.Signals.Facts...)
	for i := range edited.Signals.Facts {
		if f := &edited.Signals.Facts[i]; f.Day == "" {
			f.Number = 1e9
		}
	}
	withdrawn := s.published().Build.Entity(0)
	away := *withdrawn
	away.Status = record.Withdrawn
	s.Preview([]exports.Edit{{Type: "tool", Slug: "n3", Entity: &edited}, {Type: away.Type, Slug: away.Slug, Entity: &away}})

	for path, want := range map[string]string{
		"/api/entity/tool/n3.md":            "# Edited \\*here\\*\n",
		"/badge/tool/n3.svg?show=rank":      "not ranked<", // the category has too few entities
		"/badge/tool/n3.svg?show=trend":     "not ranked<",
		"/badge/tool/n3.svg?show=status":    " status: active<",
		"/badge/tool/n3.svg?show=price":     " price: unknown<",
		"/badge/" + away.Key() + ".svg":     "withdrawn",
		"/api/entity/" + away.Key() + ".md": "- Status: withdrawn\n",
		"/api/leaderboard/not-yet-built":    "Edited",
		"/llms.txt":                         "\n- [Edited \\*here\\*](<",
	} {
		if a := s.ask(t, "GET", path); a.status != 200 || !strings.Contains(string(a.body), want) {
			t.Errorf("%s: %d %s", path, a.status, a.body)
		}
	}
	if a := s.ask(t, "GET", "/api/export/croissant"); string(a.body) != string(before.body) || a.header.Get("X-Build") != s.reloader.ID() {
		t.Errorf("edits change the files: %s %s", a.header.Get("X-Build"), a.body)
	}
}

// TestUnknownBadgesAreCheap: badges do not count towards the limit, so a badge for an unknown
// entity must not trigger a search for suggestions like the one in the API.
func TestUnknownBadgesAreCheap(t *testing.T) {
	s := serve(t, 4)
	v := s.published()
	index := v.Index
	v.Index = nil
	defer func() { v.Index = index }()
	for _, path := range []string{"/badge/tool/n1-n2-n3.svg", "/badge/tol/n1.svg"} {
		if a := s.ask(t, "GET", path); a.status != 404 || a.header.Get("Content-Type") != api.BadgeType || !strings.Contains(string(a.body), "not found") {
			t.Errorf("%s: %d %s", path, a.status, a.body)
		}
	}
}

// TestMapOfOneAddress: the links in /llms.txt use the host that the client requested. Shared
// caches may store the response only if the links are the same for every client.
func TestMapOfOneAddress(t *testing.T) {
	s := serve(t, 4)
	from := func(s *Server, host string) *httptest.ResponseRecorder {
		r, w := httptest.NewRequest("GET", "/llms.txt", nil), httptest.NewRecorder()
		r.Host = host
		s.ServeHTTP(w, r)
		return w
	}
	for _, host := range []string{"one.example", "two.example", "two.example", "one.example"} {
		w := from(s.Server, host)
		if body := w.Body.String(); strings.Count(body, "http://"+host+"/") < 10 || strings.Count(body, ".example/") != strings.Count(body, host+"/") ||
			w.Header().Get("Cache-Control") != "private, no-cache" {
			t.Errorf("%s: %v %s", host, w.Header(), body)
		}
	}
	s.shared.URL = "https://index.example.org/"
	w := from(s.Server, "one.example")
	if body := w.Body.String(); !strings.Contains(body, "<https://index.example.org/mcp>") || strings.Contains(body, "one.example") ||
		w.Header().Get("Cache-Control") != "public, max-age=3600" {
		t.Errorf("%v %s", w.Header(), body)
	}
}
