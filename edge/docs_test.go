package edge

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"testing"

	"kindex/edge/openapi"
)

// TestAPIDocs: without scripts, the API documentation lists every operation in the description. The page and
// everything it loads are served from this service and do not count towards the limit; what it loads can be
// cached forever. Package site/docs tests the page in a browser.
func TestAPIDocs(t *testing.T) {
	s := serveFew(t, Options{LimitAnonymous: 1})
	page := s.ask(t, "GET", "/docs/api")
	policy := page.header.Get("Content-Security-Policy")
	if page.status != 200 || !strings.HasPrefix(policy, "default-src 'none';") || strings.Contains(policy, "unsafe") || strings.Contains(policy, "*") {
		t.Errorf("%d %v", page.status, page.header)
	}
	for _, o := range openapi.Operations() {
		if row := "<td>" + o.Method + `</td><th scope="row"><code>` + o.Path + "</code></th>"; !strings.Contains(string(page.body), row) {
			t.Errorf("the page lacks %s", row)
		}
	}
	if a := s.ask(t, "GET", "/docs/api/"); a.status != 301 || a.header.Get("Location") != "/docs/api" {
		t.Errorf("%d %v", a.status, a.header)
	}
	var kinds []string
	for _, m := range regexp.MustCompile(`(?:src|href)="(/docs/api/[^"]*)"`).FindAllSubmatch(page.body, -1) {
		path := string(m[1])
		plain := s.ask(t, "GET", path)
		kinds = append(kinds, plain.header.Get("Content-Type"))
		if plain.status != 200 || len(plain.body) == 0 || plain.header.Get("Cache-Control") != "public, max-age=31536000, immutable" || plain.header.Get("X-Ratelimit-Limit") != "" {
			t.Errorf("%s: %d %v", path, plain.status, plain.header)
		}
		small := s.ask(t, "GET", path, "Accept-Encoding", "gzip, br, zstd")
		if small.header.Get("Content-Encoding") != "gzip" || !bytes.Equal(decode(t, "gzip", small.body), plain.body) {
			t.Errorf("%s compressed: %d %v", path, small.status, small.header)
		}
	}
	slices.Sort(kinds)
	if want := []string{"text/css; charset=utf-8", "text/css; charset=utf-8", "text/javascript; charset=utf-8", "text/javascript; charset=utf-8"}; !slices.Equal(kinds, want) {
		t.Errorf("the page loads %s", kinds)
	}
	for _, path := range []string{"/docs/api/swagger-ui.css", "/docs/api/..%2Fhome.html"} {
		if a := s.ask(t, "GET", path); a.status != 404 || a.header.Get("Content-Type") != "application/problem+json" {
			t.Errorf("%s: %d %v", path, a.status, a.header)
		}
	}
}
