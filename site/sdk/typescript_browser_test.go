package sdk_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"kindex/builder/suite"
	"kindex/edge"
	"kindex/edge/edgetest"
	"kindex/edge/edgetest/browser"
)

// inBrowser loads the client into a page of Chromium as plain modules. The page has a
// different origin from the edge. The README's page is opened too.
func (p *project) inBrowser(t *testing.T, dir string) {
	t.Helper()
	record := &recorder{}
	e := edgetest.Start(t, edge.Options{Dir: dir, LimitKey: 1000, LimitAnonymous: 1000}, record.wrap)
	write(t, filepath.Join(p.dir, "page.html"), `<!doctype html><link rel="icon" href="data:,"><script type="importmap">{"imports": {"kindex": "/node_modules/kindex/dist/index.js"}}</script>`)
	write(t, filepath.Join(p.dir, "readme.html"), readmePage(t, e))
	pages := httptest.NewServer(http.FileServer(http.Dir(p.dir)))
	t.Cleanup(pages.Close)
	tab := browser.Open(t, 800, 600)

	given := suite.Must(json.Marshal(signed(map[string]any{"baseUrl": e.URL, "apiKey": e.Key(t, "acme")})))(t)
	tab.Do(t, chromedp.Navigate(pages.URL+"/page.html"))
	got := browser.Run(t, tab, chromedp.Evaluate[map[string]any](fmt.Sprintf(`import('/browser.js').then(m => m.run(%s))`, given), chromedp.EvalAwaitPromise))
	want := map[string]any{
		"name": "PyTorch", "cost of asking again": 0.0, "tier": "anonymous", "all": true, "rows": 100.0,
		"renamed": "tensor-layer", "error": "/api/entity/tool/pytorch",
		"keys": []any{"first"}, "tier with the key": "authenticated", "renamed with the key": "tensor-layer",
		"webhook": "webhook.test", "forged": "WebhookVerificationError",
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("the page got\n%v, want\n%v", got, want)
	}
	if !slices.ContainsFunc(record.asked, func(r string) bool { return strings.HasPrefix(r, "OPTIONS ") }) {
		t.Error("the browser sent no CORS preflight, so the page has the same origin")
	}

	tab.Do(t, chromedp.Navigate(pages.URL+"/readme.html"))
	shown := browser.Run(t, tab, chromedp.Evaluate[string](`new Promise(done => {
		const look = () => document.body?.textContent.includes(', ') ? done(document.body.textContent) : setTimeout(look, 50);
		look();
	})`, chromedp.EvalAwaitPromise))
	if want := bestTools(t, e, 3); !strings.Contains(shown, want) {
		t.Errorf("the README's page shows %q, want %q", shown, want)
	}
}

// bestTools returns the names of the first n tools on the leaderboard of all categories.
func bestTools(t *testing.T, e *edgetest.Edge, n int) string {
	t.Helper()
	answer := suite.Must(http.Get(fmt.Sprintf("%s/api/leaderboard/all?type=tool&limit=%d", e.URL, n)))(t)
	defer answer.Body.Close()
	var board struct{ Data []struct{ Name string } }
	if err := json.NewDecoder(answer.Body).Decode(&board); err != nil || len(board.Data) != n {
		t.Fatalf("%d tools, want %d: %v", len(board.Data), n, err)
	}
	names := make([]string, n)
	for i, d := range board.Data {
		names[i] = d.Name
	}
	return strings.Join(names, ", ")
}

// readmePage returns the HTML page in the README.
func readmePage(t *testing.T, e *edgetest.Edge) string {
	t.Helper()
	for _, b := range edgetest.Blocks(t, typescriptReadme) {
		if b.Language == "html" {
			return strings.ReplaceAll(b.Text, "http://127.0.0.1:8080", e.URL)
		}
	}
	t.Fatal("the README contains no page")
	return ""
}

// signed adds a signed webhook delivery and its secret to given.
func signed(given map[string]any) map[string]any {
	key, body := []byte("thirty-two bytes are what it has"), `{"id": "evt_a", "event": "webhook.test"}`
	at := fmt.Sprint(time.Now().Unix())
	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "evt_a.%s.%s", at, body)
	given["secret"], given["body"] = "whsec_"+base64.StdEncoding.EncodeToString(key), body
	given["headers"] = map[string]string{"webhook-id": "evt_a", "webhook-timestamp": at,
		"webhook-signature": "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))}
	return given
}
