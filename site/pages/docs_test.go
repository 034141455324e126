package pages_test

import (
	"slices"
	"strings"
	"testing"

	"kindex/builder/suite"
	"kindex/site/pages"
)

// TestGuidesNameTheService: the examples in guides use the service that shows them, except on pages
// about the machine on which it listens.
func TestGuidesNameTheService(t *testing.T) {
	suite.InTest(t)
	t.Parallel()
	const base = "https://tools.example.net"
	served := siteOf(t, pastBuild(t), pages.Options{Base: base})
	file := siteOf(t, pastBuild(t), pages.Options{Static: true, Base: "https://files.example.net", API: base})
	own := 0
	for _, path := range pathsOf(t, file, func(path string) bool { return path == "/" || path == "/docs/" }) {
		if !strings.HasPrefix(path, "/docs/") || path == "/docs/" {
			continue
		}
		if slices.Contains([]string{"/docs/deploying/", "/docs/operating/", "/docs/releases/", "/docs/scaling/"}, path) {
			continue
		}
		for _, s := range []*pages.Site{served, file} {
			body := htmlAt(t, s, path)
			for _, other := range []string{"127.0.0.1:8080", "index.example.org", "with the address of your service"} {
				if strings.Contains(body, other) {
					t.Errorf("%s contains %s", path, other)
				}
			}
			own += strings.Count(body, base+"/api/")
		}
	}
	if own < 100 {
		t.Errorf("the guides have only %d examples with the address of the service", own)
	}
	if body := htmlAt(t, served, "/docs/operating/"); !strings.Contains(body, "proxy_pass http://127.0.0.1:8080;") {
		t.Error("the proxy leads elsewhere")
	}
	if body := htmlAt(t, siteOf(t, pastBuild(t), pages.Options{Static: true}), "/docs/tour/"); !strings.Contains(body, "http://127.0.0.1:8080/api/") {
		t.Error("without a service, the examples have no address")
	}
}
