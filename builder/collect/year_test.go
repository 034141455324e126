package collect_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"kindex/builder"
	"kindex/builder/collect"
	"kindex/builder/collect/collecttest"
	"kindex/builder/collect/file"
	"kindex/builder/collect/sources"
	"kindex/builder/content"
	"kindex/builder/suite"
	"kindex/exports/kinds"
	"kindex/exports/record"
)

// year is a year of weekly runs.
type year struct {
	*world
	t      *testing.T
	dir    string
	list   collect.FileConfig
	url    string
	accept []string // what the maintainer accepts in the next run
	tops   map[string][]string
}

// TestYear runs the collector for a year of weeks, in which repositories are renamed and archived, and
// services fail, lie and end. A maintainer accepts what is true of what guards stopped. After every week,
// each figure in the files must be one that was true on its day, and after every quarter, the boards must
// have nearly the same entities as before.
func TestYear(t *testing.T) {
	suite.InTest(t)
	y := &year{t: t, dir: filepath.Join(t.TempDir(), "content"), tops: map[string][]string{}}
	suite.CopyContent(t, y.dir, suite.Pick([]string{"inference-engines", "vector-databases", "speech-to-text", "model/claude-opus-5"}, nil)...)
	c, problems, err := content.Load(y.dir, nil)
	if n, _ := problems.Count(); err != nil || n > 0 {
		t.Fatal(problems, err)
	}
	y.world = newWorld(time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC), c.Entities)
	y.url = collecttest.Server(t, y.ServeHTTP)
	y.list = collect.FileConfig{Name: "open-asr", URL: "https://asr.example/asr.csv", Map: filepath.Join(t.TempDir(), "asr.yaml")}
	const mapping = `type: model
fields: {name: model}
ids: {huggingface: model}
signals:
  benchmarks:
    - {name: {constant: Open ASR Leaderboard}, value: Avg. WER, metric: {constant: "word error rate, lower is better"}, dataset: {constant: "English, short recordings"},
       by: {constant: independent}, publisher: {constant: Hugging Face}, source: {constant: "https://asr.example/asr.csv"}}
`
	if err := os.WriteFile(y.list.Map, []byte(mapping), 0o666); err != nil {
		t.Fatal(err)
	}
	y.boards()
	for y.week = range 52 {
		if !suite.Soaking() && !slices.Contains(eventful, y.week) {
			continue
		}
		y.run()
		y.checkFiles()
		if y.week%13 == 12 {
			y.boards()
		}
	}
}

// eventful are the weeks in which something happens, and some before and after.
var eventful = []int{0, 3, renamedWeek, renamedWeek + 1, archivedWeek, badWeek, cutWeek, downWeek, wrongWeek, zeroWeek, shareWeek, mixedWeek, lastWeek, newWeek, 51}

// run runs the collector in a week, and lets the maintainer decide.
func (y *year) run() {
	list, err := file.New(kinds.Default(), y.list, y.url)
	if err != nil {
		y.t.Fatal(err)
	}
	o := options(y.t, y.dir, newClock(y.dayOf(y.week)), sources.PyPI(y.url, y.url), sources.NPM(y.url, y.url), sources.HuggingFace(y.url), sources.ModelsDev(y.url, "", ""),
		sources.GitHub(y.url, nil, 0), list)
	o.Getenv = func(string) string { return "token" }
	o.Accept, o.New = y.accept, y.week >= newWeek-1
	o.MaxWait = 24 * time.Hour
	r := mustRun(y.t, o)
	y.accept = nil
	for _, s := range r.Stopped {
		if y.isTrue(s.Entity, s.Name, s.Found) {
			y.accept = append(y.accept, s.Entity+":"+s.Name)
		}
	}
	var b bytes.Buffer
	if err := r.WriteMarkdown(&b); err != nil {
		y.t.Fatal(err)
	}
	if lines := bytes.Count(b.Bytes(), []byte("\n")); b.Len() > 60_000 || lines > 160 && len(r.New) == 0 {
		y.t.Errorf("week %d: the request has %d bytes, %d lines", y.week, b.Len(), lines)
	}
	y.t.Logf("week %2d: %4d files, %5d changes, %3d stopped, %2d of them true, %2d new, %2d not answered by %v; the request has %5d bytes, %3d lines",
		y.week, r.Files, len(r.Changes), len(r.Stopped), len(y.accept), len(r.New), len(r.Failed), r.Broken(), b.Len(), bytes.Count(b.Bytes(), []byte("\n")))
	if name := map[int]string{3: "ordinary", badWeek: "bad", newWeek: "new"}[y.week]; name != "" && !suite.Soaking() {
		suite.Golden(y.t, filepath.Join("testdata", "requests", name+".md"), y.steady(b.Bytes()))
	}
}

