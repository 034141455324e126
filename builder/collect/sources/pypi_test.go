package sources_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"kindex/builder/collect/collecttest"
	"kindex/builder/collect/sources"
)

// index behaves as PyPI and pypistats.org together.
type index struct {
	t        *testing.T
	projects map[string]string // by path
	recent   map[string]string
	etag     bool
}

func (x *index) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Authorization") != "" || r.Header.Get("User-Agent") != "kindex/test" || r.Header.Get("Accept") != "application/json" {
		x.t.Errorf("headers %v", r.Header)
	}
	name := strings.Split(r.URL.Path+"//", "/")
	switch {
	case name[1] == "pypi" && name[3] == "json" && r.URL.RawQuery == "":
		body, ok := x.projects[name[2]]
		if !ok {
			collecttest.JSON(w, 404, `{"message": "Not Found"}`)
			return
		}
		if tag := fmt.Sprintf(`"%d"`, len(body)); x.etag {
			w.Header().Set("ETag", tag)
			if r.Header.Get("If-None-Match") == tag {
				w.WriteHeader(304)
				return
			}
		}
		collecttest.JSON(w, 200, body)
	case name[1] == "api" && name[2] == "packages" && r.URL.RawQuery == "period=month":
		body, ok := x.recent[name[3]]
		if !ok {
			w.WriteHeader(404)
			return
		}
		collecttest.JSON(w, 200, body)
	default:
		x.t.Errorf("request %s", r.URL)
	}
}

func project(name, version, info string, uploads ...string) string {
	var files []string
	for _, u := range uploads {
		files = append(files, fmt.Sprintf(`{"upload_time_iso_8601":%q,"yanked":false}`, u))
	}
	return fmt.Sprintf(`{"info":{"name":%q,"version":%q,"yanked":false,"downloads":{"last_month":-1}%s},"last_serial":1,"releases":{},"urls":[%s],"vulnerabilities":[]}`,
		name, version, info, strings.Join(files, ","))
}

func recent(name string, n int) string {
	return fmt.Sprintf(`{"data":{"last_month":%d},"package":%q,"type":"recent_downloads"}`, n, name)
}

func TestProjects(t *testing.T) {
	const day = "2026-11-02T12:00:00.875222Z"
	for name, c := range map[string]struct {
		id, project, recent string
		want                []string
	}{
		"a project": {"torch", project("torch", "2.3.1", `,"license":"","license_expression":"BSD-3-Clause"`, "2026-11-03T00:10:00Z", "2026-11-02T23:59:00Z"), recent("torch", 29786030),
			[]string{"e0 lastRelease 2026-11-02", "e0 license BSD-3-Clause", "e0 pypiDownloads 29786030", "e0 version 2.3.1"}},
		"another spelling":           {"Scikit_Learn", project("scikit-learn", "1.5", "", day), recent("scikit-learn", 5), []string{"e0 lastRelease 2026-11-02", "e0 pypiDownloads 5", "e0 version 1.5"}},
		"an old licence field":       {"a", project("a", "1", `,"license":"apache-2.0"`, day), recent("a", 5), []string{"e0 lastRelease 2026-11-02", "e0 license Apache-2.0", "e0 pypiDownloads 5", "e0 version 1"}},
		"a whole licence as licence": {"a", project("a", "1", `,"license":"`+strings.Repeat("Permission is hereby granted ", 40)+`"`, day), recent("a", 5), []string{"e0 lastRelease 2026-11-02", "e0 pypiDownloads 5", "e0 version 1"}},
		"no files":                   {"a", project("a", "1", ""), recent("a", 5), []string{"e0 stopped pypiDownloads 5"}},
		"a yanked release": {"a", `{"info":{"name":"a","version":"9","yanked":true},"urls":[{"upload_time_iso_8601":"` + day + `","yanked":true}]}`, recent("a", 5),
			[]string{"e0 stopped pypiDownloads 5"}},
		"not yet counted":            {"a", project("a", "1", "", day), "", []string{"e0 lastRelease 2026-11-02", "e0 version 1"}},
		"another project":            {"a", project("b", "1", "", day), recent("a", 5), []string{`e0 failed: PyPI returned the package "b" for a`}},
		"downloads of another":       {"a", project("a", "1", "", day), recent("b", 5), []string{"e0 failed: pypistats.org: the response has no download count for a"}},
		"downloads of another kind":  {"a", project("a", "1", "", day), `{"data":[{"category":"with_mirrors","downloads":1}],"package":"a","type":"overall_downloads"}`, []string{"e0 failed: pypistats.org: …"}},
		"no downloads in the answer": {"a", project("a", "1", "", day), `{"data":{},"package":"a","type":"recent_downloads"}`, []string{"e0 failed: pypistats.org: the response has no download count for a"}},
		"a day in the future":        {"a", project("a", "1", "", "2027-01-01T00:00:00Z"), recent("a", 5), []string{"e0 pypiDownloads 5", "e0 stopped lastRelease 2027-01-01", "e0 stopped version 1"}},
		"a date that is none":        {"a", project("a", "1", "", "yesterday"), recent("a", 5), []string{"e0 stopped pypiDownloads 5", "e0 stopped version 1"}},
		"deleted":                    {"gone", "", "", []string{"e0 gone"}},
	} {
		t.Run(name, func(t *testing.T) {
			x := &index{t: t, projects: map[string]string{}, recent: map[string]string{}}
			key := strings.ReplaceAll(strings.ToLower(c.id), "_", "-")
			if c.project != "" {
				x.projects[key] = c.project
			}
			if c.recent != "" {
				x.recent[key] = c.recent
			}
			url := collecttest.Server(t, x.ServeHTTP)
			lines, _ := collecttest.Run(t, collecttest.Options(t, sources.PyPI(url, url), "tool", "pypi", c.id))
			collecttest.Want(t, lines, c.want...)
		})
	}
}

// PyPI documents ETag; pypistats.org documents no validators.
func TestSecondRunPyPI(t *testing.T) {
	x := &index{t: t, etag: true, projects: map[string]string{}, recent: map[string]string{}}
	var ids []string
	for i := range 20 {
		id := fmt.Sprintf("p%d", i)
		ids = append(ids, id)
		x.projects[id] = project(id, "1", `,"description":"`+strings.Repeat("x", 2000)+`"`, fmt.Sprintf("2026-11-%02dT00:00:00Z", i+1))
		x.recent[id] = recent(id, 1000*i+1)
	}
	url := collecttest.Server(t, x.ServeHTTP)
	o := collecttest.Options(t, sources.PyPI(url, url), "tool", "pypi", ids...)
	_, first := collecttest.Run(t, o)
	never := 0
	o.MaxAge = &never
	_, second := collecttest.Run(t, o)
	a, b := first.Sources[0], second.Sources[0]
	if a.Requests != 40 || b.Requests != 40 || b.NotModified != 20 || b.Bytes > a.Bytes*15/100 || b.Unchanged != 60 {
		t.Errorf("first %+v\nsecond %+v", a, b)
	}
}
