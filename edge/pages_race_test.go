package edge

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"kindex/builder/suite"
	"kindex/exports"
)

// TestPagesWhileBuildsSwitch concurrently requests pages of every kind while the edge switches
// back and forth between two builds and previews edits on top of them. Each response must be
// from the build that it names.
func TestPagesWhileBuildsSwitch(t *testing.T) {
	suite.InRace(t)
	t.Parallel()
	each := suite.Pick(20, 200)
	s := serve(t, 30)
	s.patient()
	ids := []string{s.reloader.ID()}
	writeContent(t, s.content, 30, 1)
	ids = append(ids, buildInto(t, s.content, s.out, 3))
	o, _, _ := s.published().Build.Find("tool", "n3")
	e := s.published().Build.Entity(o)
	edited := *e
	edited.Name, edited.Category = "Edited", "not-yet-built"

	paths := []string{"/", "/search/", "/search/?q=number3", "/search/?q=numbr3&sort=name", "/tools/", "/tool/n3/", "/tool/n3/history/", "/model/n4/", "/tool/n33/",
		"/categories/", "/categories/alpha/", "/providers/", "/providers/maker_1/", "/tags/", "/tags/fast/", "/tags/fats/", "/capabilities/", "/leaderboards/", "/leaderboards/alpha/type-tool/",
		"/trending/", "/changes/", "/compare/", "/compare/?e=tool/n3&e=tool/n4", "/compare/?suggest=num", "/data/", "/docs/", "/docs/scoring/", "/docs/operating/",
		"/sitemap.xml", "/robots.txt", "/og/index.png", "/og/tool/n3.png", "/submit/", "/developer/", "/nothing"}
	var under sync.WaitGroup
	var done atomic.Bool
	var asked atomic.Int64
	for side := range 4 {
		under.Go(func() {
			client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
			defer client.CloseIdleConnections()
			r := rand.New(rand.NewPCG(1, uint64(side)))
			for range each {
				err := askPage(client, s.url, paths[r.IntN(len(paths))], ids)
				suite.Holds(t, err == nil, err)
				asked.Add(1)
			}
		})
	}
	go func() { under.Wait(); done.Store(true) }()
	for i := 1; !done.Load(); i++ {
		for asked.Load() < int64(4*i) && !done.Load() { // one switch for every four pages
			time.Sleep(time.Millisecond)
		}
		suite.Check(t, os.WriteFile(filepath.Join(s.out, "exports", "current"), []byte(ids[i%2]+"\n"), 0o644))
		suite.Check(t, s.Reload())
		if i%3 == 0 {
			s.ApplyEdits([]exports.Edit{{Type: "tool", Slug: "n3", Entity: &edited}, {Type: "tool", Slug: "n5"}})
		} else if i%3 == 1 {
			s.ApplyEdits(nil)
		}
	}
	under.Wait()
}

// askPage requests a page in the same way as a browser.
func askPage(client *http.Client, base, path string, ids []string) error {
	a, err := exchange(client, http.MethodGet, base+path, "", "Accept", "text/html")
	if err != nil {
		return err
	}
	missing := strings.Contains(path, "n33") || strings.Contains(path, "fats") || strings.Contains(path, "nothing")
	if want := map[bool]int{false: http.StatusOK, true: http.StatusNotFound}[missing]; a.status != want {
		return fmt.Errorf("%s: %d %.200s", path, a.status, a.body)
	}
	build, edits, _ := strings.Cut(a.header.Get("X-Build"), "+")
	generation := map[string]string{ids[0]: "0", ids[1]: "1"}[build]
	if generation == "" {
		return fmt.Errorf("%s is from build %q", path, build)
	}
	if path == "/tool/n3/" {
		if named := strings.Contains(string(a.body), "<code>"+build+"</code>"); !named {
			return fmt.Errorf("%s is not from build %s, which it names", path, build)
		}
		if shown := strings.Contains(string(a.body), ">Edited<"); shown != (edits != "") {
			return fmt.Errorf("%s: edited %v, of %s", path, shown, a.header.Get("X-Build"))
		}
	}
	return nil
}
