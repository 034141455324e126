package builder_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"kindex/builder/suite"
	"kindex/exports"
	"kindex/exports/kinds"
	"kindex/exports/table"
)

// tableNames lists the tables that writeTables writes.
var tableNames = []string{exports.FullFile, "benchmarks", "ids", "offers", "signals"}

// smallContent writes the content of testdata/tables.txtar to a folder.
func smallContent(t *testing.T) string {
	t.Helper()
	a := suite.Must(txtar.ParseFile("testdata/tables.txtar"))(t)
	dir := t.TempDir()
	suite.Check(t, txtar.Write(a, dir))
	return dir
}

// openBuild builds a content folder and opens the build.
func openBuild(t *testing.T, content string) *exports.Build {
	t.Helper()
	b := suite.Must(exports.Open(build(t, content).Dir))(t)
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
	for name, content := range map[string]string{"small": smallContent(t), "real": copied(t, someContent()...).dir, "empty": emptyContent(t)} {
		t.Run(name, func(t *testing.T) {
			b := openBuild(t, content)
			for _, table := range tableNames {
				if rows := compareTable(t, b, table); rows == 0 && table != exports.FullFile && name == "real" {
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
	suite.Write(t, dir, map[string]string{"categories.yaml": "categories:\n  - {slug: nlp, title: NLP}\n",
		"tool/gone.yaml": "name: Gone\ncategory: nlp\ndescription: Is gone.\nstatus: withdrawn\nsignals:\n  stars: {value: 1}\n"})
	return dir
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
