package audit_test

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// The maximum compressed sizes, in bytes, of a page and of the scripts and styles it
// loads.
const (
	maxBytes  = 100_000
	maxLoaded = 60_000
)

// budgets checks that every kind of page is small, counting everything that it loads.
func (w *website) budgets(t *testing.T) {
	sizes := map[string]int{} // sizes of the loaded resources, by URL
	var table strings.Builder
	for _, k := range w.kinds(t) {
		if k.do != "" || !w.there(t, k) {
			continue
		}
		d := w.get(t, k.path, k.signedIn)
		page, code, pictures := w.sent(t, k.path, k.signedIn), 0, 0
		loads := d.loads()
		for _, to := range slices.Sorted(maps.Keys(loads)) {
			if sizes[to] == 0 {
				sizes[to] = w.sent(t, to, false)
			}
			if loads[to] == "img" {
				pictures += sizes[to]
			} else {
				code += sizes[to]
			}
		}
		fmt.Fprintf(&table, "%-16s %7d %7d %7d\n", k.name, page, code, pictures)
		if page > maxBytes {
			t.Errorf("%s: the page has %d bytes, compressed; want at most %d", k.name, page, maxBytes)
		}
		if code > maxLoaded || code == 0 {
			t.Errorf("%s: its styles and scripts have %d bytes, compressed; want at most %d", k.name, code, maxLoaded)
		}
	}
	t.Logf("bytes, compressed:\nkind                page    code pictures\n%s", table.String())
}

// loads returns the URLs of the resources that a browser loads with a page, each with the
// name of the element that refers to it.
func (d *document) loads() map[string]string {
	m := map[string]string{}
	for n := range d.nodes {
		switch {
		case n.Data == "script" && has(n, "src"), n.Data == "img":
			m[attr(n, "src")] = n.Data
		case has(n, "data-engine"): // loaded by the search in a browser
			m[attr(n, "data-engine")] = "script"
		case n.Data == "link" && (strings.Contains(attr(n, "rel"), "stylesheet") || strings.Contains(attr(n, "rel"), "icon")):
			m[attr(n, "href")] = n.Data
		}
	}
	return m
}

// sent returns the transfer size of a response.
func (w *website) sent(t *testing.T, path string, signedIn bool) int {
	t.Helper()
	d := w.get(t, path, signedIn, "Accept-Encoding", "gzip")
	if d.status >= 500 || len(d.body) == 0 {
		t.Errorf("%s answers %d with %d bytes", path, d.status, len(d.body))
	}
	if w.static() { // whether responses are compressed is up to the file host
		return zipped(t, d.body)
	}
	// Pages with a form token are not compressed: their length would leak it (BREACH).
	secret := signedIn || path == "/signin" || path == "/developer/"
	if d.header.Get("Content-Encoding") != "gzip" && len(d.body) > 2000 && !secret && !strings.HasPrefix(d.header.Get("Content-Type"), "image/png") && d.status == http.StatusOK {
		t.Errorf("%s is not compressed", path)
	}
	return len(d.body)
}
