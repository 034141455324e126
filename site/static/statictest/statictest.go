// Package statictest serves the static site of a build on loopback, for tests.
package statictest

import (
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"testing"

	"kindex/builder/suite"
	"kindex/site/pages"
	"kindex/site/static"
)

// Site is a static site, served until its test ends.
type Site struct {
	URL string // http://127.0.0.1:port
	Dir string
}

// Serve writes the static site of the published build in a folder, and serves it like any
// file host. A named site knows its URL, so it has canonical URLs, a sitemap and an image
// for each entity. In CI, it is an error if MiniSearch is missing.
func Serve(t testing.TB, out string, named bool) *Site {
	t.Helper()
	if !pages.Searchable() {
		suite.NotRun(t, "MiniSearch is missing; make site/pages/npm/minisearch.js fetches it")
	}
	dir := filepath.Join(t.TempDir(), "site")
	server := httptest.NewServer(http.FileServer(http.Dir(dir)))
	t.Cleanup(server.Close)
	o := static.Options{Out: out, Dir: dir}
	if named {
		o.URL = server.URL
	}
	if _, err := static.Write(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	return &Site{server.URL, dir}
}
