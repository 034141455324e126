// Package journeys_test goes through the website as people do, in a browser: a
// visitor, a developer, somebody with a webhook. How somebody contributes an entity
// is a test of cmd/kindex, whose commands that takes.
package journeys_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"

	"kindex/builder/static"
	"kindex/edge"
	"kindex/edge/edgetest"
	"kindex/edge/edgetest/browser"
	"kindex/exports"
	"kindex/site/pages"
)

func TestMain(m *testing.M) { browser.Main(m, edgetest.Stop) }

// The windows that pages are looked at in.
const (
	phone   = 390
	desktop = 1440
	height  = 900
)

// TestVisitor goes the same way on both kinds of the website.
func TestVisitor(t *testing.T) {
	if testing.Short() {
		t.Skip("slow: make test runs it")
	}
	t.Run("edge", func(t *testing.T) {
		t.Parallel()
		visit(t, edgetest.Start(t, edge.Options{}).URL, true)
	})
	t.Run("static", func(t *testing.T) {
		t.Parallel()
		visit(t, serveFiles(t), false)
	})
}

// serveFiles writes the website as files, and serves them as any host of files does.
func serveFiles(t *testing.T) string {
	t.Helper()
	if !pages.Searchable() {
		if os.Getenv("CI") != "" {
			t.Fatal("MiniSearch is needed: make site/pages/npm/minisearch.js")
		}
		t.Skip("NOT RUN: MiniSearch is missing; make test-tools installs it")
	}
	dir := filepath.Join(t.TempDir(), "site")
	server := httptest.NewServer(http.FileServer(http.Dir(dir)))
	t.Cleanup(server.Close)
	if _, err := static.Write(t.Context(), static.Options{Out: edgetest.Built(t), Dir: dir, URL: server.URL}); err != nil {
		t.Fatal(err)
	}
	return server.URL
}

// known is an entity as the build has it.
func known(t *testing.T, typ, slug string) *exports.Entity {
	t.Helper()
	b, err := exports.OpenCurrent(edgetest.Built(t))
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	ordinal, _, ok := b.Find(typ, slug)
	if !ok {
		t.Fatalf("there is no %s/%s", typ, slug)
	}
	e, err := b.Entity(ordinal)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// view is a browser as somebody has it.
type view struct {
	scheme string
	width  int64
}

func (v view) String() string { return fmt.Sprintf("%s, %d wide", v.scheme, v.width) }

// views are all, the first of which is that of the journeys.
var views = []view{{"light", desktop}, {"dark", desktop}, {"dark", phone}, {"light", phone}}

func (v view) set(t *testing.T, tab *browser.Tab) {
	t.Helper()
	tab.Do(t, chromedp.EmulateViewport(v.width, height), browser.Prefers("prefers-color-scheme", v.scheme))
}

// everywhere opens pages of a journey in the views that it was not made in: each is
// as light or dark as it should be, and fits its window.
func everywhere(t *testing.T, tab *browser.Tab, base string, paths []string) {
	t.Helper()
	for _, v := range views[1:] {
		v.set(t, tab)
		for _, path := range paths {
			tab.Load(t, chromedp.Navigate(base+path))
			for _, wide := range tab.Overflowing(t) {
				t.Errorf("%s, %v: beyond the window is %s", path, v, wide)
			}
			if dark := browser.Eval[bool](t, tab, lightness+" < 0.5"); dark != (v.scheme == "dark") {
				t.Errorf("%s, %v: it is dark: %v", path, v, dark)
			}
		}
	}
}

// lightness is that of the paper, from 0 to 1.
const lightness = `(c => (Number(c[0]) + Number(c[1]) + Number(c[2])) / 765)(getComputedStyle(document.body).backgroundColor.match(/[\d.]+/g))`
