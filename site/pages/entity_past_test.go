package pages_test

import (
	"bytes"
	"fmt"
	"image/png"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"kindex/builder/suite"
	"kindex/edge"
	"kindex/edge/edgetest"
	"kindex/exports"
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
	must := func(err error) {
		suite.Check(t, err)
	}
	torch, err := os.ReadFile(in("pytorch"))
	must(err)
	for i := range 19 {
		must(os.WriteFile(in("pytorch"), versionLine.ReplaceAll(torch, fmt.Appendf(nil, "version: 3.%d", i)), 0o644))
		edgetest.Commit(t, filepath.Dir(content), 40-i) // a commit may have a later date than the commits that follow it
	}
	keras, err := os.ReadFile(in("keras"))
	must(err)
	must(os.WriteFile(filepath.Join(content, "index.yaml"), []byte("title: The <Index>\ndescription: All there is.\nrepository: https://github.com/example/index\n"), 0o644))
	must(os.Remove(in("keras")))
	must(os.WriteFile(in("keras-three"), append(keras, "formerly: [keras]\n"...), 0o644))
	spacy, err := os.ReadFile(in("spacy"))
	must(err)
	must(os.Remove(in("spacy")))
	must(os.WriteFile(in("spacy-nlp"), append(slices.Clone(spacy), "formerly: [spacy]\n"...), 0o644))
	must(os.Remove(in("tensorlayer")))
	edgetest.Commit(t, filepath.Dir(content), 1)
	must(os.WriteFile(in("spacy-nlp"), spacy, 0o644))
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
// to the API, to earlier days or to a missing file.
func checkFiles(t *testing.T, out string) {
	s := siteOf(t, out, pages.Options{Static: true, Root: "/index/", Base: "https://ada.example/index"})
	written := map[string]bool{}
	for _, path := range pathsOf(t, s, everything) {
		written["/index"+path] = true
	}
	for _, path := range []string{"/tool/keras/", "/tool/spacy/", "/tool/tensorlayer/", "/tool/pytorch/history/page-2/", "/tool/pytorch/entity.md", "/tool/pytorch/history.json", "/og/tool/pytorch.png"} {
		if !written["/index"+path] {
			t.Errorf("a static site has no %s", path)
		}
	}
	n := 0
	for _, path := range pathsOf(t, s, everything) {
		n++
		parts := strings.Split(path, "/")
		if !slices.Contains(kinds.Default().Names(), parts[1]) || n%11 > 0 && !slices.Contains([]string{"keras", "spacy", "tensorlayer", "pytorch"}, parts[2]) {
			continue // a sample is enough
		}
		a := get(t, s, path)
		if a.Location != "" {
			if !written[a.Location] {
				t.Errorf("%s links to %s, which does not exist", path, a.Location)
			}
			continue
		}
		if a.Status != http.StatusOK && a.Status != http.StatusGone {
			t.Errorf("%s: %d", path, a.Status)
		}
		for _, of := range []string{`"/api/`, `(/api/`, "/index/api/", "/at-2", "/submit/?"} {
			if bytes.Contains(a.Body, []byte(of)) {
				t.Errorf("%s has a URL that is not written: %s", path, of)
			}
		}
		if strings.HasSuffix(path, "/") {
			for link := range parse(t, a.Body).links() {
				to, _, _ := strings.Cut(link, "?") // of the search and the comparison
				copied := strings.HasPrefix(to, "/index/data/"+s.Build.Manifest.ID+"/") || strings.HasPrefix(to, "/index/feed.")
				if strings.HasPrefix(to, "/") && !written[to] && !copied {
					t.Errorf("%s links to %s, which does not exist", path, link)
				}
			}
		}
	}
}

// TestPictures requests all images at once.
func TestPictures(t *testing.T) {
	t.Parallel()
	s := siteOf(t, edgetest.Built(t), pages.Options{})
	paths := []string{"/og/index.png"}
	for o := range uint32(8) {
		typ, slug := s.Build.Key(o)
		paths = append(paths, "/og/"+typ+"/"+slug+".png", "/og/"+typ+"/"+slug+".png")
	}
	var asked sync.WaitGroup
	for _, path := range paths {
		asked.Go(func() {
			a, err := s.Get(pages.Request{Path: path})
			if err != nil {
				t.Error(err)
				return
			}
			c, err := png.DecodeConfig(bytes.NewReader(a.Body))
			if err != nil || a.MediaType != "image/png" || c.Width != 1200 || c.Height != 630 || a.Keep != time.Hour {
				t.Errorf("%s: %s of %d × %d to keep for %s: %v", path, a.MediaType, c.Width, c.Height, a.Keep, err)
			}
		})
	}
	asked.Wait()
}

// TestServedEntities checks, on an edge, deleted entities and the caching of images.
func TestServedEntities(t *testing.T) {
	t.Parallel()
	e := edgetest.Start(t, edge.Options{})
	for path, want := range map[string]struct {
		status int
		cache  string
	}{
		"/tool/pytorch/":      {http.StatusOK, "private, no-cache"},
		"/og/tool/keras.png":  {http.StatusOK, "public, max-age=3600"},
		"/og/index.png":       {http.StatusOK, "public, max-age=3600"},
		"/tool/no-such-thing": {http.StatusNotFound, ""},
	} {
		a := suite.Must(http.Get(e.URL + path))(t)
		a.Body.Close()
		if cache := a.Header.Get("Cache-Control"); a.StatusCode != want.status || want.cache != "" && cache != want.cache || a.Header.Get("RateLimit") != "" {
			t.Errorf("%s: %d, %q, want %v", path, a.StatusCode, cache, want)
		}
	}
}

// hostile is an entity with markup in every field. The content checks reject it, but pages
// must be safe even without those checks.
func hostile() *record.Entity {
	const markup = `"><script data-brought>alert(1)</script><img data-brought src=x onerror=alert(1)>'` + "\u202e\u2066\u200f" + `{{.}}</script>]]>`
	long := strings.Repeat("A very long name ", 640)
	e := &record.Entity{Type: "tool", Slug: "hostile", Name: long[:10_000] + markup, Provider: markup, Description: markup + strings.Repeat(markup, 200),
		Category: "ml-frameworks", Version: markup, PricingModel: markup, License: markup, URL: "javascript:alert(1)",
		Tags: []string{markup, "x/../y"}, Capabilities: []string{markup}, AddedDate: "2026-01-01", LastUpdated: "2026-01-01", Status: record.Deprecated}
	for i, to := range []string{"javascript:alert(1)", "data:text/html,<script>alert(1)</script>", "vbscript:x", "//evil.example/", "https://user:pass@evil.example/", `https://evil.example/"onload="x`,
		" javascript:alert(1)", "JaVaScRiPt:alert(1)", "file:///etc/passwd"} {
		e.Links = append(e.Links, record.Link{Name: kinds.Default().Links[i].Name, URL: to})
		e.Signals.Benchmarks = append(e.Signals.Benchmarks, record.Benchmark{Name: markup + to, Value: 1, Date: markup, Source: to})
	}
	e.Signals.Facts = []record.Fact{{Name: "downloads", Number: 1e15, Date: "2026-06-01", Source: "javascript:alert(1)"}, {Name: "lastRelease", Day: "2026-05-01", Date: "2026-06-01", Source: "data:," + markup},
		{Name: "stars", Number: 5, Date: "2026-06-01", Source: "javascript:alert(2)//https://x"}}
	for range 300 {
		e.Tags = append(e.Tags, markup)
		e.Signals.Benchmarks = append(e.Signals.Benchmarks, record.Benchmark{Name: long[:2000], Value: -1e300, Source: "https://a.example/" + long[:1000]})
	}
	return e
}

func TestHostileEntity(t *testing.T) {
	t.Parallel()
	e := hostile()
	s := siteOf(t, edgetest.Built(t), pages.Options{}, exports.Edit{Type: e.Type, Slug: e.Slug, Entity: e})
	a := get(t, s, "/tool/hostile/")
	if a.Status != http.StatusOK || zipped(a.Body) > 100_000 {
		t.Fatalf("%d, %d bytes compressed", a.Status, zipped(a.Body))
	}
	p := parse(t, a.Body)
	if len(p.with("data-brought"))+len(p.with("onerror"))+len(p.with("onload")) > 0 {
		t.Error("the entity added elements")
	}
	for _, n := range p.named("script") {
		if n.attr["src"] == "" && n.attr["type"] != "application/ld+json" {
			t.Errorf("an inline script: %s", n.text())
		}
	}
	for link := range p.links() {
		if !strings.HasPrefix(link, "https://") && !strings.HasPrefix(link, "/") && !strings.HasPrefix(link, "#") || strings.HasPrefix(link, "//") || strings.Contains(link, "user:pass") {
			t.Errorf("a link to %s", link)
		}
	}
	for _, n := range p.all(func(n *node) bool { return strings.HasPrefix(n.attr["href"], "https://") && n.name == "a" }) {
		if !strings.Contains(n.attr["rel"], "noopener") {
			t.Errorf("%s may see who opened it", n.attr["href"])
		}
	}
	if i := bytes.IndexAny(a.Body, "\u202e\u2066\u200f"); i >= 0 {
		t.Errorf("direction marks: %q", a.Body[max(0, i-40):i+10])
	}
	for _, path := range []string{"/og/tool/hostile.png", "/tool/hostile/history/"} {
		if a := get(t, s, path); a.Status != http.StatusOK {
			t.Errorf("%s: %d", path, a.Status)
		}
	}
}
