package edge

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"kindex/builder/suite"
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
	s.ask(t, "GET", "/docs/api/").want(t, 301).wantHeader(t, "Location", "/docs/api")
	var kinds []string
	for _, m := range regexp.MustCompile(`(?:src|href)="(/docs/api/[^"]*)"`).FindAllSubmatch(page.body, -1) {
		path := string(m[1])
		plain := s.ask(t, "GET", path)
		kinds = append(kinds, plain.header.Get("Content-Type"))
		if plain.status != 200 || len(plain.body) == 0 || plain.header.Get("Cache-Control") != "public, max-age=31536000, immutable" || plain.header.Get("X-Ratelimit-Limit") != "" {
			t.Errorf("%s: %d %v", path, plain.status, plain.header)
		}
		small := s.ask(t, "GET", path, "Accept-Encoding", "gzip, br, zstd")
		suite.Equal(t, small.header.Get("Content-Encoding"), "gzip", path, "compressed", small.status)
		suite.Equal(t, decode(t, "gzip", small.body), plain.body, path, "compressed", small.status, small.header)
	}
	slices.Sort(kinds)
	suite.Equal(t, kinds, []string{"text/css; charset=utf-8", "text/css; charset=utf-8", "text/javascript; charset=utf-8", "text/javascript; charset=utf-8"}, "the page loads")
	for _, path := range []string{"/docs/api/swagger-ui.css", "/docs/api/..%2Fhome.html"} {
		s.ask(t, "GET", path).want(t, 404).wantHeader(t, "Content-Type", "application/problem+json")
	}
}
