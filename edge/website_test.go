package edge

import (
	"encoding/json"
	"strings"
	"testing"

	"kindex/builder/suite"
	"kindex/edge/web"
)

// TestNothingThere requests missing pages in the same way as browsers, programs and people at a
// terminal. Clients that prefer HTML must get HTML and all others a problem document, whether
// the page never existed or was deleted.
func TestNothingThere(t *testing.T) {
	suite.InTest(t)
	s, _ := serveHistory(t, "2026-11-01", Options{})
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
		if a := s.ask(t, "GET", "/tool/n1/", "Accept", accept); a.status != 200 || a.header.Get("Content-Type") != page {
			t.Errorf("existing page, Accept %q: %d %s", accept, a.status, a.header.Get("Content-Type"))
		}
	}
}

// TestAttackRedirects: text from the requested address is escaped in a redirect, so that it can
// end neither the header nor the path.
func TestAttackRedirects(t *testing.T) {
	s := serveFew(t, Options{})
	for _, path := range []string{
		"/trending/window-7d/type-%3F%0D%0AX-Injected:%201/", "/trending/window-7d/type-%23%02/",
		"/leaderboards/alpha/type-tool/by-composite/at-%3F%1B/", "/leaderboards/%0A%23/by-composite/",
	} {
		a := s.ask(t, "GET", path)
		to := a.header.Get("Location")
		if i := strings.IndexFunc(to, func(c rune) bool { return c <= ' ' || c >= 0x7f || c == '?' || c == '#' }); i >= 0 || a.header.Get("X-Injected") != "" {
			t.Errorf("%s redirects to %q", path, to)
		}
		if a.status != 301 && a.status != 404 {
			t.Errorf("%s: %d", path, a.status)
		}
	}
}
