package static_test

import (
	"context"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"kindex/builder/suite"
	"kindex/edge/edgetest"
	"kindex/site/pages"
	"kindex/site/static"
)

func TestMain(m *testing.M) {
	code := m.Run()
	_ = os.RemoveAll(few) // "" removes nothing
	edgetest.Stop()
	os.Exit(code)
}

// few is a folder with a build, its repository and, once a test needs it, its site.
var few string

// built builds part of the content for tests, with a short history in which one entity was
// renamed, one was deleted, and one was moved to another category.
func built(t *testing.T) string {
	t.Helper()
	if few != "" {
		return filepath.Join(few, "out")
	}
	dir := suite.Must(os.MkdirTemp("", "kindex-static-"))(t)
	few = dir
	out := filepath.Join(dir, "out")
	repo := filepath.Join(dir, "repo")
	content := filepath.Join(repo, "content")
	from := suite.Content(t)
	suite.Check(t, exec.Command("git", "init", "-q", "-b", "main", repo).Run())
	copyFile := func(name, to string, change ...string) {
		data := suite.Must(os.ReadFile(filepath.Join(from, name)))(t)
		suite.Check(t, os.MkdirAll(filepath.Dir(filepath.Join(content, to)), 0o755))
		suite.Check(t, os.WriteFile(filepath.Join(content, to), []byte(strings.NewReplacer(change...).Replace(string(data))), 0o644))
	}
	for _, name := range []string{"scoring.yaml", "index.yaml"} {
		copyFile(name, name)
	}
	for typ, most := range map[string]int{"tool": 6, "model": 3} {
		names, err := filepath.Glob(filepath.Join(from, typ, "*.yaml"))
		if err != nil || len(names) < most {
			t.Fatal(len(names), err)
		}
		for _, name := range names[:most] {
			copyFile(typ+"/"+filepath.Base(name), typ+"/"+filepath.Base(name))
		}
	}
	copyFile("tool/keras.yaml", "tool/keras-old.yaml")
	copyFile("tool/scipy.yaml", "tool/scipy.yaml")
	for i, provider := range []string{"index.html", "A/B", "..", ".", "%2F", "?#", "letter-a", "<script>", strings.Repeat("界", 200)} {
		text := fmt.Sprintf("name: Odd %d\nprovider: %q\ncategory: others\ndescription: Its maker has an odd name.\n", i, provider)
		suite.Write(t, content, map[string]string{fmt.Sprintf("tool/odd-%d.yaml", i): text})
	}
	edgetest.Commit(t, repo, 40)
	copyFile("tool/keras.yaml", "tool/keras.yaml", "category: ml-frameworks", "formerly: [keras-old]\ncategory: others", "provider: Keras", "provider: Con",
		"tags: [", "tags: [aux, ")
	for _, gone := range []string{"keras-old", "scipy"} {
		suite.Check(t, os.Remove(filepath.Join(content, "tool", gone+".yaml")))
	}
	edgetest.Commit(t, repo, 9)
	edgetest.Build(t, content, out)
	return out
}

// written writes a site and returns its folder and the report. The site is that of few unless
// o names another build.
func written(t *testing.T, o static.Options) (string, *static.Report) {
	t.Helper()
	if !pages.Searchable() {
		suite.NotRun(t, "MiniSearch is missing; make site/pages/npm/minisearch.js fetches it")
	}
	if o.Out == "" {
		o.Out = built(t)
	}
	if o.Dir == "" {
		o.Dir = filepath.Join(t.TempDir(), "site")
	}
	r := suite.Must(static.Write(context.Background(), o))(t)
	return o.Dir, r
}

// whole is the site of few, written once with the default options.
var whole struct {
	sync.Once
	dir    string
	report *static.Report
}

// copied returns a copy of the site of few, and the report of the run that wrote it.
func copied(t *testing.T) (string, *static.Report) {
	t.Helper()
	whole.Do(func() {
		whole.dir, whole.report = written(t, static.Options{Dir: filepath.Join(filepath.Dir(built(t)), "site")})
	})
	dir := filepath.Join(t.TempDir(), "site")
	if whole.dir == "" {
		suite.CannotRun(t, "the site that it needs could not be written for the first test")
	}
	suite.Check(t, os.CopyFS(dir, os.DirFS(whole.dir)))
	return dir, whole.report
}

// files returns the contents of the files in a folder, keyed by path.
func files(t *testing.T, dir string) map[string]string {
	t.Helper()
	m := map[string]string{}
	suite.Check(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		rel, _ := filepath.Rel(dir, path)
		m[filepath.ToSlash(rel)] = string(data)
		return err
	}))
	return m
}

