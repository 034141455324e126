package builder_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"kindex/builder/suite"
	"kindex/exports"
	"kindex/exports/kinds"
	"kindex/exports/record"
	"kindex/exports/table"
)

// tableNames lists the tables that writeTables writes.
var tableNames = []string{exports.FullFile, "benchmarks", "ids", "offers", "signals"}

// smallContent writes the content of testdata/tables.txtar to a folder.
func smallContent(t *testing.T) string {
	t.Helper()
	a, err := txtar.ParseFile("testdata/tables.txtar")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := txtar.Write(a, dir); err != nil {
		t.Fatal(err)
	}
	return dir
}

// openBuild builds a content folder and opens the build.
func openBuild(t *testing.T, content string) *exports.Build {
	t.Helper()
	b, err := exports.Open(build(t, content).Dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() })
	return b
}

// TestTables compares the tables of a small index with those that a person has checked.
func TestTables(t *testing.T) {
	suite.InTest(t)
	b := openBuild(t, smallContent(t))
	var out bytes.Buffer
	for _, name := range tableNames {
		for _, format := range []string{"csv", "jsonl"} {
			data := tableFile(t, b, name+"."+format)
			fmt.Fprintf(&out, "-- %s.%s --\n%s", name, format, bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n")))
		}
	}
	suite.Golden(t, filepath.Join("testdata", "tables.golden.txt"), out.Bytes())
}

// TestTablesInEveryFormat compares the rows of every table in every format.
func TestTablesInEveryFormat(t *testing.T) {
	suite.InTest(t)
	for name, content := range map[string]string{"small": smallContent(t), "random": randomContent(t, 600), "empty": emptyContent(t)} {
		t.Run(name, func(t *testing.T) {
			b := openBuild(t, content)
			for _, table := range tableNames {
				if rows := compareTable(t, b, table); rows == 0 && table != exports.FullFile && name == "random" {
					t.Errorf("%s has no rows", table)
				}
			}
		})
	}
}

// emptyContent writes an index whose only entity is withdrawn.
func emptyContent(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	writeContentFile(t, dir, "categories.yaml", "categories:\n  - {slug: nlp, title: NLP}\n")
	writeContentFile(t, dir, "tool/gone.yaml", "name: Gone\ncategory: nlp\ndescription: Is gone.\nstatus: withdrawn\nsignals:\n  stars: {value: 1}\n")
	return dir
}

func writeContentFile(t *testing.T, dir, name, text string) {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func decodeObject(t *testing.T, data []byte) map[string]any {
	t.Helper()
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	var r map[string]any
	if err := dec.Decode(&r); err != nil {
		t.Fatalf("%v: %s", err, data)
	}
	return r
}

// columnsOf returns the columns of a table.
func columnsOf(name string) []table.Column {
	for _, l := range exports.LongTables {
		if l.Base == name {
			return l.Columns
		}
	}
	return table.FullColumns(kinds.Default())
}

// randomContent writes an index with entities that have random facts.
func randomContent(t *testing.T, n int) string {
	t.Helper()
	dir, rng := emptyContent(t), rand.New(rand.NewPCG(9, 9))
	providers := "providers:\n"
	for i := range 5 {
		providers += fmt.Sprintf("  - {slug: p%d, name: P%d, url: \"https://p%d.example/\"}\n", i, i, i)
	}
	writeContentFile(t, dir, "providers.yaml", providers)
	for i := range n {
		typ := kinds.Default().Names()[rng.IntN(2)]
		writeContentFile(t, dir, fmt.Sprintf("%s/e%d.yaml", typ, i), randomEntity(rng, i, typ))
	}
	return dir
}

// randomEntity returns an entity's file.
func randomEntity(rng *rand.Rand, i int, typ string) string {
	var b strings.Builder
	some := func(percent int) bool { return rng.IntN(100) < percent }
	fmt.Fprintf(&b, "name: Entity %d\ncategory: nlp\ndescription: Number %d.\nstatus: %s\n", i, i, record.Statuses[max(0, rng.IntN(6)-3)])
	if some(30) {
		fmt.Fprintf(&b, "links: {homepage: \"https://example.org/%d\"}\n", i)
	}
	if some(30) {
		fmt.Fprintf(&b, "ids: {npm: [\"@e/n%d\", n%d], doi: \"10.1000/%d?x=1\"}\n", i, i, i)
	}
	b.WriteString("signals:\n  downloads: {value: 5}\n")
	for _, s := range kinds.Default().Signals {
		value := fmt.Sprint(rng.IntN(1 << (1 + rng.IntN(40))))
		switch {
		case !some(20) || s.Name == "downloads" || s.Name == "archived":
			continue
		case s.Name == "released":
			value = fmt.Sprintf("2025-%02d", 1+rng.IntN(12))
		case s.IsDay():
			value = fmt.Sprintf("2025-%02d-01", 1+rng.IntN(12))
		}
		fmt.Fprintf(&b, "  %s: {value: %s, date: 2026-10-%02d}\n", s.Name, value, 1+rng.IntN(28))
	}
	if typ == "tool" {
		return b.String()
	}
	if some(40) {
		b.WriteString("  benchmarks:\n")
		for j := range 1 + rng.IntN(4) {
			fmt.Fprintf(&b, "    - {name: Bench %d, value: %v, variant: v%d}\n", j, rng.NormFloat64()*100, j)
		}
	}
	if some(50) {
		randomOffers(&b, rng)
	}
	return b.String()
}

func randomOffers(b *strings.Builder, rng *rand.Rand) {
	prices := func() string {
		text := ""
		for _, name := range record.PriceNames[:2+rng.IntN(len(record.PriceNames)-1)] {
			text += fmt.Sprintf("%s: %s, ", name, record.PriceOf(1+rng.Int64N(1<<(1+rng.IntN(30)))))
		}
		return strings.TrimSuffix(text, ", ")
	}
	b.WriteString("offersRead: {date: 2026-10-01, source: \"https://prices.example.org/\"}\noffers:\n")
	for j := range 1 + rng.IntN(4) {
		fmt.Fprintf(b, "  - {provider: p%d, id: \"m/%d:x\", %s", rng.IntN(5), j, prices())
		if rng.IntN(2) == 0 {
			fmt.Fprintf(b, ", context: %d, deprecated: true", 1+rng.IntN(1e6))
		}
		if rng.IntN(3) == 0 {
			fmt.Fprintf(b, ", tiers: [{over: 1000, %s}, {over: 200000, %s}]", prices(), prices())
		}
		if rng.IntN(3) == 0 {
			fmt.Fprintf(b, ", modes: {batch: {%s}, priority: {%s, tiers: [{over: 5, %s}]}}", prices(), prices(), prices())
		}
		b.WriteString("}\n")
	}
}
