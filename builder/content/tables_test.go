package content_test

import (
	"encoding/csv"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"kindex/builder/content"
	"kindex/builder/suite"
	"kindex/exports/record"
)

// contentFolder makes the tests in this file check a content folder, as make content does. Without
// it, they check a small folder with one fault of each kind, so that they are tested themselves.
var contentFolder = flag.String("content", "", "check the tables of this content folder")

// line is a line of a CSV file.
type line struct {
	at    string // such as results.csv:2
	field map[string]string
}

func readTable(t *testing.T, path string, columns ...string) (list []line) {
	t.Helper()
	f := suite.Must(os.Open(path))(t)
	defer f.Close()
	r := csv.NewReader(f)
	header, err := r.Read()
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	for _, name := range columns {
		if !slices.Contains(header, name) {
			t.Fatalf("%s has no column %s", path, name)
		}
	}
	for {
		row, err := r.Read()
		if errors.Is(err, io.EOF) {
			return list
		}
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		number, _ := r.FieldPos(0)
		l := line{fmt.Sprintf("%s:%d", filepath.Base(path), number), map[string]string{}}
		for i, name := range header {
			l.field[name] = row[i]
		}
		list = append(list, l)
	}
}

// checkTables checks a folder with check: that of -content, in which nothing may be wrong, or else
// the one in testdata/tables.txtar, whose file want contains what is. With -update, it writes that.
func checkTables(t *testing.T, want string, check func(dir string, entities []*record.Entity) []string) {
	t.Helper()
	const archive = "testdata/tables.txtar"
	dir := *contentFolder
	if dir == "" {
		dir = filepath.Join(extract(t, archive), "content")
	}
	c, problems, err := content.Load(dir, nil)
	if faults, _ := problems.Count(); err != nil || faults > 0 || len(c.Entities) == 0 {
		t.Fatalf("%v\n%s", err, problems)
	}
	got := check(dir, c.Entities)
	if *contentFolder == "" {
		compareWithArchive(t, archive, want, strings.Join(got, "\n")+"\n")
		return
	}
	for _, problem := range got {
		t.Error(problem)
	}
}

func extract(t *testing.T, archive string) string {
	t.Helper()
	a := suite.Must(txtar.ParseFile(archive))(t)
	dir := t.TempDir()
	suite.Check(t, txtar.Write(a, dir))
	return dir
}

func compareWithArchive(t *testing.T, archive, name, got string) {
	t.Helper()
	a := suite.Must(txtar.ParseFile(archive))(t)
	at := slices.IndexFunc(a.Files, func(f txtar.File) bool { return f.Name == name })
	if at < 0 {
		t.Fatalf("%s has no file %s", archive, name)
	}
	if suite.Updating() {
		a.Files[at].Data = []byte(got)
		suite.Check(t, os.WriteFile(archive, txtar.Format(a), 0o644))
	} else if want := string(a.Files[at].Data); got != want {
		t.Errorf("%s\n--- got\n%s--- want\n%s", name, got, want)
	}
}

// results counts the results of entities by entity and name with details.
type results map[[2]string]int

// TestResultRows checks that the entries and results.csv agree: each row that is not refused has
// its result, and each result that cites one of the tables has its row.
func TestResultRows(t *testing.T) {
	checkTables(t, "want-rows", func(dir string, entities []*record.Entity) (problems []string) {
		rows := readRows(t, dir)
		has, taken, keys := results{}, results{}, map[string]bool{}
		for _, e := range entities {
			keys[e.Key()] = true
			for i := range e.Signals.Benchmarks {
				has[[2]string{e.Key(), e.Signals.Benchmarks[i].FoldedName()}]++
			}
		}
		refused, tables := map[[2]string]line{}, map[string]bool{}
		for _, r := range rows {
			key := [2]string{r.field["entity"], r.field["benchmark"]}
			tables[r.field["source"]] = true
			switch {
			case !keys[key[0]]:
				problems = append(problems, fmt.Sprintf("%s: there is no %s; correct the slug, or remove the row", r.at, key[0]))
			case r.field["refused"] != "":
				refused[key] = r
			default:
				if taken[key]++; taken[key] > has[key] {
					problems = append(problems, fmt.Sprintf("%s: %s has no result %q for the row %s; add it, or say in refused why it is left out",
						r.at, key[0], key[1], r.field["row"]))
				}
			}
		}
		for _, e := range entities {
			problems = append(problems, resultsWithoutRow(e, has, taken, refused, tables)...)
		}
		return problems
	})
}

func readRows(t *testing.T, dir string) []line {
	t.Helper()
	return readTable(t, filepath.Join(dir, "results.csv"), "entity", "benchmark", "row", "source", "refused")
}

// resultsWithoutRow finds results of an entity that no row accounts for, although one refuses them
// or they cite one of the tables.
func resultsWithoutRow(e *record.Entity, has, taken results, refused map[[2]string]line, tables map[string]bool) (problems []string) {
	for i := range e.Signals.Benchmarks {
		b := &e.Signals.Benchmarks[i]
		key := [2]string{e.Key(), b.FoldedName()}
		if has[key] <= taken[key] {
			continue
		}
		has[key]-- // so that it is reported once
		if r, ok := refused[key]; ok {
			problems = append(problems, fmt.Sprintf("%s: refused, but %s.yaml has the result %q; remove it there, or the reason here", r.at, e.Key(), key[1]))
			continue
		}
		for table := range tables {
			if b.Source == table || strings.HasPrefix(b.Source, table+"/") || strings.HasPrefix(b.Source, table+"#") {
				problems = append(problems, fmt.Sprintf("%s.yaml: the result %q is from %s, but has no row in results.csv; add one", e.Key(), key[1], table))
			}
		}
	}
	return problems
}

