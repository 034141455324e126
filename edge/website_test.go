package edge

import (
	"encoding/json"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"kindex/builder/suite"
	"kindex/edge/api"
	"kindex/edge/openapi"
	"kindex/edge/web"
	"kindex/exports"
	"kindex/exports/kinds"
	"kindex/exports/record"
)

// TestNothingThere requests missing pages in the same way as browsers, programs and people at a
// terminal. Clients that prefer HTML must get HTML and all others a problem document, whether
// the page never existed or was deleted.
func TestNothingThere(t *testing.T) {
	suite.InTest(t)
	s := readHistory(t)
	const page, problem = "text/html; charset=utf-8", "application/problem+json"
	for accept, want := range map[string]string{
		"text/html": page, "Text/HTML;level=1": page, "text/*": page, "text/html, application/json": page, "text/html;q=0.2, */*;q=0.1": page,
		"text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8": page,
		"": problem, "*/*": problem, "application/json": problem, "application/problem+json": problem, "text/html;q=0": problem, "text/html;q=0, */*": problem,
		"text/html;q=0.4, application/json": problem, "application/problem+json, text/html;q=0.9": problem, "application/*, text/html;q=0.9": problem,
		"image/png": problem, "text/plain": problem, "xtext/html": problem,
	} {
		for path, told := range map[string]struct {
			status     int
			code, says string
		}{
			"/tool/nowhere/":            {404, "not-found", "There is nothing at /tool/nowhere/."},
			"/nothing":                  {404, "not-found", "There is nothing at /nothing."},
			"/submit/?e=tool/nowhere":   {404, "unknown-entity", `There is no tool "nowhere".`},
			"/tool/gone/":               {410, "deleted-entity", `The tool "gone" was deleted on 2026-09-10.`},
			"/tool/gone":                {410, "deleted-entity", `The tool "gone" was deleted on 2026-09-10.`},
			"/tool/gone/at-2026-09-10/": {410, "deleted-entity", `The tool "gone" was deleted on 2026-09-10.`},
			"/tool/back/at-2026-09-19/": {410, "deleted-entity", `The tool "back" was deleted on 2026-09-10.`},
		} {
			if accept != "text/html" && accept != "" && path != "/tool/gone/" {
				continue // all values for one path, and all paths for two values
			}
			for _, verb := range []string{"GET", "HEAD"} {
				a := s.ask(t, verb, path, "Accept", accept)
				if a.status != told.status || a.header.Get("Content-Type") != want || !strings.Contains(a.header.Get("Vary"), "Accept") || verb == "HEAD" && len(a.body) > 0 {
					t.Errorf("%s %s, Accept %q: %d %s, Vary %q, want %d %s", verb, path, accept, a.status, a.header.Get("Content-Type"), a.header.Get("Vary"), told.status, want)
				}
				if verb == "HEAD" || want == page {
					continue
				}
				var p web.Problem
				if err := json.Unmarshal(a.body, &p); err != nil || p.Status != told.status || p.Code != told.code || !strings.HasPrefix(p.Detail, told.says) {
					t.Errorf("%s, Accept %q: %v %s", path, accept, err, a.body)
				}
			}
		}
	}
	// An existing page is served as HTML to all clients.
	for _, accept := range []string{"", "*/*", "application/json"} {
		s.ask(t, "GET", "/tool/n1/", "Accept", accept).want(t, 200).wantHeader(t, "Content-Type", page)
	}
}

// TestMarkdownOfOneAddress: the two forms of an entity have different entity tags, and errors
// are problem documents in both.
func TestMarkdownOfOneAddress(t *testing.T) {
	s := serveShared(t, 60)
	json := s.ask(t, "GET", "/api/entity/tool/n1")
	md := s.ask(t, "GET", "/api/entity/tool/n1", "Accept", "text/markdown")
	if json.header.Get("ETag") == md.header.Get("ETag") || md.header.Get("Content-Type") != api.MarkdownType || md.header.Get("Vary") != "Accept-Encoding, Accept, Origin" {
		t.Errorf("JSON has %v\nMarkdown has %v", json.header, md.header)
	}
	s.ask(t, "GET", "/api/entity/tool/n1.md", "If-None-Match", md.header.Get("ETag")).want(t, 304)
	got := s.ask(t, "HEAD", "/api/entity/tool/n1.md")
	suite.Holds(t, got.status == 200 && len(got.body) == 0 && got.header.Get("Content-Length") != "0", "HEAD", got.status, got.header)
	for path, code := range map[string]string{
		"/api/entity/tool/n99.md": "unknown-entity", "/api/entity/tool/.md": "unknown-entity", "/api/entity/tool/n1.md.md": "unknown-entity",
		"/api/entity/tool/n1.md/score": "unknown-entity", "/api/entity/tool/n1.md?at=2020-01-01": "no-history", "/api/entity/tool/n1.md?fields=name": "unknown-parameter",
		"/badge/tool/n1": "not-found", "/badge/tool/n1.png": "not-found", "/badge/tool/n1.svg?show=it": "invalid-parameter", "/badge/n1.svg": "not-found",
		"/llms.txt?x=1": "unknown-parameter", "/api/export/croissant?format=json": "unknown-parameter",
	} {
		s.ask(t, "GET", path).says(t, `"code":"`+code+`"`).wantHeader(t, "Content-Type", "application/problem+json")
	}
}

