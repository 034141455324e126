package docs_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"kindex/builder/suite"
	"kindex/edge"
	"kindex/edge/edgetest"
	"kindex/exports"
	"kindex/exports/store"
)

const pipelines = "site/docs/pipelines.md"

// TestPipelines runs every code block of the page, and looks for each table of a build on the pages about them.
func TestPipelines(t *testing.T) {
	suite.InTest(t)
	e, dir := edgetest.Start(t, edge.Options{LimitKey: 1000}), workplace(t)
	edgetest.Examples(t, pipelines, edgetest.Run{Edge: e, Key: e.Key(t, "ada"), Dir: dir,
		After: func(b edgetest.Block, printed string) {
			if strings.Contains(printed, "NaN") || strings.Contains(printed, "undefined") {
				t.Errorf("line %d prints %s", b.Line, printed)
			}
		}})
	var manifest struct{ Files []store.File }
	suite.Check(t, json.Unmarshal(suite.Must(os.ReadFile(filepath.Join(dir, "manifest.json")))(t), &manifest))
	for _, page := range []string{pipelines, "site/docs/format.md"} {
		text := string(suite.Must(os.ReadFile(filepath.Join(suite.Root(t), page)))(t))
		for _, f := range manifest.Files {
			table, isTable := strings.CutSuffix(f.Path, ".parquet")
			if strings.HasPrefix(table, exports.KindFile("")) && table != exports.FullFile {
				table = exports.KindFile("<kind>")
			}
			if isTable && !strings.Contains(text, "| `"+table) {
				t.Errorf("%s does not describe the table %s", page, table)
			}
		}
	}
}

// TestDuckDB compares the Parquet file, as DuckDB reads it, with the JSONL export:
// columns, types, sums and every row.
func TestDuckDB(t *testing.T) {
	suite.InTest(t)
	p := start(t)
	p.must("bash", "fetch.sh", "entities.parquet")
	script := suite.Must(os.ReadFile(filepath.Join("testdata", "rows.mjs")))(t)
	p.write("rows.mjs", string(script))
	var got struct {
		Columns [][3]string
		Sums    map[string]any
		Rows    []map[string]any
	}
	suite.Check(t, json.Unmarshal([]byte(p.must("node", "rows.mjs", "entities.parquet")), &got))
	want := p.fresh()
	if len(got.Columns) != 20 || len(got.Rows) != len(want) || len(want) < 100 {
		t.Fatalf("%d columns, %d rows; want 20 columns and the %d rows of the JSONL, which are hundreds", len(got.Columns), len(got.Rows), len(want))
	}
	for i, name := range strings.Split("slug type name provider description category version pricingModel license url "+
		"tags capabilities composite adoption quality freshness citations engagement addedDate lastUpdated", " ") {
		kind := "VARCHAR"
		switch {
		case i >= 18:
			kind = "DATE"
		case i >= 12:
			kind = "DOUBLE"
		case i >= 10:
			kind = "VARCHAR[]"
		}
		if got.Columns[i] != [3]string{name, kind, "YES"} {
			t.Errorf("column %d is %v, want %s %s", i, got.Columns[i], name, kind)
		}
	}
	for i := range want {
		if !reflect.DeepEqual(got.Rows[i], want[i]) {
			t.Errorf("row %d is\n%v\nand in the JSONL\n%v", i, got.Rows[i], want[i])
		}
	}
	for name, sum := range sums(want) {
		n, ok := got.Sums[name].(float64)
		if ok && math.Abs(n-sum.(float64)) < 1e-6 || got.Sums[name] == sum {
			continue
		}
		t.Errorf("%s: %v by DuckDB, %v of the JSONL", name, got.Sums[name], sum)
	}
}

// sums adds up the rows of a JSONL export in the same way as testdata/rows.mjs.
func sums(rows []map[string]any) map[string]any {
	sums := map[string]any{"rows": float64(len(rows)), "ranked": 0.0}
	for _, row := range rows {
		for _, name := range []string{"composite", "adoption", "quality", "freshness", "citations", "engagement"} {
			was, _ := sums[name].(float64)
			if score, ok := row[name].(float64); ok {
				sums[name] = was + score
				if name == "composite" {
					sums["ranked"] = sums["ranked"].(float64) + 1
				}
			}
		}
		for _, name := range []string{"tags", "capabilities"} {
			was, _ := sums[name].(float64)
			sums[name] = was + float64(len(row[name].([]any)))
		}
		for _, name := range []string{"addedDate", "lastUpdated"} {
			was, _ := sums[name].(string)
			sums[name] = max(was, row[name].(string))
		}
	}
	for name := range sums { // in DuckDB, the sum of a column without values is null
		if sums[name] == 0.0 {
			sums[name] = nil
		}
	}
	return sums
}

// objects reads JSONL.
func objects(t *testing.T, jsonl []byte) []map[string]any {
	t.Helper()
	var rows []map[string]any
	lines := bufio.NewScanner(bytes.NewReader(jsonl))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var row map[string]any
		suite.Check(t, json.Unmarshal(lines.Bytes(), &row))
		rows = append(rows, row)
	}
	return rows
}