var (
	waited  = regexp.MustCompile(`\| [0-9hms]+ \|\n`)
	address = regexp.MustCompile(`http://127\.0\.0\.1:[0-9]+`)
)

// steady replaces what differs from run to run: the sources share a clock.
func (y *year) steady(report []byte) []byte {
	return address.ReplaceAll(waited.ReplaceAll(report, []byte("| 1m0s |\n")), []byte("https://service.example"))
}

// isTrue reports whether a value that a guard stopped is true, as a maintainer can see on its page.
func (y *year) isTrue(entity, name string, found any) bool {
	i := slices.IndexFunc(y.entities, func(e *record.Entity) bool { return e.Key() == entity })
	e := y.entities[i]
	switch {
	case name == "moved":
		return true
	case name == "archived":
		return e.IDsIn("github")[0] == y.chosen(6)
	case strings.HasPrefix(name, collect.OffersColumn):
		_, o := y.priced()
		return strings.HasSuffix(name, ".input") && found == y.input(o, y.week)
	case strings.HasPrefix(name, collect.ResultsColumn):
		return found == y.result(e, y.week)
	}
	x, isNumber := found.(float64)
	return isNumber && slices.Contains(y.values(e, name, y.week), x)
}

// values returns the figures that an entity truly has in a week, one for each of its identifiers.
func (y *year) values(e *record.Entity, name string, week int) (list []float64) {
	for _, namespace := range []string{"github", "pypi", "npm", "huggingface"} {
		for _, id := range e.IDsIn(namespace) {
			if namespace == "github" && strings.HasPrefix(id, "renamed/") {
				id = y.chosen(3)
			}
			list = append(list, y.figure(id, name, week))
		}
	}
	return list
}

// checkFiles checks that every figure in the files is one that was true on its day.
func (y *year) checkFiles() {
	c, problems, err := content.Load(y.dir, nil)
	if n, _ := problems.Count(); err != nil || n > 0 {
		y.t.Fatal(problems, err)
	}
	for _, e := range c.Entities {
		for _, f := range e.Signals.Facts {
			if !slices.Contains(kinds.Default().Growing(), f.Name) || f.Date < y.dayOf(0) {
				continue
			}
			day, err := time.Parse(time.DateOnly, f.Date)
			if err != nil {
				y.t.Fatal(err)
			}
			if week := int(day.Sub(y.first).Hours()) / (24 * 7); !slices.Contains(y.values(e, f.Name, week), f.Number) {
				y.t.Errorf("week %d: %s has %s %.0f of %s, when it was %v", y.week, e.Key(), f.Name, f.Number, f.Date, y.values(e, f.Name, week))
			}
		}
		for i := range e.Offers {
			if o := &e.Offers[i]; o.Date >= y.dayOf(0) {
				y.checkPrice(e, o)
			}
		}
		before := y.entities[slices.IndexFunc(y.entities, func(o *record.Entity) bool { return o.Key() == e.Key() })]
		if x := y.result(e, 0); x != 0 && x != y.result(before, 0) && x != y.result(before, 8) {
			y.t.Errorf("week %d: %s has the result %v", y.week, e.Key(), x)
		}
	}
}

func (y *year) checkPrice(e *record.Entity, o *record.Offer) {
	chosen, held := y.priced()
	if chosen.Key() != e.Key() || held.Key() != o.Key() {
		return
	}
	if x := o.Prices[record.InputPrice].Float(); x != y.input(held, 0) && x != y.input(held, cutWeek) {
		y.t.Errorf("week %d: %s of %s costs %v", y.week, o.Key(), e.Key(), x)
	}
}

// boards prints the first ten of each board, and compares them with those of the quarter before.
func (y *year) boards() {
	l, problems, err := builder.LoadContent(y.dir, nil)
	if n, _ := problems.Count(); err != nil || n > 0 {
		y.t.Fatal(problems, err)
	}
	at, err := time.Parse(time.DateOnly, y.dayOf(y.week))
	if err != nil {
		y.t.Fatal(err)
	}
	boards, err := l.RankBoards(at)
	if err != nil {
		y.t.Fatal(err)
	}
	for i := range boards {
		var top []string
		for _, entry := range boards[i].Entries[:min(len(boards[i].Entries), 10)] {
			top = append(top, l.Entities[entry.Ordinal].Slug)
		}
		slug := boards[i].Slug
		kept := 0
		for _, name := range y.tops[slug] {
			if slices.Contains(top, name) {
				kept++
			}
		}
		if n := len(y.tops[slug]); kept < n-3 || len(top) < n {
			y.t.Errorf("week %d: only %d of %d are still on %s: %v, before %v", y.week, kept, n, slug, top, y.tops[slug])
		}
		if y.tops[slug] = top; len(top) > 0 {
			y.t.Logf("%s %-24s %s", y.dayOf(y.week), slug, fmt.Sprint(top))
		}
	}
}