var links = regexp.MustCompile(`(?:href|src|action|data-[a-z]+)="(/[^"]*)"`)

// TestEveryLinkLeadsSomewhere checks that everything that a page links to or loads is a file
// of the site that a plain file server finds.
func TestEveryLinkLeadsSomewhere(t *testing.T) {
	suite.InTest(t)
	dir, report := copied(t)
	all := files(t, dir)
	const own = 2 // the list of files, and the lock
	if len(all) != report.Files+own || report.Pages < 200 {
		t.Errorf("%d files, the report says %+v", len(all), report)
	}
	server := http.FileServer(http.Dir(dir))
	found := map[string]int{}
	for name, body := range all {
		if !strings.HasSuffix(name, ".html") {
			continue
		}
		for _, m := range links.FindAllStringSubmatch(body, -1) {
			to := strings.ReplaceAll(m[1], "&amp;", "&")
			status, known := found[to]
			if !known {
				u, err := url.Parse(to)
				if err != nil {
					t.Errorf("%s links to %s: %v", name, to, err)
					continue
				}
				w := httptest.NewRecorder()
				server.ServeHTTP(w, &http.Request{Method: http.MethodHead, URL: &url.URL{Path: u.Path}})
				status = w.Code
				found[to] = status
			}
			if status != http.StatusOK {
				t.Errorf("%s links to %s, which returns %d", name, to, status)
				found[to] = http.StatusOK // report each missing file only once
			}
		}
	}
	for name, want := range map[string]string{
		"tool/keras-old/index.html": `<meta http-equiv="refresh" content="0; url=/tool/keras/">`,
		"tool/scipy/index.html":     "deleted",
		"providers/index.html":      `<a href="/providers/~69ndex.html/">`, // a page, and a provider with the same name as its file
	} {
		suite.Contains(t, all[name], want, name)
	}
	if len(found) < 300 {
		t.Errorf("only %d addresses are linked", len(found))
	}
}

// TestWholeAddresses checks that the site's absolute URLs in pages, snippets, feeds and
// the sitemap lead to files, that characters in the path that links must escape are escaped
// once, and that URLs with a password, or with a path that would lead to other hosts, are
// refused.
func TestWholeAddresses(t *testing.T) {
	suite.InTest(t)
	const base = "https://ada.example/Verzeichnis%20f%C3%BCr%20alle"
	dir, _ := written(t, static.Options{URL: "https://ada.example/Verzeichnis für alle/"})
	all := files(t, dir)
	whole := regexp.MustCompile(regexp.QuoteMeta(base) + `([^"'\s<>()\]}&\\]*)`)
	found := map[string]bool{}
	for name, body := range all {
		if ext := path.Ext(name); ext != ".html" && ext != ".xml" && ext != ".md" || strings.HasPrefix(name, "data/") {
			continue
		}
		for _, m := range whole.FindAllStringSubmatch(body, -1) {
			to, err := url.PathUnescape(strings.TrimPrefix(strings.TrimRight(m[1], "."), "/"))
			if err != nil {
				t.Errorf("%s has %s: %v", name, m[0], err)
			}
			if to, _, _ = strings.Cut(to, "?"); to == "" || strings.HasSuffix(to, "/") {
				to += "index.html"
			}
			if _, there := all[to]; !there && !found[to] {
				t.Errorf("%s has %s, but %s is missing", name, m[0], to)
			}
			found[to] = true
		}
	}
	for _, want := range []string{"tool/keras/index.html", "tool/keras/badge.svg", "tool/keras/feed.xml", "tool/keras-old/index.html", "og/index.png"} {
		if !found[want] {
			t.Errorf("nothing names %s by its full URL", want)
		}
	}
	mapped := regexp.MustCompile(`<loc>(.*)</loc>`).FindAllString(all["sitemap.xml"], -1)
	suite.Equal(t, len(slices.Compact(slices.Sorted(slices.Values(mapped)))), len(mapped), "different pages in the sitemap")
	for _, want := range []string{"/", "/tools/", "/models/", "/capabilities/", "/docs/scoring/", "/docs/pipelines/", "/tool/keras/", "/tags/~61ux/"} {
		suite.Holds(t, slices.Contains(mapped, "<loc>"+base+want+"</loc>"), "the sitemap has", want)
	}
	for _, want := range []string{"tool/keras-old/feed.xml", "tool/scipy/badge.svg"} { // for feed readers and sites that use these addresses
		if _, there := all[want]; !there {
			t.Errorf("%s is missing", want)
		}
	}
	for name, line := range map[string]string{
		"tool/keras/index.html": `<link rel="canonical" href="` + base + `/tool/keras/">`,
		"sitemap.xml":           `<loc>` + base + `/tool/keras/</loc>`,
		"tool/keras/feed.xml":   `<link>` + base + `/tool/keras/</link>`,
		"robots.txt":            `Sitemap: ` + base + `/sitemap.xml`,
	} {
		suite.Contains(t, all[name], line, name)
	}
	for _, wrong := range []string{"ada.example", "/index", "ftp://ada.example", "https://ada:secret@ada.example", "https://ada.example//mallory.example", "https://ada.example//",
		"https://ada.example/../index", "https://ada.example/%2e%2e/index", "https://ada.example/a%2Fb", "https://ada.example/?", "https://ada.example/#"} {
		for _, o := range []static.Options{{URL: wrong}, {API: wrong}} {
			o.Dir = filepath.Join(t.TempDir(), "site")
			if err := o.Check(); err == nil || !strings.Contains(err.Error(), "is not a valid site URL") {
				t.Errorf("%q: %v", wrong, err)
			}
		}
	}
}

