package pages_test

import (
	"bytes"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"kindex/builder/suite"
	"kindex/edge/edgetest"
	"kindex/exports/kinds"
	"kindex/exports/record"
	"kindex/site/pages"
)

var versionLine = regexp.MustCompile(`(?m)^version: .*`)

// departed returns an output folder whose build has a history. spacy and keras were renamed:
// the renaming of spacy is visible only in the git history, while the file of keras lists the
// earlier slug. tensorlayer was deleted, and pytorch has more changes than a page shows.
func departed(t *testing.T) (out string) {
	t.Helper()
	content := edgetest.Content(t)
	in := func(name string) string { return filepath.Join(content, "tool", name+".yaml") }
	torch := suite.Must(os.ReadFile(in("pytorch")))(t)
	for i := range 19 {
		suite.Check(t, os.WriteFile(in("pytorch"), versionLine.ReplaceAll(torch, fmt.Appendf(nil, "version: 3.%d", i)), 0o644))
		edgetest.Commit(t, filepath.Dir(content), 40-i) // a commit may have a later date than the commits that follow it
	}
	keras := suite.Must(os.ReadFile(in("keras")))(t)
	suite.Check(t, os.WriteFile(filepath.Join(content, "index.yaml"), []byte("title: The <Index>\ndescription: All there is.\nrepository: https://github.com/example/index\n"), 0o644))
	suite.Check(t, os.Remove(in("keras")))
	suite.Check(t, os.WriteFile(in("keras-three"), append(keras, "formerly: [keras]\n"...), 0o644))
	spacy := suite.Must(os.ReadFile(in("spacy")))(t)
	suite.Check(t, os.Remove(in("spacy")))
	suite.Check(t, os.WriteFile(in("spacy-nlp"), append(slices.Clone(spacy), "formerly: [spacy]\n"...), 0o644))
	suite.Check(t, os.Remove(in("tensorlayer")))
	edgetest.Commit(t, filepath.Dir(content), 1)
	suite.Check(t, os.WriteFile(in("spacy-nlp"), spacy, 0o644))
	edgetest.Commit(t, filepath.Dir(content), 1)
	out = t.TempDir()
	edgetest.Build(t, content, out)
	return out
}

func TestDeparted(t *testing.T) {
	suite.InTest(t)
	t.Parallel()
	out := departed(t)
	s := siteOf(t, out, pages.Options{})
	yesterday := edgetest.Today().AddDate(0, 0, -1).Format(time.DateOnly)
	for path, want := range map[string]string{
		"/tool/keras/": "/tool/keras-three/", "/tool/spacy/": "/tool/spacy-nlp/", "/tool/spacy": "/tool/spacy/",
		"/tool/spacy/history/": "/tool/spacy-nlp/history/", "/tool/pytorch/entity.md": "/api/entity/tool/pytorch.md",
	} {
		if a := get(t, s, path); a.Status != http.StatusMovedPermanently || a.Location != want {
			t.Errorf("%s: %d %s, want %s", path, a.Status, a.Location, want)
		}
	}
	gone := get(t, s, "/tool/tensorlayer/")
	p := parse(t, gone.Body)
	if gone.Status != http.StatusGone || len(p.all(inClass("told-deleted"))) != 1 || len(p.all(inClass("told-created"))) != 1 || len(p.all(inClass("told-updated"))) != 1 ||
		!strings.Contains(p.text(), "TensorLayer was deleted") || len(p.all(func(n *node) bool { return n.attr["datetime"] == yesterday })) == 0 {
		t.Errorf("deleted entity: %d\n%s", gone.Status, p.text())
	}
	if a := get(t, s, "/tool/pytorhc/"); a.Status != http.StatusNotFound || !parse(t, a.Body).links()["/tool/pytorch/"] {
		t.Errorf("a slip: %d", a.Status)
	}
	for _, path := range []string{"/tool/nothing-like-it/", "/tool/pytorch/history/page-1/", "/tool/pytorch/history/page-99/", "/tool/pytorch/history/page-02/",
		"/tool/pytorch/at-2026-02-30/", "/tool/pytorch/at-1999-01-01/", "/tool/pytorch/at-9999-01-01/", "/tool/nothing-like-it/history/", "/robot/pytorch/",
		"/tool/pytorch/entity.json", "/og/tool/nothing-like-it.png", "/og/tool/pytorch", "/og/other.png"} {
		if a := get(t, s, path); a.Status != http.StatusNotFound || a.MediaType != "text/html; charset=utf-8" {
			t.Errorf("%s: %d", path, a.Status)
		}
	}
	t.Run("history", func(t *testing.T) { checkHistory(t, s, "tool", "pytorch") })
	t.Run("past", func(t *testing.T) { checkPast(t, s, yesterday) })
	t.Run("files", func(t *testing.T) { checkFiles(t, out) })
	t.Run("feeds and badges", func(t *testing.T) { checkFeedsAndBadges(t, s, out) })
}

func inClass(class string) func(*node) bool {
	return func(n *node) bool { return slices.Contains(strings.Fields(n.attr["class"]), class) }
}

