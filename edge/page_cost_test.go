package edge

import (
	"errors"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"kindex/builder"
	"kindex/builder/suite"
	"kindex/edge/auth"
	"kindex/edge/auth/authtest"
	"kindex/edge/ratelimit"
	"kindex/edge/storage/storagetest"
	"kindex/edge/web"
	"kindex/site/pages"
)

// maxPageCost is the maximum processor time of a request that no daily limit covers, at 2,000
// entities, in units of yardstick, which is about a millisecond. An IP address may send --limit-pages
// of them a second, 50 by default.
const maxPageCost = 10

// dearerPages are the routes of long lists and large records, whose templates take longer than
// maxPageCost. They use up more of an address's allowance.
var dearerPages = map[string]float64{"/changes/": 35, "/:type/:slug/": 25, "/categories/:category/": 25, "/:values/:key/": 25,
	"/leaderboards/:category/": 20, "/leaderboards/": 15, "": 20, "/prices/": 25, "/trending/": 20, "/:plural/": 20, "/data/": 20}

// yardstick is a fixed amount of work, to compare the processor time of requests with: what the same
// request takes differs between machines, and from one minute to the next.
func yardstick() {
	text := strings.Repeat("The quick brown fox jumps over the lazy dog. ", 100)
	n := 0
	for i := range 60 {
		words := map[string]int{}
		for w := range strings.FieldsSeq(text) {
			words[w] += i
		}
		n += len(words)
	}
	if n == 0 {
		panic("the work was not done")
	}
}