// TestOtherFormsOfEdits: edits appear in Markdown, badges and /llms.txt, but not in the
// files.
func TestOtherFormsOfEdits(t *testing.T) {
	s := serveShared(t, 60)
	before := s.ask(t, "GET", "/api/export/croissant")
	o, _, _ := s.published().Build.Find("tool", "n3")
	e := s.published().Build.Entity(o)
	edited := *e
	edited.Name, edited.Category, edited.Scores = "Edited *here*", "not-yet-built", record.Scores{}
	edited.Signals.Facts = append([]record.Fact(nil), e.Signals.Facts...)
	for i := range edited.Signals.Facts {
		if f := &edited.Signals.Facts[i]; f.Day == "" {
			f.Number = 1e9
		}
	}
	withdrawn := s.published().Build.Entity(0)
	away := *withdrawn
	away.Status = record.Withdrawn
	s.ApplyEdits([]exports.Edit{{Type: "tool", Slug: "n3", Entity: &edited}, {Type: away.Type, Slug: away.Slug, Entity: &away}})

	for path, want := range map[string]string{
		"/api/entity/tool/n3.md":                                    "# Edited \\*here\\*\n",
		"/badge/tool/n3.svg?show=rank":                              "not ranked<", // the category has too few entities
		"/badge/tool/n3.svg?show=trend":                             "not ranked<",
		"/badge/tool/n3.svg?show=status":                            " status: active<",
		"/badge/tool/n3.svg?show=price":                             " price: unknown<",
		"/badge/" + away.Key() + ".svg":                             "withdrawn",
		"/api/entity/" + away.Key() + ".md":                         "- Status: withdrawn\n",
		"/api/leaderboard/not-yet-built":                            "Edited",
		"/api/export/leaderboard?category=not-yet-built&format=csv": "not-yet-built",
		"/api/export/entities?format=jsonl":                         "not-yet-built",
		"/llms.txt":                                                 "\n- [Edited \\*here\\*](<",
	} {
		s.ask(t, "GET", path).want(t, 200, want)
	}
	// Records have the scores that the explanation computes, not those of the edit.
	var shown struct{ Scores struct{ Composite *float64 } }
	var explained struct{ Composite *float64 }
	unpack(t, s.ask(t, "GET", "/api/entity/tool/n3").body, &shown)
	unpack(t, s.ask(t, "GET", "/api/entity/tool/n3/score").body, &explained)
	if got := shown.Scores.Composite; got == nil || explained.Composite == nil || *got != *explained.Composite {
		t.Errorf("record %v, explanation %v", got, explained.Composite)
	}
	if a := s.ask(t, "GET", "/api/export/croissant"); string(a.body) != string(before.body) || a.header.Get("X-Build") != s.reloader.ID() {
		t.Errorf("edits change the files: %s %s", a.header.Get("X-Build"), a.body)
	}
}

// TestUnknownBadgesAreCheap: badges do not count towards the limit, so a badge for an unknown
// entity must not trigger a search for suggestions like the one in the API.
func TestUnknownBadgesAreCheap(t *testing.T) {
	s := serve(t, 5)
	v := s.published()
	index := v.Index
	v.Index = nil
	defer func() { v.Index = index }()
	for _, path := range []string{"/badge/tool/n1-n2-n3.svg", "/badge/tol/n1.svg"} {
		s.ask(t, "GET", path).want(t, 404, "not found").wantHeader(t, "Content-Type", api.BadgeType)
	}
}

