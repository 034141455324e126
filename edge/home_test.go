package edge

import (
	"strings"
	"testing"

	"kindex/edge/signin"
)

// TestHomeLeadsToSignIn: the first page leads to the page for signing in where there
// is one, and nowhere else.
func TestHomeLeadsToSignIn(t *testing.T) {
	for client, want := range map[string]int{"": 0, "an-id": 1} {
		o := Options{URL: "http://127.0.0.1:1"}
		if client != "" {
			o.SignIn = signin.Options{GitHub: signin.GitHub{Client: client, Secret: "hush"}}
		}
		page := string(serveFew(t, o).ask(t, "GET", "/").body)
		if got := strings.Count(page, `href="/signin"`); got != want || !strings.Contains(page, "<!doctype html>") || !strings.HasSuffix(page, "</html>\n") {
			t.Errorf("client %q: %d links to /signin in %s", client, got, page)
		}
	}
}
