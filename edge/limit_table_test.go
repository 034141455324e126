package edge

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"kindex/builder/suite"
	"kindex/edge/console"
	"kindex/edge/ratelimit"
)

// limitTests names the tests that reach each limit, in the order of the table.
var limitTests = []string{"TestWhatCounts", "TestTwoEdgesOneLimit", "TestFreeUnchangedAreBounded", "TestAttackPages", "TestAttackSignInFlood", "TestAttackFormOfNetwork",
	"TestFormSubmits", "TestPanelTooOften", "TestReportsAreBounded", "TestAttackInventedKeys",
	"TestAttackPagesAtOnce", "TestAttackPagesAtOnce", "TestPastDaysOneAtATime", "TestExportsAtOnce", "TestAttackIdleConnections"}

// TestLimitTable compares the table of limits in operating.md with the program.
func TestLimitTable(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(suite.Root(t), "site", "docs", "operating.md"))
	if err != nil {
		t.Fatal(err)
	}
	flags, err := os.ReadFile(filepath.Join(suite.Root(t), "cmd", "kindex", "cmd_serve.go"))
	if err != nil {
		t.Fatal(err)
	}
	standard := func(flag string) int64 { // the default value of a flag
		m := regexp.MustCompile(`"` + flag + `", (\d+),`).FindSubmatch(flags)
		if m == nil {
			t.Fatalf("no flag %s", flag)
		}
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
	if c.All > ratelimit.MaxConnections || c.PerAddress != max(1, c.All/4) {
		t.Errorf("%+v", c)
	}
	pages := standard("limit-pages")
	want := []string{
		fmt.Sprintf("%d per UTC day", standard("limit-anonymous")),
		fmt.Sprintf("%d per UTC day", standard("limit-key")),
		fmt.Sprintf("%d times the quota", ratelimit.FreeUnchanged),
		fmt.Sprintf("%d per second, %d at once; %d ms of processor time count as one", pages, ratelimit.PageBurst*pages, pageCost.Milliseconds()),
		use(ratelimit.SignIn), use(ratelimit.FormCheck), use(ratelimit.FormSubmit), use(ratelimit.PanelChange), use(ratelimit.ReportKey), use(ratelimit.UnknownKey),
		"two per processor, at least 8; " + queue(l.PageGate), gate(l.FileGate), gate(l.PastGate),
		fmt.Sprintf("%s; %d per address or account", gate(l.ExportGate), l.ExportGate.PerCaller),
		"3/4 of the files that the process may open, at most " + thousands(ratelimit.MaxConnections) + "; an address 1/4 of that",
	}
	_, section, _ := strings.Cut(string(text), "\n## Limits\n")
	section, _, _ = strings.Cut(section, "\n## ")
	if size := fmt.Sprintf("each %d KiB of a form", console.BytesPerCheck>>10); !strings.Contains(section, size) {
		t.Errorf("no %q", size)
	}
	var got []string
	for _, row := range regexp.MustCompile(`(?m)^\| [^|]+ \| [^|]+ \| ([^|]+) \| [^|]+ \|$`).FindAllStringSubmatch(section, -1)[2:] {
		got = append(got, row[1])
	}
	if !slices.Equal(got, want) {
		t.Errorf("the table has\n%s\nbut the program\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	files, err := filepath.Glob("*_test.go")
	if err != nil || len(limitTests) != len(want) {
		t.Fatal(err, len(limitTests), len(want))
	}
	var tests strings.Builder
	for _, f := range files {
		source, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		tests.Write(source)
	}
	for i, name := range limitTests {
		if !strings.Contains(tests.String(), "\nfunc "+name+"(t *testing.T)") {
			t.Errorf("%s: no %s", want[i], name)
		}
	}
}
