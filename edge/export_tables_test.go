package edge

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/rogpeppe/go-internal/txtar"

	"kindex/builder/suite"
	"kindex/edge/storage/storagetest"
	"kindex/exports"
	"kindex/exports/table"
)

// tableExports maps the exports that are tables of the build to the names of their files.
var tableExports = map[string]string{"entities": exports.EntitiesFile, "entities?fields=all": exports.FullFile,
	"benchmarks": "benchmarks", "ids": "ids", "offers": "offers", "signals": "signals"}

// withParams appends query parameters to a path.
func withParams(path, params string) string {
	if strings.Contains(path, "?") {
		return path + "&" + params
	}
	return path + "?" + params
}

// servePriced serves an index with offers, identifiers, benchmark results and withdrawn
// entities.
func servePriced(t *testing.T) *served {
	t.Helper()
	return share(t, "tables", func(t testing.TB) *served {
		a := suite.Must(txtar.ParseFile(filepath.Join("..", "builder", "testdata", "tables.txtar")))(t)
		content, out := t.TempDir(), t.TempDir()
		writeContent(t, content, 30, 0)
		suite.Check(t, txtar.Write(a, content))
		buildInto(t, content, out, 3)
		s := serveWith(t, Options{Dir: out, State: storagetest.SQLite(t)})
		s.patient()
		return s
	})
}

// export requests an export and returns its body.
func (s *served) export(t *testing.T, path string) []byte {
	t.Helper()
	a := s.ask(t, "GET", "/api/export/"+path).must(t, http.StatusOK)
	return a.body
}

// TestTablesAreFiles requests every table without filters, and with filters that select all of it. The first
// response is the file, which TestClients compares with the manifest; the second is generated, and must have
// the same cells.
func TestTablesAreFiles(t *testing.T) {
	s := servePriced(t)
	for path, file := range tableExports {
		for _, format := range table.Formats {
			whole := withParams(path, "format="+format.Name)
			a := s.ask(t, "GET", "/api/export/"+whole)
			streamed := s.ask(t, "GET", "/api/export/"+withParams(whole, "type=tool&type=model"))
			suite.Holds(t, len(a.body) != 0 &&
				streamed.header.Get("Repr-Digest") == "", whole, "is empty, or of all types a file")
			if format.Name == "parquet" {
				sameParquet(t, whole, streamed.body, a.body)
			} else if !bytes.Equal(streamed.body, a.body) {
				t.Errorf("%s of all types is\n%.2000s\nwant the file\n%.2000s", whole, streamed.body, a.body)
			}
			suite.Equal(t, a.header.Get("Content-Disposition"), `attachment; filename="`+file+format.Extension+`"`, whole)
		}
	}
}

func sameParquet(t *testing.T, path string, got, want []byte) {
	t.Helper()
	read := func(data []byte) (list []string) {
		f, err := parquet.OpenFile(bytes.NewReader(data), int64(len(data)))
		suite.Require(t, err == nil, path, err)
		list = append(list, f.Schema().String())
		for _, group := range f.RowGroups() {
			rows := group.Rows()
			defer rows.Close()
			for buf := make([]parquet.Row, 1); ; {
				n, _ := rows.ReadRows(buf)
				if n == 0 {
					break
				}
				list = append(list, fmt.Sprintf("%+v", buf[0]))
			}
		}
		return list
	}
	suite.Equal(t, read(got), read(want), path, "of all types")
}

// TestTablesAreFiltered compares the rows that a filter selects with those of the entities that
// it selects.
func TestTablesAreFiltered(t *testing.T) {
	s := servePriced(t)
	for _, filter := range []string{"type=model", "type=tool", "category=alpha", "tag=fast", "minScore=50", "status=withdrawn", "provider=Acme", "provider=nobody"} {
		var selected []struct{ Type, Slug string }
		suite.Check(t, json.Unmarshal(s.export(t, "entities?"+filter), &selected))
		chosen := map[string]bool{}
		for _, e := range selected {
			chosen[e.Type+"/"+e.Slug] = true
		}
		for path := range tableExports {
			var want []string
			for _, list := range []string{"", "status=withdrawn&"} {
				for line := range strings.Lines(string(s.export(t, withParams(path, list+"format=jsonl")))) {
					var row struct{ Type, Slug string }
					unpack(t, []byte(line), &row)
					if chosen[row.Type+"/"+row.Slug] {
						want = append(want, line)
					}
				}
			}
			got := slices.Collect(strings.Lines(string(s.export(t, withParams(path, filter+"&format=jsonl")))))
			suite.Equal(t, got, want, path, "with", filter)
		}
	}
	gone := string(s.export(t, "offers?status=withdrawn&format=jsonl"))
	suite.Holds(t, strings.Contains(gone, `"slug":"gone"`), "offers of withdrawn entities", gone)
}