// TestPublishedResults checks that the entries have the published results of their models that are
// in one of the public collections, or that results.csv refuses them.
func TestPublishedResults(t *testing.T) {
	path := ""
	if *contentFolder == "" {
		path = filepath.Join(extract(t, "testdata/tables.txtar"), "published.csv")
	} else {
		path = filepath.Join(suite.Shared(t), "data", "2026-11", "results-2026-11.csv")
	}
	checkTables(t, "want-published", func(dir string, entities []*record.Entity) (problems []string) {
		rows, bySlug, compared := readRows(t, dir), map[string]*record.Entity{}, 0
		for _, e := range entities {
			if e.Type == "model" {
				bySlug[e.Slug] = e
			}
		}
		for _, p := range readTable(t, path, "model_as_in_source", "slug", "benchmark", "metric", "value", "source") {
			e := bySlug[p.field["slug"]]
			// Other means of the same tables are in the entries: that over the tasks rather than
			// that over their types, and that of the three sets that every model was run on rather
			// than the one that includes CORAAL for those that were run on it too.
			if e == nil || p.field["metric"] == "mean_type" || p.field["benchmark"] == "Open ASR English long form" {
				continue
			}
			compared++
			value, err := strconv.ParseFloat(p.field["value"], 64)
			if err != nil {
				t.Fatalf("%s: %v", p.at, err)
			}
			near := func(b record.Benchmark) bool { return math.Abs(b.Value-value) < 0.0051 } // rounded to two decimals
			if !slices.ContainsFunc(e.Signals.Benchmarks, near) && !slices.ContainsFunc(rows, func(r line) bool { return refuses(r, e, p) }) {
				problems = append(problems, fmt.Sprintf("%s: %s.yaml has no result %s (%s, %s); add it, or a row to results.csv that refuses it",
					p.at, e.Key(), p.field["value"], p.field["benchmark"], p.field["model_as_in_source"]))
			}
		}
		if compared == 0 {
			t.Error("no result was compared")
		}
		return problems
	})
}

// refuses reports whether a row of results.csv refuses a published result: by the model's name in
// the table or, for τ²-bench, by the submission and the domain.
func refuses(r line, e *record.Entity, published line) bool {
	benchmark := published.field["benchmark"]
	start := strings.Replace(strings.Fields(benchmark)[0], "tau2", "τ²", 1)
	if tasks, ok := strings.CutPrefix(benchmark, "MTEB("); ok {
		start = "MTEB (MTEB, " + strings.TrimSuffix(tasks, ")")
	}
	if r.field["refused"] == "" || r.field["entity"] != e.Key() || !strings.HasPrefix(r.field["benchmark"], start) {
		return false
	}
	submission, domain, ok := strings.Cut(r.field["row"], "/")
	return r.field["row"] == published.field["model_as_in_source"] ||
		ok && strings.Contains(published.field["source"], submission) && strings.HasSuffix(benchmark, " "+domain)
}

// mostUnsourced is how many lines unsourced.csv may have: no lines are added, see content/README.md.
const mostUnsourced = 150

// TestUnsourced checks that every figure has a source and a day, except for those that
// unsourced.csv lists, and that these lack one.
func TestUnsourced(t *testing.T) {
	checkTables(t, "want-unsourced", func(dir string, entities []*record.Entity) (problems []string) {
		lacks := map[[2]string]bool{}
		rows := readTable(t, filepath.Join(dir, "unsourced.csv"), "entity", "field", "reason")
		listed := map[[2]string]bool{}
		for _, r := range rows {
			listed[[2]string{r.field["entity"], r.field["field"]}] = true
		}
		for _, e := range entities {
			for field, missing := range unsourced(e) {
				key := [2]string{e.Key(), field}
				if lacks[key] = true; !listed[key] {
					problems = append(problems, fmt.Sprintf("%s.yaml: %s has no %s; add it", e.Key(), field, missing))
				}
			}
		}
		slices.Sort(problems)
		for _, r := range rows {
			if key := [2]string{r.field["entity"], r.field["field"]}; !lacks[key] {
				problems = append(problems, fmt.Sprintf("%s: %s of %s has a source and a day, is gone, or has another line; remove this one", r.at, key[1], key[0]))
			} else if r.field["reason"] == "" {
				problems = append(problems, r.at+": has no reason; say why the source or the day could not be found")
			}
			delete(lacks, [2]string{r.field["entity"], r.field["field"]}) // another line would be a duplicate
		}
		if len(rows) > mostUnsourced {
			problems = append(problems, fmt.Sprintf("unsourced.csv: has %d lines, at most %d are allowed; add sources and days to the entries instead", len(rows), mostUnsourced))
		}
		return problems
	})
}

// unsourced returns the figures of an entity that lack a source or a day, and which.
func unsourced(e *record.Entity) map[string]string {
	list := map[string]string{}
	add := func(field, date, source string) {
		switch {
		case date == "" && source == "":
			list[field] = "source and no day (date)"
		case date == "":
			list[field] = "day (date)"
		case source == "":
			list[field] = "source"
		}
	}
	for _, f := range e.Signals.Facts {
		add("signals."+f.Name, f.Date, f.Source)
	}
	for i := range e.Signals.Benchmarks {
		b := &e.Signals.Benchmarks[i]
		add("benchmarks: "+b.FoldedName(), b.Date, b.Source)
	}
	for _, o := range e.Offers {
		add("offers: "+strings.TrimSpace(o.Provider+" "+o.ID), o.Date, o.Source)
	}
	return list
}