// TestMapOfOneAddress: the links in /llms.txt use the host that the client requested. Shared
// caches may store the response only if the links are the same for every client.
func TestMapOfOneAddress(t *testing.T) {
	s := serve(t, 5)
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

func unpack(t *testing.T, body []byte, into any) {
	t.Helper()
	suite.Check(t, json.Unmarshal(body, into))
}

// TestSecurityText reads the contact address for vulnerability reports (RFC 9116), which does
// not count towards the limit. If there is none, the response is a 404.
func TestSecurityText(t *testing.T) {
	s := serveFew(t, Options{LimitAnonymous: 1, URL: "https://index.example.org/sub"})
	for contact, want := range map[string]string{
		"security@example.org": "mailto:security@example.org", "mailto:security@example.org": "mailto:security@example.org",
		"https://example.org/contact?a=b": "https://example.org/contact?a=b", "tel:+1-201-555-0123": "tel:+1-201-555-0123",
		"a?b&c@example.org": "mailto:a%3Fb&c@example.org",
		"":                  "", "ask in room 5": "", "http://example.org/contact": "", "javascript:alert(1)": "", "https://example.org/\nContact: https://evil.example": "",
		"Eve <eve@example.org>": "",
	} {
		s.shared.ContactAddress = contact
		a := s.ask(t, "GET", "/.well-known/security.txt")
		if want == "" {
			a.want(t, 404)
			continue
		}
		fields := map[string]string{}
		for line := range strings.Lines(string(a.body)) {
			name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
			fields[name] = value
		}
		expires, err := time.Parse(time.RFC3339, fields["Expires"])
		if a.status != 200 || a.header.Get("Content-Type") != "text/plain; charset=utf-8" || a.header.Get("X-Ratelimit-Limit") != "" || len(fields) != 4 ||
			fields["Contact"] != want || fields["Canonical"] != "https://index.example.org/.well-known/security.txt" ||
			err != nil || time.Until(expires) < 100*24*time.Hour || time.Until(expires) > 365*24*time.Hour {
			t.Errorf("%q: %d %v\n%s", contact, a.status, a.header, a.body)
		}
		s.ask(t, "GET", "/.well-known/security.txt", "If-None-Match", a.header.Get("Etag")).want(t, 304)
		s.hosted(t, "GET", "evil.example", "/.well-known/security.txt", "").lacks(t, "evil")
	}
	s.shared.ContactAddress, s.shared.URL = "security@example.org", ""
	s.ask(t, "GET", "/.well-known/security.txt").want(t, 200).lacks(t, "Canonical")
}

// TestAPIDocs: without scripts, the API documentation lists every operation in the description. The page and
// everything it loads are served from this service and do not count towards the limit; what it loads can be
// cached forever. Package site/docs tests the page in a browser.
func TestAPIDocs(t *testing.T) {
	s := serveFew(t, Options{LimitAnonymous: 1})
	page := s.ask(t, "GET", "/docs/api")
	policy := page.header.Get("Content-Security-Policy")
	suite.Holds(t, page.status == 200 && strings.HasPrefix(policy, "default-src 'none';") &&
		!strings.Contains(policy, "unsafe") && !strings.Contains(policy, "*"), page.status, page.header)
	for _, o := range openapi.Operations(kinds.Default()) {
		row := "<td>" + o.Method + `</td><th scope="row"><code>` + o.Path + "</code></th>"
		suite.Holds(t, strings.Contains(string(page.body), row), "the page lacks", row)
	}
	s.ask(t, "GET", "/docs/api/").want(t, 301).wantHeader(t, "Location", "/docs/api")
	var types []string
	for _, m := range regexp.MustCompile(`(?:src|href)="(/docs/api/[^"]*)"`).FindAllSubmatch(page.body, -1) {
		path := string(m[1])
		plain := s.ask(t, "GET", path)
		types = append(types, plain.header.Get("Content-Type"))
		if plain.status != 200 || len(plain.body) == 0 || plain.header.Get("Cache-Control") != "public, max-age=31536000, immutable" || plain.header.Get("X-Ratelimit-Limit") != "" {
			t.Errorf("%s: %d %v", path, plain.status, plain.header)
		}
		small := s.ask(t, "GET", path, "Accept-Encoding", "gzip, br, zstd")
		suite.Equal(t, small.header.Get("Content-Encoding"), "gzip", path, "compressed", small.status)
		suite.Equal(t, decode(t, "gzip", small.body), plain.body, path, "compressed", small.status, small.header)
	}
	slices.Sort(types)
	suite.Equal(t, types, []string{"text/css; charset=utf-8", "text/css; charset=utf-8", "text/javascript; charset=utf-8", "text/javascript; charset=utf-8"}, "the page loads")
	for _, path := range []string{"/docs/api/swagger-ui.css", "/docs/api/..%2Fhome.html"} {
		s.ask(t, "GET", path).want(t, 404).wantHeader(t, "Content-Type", "application/problem+json")
	}
}