// TestNamesForWindows checks that a site can be unpacked on Windows, which reserves
// device names and some characters, and ignores case.
func TestNamesForWindows(t *testing.T) {
	dir, _ := copied(t)
	devices := regexp.MustCompile(`(?i)^(aux|con|nul|prn|conin\$|conout\$|(com|lpt)[0-9])(\..*)?$`)
	folded := map[string]string{}
	for name := range files(t, dir) {
		for part := range strings.SplitSeq(name, "/") {
			if devices.MatchString(part) || strings.ContainsAny(part, `<>:"|?*\`) || strings.HasSuffix(part, ".") || strings.HasSuffix(part, " ") {
				t.Errorf("Windows allows no file %s", name)
			}
		}
		same := strings.ToUpper(name)
		suite.Equal(t, folded[same], "", name)
		folded[same] = name
	}
	for _, want := range []string{"providers/~63on/index.html", "tags/~61ux/index.html"} {
		if folded[strings.ToUpper(want)] == "" {
			t.Errorf("%s is missing", want)
		}
	}
}

// TestWrittenAgain checks that a second run changes nothing, that a run with another URL
// changes only the files that contain it, and that the folder's other files are kept.
func TestWrittenAgain(t *testing.T) {
	suite.InTest(t)
	dir, first := copied(t)
	before := files(t, dir)
	for name, text := range map[string]string{"CNAME": "ada.example", "own/page.html": "mine"} {
		suite.Check(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755))
		suite.Check(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	if _, again := written(t, static.Options{Dir: dir}); again.Written != 0 || again.Removed != 0 || again.Files != first.Files {
		t.Errorf("the second run: %+v", again)
	}
	if _, other := written(t, static.Options{Dir: dir, URL: "https://ada.example/index/"}); other.Written == 0 || other.Removed != 0 {
		t.Errorf("with an address: %+v", other)
	}
	home := files(t, dir)["index.html"]
	for _, want := range []string{`<link rel="canonical" href="https://ada.example/index/">`, `href="/index/search/"`} {
		suite.Contains(t, home, strings.ReplaceAll(want, `href="/index/search/"`, `action="/index/search/"`))
	}
	if _, back := written(t, static.Options{Dir: dir}); back.Removed == 0 {
		t.Errorf("without an address: %+v; a sitemap existed", back)
	}
	after := files(t, dir)
	if after["CNAME"] != "ada.example" || after["own/page.html"] != "mine" {
		t.Error("a foreign file was removed")
	}
	delete(after, "CNAME")
	delete(after, "own/page.html")
	suite.Equal(t, len(after), len(before))
	for name, body := range before {
		suite.Equal(t, after[name], body, name)
	}
}

func TestForeignFolder(t *testing.T) {
	dir := t.TempDir()
	suite.Check(t, os.WriteFile(filepath.Join(dir, "thesis.txt"), []byte("years of work"), 0o644))
	_, err := static.Write(context.Background(), static.Options{Out: built(t), Dir: dir})
	if err == nil || pages.Searchable() && !strings.Contains(err.Error(), "thesis.txt") {
		t.Errorf("a folder with foreign files: %v", err)
	}
	if all := files(t, dir); len(all) != 1 {
		t.Errorf("found %d files", len(all))
	}
}
