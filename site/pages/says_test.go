package pages_test

import (
	"fmt"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"kindex/builder/suite"
	"kindex/edge/edgetest"
	"kindex/site/pages"
)

// folder is the URL of a site in a folder.
const folder = "https://ada.example/mod%C3%A8les%20ml"

// sites are the sites that the pages in testdata/says are of.
var sites = map[string]pages.Options{
	"served": {Base: base}, "nowhere": {}, "static": {Static: true}, "folder": {Static: true, Root: "/modèles ml/", Base: folder},
	"withAPI": {Static: true, API: "https://api.example.org", Base: base}, "operated": {Contact: "operator@example.org"}, "limited": {LimitAnonymous: 20},
	"signIn": {SignIn: true, LimitKey: 1234}, "signInLimited": {SignIn: true, LimitAnonymous: 20, LimitKey: 1234},
}

// TestPagesSay reads pages of small contents. Each file in testdata/says has the content, or that for tests, and in
// the file pages the addresses with their site, and what the main part of each has or lacks; "page has" and "page
// lacks" are about all of it.
func TestPagesSay(t *testing.T) {
	t.Parallel()
	names, err := filepath.Glob("testdata/says/*.txtar")
	if err != nil || len(names) < 10 {
		t.Fatal(names, err)
	}
	for _, name := range names {
		archive := suite.Must(txtar.ParseFile(name))(t)
		files, list := map[string]string{}, ""
		for _, f := range archive.Files {
			if f.Name == "pages" {
				list = string(f.Data)
			} else {
				files[f.Name] = string(f.Data)
			}
		}
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			t.Parallel()
			out := edgetest.Built(t)
			if len(files) > 0 {
				out = builtOf(t, files)
			}
			checkSays(t, out, strings.NewReplacer("TODAY", edgetest.Today().Format("2 Jan 2006"), "LONG", strings.Repeat("x", 10_000)).Replace(list))
		})
	}
}

func checkSays(t *testing.T, out, list string) {
	t.Helper()
	opened, checked, body, main, at := map[string]*pages.Site{}, 0, "", "", ""
	for line := range strings.Lines(list) {
		line = strings.TrimRight(line, "\n")
		verb, text, _ := strings.Cut(strings.TrimPrefix(line, "\t"), " ")
		if !strings.HasPrefix(line, "\t") {
			o, known := sites[verb]
			if !known {
				t.Fatalf("%s: no such site", line)
			}
			if opened[verb] == nil {
				opened[verb] = siteOf(t, out, o)
			}
			path, status, _ := strings.Cut(text, " ")
			a := pageAt(t, opened[verb], path)
			if want := max(http.StatusOK, atoi(status)); a.Status != want {
				t.Errorf("%s: %d", line, a.Status)
			}
			body, main, at = string(a.Body), string(a.Body), line
			if _, within, ok := strings.Cut(body, "<main"); ok {
				main, _, _ = strings.Cut(within, "</main>")
			}
			continue
		}
		within := main
		if verb == "page" {
			within = body
			verb, text, _ = strings.Cut(text, " ")
		}
		if verb != "has" && verb != "lacks" || text == "" {
			t.Fatalf("%s: neither has nor lacks anything", line)
		}
		if checked++; strings.Contains(within, text) != (verb == "has") {
			t.Errorf("%s: want %s %q:\n%s", at, verb, text, within)
		}
	}
	if checked == 0 {
		t.Error("nothing is checked")
	}
}

func atoi(s string) (n int) {
	_, _ = fmt.Sscan(s, &n)
	return n
}

// builtOf builds files of content and returns the output folder.
func builtOf(t *testing.T, files map[string]string) string {
	t.Helper()
	content, out := t.TempDir(), t.TempDir()
	suite.Write(t, content, files)
	edgetest.Build(t, content, out)
	return out
}

// pageAt requests the page at a path with a query.
func pageAt(t *testing.T, s *pages.Site, address string) *pages.Answer {
	t.Helper()
	u := suite.Must(url.Parse(address))(t)
	return suite.Must(s.Get(pages.Request{Path: u.Path, Query: u.Query(), Base: s.Base}))(t)
}
