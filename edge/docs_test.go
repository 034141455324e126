package edge

import (
	"bytes"
	"html"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"kindex/builder/suite"
	"kindex/edge/openapi"
)

// TestAPIDocsWithoutScripts: without scripts, the page lists every operation in the description.
func TestAPIDocsWithoutScripts(t *testing.T) {
	suite.InTest(t)
	page := string(serveFew(t, Options{}).ask(t, "GET", "/docs/api").body)
	doc, err := openapi3.NewLoader().LoadFromData(openapi.YAML)
	if err != nil {
		t.Fatal(err)
	}
	listed := 0
	for path, item := range doc.Paths.Map() {
		for method, o := range item.Operations() {
			listed++
			row := "<td>" + method + `</td><th scope="row"><code>` + path + "</code></th><td>" + html.EscapeString(o.Summary) + "</td>"
			if !strings.Contains(page, row) {
				t.Errorf("the page lacks %s", row)
			}
		}
	}
	if rows := strings.Count(page, `<th scope="row"><code>`); rows != listed || rows < 30 {
		t.Errorf("%d rows for %d operations", rows, listed)
	}
}

// TestAPIDocsFiles: the API documentation and everything it loads are served from this service
// and do not count towards the limit. What the page loads can be cached forever. Package site
// tests the page in a browser.
func TestAPIDocsFiles(t *testing.T) {
	s := serveFew(t, Options{LimitAnonymous: 1})
	page := s.ask(t, "GET", "/docs/api")
	policy := page.header.Get("Content-Security-Policy")
	if page.status != 200 || !strings.HasPrefix(policy, "default-src 'none';") || strings.Contains(policy, "unsafe") || strings.Contains(policy, "*") {
		t.Errorf("%d %v", page.status, page.header)
	}
	if a := s.ask(t, "GET", "/docs/api", "If-None-Match", page.header.Get("Etag")); a.status != 304 {
		t.Errorf("%d with its own entity tag", a.status)
	}
	if !strings.Contains(string(s.ask(t, "GET", "/").body), `href="/docs/api"`) {
		t.Error("the first page does not link there")
	}
	for _, path := range []string{"/docs/api/"} {
		if a := s.ask(t, "GET", path); a.status != 301 || a.header.Get("Location") != "/docs/api" {
			t.Errorf("%s: %d %v", path, a.status, a.header)
		}
	}
	var kinds []string
	for _, m := range regexp.MustCompile(`(?:src|href)="([^"]*)"`).FindAllSubmatch(page.body, -1) {
		path := string(m[1])
		if !strings.HasPrefix(path, "/docs/api/") {
			metered := strings.HasPrefix(path, "/api/") && !strings.HasPrefix(path, "/api/openapi")
			if path = strings.TrimPrefix(html.UnescapeString(path), s.url); metered || path == "#main" {
				continue
			}
			if a := s.ask(t, "GET", path); a.status != 200 {
				t.Errorf("the page links to %s: %d", path, a.status)
			}
			continue
		}
		plain := s.ask(t, "GET", path)
		kinds = append(kinds, plain.header.Get("Content-Type"))
		if plain.status != 200 || len(plain.body) == 0 || plain.header.Get("Cache-Control") != "public, max-age=31536000, immutable" || plain.header.Get("X-Ratelimit-Limit") != "" {
			t.Errorf("%s: %d %v", path, plain.status, plain.header)
		}
		small := s.ask(t, "GET", path, "Accept-Encoding", "gzip, br, zstd")
		if small.header.Get("Content-Encoding") != "gzip" || !bytes.Equal(decode(t, "gzip", small.body), plain.body) {
			t.Errorf("%s compressed: %d %v", path, small.status, small.header)
		}
		if a := s.ask(t, "GET", path, "If-None-Match", small.header.Get("Etag"), "Accept-Encoding", "gzip"); a.status != 304 {
			t.Errorf("%s: %d with its own entity tag", path, a.status)
		}
	}
	slices.Sort(kinds)
	want := []string{"text/css; charset=utf-8", "text/css; charset=utf-8", "text/javascript; charset=utf-8", "text/javascript; charset=utf-8"}
	if !slices.Equal(kinds, want) {
		t.Errorf("the page loads %s", kinds)
	}
	for _, path := range []string{"/docs/api/swagger-ui.css", "/docs/api/begin.00000000.js", "/docs/api/..%2Fhome.html", "/docs/other"} {
		if a := s.ask(t, "GET", path); a.status != 404 || a.header.Get("Content-Type") != "application/problem+json" {
			t.Errorf("%s: %d %v", path, a.status, a.header)
		}
	}
}
