package sources_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"kindex/builder/collect/collecttest"
	"kindex/builder/collect/sources"
)

// npmServer behaves as the npm npmServer and its download counts together.
type npmServer struct {
	t        *testing.T
	packages map[string]string
	counts   map[string]int
	paths    []string
}

func (x *npmServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	x.paths = append(x.paths, r.URL.EscapedPath())
	if list, ok := strings.CutPrefix(r.URL.Path, "/downloads/point/last-month/"); ok {
		x.downloads(w, list)
		return
	}
	name := strings.TrimPrefix(r.URL.Path, "/")
	if strings.Contains(name, "/") && !strings.HasSuffix(r.URL.EscapedPath(), "%2F"+name[strings.Index(name, "/")+1:]) {
		x.t.Errorf("the name is not escaped: %s", r.URL.EscapedPath())
	}
	body, ok := x.packages[name]
	if !ok {
		collecttest.JSON(w, 404, `{"error":"Not found"}`)
		return
	}
	collecttest.JSON(w, 200, body)
}

func (x *npmServer) downloads(w http.ResponseWriter, list string) {
	names := strings.Split(list, ",")
	point := func(name string) string {
		return fmt.Sprintf(`{"downloads":%d,"start":"2026-10-24","end":"2026-11-22","package":%q}`, x.counts[name], name)
	}
	if len(names) == 1 {
		if _, ok := x.counts[list]; !ok {
			collecttest.JSON(w, 404, `{"error":"package `+list+` not found"}`)
			return
		}
		collecttest.JSON(w, 200, point(list))
		return
	}
	var parts []string
	for _, name := range names {
		if strings.HasPrefix(name, "@") {
			collecttest.JSON(w, 400, `{"error":"scoped packages not supported in bulk queries"}`)
			return
		}
		value := "null"
		if _, ok := x.counts[name]; ok {
			value = point(name)
		}
		parts = append(parts, fmt.Sprintf("%q:%s", name, value))
	}
	if len(names) > 128 {
		x.t.Errorf("%d packages in one query", len(names))
	}
	collecttest.JSON(w, 200, "{"+strings.Join(parts, ",")+"}")
}

func pkg(name, latest, day, license string) string {
	return fmt.Sprintf(`{"_id":%q,"name":%q,"dist-tags":{"latest":%q,"next":"9.0.0-rc.1"},"versions":{%q:{"name":%q,"license":%s},"9.0.0-rc.1":{}},"time":{"created":"2015-01-01T00:00:00.000Z","modified":"2026-11-20T00:00:00.000Z",%q:%q,"9.0.0-rc.1":"2026-11-19T00:00:00.000Z"}}`,
		name, name, latest, latest, name, license, latest, day)
}

func TestPackages(t *testing.T) {
	x := &npmServer{t: t, counts: map[string]int{"a": 10, "b": 20, "@scope/c": 30, "d": 40, "old": 50, "other": 70}, packages: map[string]string{
		"a":        pkg("a", "1.2.3", "2026-11-01T22:00:00.000Z", `"MIT"`),
		"b":        pkg("b", "4.0.0", "2026-11-02T00:00:00.000Z", `"UNLICENSED"`),
		"@scope/c": pkg("@scope/c", "5.0.0", "2026-11-03T00:00:00.000Z", `"SEE LICENSE IN LICENSE.txt"`),
		"d":        pkg("d", "6.0.0", "2026-11-04T00:00:00.000Z", `{"type":"ISC","url":"x"}`),
		"old":      `{"_id":"old","name":"old","time":{"created":"2015-01-01T00:00:00.000Z","unpublished":{"time":"2020-01-01T00:00:00.000Z","versions":["1.0.0"]}}}`,
		"other":    pkg("another", "1.0.0", "2026-11-04T00:00:00.000Z", `"MIT"`),
	}}
	url := collecttest.Server(t, x.ServeHTTP)
	lines, _ := collecttest.Run(t, collecttest.Options(t, sources.NPM(url, url), "tool", "npm", "a", "b", "@scope/c", "d", "old", "gone"))
	collecttest.Want(t, lines,
		"e0 lastRelease 2026-11-01", "e0 license MIT", "e0 npmDownloads 10", "e0 version 1.2.3",
		"e1 lastRelease 2026-11-02", "e1 npmDownloads 20", "e1 version 4.0.0",
		"e2 lastRelease 2026-11-03", "e2 npmDownloads 30", "e2 version 5.0.0",
		"e3 lastRelease 2026-11-04", "e3 npmDownloads 40", "e3 version 6.0.0", "e4 gone", "e5 gone")
	if got := strings.Join(x.paths, " "); !strings.HasPrefix(got, "/downloads/point/last-month/@scope/c /downloads/point/last-month/a,b,d,gone,old /@scope%2Fc /a ") {
		t.Errorf("requests %s", got)
	}
	lines, _ = collecttest.Run(t, collecttest.Options(t, sources.NPM(url, url), "tool", "npm", "other"))
	collecttest.Want(t, lines, `e0 failed: npm returned the package "another" for other`)
}