// checkHistory reads all pages of an entity's history.
func checkHistory(t *testing.T, s *pages.Site, typ, slug string) {
	o, _, _ := s.Build.Find(typ, slug)
	newest, _ := s.Build.History().NewestOf(o)
	changes := s.Build.History().EntityChanges(newest)
	slices.Reverse(changes)
	path := "/" + typ + "/" + slug + "/"
	page := parse(t, get(t, s, path).Body)
	seen := 0
	for path != "" {
		for _, n := range page.all(inClass("told-change")) {
			c := s.Build.History().Change(int(changes[seen]))
			if n.attr["id"] != "change-"+c.ID || !strings.Contains(n.text(), c.Author) || !n.links()["https://github.com/example/index/commit/"+c.Commit] {
				t.Errorf("%s: change %d is %s, the page shows %s: %s", path, seen, c.ID, n.attr["id"], n.text())
			}
			for _, f := range c.Fields {
				if f.Field == "version" && (c.Event == record.Updated && !strings.Contains(n.text(), strings.Trim(string(f.Old), `"`)) || !strings.Contains(n.text(), strings.Trim(string(f.New), `"`))) {
					t.Errorf("%s: change %d: %s is missing", path, seen, f.New)
				}
			}
			seen++
		}
		path = ""
		for _, n := range page.named("a") {
			if n.attr["rel"] == "next" {
				path = n.attr["href"]
				page = parse(t, get(t, s, path).Body)
			}
		}
	}
	if seen != len(changes) || seen < 21 {
		t.Errorf("%d of %d changes are shown", seen, len(changes))
	}
}

// checkPast compares pages of earlier days with their snapshots.
func checkPast(t *testing.T, s *pages.Site, deleted string) {
	a := s.Build.History()
	for _, day := range a.Snapshots() {
		past := viewOf(t, s.Build, day)
		for o := uint32(0); o < uint32(past.Len()); o += 97 {
			e := past.Entity(o)
			path := "/" + e.Key() + "/at-" + day + "/"
			answer := get(t, s, path)
			p := parse(t, answer.Body)
			number := p.all(inClass("entity-number"))
			if answer.Status != http.StatusOK || !strings.Contains(p.text(), "as of the end of") || !bytes.Contains(answer.Body, []byte(`<meta name="robots" content="noindex">`)) {
				t.Errorf("%s: %d", path, answer.Status)
			}
			if known := e.Scores.Composite.Known(); known != (len(number) == 1) || known && !strings.HasPrefix(number[0].text(), e.Scores.Composite.String()) {
				t.Errorf("%s: the score was %q", path, e.Scores.Composite)
			}
		}
	}
	before, _ := time.Parse(time.DateOnly, deleted)
	path := "/tool/tensorlayer/at-" + before.AddDate(0, 0, -1).Format(time.DateOnly) + "/"
	if p := get(t, s, path); p.Status != http.StatusOK {
		t.Errorf("%s: %d, although it still existed", path, p.Status)
	}
	if p := get(t, s, "/tool/tensorlayer/at-"+deleted+"/"); p.Status != http.StatusGone {
		t.Errorf("on the day it was deleted: %d", p.Status)
	}
	then := parse(t, get(t, s, "/tool/spacy/at-"+a.FirstDay()+"/").Body)
	if !then.links()["/tool/spacy-nlp/"] {
		t.Errorf("the earlier spacy does not link to its current page")
	}
}

// checkFiles renders all pages about entities on a static site and checks that none links
// to the API or to earlier days. TestEveryLinkLeadsSomewhere of site/static follows their links.
func checkFiles(t *testing.T, out string) {
	s := siteOf(t, out, pages.Options{Static: true, Root: "/index/", Base: "https://ada.example/index"})
	ours := []string{"keras", "spacy", "tensorlayer", "pytorch"}
	written := pathsOf(t, s, func(path string) bool {
		return path == "/" || slices.ContainsFunc(ours, func(slug string) bool { return strings.HasPrefix(path, "/tool/"+slug+"/") })
	})
	for _, path := range []string{"/tool/keras/", "/tool/spacy/", "/tool/tensorlayer/", "/tool/pytorch/history/page-2/", "/tool/pytorch/entity.md", "/tool/pytorch/history.json", "/og/tool/pytorch.png"} {
		if !slices.Contains(written, path) {
			t.Errorf("a static site has no %s", path)
		}
	}
	for n, path := range written {
		parts := strings.Split(path, "/")
		if !slices.Contains(kinds.Default().Names(), parts[1]) || n%11 > 0 && !slices.Contains(ours, parts[2]) {
			continue // a sample is enough
		}
		a := get(t, s, path)
		if a.Location == "" && a.Status != http.StatusOK && a.Status != http.StatusGone {
			t.Errorf("%s: %d", path, a.Status)
		}
		for _, of := range []string{`"/api/`, `(/api/`, "/index/api/", "/at-2", "/submit/?"} {
			if bytes.Contains(a.Body, []byte(of)) {
				t.Errorf("%s has a URL that is not written: %s", path, of)
			}
		}
	}
}
