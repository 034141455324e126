package edge

import (
	"context"
	"database/sql"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/goccy/go-yaml"

	"kindex/builder/suite"
	"kindex/edge/api"
	"kindex/edge/console"
	"kindex/edge/openapi"
	"kindex/edge/ratelimit"
	"kindex/edge/storage/storagetest"
	"kindex/edge/web"
	"kindex/exports/kinds"
	"kindex/exports/record"
	"kindex/exports/table"
	"kindex/exports/view"
	"kindex/exports/where"
)

// TestOptionsCountUnlessPreflight: an OPTIONS request without the headers of a preflight counts
// like any other request, and its response has the same headers.
func TestOptionsCountUnlessPreflight(t *testing.T) {
	s := serveFew(t, Options{LimitAnonymous: 3})
	const tier = "anonymous"
	a := s.expect(t, 204, 2, tier, "OPTIONS", "/api/entities")
	suite.Equal(t, a.header.Get("Allow"), "GET, HEAD, OPTIONS", "Allow")
	s.expect(t, 204, 1, tier, "OPTIONS", "/api/webhooks?x=1")
	s.expect(t, 404, 0, tier, "OPTIONS", "/api/nothing")
	s.expect(t, 429, 0, tier, "OPTIONS", "/api/entities")
	for range 2 { // requests to free addresses do not count, whatever their outcome
		s.expect(t, 405, 0, tier, "POST", "/api/openapi")
		s.expect(t, 400, 0, tier, "GET", "/api/openapi?x=1")
		s.expect(t, 404, 0, tier, "GET", "/api/sdk/nothing")
		s.expect(t, 429, 0, tier, "GET", "/api/sdks")
	}
	s.ask(t, "OPTIONS", "/").want(t, 204).wantHeader(t, "X-RateLimit-Limit", "")
}

// TestLimitTable compares the table of limits in operating.md with the program.
func TestLimitTable(t *testing.T) {
	text := suite.Must(os.ReadFile(filepath.Join(suite.Root(t), "site", "docs", "operating.md")))(t)
	flags := suite.Must(os.ReadFile(filepath.Join(suite.Root(t), "cmd", "kindex", "cmd_serve.go")))(t)
	standard := func(flag string) int64 { // the default value of a flag
		m := regexp.MustCompile(`"` + flag + `", (\d+),`).FindSubmatch(flags)
		suite.Require(t, m != nil, "no flag", flag)
		n, _ := strconv.ParseInt(string(m[1]), 10, 64)
		return n
	}
	thousands := func(n int64) string {
		if n < 1000 {
			return fmt.Sprint(n)
		}
		return fmt.Sprintf("%d,%03d", n/1000, n%1000)
	}
	per := func(n int64, u *ratelimit.Use) string {
		return thousands(n) + " per " + map[time.Duration]string{time.Hour: "hour", time.Minute: "minute"}[u.Window]
	}
	use := func(u *ratelimit.Use) string {
		if u.Account > 0 {
			return per(u.Account, u)
		}
		if u.Network == 0 {
			return per(u.Address, u)
		}
		return per(u.Address, u) + "; a network " + thousands(u.Network)
	}
	l := ratelimit.New(nil, 1, time.Now)
	queue := func(g *ratelimit.Gate) string { return fmt.Sprintf("%d wait for %.0f s", g.Waiting, g.Wait.Seconds()) }
	gate := func(g *ratelimit.Gate) string { return fmt.Sprintf("%d; %s", g.Slots, queue(g)) }
	c := ratelimit.NewConnections(nil)
	suite.Holds(t, c.All <= ratelimit.MaxConnections && c.PerAddress == max(1, c.All/4), c)
	pages := standard("limit-pages")
	want := []string{
		fmt.Sprintf("%d per UTC day", standard("limit-anonymous")),
		fmt.Sprintf("%d per UTC day", standard("limit-key")),
		fmt.Sprintf("%d times the quota", ratelimit.FreeUnchanged),
		fmt.Sprintf("%d per second, %d at once; %d ms of processor time count as one", pages, ratelimit.PageBurst*pages, web.PageCost.Milliseconds()),
		use(ratelimit.SignIn), use(ratelimit.FormCheck), use(ratelimit.FormSubmit), use(ratelimit.PanelChange), use(ratelimit.ReportKey), use(ratelimit.UnknownKey),
		"two per processor, at least 8; " + queue(l.PageGate), gate(l.FileGate), gate(l.PastGate),
		fmt.Sprintf("%s; %d per address or account", gate(l.ExportGate), l.ExportGate.PerCaller),
		"3/4 of the files that the process may open, at most " + thousands(ratelimit.MaxConnections) + "; an address 1/4 of that",
	}
	_, section, _ := strings.Cut(string(text), "\n## Limits\n")
	section, _, _ = strings.Cut(section, "\n## ")
	suite.Contains(t, section, fmt.Sprintf("each %d KiB of a form", console.BytesPerCheck>>10))
	var got []string
	for _, row := range regexp.MustCompile(`(?m)^\| [^|]+ \| [^|]+ \| ([^|]+) \| [^|]+ \|$`).FindAllStringSubmatch(section, -1)[2:] {
		got = append(got, row[1])
	}
	suite.Equal(t, strings.Join(got, "\n"), strings.Join(want, "\n"), "the table")
}

