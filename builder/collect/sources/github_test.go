package sources_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"kindex/builder/collect"
	"kindex/builder/collect/collecttest"
	"kindex/builder/collect/sources"
	"kindex/builder/suite"
)

var alias = regexp.MustCompile(`(r\d+):repository\(owner:"([^"]+)",name:"([^"]+)"\)`)

// request is a GraphQL request.
type request struct {
	Query     string
	Variables map[string]string
}

// forge behaves as GitHub: it answers a GraphQL query with one member for each repository, and
// errors with status 200.
type forge struct {
	t     *testing.T
	repos map[string]string // by owner/name; "" is null without an error
	// contributors answers requests for contributors; nil sends status 204.
	contributors http.HandlerFunc
	before       func(w http.ResponseWriter, n int, ids []string) bool // answers a query itself
	queries      int
	anyDay       bool // do not check since
}

func (f *forge) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	suite.Equal(f.t, r.Header.Get("Authorization"), "Bearer token-of-GITHUB_TOKEN", "authorization")
	if r.URL.Path != "/graphql" {
		if f.contributors == nil {
			w.WriteHeader(204)
			return
		}
		f.contributors(w, r)
		return
	}
	body, err := io.ReadAll(r.Body)
	var q request
	if err != nil || json.Unmarshal(body, &q) != nil || r.Method != "POST" {
		f.t.Errorf("%s %s", r.Method, body)
	}
	if !f.anyDay && !strings.HasPrefix(q.Variables["since"], "2026-08-25T") && !strings.HasPrefix(q.Variables["since"], "2026-08-26T") {
		f.t.Errorf("since %q", q.Variables["since"])
	}
	if strings.Count(q.Query, "(") != strings.Count(q.Query, ")") || strings.Count(q.Query, "{") != strings.Count(q.Query, "}") {
		f.t.Errorf("query %s", q.Query)
	}
	var ids []string
	for _, m := range alias.FindAllStringSubmatch(q.Query, -1) {
		ids = append(ids, m[2]+"/"+m[3])
	}
	if len(ids) == 0 || len(ids) > 100 {
		f.t.Errorf("%d repositories in one query", len(ids))
	}
	f.queries++
	if f.before != nil && f.before(w, f.queries, ids) {
		return
	}
	w.Header().Set("X-RateLimit-Remaining", "4999")
	var data, errs []string
	for i, id := range ids {
		repo, ok := f.repos[id]
		if repo == "" {
			repo = "null"
		}
		data = append(data, fmt.Sprintf(`"r%d":%s`, i, repo))
		if !ok {
			errs = append(errs, fmt.Sprintf(`{"type":"NOT_FOUND","path":["r%d"],"locations":[{"line":1,"column":9}],"message":"Could not resolve to a Repository with the name '%s'."}`, i, id))
		}
	}
	more := ""
	if len(errs) > 0 {
		more = `,"errors":[` + strings.Join(errs, ",") + `]`
	}
	collecttest.JSON(w, 200, `{"data":{`+strings.Join(data, ",")+`}`+more+`}`)
}

func repo(name string, stars int, more string) string {
	return fmt.Sprintf(`{"nameWithOwner":%q,"url":"https://github.com/%s","stargazerCount":%d,"forkCount":7,"isArchived":false,"createdAt":"2016-08-13T05:26:41Z","issues":{"totalCount":3},"releases":{"totalCount":0},"latestRelease":null,"licenseInfo":null,"defaultBranchRef":null%s}`, name, name, stars, more)
}

const whole = `,"latestRelease":{"tagName":"v2.3.1","publishedAt":"2026-11-01T23:59:59Z"},"licenseInfo":{"spdxId":"BSD-3-Clause"},"defaultBranchRef":{"target":{"committedDate":"2026-11-22T23:30:00-02:00","history":{"totalCount":60000},"recent":{"totalCount":900}}}`

// Each case answers the first query itself.
func TestLimitsAndErrors(t *testing.T) {
	graph := func(message string) string {
		return `{"data":null,"errors":[{"message":"` + message + `"}]}`
	}
	for _, c := range []struct {
		name   string
		answer func(w http.ResponseWriter)
		waited time.Duration
		n      int // queries
	}{
		{"primary limit in a 200", func(w http.ResponseWriter) {
			w.Header().Set("X-RateLimit-Remaining", "0")
			w.Header().Set("X-RateLimit-Reset", fmt.Sprint(time.Date(2026, 11, 23, 12, 10, 0, 0, time.UTC).Unix()))
			collecttest.JSON(w, 200, `{"errors":[{"type":"RATE_LIMITED","message":"API rate limit exceeded for user ID 1."}]}`)
		}, 10 * time.Minute, 2},
		{"secondary limit in a 200", func(w http.ResponseWriter) {
			collecttest.JSON(w, 200, graph("You have exceeded a secondary rate limit. Please wait."))
		}, time.Minute, 2},
		{"secondary limit with Retry-After", func(w http.ResponseWriter) {
			w.Header().Set("Retry-After", "30")
			collecttest.JSON(w, 403, `{"message":"You have exceeded a secondary rate limit.","documentation_url":"x"}`)
		}, 30 * time.Second, 2},
		{"secondary limit without", func(w http.ResponseWriter) {
			collecttest.JSON(w, 403, `{"message":"You have exceeded a secondary rate limit and have been temporarily blocked."}`)
		}, time.Minute, 2},
		{"a query that takes too long", func(w http.ResponseWriter) {
			collecttest.JSON(w, 502, `{"message":"We couldn't respond to your request in time"}`)
		}, time.Second, 2},
		{"an error of the whole query", func(w http.ResponseWriter) {
			collecttest.JSON(w, 200, graph("Something went wrong while executing your query."))
		}, 0, 3},
		{"resource limits, with a part of the data", func(w http.ResponseWriter) {
			collecttest.JSON(w, 200, `{"data":{"r0":`+repo("own/a", 99, "")+`,"r1":null},"errors":[{"type":"RESOURCE_LIMITS_EXCEEDED","path":["r1"],"message":"Resource limits for this query exceeded."}]}`)
		}, 0, 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := &forge{t: t, repos: map[string]string{"own/a": repo("own/a", 100, ""), "own/b": repo("own/b", 200, "")}}
			f.before = func(w http.ResponseWriter, n int, _ []string) bool {
				if n == 1 {
					c.answer(w)
				}
				return n == 1
			}
			lines, r := collecttest.Run(t, collecttest.Options(t, sources.GitHub(collecttest.Server(t, f.ServeHTTP), collect.SourceConfig{}), "tool", "github", "own/a", "own/b"))
			if s := r.Sources[0]; s.Waited != c.waited || f.queries != c.n || s.Answered != 2 || r.Files != 2 {
				t.Errorf("%d queries, %+v\n%s", f.queries, s, strings.Join(lines, "\n"))
			}
		})
	}
}

