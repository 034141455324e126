package pages_test

import (
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"kindex/builder/suite"
	"kindex/edge/edgetest"
	"kindex/site/pages"
)

// fuzzed is a small site in which one entity was renamed and another was deleted.
func fuzzed(f *testing.F) *pages.Site {
	content := edgetest.Content(f, "ml-frameworks", "inference-engines")
	tool := func(name string) string { return filepath.Join(content, "tool", name+".yaml") }
	text := suite.Must(os.ReadFile(tool("tensorlayer")))(f)
	suite.Check(f, os.WriteFile(tool("tensor-layer"), append(text, "\nformerly: [tensorlayer]\n"...), 0o644))
	for _, name := range []string{"tensorlayer", "keras"} {
		suite.Check(f, os.Remove(tool(name)))
	}
	edgetest.Commit(f, filepath.Dir(content), 1)
	out := f.TempDir()
	edgetest.Build(f, content, out)
	s := siteOf(f, out, pages.Options{})
	for path, want := range map[string]int{"/tool/tensor-layer/": http.StatusOK, "/tool/tensorlayer/": http.StatusMovedPermanently, "/tool/keras/": http.StatusGone} {
		if a := get(f, s, path); a.Status != want {
			f.Fatalf("%s: %d", path, a.Status)
		}
	}
	return s
}

// FuzzGet requests arbitrary paths and checks that none causes an error or a redirect to
// another site.
func FuzzGet(f *testing.F) {
	s := fuzzed(f)
	for p := range strings.FieldsSeq(`/ /search/ /search.json /changes/ /categories/ /categories/ml-frameworks/ /providers/ /providers/google/
		/tags/ /tags/python/ /capabilities/ /capabilities/gpu/ /data/ /quality/ /docs/ /docs/scoring/ /docs/operating/ /tool/ /tool/all/
		/tool/pytorch/ /tool/pytorch/history/ /tool/pytorch/entity.json /tool/pytorch/entity.md /tool/pytorch/history.json /tool/pytorch/feed.xml
		/tool/pytorch/badge.svg /leaderboards/ /leaderboards/ml-frameworks/ /trending/ /quality-and-price/ /compare/ /prices/ /robots.txt
		/favicon.ico /sitemap.xml /og/index.png /og/tool/pytorch.png /developer/ /submit/`) {
		f.Add(p, "")
	}
	for _, p := range []string{"/search", "/leaderboards", "/tool/pytorch/at-2026-11-20/", "/tool/pytorch/history/page-9223372036854775807/",
		"/leaderboards/ml-frameworks/page-9223372036854775807/", "/tools/page-2", "/leaderboards/ml-frameworks/type-tool/by-adoption/",
		"/trending/window-30d/", "/tags/all/letter-a/", "/changes/event-updated/type-tool/page-2/", "/categories/ml-frameworks/type-tool/page-2/"} {
		f.Add(p, "page=2")
	}
	for _, p := range []string{"//evil.example", "/\\evil.example", "/tool//evil.example/", "/tool/../evil", "/tool/keras/", "/tool/tensorlayer/", "/tool/tensorlayer",
		"/og/tool/tensorlayer.png", "/tool/%2f", "/tool/a\r\nb", "/tool/\xff/", ""} {
		f.Add(p, "")
	}
	for _, q := range []string{"q=%00%ff&tag=&page=-1", "q=\"a b&sort=name&page=500", "type=tool&type=x&provider=%F0", "page=99999999999999999999", "sort=relevance&q=" + strings.Repeat("(", 400), "q=" + strings.Repeat("zq", 250)} {
		f.Add("/search/", q)
	}
	for _, q := range []string{"e=tool/pytorch&e=tool/nothing", "suggest=py", "suggest=zqxjkvbw", "add=PyTorch", "e=/&e=&e=//&add=%00", "e=tool/tensorlayer"} {
		f.Add("/compare/", q)
	}
	for _, q := range []string{"since=2026-11-20&until=2026-11-01", "since=0000-00-00", "until=x"} {
		f.Add("/changes/", q)
	}
	statuses := []int{http.StatusOK, http.StatusMovedPermanently, http.StatusBadRequest, http.StatusNotFound, http.StatusGone}
	f.Fuzz(func(t *testing.T, path, query string) {
		if path != "" && path[0] != '/' {
			return // no request has such a path
		}
		q, _ := url.ParseQuery(query)
		a, err := s.Get(pages.Request{Path: path, Query: q, Base: base})
		if err != nil {
			t.Fatalf("%q ? %q: %v", path, query, err)
		}
		if !slices.Contains(statuses, a.Status) || (a.Status == http.StatusMovedPermanently) != (a.Location != "") {
			t.Errorf("%q ? %q: status %d, to %q", path, query, a.Status, a.Location)
		}
		if to := a.Location; to != "" && (to[0] != '/' || strings.HasPrefix(to, "//") || strings.ContainsAny(to, "\\\r\n")) {
			t.Errorf("%q ? %q leads to %q", path, query, to)
		}
	})
}