// What a maker calls the latest version can be a prerelease, or deprecated.
func TestPrereleasesAndDeprecated(t *testing.T) {
	versions := func(latest string, more string) string {
		return `{"name":"a","dist-tags":{"latest":"` + latest + `"},"versions":{` + more + `},"time":{"2.0.0":"2026-09-09T09:09:09Z","1.9.9":"2026-10-09T09:09:09Z","3.0.0-beta.1":"2026-10-10T00:00:00Z","2.0.0+b-1":"2026-09-10T00:00:00Z"}}`
	}
	for name, c := range map[string]struct {
		body string
		want []string
	}{
		"a prerelease":                {versions("3.0.0-beta.1", `"2.0.0":{"license":"MIT"},"3.0.0-beta.1":{"license":"ISC"}`), []string{"e0 lastRelease 2026-09-09", "e0 license MIT", "e0 npmDownloads 10", "e0 version 2.0.0"}},
		"the newest, not the highest": {versions("3.0.0-beta.1", `"2.0.0":{},"1.9.9":{},"3.0.0-beta.1":{}`), []string{"e0 lastRelease 2026-10-09", "e0 npmDownloads 10", "e0 version 1.9.9"}},
		"only prereleases":            {versions("3.0.0-beta.1", `"3.0.0-beta.1":{}`), []string{"e0 lastRelease 2026-10-10", "e0 npmDownloads 10", "e0 version 3.0.0-beta.1"}},
		"a build":                     {versions("2.0.0+b-1", `"2.0.0+b-1":{},"1.9.9":{}`), []string{"e0 lastRelease 2026-09-10", "e0 npmDownloads 10", "e0 version 2.0.0+b-1"}},
		"deprecated":                  {versions("2.0.0", `"2.0.0":{"deprecated":"use b"}`), []string{"e0 lastRelease 2026-09-09", "e0 npmDownloads 10", "e0 stopped status deprecated", "e0 version 2.0.0"}},
		"not deprecated":              {versions("2.0.0", `"2.0.0":{"deprecated":false}`), []string{"e0 lastRelease 2026-09-09", "e0 npmDownloads 10", "e0 version 2.0.0"}},
	} {
		t.Run(name, func(t *testing.T) {
			x := &npmServer{t: t, counts: map[string]int{"a": 10}, packages: map[string]string{"a": c.body}}
			url := collecttest.Server(t, x.ServeHTTP)
			o := collecttest.Options(t, sources.NPM(url, url), "tool", "npm", "a")
			lines, r := collecttest.Run(t, o)
			collecttest.Want(t, lines, c.want...)
			for _, s := range r.Stopped {
				if s.Reason != "npm marks the package as deprecated: use b; accept status to mark it as deprecated" {
					t.Error(s.Reason)
				}
			}
		})
	}
}

func TestPagingNPM(t *testing.T) {
	x := &npmServer{t: t, counts: map[string]int{}, packages: map[string]string{}}
	var ids []string
	for i := range 230 {
		id := fmt.Sprintf("p%d", i)
		ids, x.counts[id] = append(ids, id), 3000+7*i
		x.packages[id] = pkg(id, "1.0.0", "2026-11-01T00:00:00.000Z", `"MIT"`)
	}
	url := collecttest.Server(t, x.ServeHTTP)
	_, r := collecttest.Run(t, collecttest.Options(t, sources.NPM(url, url), "tool", "npm", ids...))
	if s := r.Sources[0]; s.Requests != 233 || s.Changed != 4*230 {
		t.Errorf("%+v", s)
	}
}

func TestOddDownloads(t *testing.T) {
	for name, body := range map[string]string{
		"of another": `{"downloads":5,"package":"b"}`, "none": `{"package":"a"}`, "as text": `{"downloads":"many","package":"a"}`, "by day": `{"downloads":[{"day":"2026-11-01","downloads":1}],"package":"a"}`,
	} {
		t.Run(name, func(t *testing.T) {
			url := collecttest.Server(t, func(w http.ResponseWriter, r *http.Request) {
				if strings.HasPrefix(r.URL.Path, "/downloads/") {
					collecttest.JSON(w, 200, body)
					return
				}
				collecttest.JSON(w, 200, pkg("a", "1.0.0", "2026-11-01T00:00:00.000Z", `"MIT"`))
			})
			lines, _ := collecttest.Run(t, collecttest.Options(t, sources.NPM(url, url), "tool", "npm", "a"))
			collecttest.Want(t, lines, "e0 failed: npm download counts: …")
		})
	}
}
