package audit_test

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"kindex/builder/suite"
	"kindex/edge"
	"kindex/edge/edgetest"
	"kindex/edge/edgetest/browser"
)

// TestPrivateIndexInABrowser checks which web pages can read an index that runs on the user's
// own machine. A page on another loopback port can read it. An attacker's page cannot, either
// from its own origin or under a host name that the attacker resolves to the index.
func TestPrivateIndexInABrowser(t *testing.T) {
	suite.InTest(t)
	t.Parallel()
	index := edgetest.Start(t, edge.Options{Dir: part.build(t)}).URL
	blank := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, "<!doctype html><title>page</title>")
	}))
	t.Cleanup(blank.Close)
	b := browser.Open(t, 800, 600)
	named := func(address string) string {
		_, port, err := net.SplitHostPort(strings.TrimPrefix(address, "http://"))
		suite.Check(t, err)
		return "http://" + net.JoinHostPort(browser.Stranger, port)
	}

	b.Load(t, chromedp.Navigate(blank.URL+"/"))
	for what, got := range lookAt(t, b, index) {
		if !strings.Contains(got, "pytorch") && !strings.Contains(got, "200") {
			t.Errorf("a page on another loopback port gets %s: %s\n%q", what, got, b.Said())
		}
	}

	b.Load(t, chromedp.Navigate(named(blank.URL)+"/"))
	readNothing(t, "a stranger's page", lookAt(t, b, index))

	// The index itself, requested under the attacker's host name, which the browser treats as
	// same-origin.
	b.Load(t, chromedp.Navigate(named(index)+"/"))
	if title := browser.Eval[string](t, b, "document.documentElement.textContent"); strings.Contains(strings.ToLower(title), "pytorch") {
		t.Errorf("under a stranger's name the index shows %.300s", title)
	}
	readNothing(t, "a page under a name that leads to the index", lookAt(t, b, named(index)))
}

// lookAt returns what a page receives from an index for each way of requesting it.
func lookAt(t *testing.T, b *browser.Tab, index string) map[string]string {
	t.Helper()
	return browser.Eval[map[string]string](t, b, `(async () => {
		const index = %q, message = JSON.stringify({jsonrpc: "2.0", id: 1, method: "tools/call", params: {name: "search", arguments: {query: "pytorch"}}})
		const read = (path, init) => fetch(index + path, init).then(async r => r.status + " " + r.type + " " + await r.text(), String)
		const picture = new Promise(done => {
			const i = new Image()
			i.onload = () => done("200 " + i.naturalWidth + " wide: pytorch")
			i.onerror = () => done("no picture")
			i.src = index + "/badge/tool/pytorch.svg"
		})
		return {
			record: await read("/api/entity/tool/pytorch"),
			search: await read("/api/search?q=pytorch", {headers: {"x-request-id": "mine"}}),
			file: await read("/api/export/entities?format=csv"),
			agent: await read("/mcp", {method: "POST", headers: {"content-type": "application/json"}, body: message}),
			picture: await picture,
		}
	})()`, index)
}

func readNothing(t *testing.T, who string, got map[string]string) {
	t.Helper()
	suite.Equal(t, len(got), 5, who, got)
	for what, text := range got {
		if strings.HasPrefix(text, "200") || strings.Contains(text, `"name"`) {
			t.Errorf("%s gets %s: %.200s", who, what, text)
		}
	}
}