// processorTime returns the processor time that this process takes to do something.
func processorTime(t testing.TB, do func()) time.Duration {
	t.Helper()
	used := func() time.Duration {
		var u syscall.Rusage
		suite.Check(t, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
		return time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	before := used()
	do()
	return used() - before
}

// least returns the least processor time of several runs: other programs and the garbage collector
// only ever add to it.
func least(t testing.TB, runs int, do func()) time.Duration {
	t.Helper()
	best := processorTime(t, do)
	for range runs - 1 {
		best = min(best, processorTime(t, do))
	}
	return best
}

// costly lists requests that no link on a page leads to, by the route that they belong to: the
// dearest that are known. {tool}, {model}, {category} and {build} are replaced.
var costly = map[string][]string{
	"/search/": {"/search/?q=a", "/search/?q=model+for+text+and+data+in+production&type=model&type=tool&sort=name", "/search/?q=" + strings.Repeat("x+", 90),
		"/search/?q=e&page=20", "/search/?type=model&price=1&context=200k", "/search/?q=%22the%22+OR+-a"},
	"/compare/":          {"/compare/?e={model}&e={tool}", "/compare/?e={models}", "/compare/?add=model+for+text+and+data", "/compare/?suggest=a&e={model}", "/compare/?e=nosuch&e=model+for+text+and+data&e=b&e=c"},
	"/prices/":           {"/prices/?q=a&sort=output&page=3", "/prices/?calculate={model}&input=100000&output=1000", "/prices/?provider=open&sort=input", "/prices/?max=1&context=200000"},
	"/changes/":          {"/changes/?event=entity.updated", "/changes/?since=2026-01-01&type=model"},
	"/:plural/":          {"/tools/", "/tools/?sort=license", "/models/page-3/?sort=-board", "/models/?name=model&maxInput=5&minContext=1k&sort=input", "/models/?category=nosuch&license=none"},
	"/docs/:guide/":      {"/docs/api/"},
	"/:type/:slug/":      {"/{model}/", "/{tool}/", "/{model}/at-2026-11-01/", "/tool/nosuch/", "/model/gpt/"},
	"/data/:build/*file": {"/data/{build}/manifest.json", "/data/{build}/entities.csv", "/data/{build}/entities.parquet", "/data/{build}/nosuch", "/data/99999999-000000-aaaaaaaaaaaa/manifest.json"},

	"/leaderboards/:category/":       {"/leaderboards/all/at-2026-11-01/", "/leaderboards/{category}/type-tool/by-adoption/", "/leaderboards/nosuch/"},
	"/badge/:type/:slug":             {"/badge/{tool}.svg", "/badge/{model}.svg?show=score&label=x", "/badge/tool/nosuch.svg"},
	"/openapi.json":                  {"/openapi.json"},
	"/openapi.yaml":                  {"/openapi.yaml"},
	"/llms.txt":                      {"/llms.txt"},
	"/.well-known/security.txt":      {"/.well-known/security.txt"},
	"/docs/api":                      {"/docs/api"},
	"/docs/api/":                     {"/docs/api/"},
	"/docs/api/:asset":               {"/docs/api/nosuch.js"},
	"/assets/:asset":                 {"/assets/nosuch.js"},
	"/submit/":                       {"/submit/", "/submit/?amends={model}", "/submit/?name=Model+for+text&type=model"},
	"/submit/check":                  {"/submit/check"},
	"/api/openapi":                   {"/api/openapi", "/api/openapi?format=yaml"},
	"/api/sdk/typescript":            {"/api/sdk/typescript"},
	"/api/sdk/typescript/:file":      {"/api/sdk/typescript/nosuch.tgz"},
	"/api/sdk/python":                {"/api/sdk/python"},
	"/api/sdk/python/:file":          {"/api/sdk/python/nosuch.whl"},
	"/api/developer/api-keys/revoke": {"POST /api/developer/api-keys/revoke {}", "POST /api/developer/api-keys/revoke {\"key\":\"kx_nonsense\"}"},
	"/:values/all/":                  {"/providers/all/", "/tags/all/", "/capabilities/all/"},
	"/:type/:slug/history/":          {"/{model}/history/", "/{tool}/history/page-2/"},
	"/sitemap.xml":                   {"/sitemap.xml"},
	"/og/:type/:file":                {"/og/{model}.png"},
	agentPath: {`POST /mcp {"jsonrpc":"2.0","id":1,"method":"tools/list"}`, `POST /mcp {"jsonrpc":"2.0","id":1,"method":"resources/list"}`,
		`POST /mcp {"jsonrpc":"2.0","id":1,"method":"prompts/list"}`,
		`POST /mcp {"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`, "POST /mcp {", "GET /mcp"},
	"": {"/nothing/at/all", "/tool/pytorhc", "/model/nosuch/history.json", "PUT /", "OPTIONS /", "PUT /tool/x/", "/api/nothing", "DELETE /api/categories", "/leaderboards", "/og/tool/nosuch.png",
		"/" + strings.Repeat("a", 8000), "/search?q=a", "/tool/" + strings.Repeat("a-", 2000) + "/"},
}

// linked is the maximum number of paths of each route that are requested. If it is more than one, all paths
// of the entities with the longest records are requested, too.
type linked int

// unmeteredRequests returns one request or more for each route that no daily limit covers, by route.
// It fails if a route has none.
func (s *served) unmeteredRequests(t testing.TB, per linked) map[string][]string {
	t.Helper()
	v := s.published()
	site := v.Site()
	found := map[string][]string{}
	most := map[string]string{} // the longest record of each type
	for typ, slug := range v.Build.Keys {
		o, former, ok := v.Build.Find(typ, slug)
		if ok && !former && len(v.Build.Record(o)) > len(most[typ]) {
			most[typ] = string(v.Build.Record(o))
			found[typ] = append(found[typ], typ+"/"+slug)
		}
	}
	models := found["model"]
	last := func(list []string) string { return list[len(list)-1] }
	words := strings.NewReplacer("{tool}", last(found["tool"]), "{model}", last(models), "{category}", v.Categories[0].Slug, "{build}", v.ID(),
		"{models}", strings.Join(models[max(0, len(models)-4):], "&e="))
	dearest := map[string]bool{}
	for _, key := range append(models[max(0, len(models)-3):], last(found["tool"])) {
		dearest[key] = true
	}
	all := map[string][]string{}
	source := site.Source
	source.Index = nil
	files := pages.New(source, pages.Options{Static: true, Base: "https://index.example.org"})
	var mu sync.Mutex
	var paths []string
	followed := map[string]int{}
	err := files.Crawl(t.Context(), func(path string) (*pages.Answer, error) {
		mu.Lock()
		defer mu.Unlock()
		paths = append(paths, path)
		pattern := site.Route(path)
		if followed[pattern]++; !strings.HasSuffix(path, "/") || per == 1 && followed[pattern] > 3 {
			return nil, nil // a few pages of each route link to every route
		}
		return files.Get(pages.Request{Path: path})
	})
	suite.Check(t, err)
	slices.Sort(paths)
	for _, path := range paths {
		pattern := site.Route(path)
		parts := strings.SplitN(strings.Trim(path, "/"), "/", 3)
		if len(all[pattern]) < int(per) || per > 1 && len(parts) > 1 && dearest[parts[0]+"/"+parts[1]] {
			all[pattern] = append(all[pattern], path)
		}
	}
	for pattern, targets := range costly {
		for _, target := range targets {
			all[pattern] = append(all[pattern], words.Replace(target))
		}
	}
	var known []string
	for _, r := range s.routeTable() {
		if r.cost < web.Metered {
			known = append(known, r.path)
		}
	}
	for _, r := range s.console.Routes {
		known = append(known, r.Path)
		all[r.Path] = append(all[r.Path], strings.TrimPrefix(r.Verb+" ", "GET ")+strings.NewReplacer(":provider", "github", ":id", "x").Replace(r.Path))
	}
	for _, pattern := range append(append(known, pages.Routes()...), agentPath) {
		suite.Holds(t, len(all[pattern]) != 0, "no request for the route", pattern, "add one to costly")
	}
	return all
}

// send sends a request such as "/path" or "POST /path body" from an address on the internet.
func (s *served) sendUnmetered(what string) int {
	method, target, body := http.MethodGet, what, ""
	if !strings.HasPrefix(what, "/") {
		method, target, _ = strings.Cut(what, " ")
		target, body, _ = strings.Cut(target, " ")
	}
	r := from("203.0.113.7:1", method, target, body, "Accept", "text/html,*/*;q=0.8", "Accept-Encoding", "gzip")
	if strings.HasPrefix(target, agentPath) {
		r.Header.Set("Accept", "application/json, text/event-stream")
	}
	return s.statusOf(r)
}

// eachUnmetered calls do with every request, by route, and the function that sends it.
func (s *served) eachUnmetered(t *testing.T, per linked, do func(pattern, what string, send func())) {
	all := s.unmeteredRequests(t, per)
	for _, pattern := range slices.Sorted(maps.Keys(all)) {
		for _, what := range all[pattern] {
			do(pattern, what, func() {
				status := s.sendUnmetered(what)
				suite.Holds(t, status < 500 || status == http.StatusNotImplemented, what, status)
			})
		}
	}
}

// serveCosts serves a build without the limits that a test reaches at once.
func serveCosts(t *testing.T, out string) *served {
	hub := authtest.StartGitHub(t)
	s := serveWith(t, Options{Dir: out, State: storagetest.SQLite(t), LimitAnonymous: 1 << 40,
		SignIn: auth.Options{GitHub: auth.GitHub{Client: authtest.Client, Secret: authtest.ClientSecret, URL: hub.URL}}})
	s.patient()
	return s
}

// costContent makes a build of the content for tests, with an old commit.
func costContent(t *testing.T) string {
	t.Helper()
	return filepath.Join(prepare(t, "costs", func(dir string) {
		r := NewRepository(t)
		suite.CopyContent(t, r.Dir)
		r.Commit("2026-10-20T10:00:00Z", "First", "NOTES", "")
		buildDay(t, r, filepath.Join(dir, "out"), "2026-11-21")
	}), "out")
}

// maxPageMallocs is the maximum number of allocations of a request that no daily limit covers. It does
// not depend on the machine. The dearest page needs 46,000; a page that decodes some hundred records for
// each request needs 100,000.
const maxPageMallocs = 60_000

// TestPageCosts requests every kind of page and every other path that no daily limit covers, and counts
// the allocations of each. A new route fails it until there is a request for it.
func TestPageCosts(t *testing.T) {
	suite.InTest(t)
	suite.WithoutRace(t)
	s := serveCosts(t, costContent(t))
	s.eachUnmetered(t, 1, func(pattern, what string, send func()) {
		n := testing.AllocsPerRun(1, send)
		suite.Holds(t, n <= maxPageMallocs, pattern, what, "makes", n, "allocations, more than", maxPageMallocs)
	})
}

// TestPageTimes measures the processor time of every page and of every other path that no daily limit
// covers, at 2,000 entities with a history.
func TestPageTimes(t *testing.T) {
	suite.InSoak(t, "it takes minutes; TestPageCosts counts the allocations of each kind of page")
	dir := t.TempDir()
	git := func(args ...string) {
		t.Helper()
		if text, err := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=A", "-c", "user.email=a@example.org"}, args...)...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, text)
		}
	}
	git("init", "-q")
	for _, n := range []string{"1500", "2000"} { // the second commit adds entities, and changes none
		corpus := exec.Command("go", "run", "./cmd/gencorpus", "-n", n, "-content", suite.Content(t), "-out", filepath.Join(dir, n))
		corpus.Dir = suite.Root(t)
		if text, err := corpus.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, text)
		}
		suite.Check(t, errors.Join(os.RemoveAll(filepath.Join(dir, "content")), os.Rename(filepath.Join(dir, n), filepath.Join(dir, "content"))))
		git("add", "content")
		git("commit", "-q", "-m", n+" entities")
	}
	out := filepath.Join(dir, "out")
	suite.Must(builder.Build(t.Context(), builder.Options{Content: filepath.Join(dir, "content"), Out: out, AsOf: testAsOf, Keep: 1}))(t)
	s := serveCosts(t, out)
	unit := least(t, 20, yardstick)
	units := func(d time.Duration) float64 { return float64(d) / float64(unit) }
	dearest, which := map[string]float64{}, map[string]string{}
	s.eachUnmetered(t, 3000, func(pattern, what string, send func()) {
		cost := units(processorTime(t, send))
		if cost > maxPageCost {
			cost = min(cost, units(least(t, 10, send)))
		}
		if cost > dearest[pattern] {
			dearest[pattern], which[pattern] = cost, what
		}
	})
	for _, pattern := range slices.Sorted(maps.Keys(dearest)) {
		t.Logf("%6.1f  %s: %.100s", dearest[pattern], pattern, which[pattern])
		if bound := max(maxPageCost, dearerPages[pattern]); dearest[pattern] > bound {
			t.Errorf("%.100s takes %.1f times the yardstick of %v, more than %g", which[pattern], dearest[pattern], unit, bound)
		}
	}
}

// TestAttackDearPages requests a page that takes more processor time than others: it must use up more of
// the address's allowance, and leave that of others alone.
func TestAttackDearPages(t *testing.T) {
	few := serveFew(t, Options{})
	s := serveWith(t, Options{Dir: few.out, State: storagetest.SQLite(t), LimitPages: 10})
	s.shared.Limits.Pages = ratelimit.NewAllowance(10, 10*ratelimit.PageBurst, stopped)
	s.router.GET("/dear", s.handle("/dear", web.Unmetered, nil, func(*web.Call) (*web.Reply, error) {
		for start := web.ThreadTime(); web.ThreadTime()-start < 5*web.PageCost; {
			yardstick()
		}
		return web.JSONReply(http.StatusOK, nil)
	}))
	answered := 0
	for s.statusOf(from("203.0.113.7:1", "GET", "/dear", "")) == http.StatusOK {
		answered++
	}
	if most := (10*ratelimit.PageBurst + 5) / 6; answered == 0 || answered > most {
		t.Errorf("%d pages of %v were answered, want 1 to %d", answered, 5*web.PageCost, most)
	}
	suite.Equal(t, s.statusOf(from("203.0.113.8:1", "GET", "/dear", "")), http.StatusOK, "another address")
}