// A repository that fails every query it is in does not fail the others.
func TestOneFailsAlone(t *testing.T) {
	f := &forge{t: t, repos: map[string]string{}}
	var ids []string
	for i := range 250 {
		id := fmt.Sprintf("own/r%d", i)
		ids = append(ids, id)
		f.repos[id] = repo(id, 1000+i, "")
	}
	f.before = func(w http.ResponseWriter, _ int, ids []string) bool {
		for _, id := range ids {
			if id == "own/r77" {
				collecttest.JSON(w, 200, `{"data":null,"errors":[{"message":"Something went wrong"}]}`)
				return true
			}
		}
		return false
	}
	_, r := collecttest.Run(t, collecttest.Options(t, sources.GitHub(collecttest.Server(t, f.ServeHTTP), collect.SourceConfig{}), "tool", "github", ids...))
	if s := r.Sources[0]; s.Answered != 249 || s.Failed != 1 || r.Failed[0].ID != "own/r77" || !strings.Contains(r.Failed[0].Reason, "Something went wrong") {
		t.Errorf("%+v", s)
	}
	if f.queries > 18 {
		t.Errorf("%d queries", f.queries)
	}
}

func TestNoToken(t *testing.T) {
	o := collecttest.Options(t, sources.GitHub("", collect.SourceConfig{}), "tool", "github", "own/a")
	o.Getenv = func(string) string { return "" }
	lines, _ := collecttest.Run(t, o)
	collecttest.Want(t, lines, "error: GitHub needs a token; set GITHUB_TOKEN")
}

// allowance is what GitHub grants a workflow's token in an hour: requests to the REST API, without
// answers that nothing has changed, and points of GraphQL.
const allowance = 1000

// TestAllowance checks that a run over more repositories than the allowance has requests stays within
// it and an hour and, in make soak, that a month of weekly runs reads the contributors of all of them.
func TestAllowance(t *testing.T) {
	suite.InTest(t)
	entities, runs := suite.Pick(1050, 2000), suite.Pick(1, 6)
	f := &forge{t: t, repos: map[string]string{}, anyDay: true}
	ids := make([]string, entities)
	for i := range ids {
		ids[i] = fmt.Sprintf("own/r%d", i)
		f.repos[ids[i]] = repo(ids[i], 1000+2*i, whole)
	}
	var rest, unchanged atomic.Int64
	counted := map[string]bool{}
	f.contributors = func(w http.ResponseWriter, r *http.Request) {
		counted[r.URL.Path] = true
		w.Header().Set("ETag", `W/"1"`)
		w.Header().Set("Link", `<https://api.github.com/x?per_page=1&page=7>; rel="last"`)
		if r.Header.Get("If-None-Match") != "" {
			unchanged.Add(1)
			w.WriteHeader(http.StatusNotModified)
			return
		}
		rest.Add(1)
		collecttest.JSON(w, 200, `[{"login":"a"}]`)
	}
	o := collecttest.Options(t, sources.GitHub(collecttest.Server(t, f.ServeHTTP), collect.SourceConfig{}), "tool", "github", ids...)
	clock := &collecttest.Clock{}
	o.Clock = clock
	for run := range runs {
		start, queries := clock.Now(), f.queries
		rest.Store(0)
		unchanged.Store(0)
		_, r := collecttest.Run(t, o)
		s := r.Sources[0]
		// Each repository has four connections, and a hundred of them are a point.
		points := (f.queries - queries) * max(1, 4*100/100)
		took := clock.Now().Sub(start)
		t.Logf("run %d: %d answered, %d requests to REST (%d more unchanged), %d queries of %d points together, %d of %d contributors known, %v waited",
			run+1, s.Answered, rest.Load(), unchanged.Load(), f.queries-queries, points, len(counted), entities, took.Round(time.Second))
		if s.Answered != entities || s.Error != "" || rest.Load() > allowance || points > allowance || took > time.Hour {
			t.Errorf("%+v", s)
		}
		if run == 3 && len(counted) != entities {
			t.Errorf("after four runs, the contributors of %d repositories are known", len(counted))
		}
		suite.Check(t, clock.Sleep(t.Context(), 7*24*time.Hour-took))
	}
}