// TestLockTimeout has another session lock an account's row in PostgreSQL, as a forgotten psql
// session would. Writes to the row must fail in time and have no effect after the lock is
// released.
func TestLockTimeout(t *testing.T) {
	suite.InTest(t)
	target := storagetest.PostgreSQL(t)
	st, log := storagetest.Open(t, target), &suite.Log{}
	s := serveFew(t, Options{State: st, LimitKey: 100, Log: slog.New(slog.NewTextHandler(log, nil))})
	s.shared.AccountTimeout = hanging
	hasty := serveWith(t, Options{Dir: s.out, State: st, LimitKey: 100, Log: slog.New(slog.NewTextHandler(log, nil))})
	hasty.shared.AccountTimeout = 500 * time.Millisecond
	key, _ := s.keyOf(t, "account")
	db := suite.Must(sql.Open("pgx", target))(t)
	defer db.Close()
	held := suite.Must(db.Begin())(t)
	defer func() { _ = held.Rollback() }()
	suite.Must(held.Exec("SELECT id FROM accounts FOR UPDATE"))(t)
	// Failures caused by clients that disconnect must not fill the log.
	ctx, leave := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer leave()
	req := suite.Must(http.NewRequestWithContext(ctx, "POST", s.url+"/api/developer/api-keys", strings.NewReader(`{"name":"second"}`)))(t)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("x-api-key", key)
	suite.Is(t, suite.Err(http.DefaultClient.Do(req)), context.DeadlineExceeded)
	suite.Eventually(t, "no request in flight", func() bool { return strings.Contains(s.scrape(t), "kindex_http_requests_in_flight 0") })
	suite.Lacks(t, log.String(), "level=ERROR", "log after the client left")
	begin := time.Now()
	a := hasty.send(t, "POST", "/api/developer/api-keys", key, `{"name":"second"}`, "Idempotency-Key", "one")
	if took := time.Since(begin); a.status != http.StatusServiceUnavailable || took < hasty.shared.AccountTimeout {
		t.Errorf("after %v: %d %s", took, a.status, a.body)
	}
	suite.Equal(t, strings.Count(log.String(), "level=ERROR"), 1, "log after the client waited")
	suite.Check(t, held.Rollback())
	s.send(t, "POST", "/api/developer/api-keys", key, `{"name":"second"}`, "Idempotency-Key", "one").want(t, http.StatusCreated)
}

// TestNamesAreReserved: the names that kinds.yaml must not declare are those of the tables of routes, of their
// parameters, of the members of responses and of the columns. Package kinds cannot import them.
func TestNamesAreReserved(t *testing.T) {
	s := serveShared(t, 60)
	standard := kinds.Default()
	declared := slices.Clone(kinds.OfferFilters) // offers take the filters of their entities
	for _, f := range standard.Leaves() {
		lowest, highest := f.Limits()
		declared = append(declared, f.Name, f.Query, lowest, highest, f.Column())
		if f.Group != nil {
			declared = append(declared, f.Group.Name)
		}
	}
	reserved := func(list string, names []string, name, what string) {
		t.Helper()
		if !slices.Contains(names, name) && !slices.Contains(declared, name) {
			t.Errorf("%s is %s, and is missing from kinds.%s", name, what, list)
		}
	}
	paths := []string{agentPath}
	params := slices.Concat(where.Filters(standard), api.OfferParams, api.CostParams) // the page of prices has both
	for _, r := range s.routeTable() {
		paths = append(paths, r.path)
		if slices.Contains(r.params, web.FilterParams) {
			params = append(params, r.params...)
		}
	}
	for _, r := range s.console.Routes {
		paths = append(paths, r.Path)
	}
	for _, path := range paths {
		if first, _, _ := strings.Cut(strings.Trim(path, "/"), "/"); !strings.Contains(first, ".") {
			reserved("Paths", kinds.Paths, first, "the beginning of a path of the service")
		}
	}
	for _, name := range params {
		if name != web.FilterParams {
			reserved("Parameters", kinds.Parameters, name, "a parameter beside filters")
		}
	}
	for _, key := range view.SortKeys(standard) {
		if !strings.HasPrefix(key, view.SignalKey("")) && !slices.Contains(kinds.Members, key) {
			reserved("Parameters", kinds.Parameters, key, "a key to sort by")
		}
	}
	for _, name := range record.RecordFields(standard) {
		reserved("Members", kinds.Members, name, "a member of records")
	}
	for _, c := range table.FullColumns(standard) {
		if !strings.HasPrefix(c.Name, "link") && !strings.HasPrefix(c.Name, "signal") {
			reserved("Members", kinds.Members, c.Name, "a column")
		}
	}
	var doc struct {
		Components struct {
			Schemas map[string]struct{ Properties map[string]any }
		}
	}
	suite.Check(t, yaml.Unmarshal(openapi.YAML, &doc))
	lists := 0
	for _, schema := range doc.Components.Schemas {
		if schema.Properties["openWeights"] == nil || schema.Properties["slug"] == nil {
			continue
		}
		lists++
		for name := range schema.Properties {
			if !strings.HasPrefix(name, "link") && !strings.HasPrefix(name, "signal") {
				reserved("Members", kinds.Members, name, "a member of what lists entities")
			}
		}
	}
	suite.Holds(t, lists >= 5, "only", lists, "schemas of the API have the members of records")
}
