// Package statictest gives tests the website of a build as plain files, which a host
// of files serves on loopback.
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

// Site is a static site that is served until its test ends.
type Site struct {
	URL string // http://127.0.0.1:port
	Dir string
}

// Serve writes the website of the build that is published in a folder, and serves it
// as any host of files does. A named site is told its address, and has what needs it:
// canonical addresses, a map, a picture of each entity. In CI a program without
// MiniSearch is a failure.
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
