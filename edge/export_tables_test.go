package edge

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/rogpeppe/go-internal/txtar"

	"kindex/edge/storage/storagetest"
	"kindex/exports"
	"kindex/exports/kinds"
	"kindex/exports/store"
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
	a, err := txtar.ParseFile(filepath.Join("..", "builder", "testdata", "tables.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	content, out := t.TempDir(), t.TempDir()
	writeContent(t, content, 30, 0)
	if err := txtar.Write(a, content); err != nil {
		t.Fatal(err)
	}
	buildInto(t, content, out, 3)
	s := serveWith(t, Options{Dir: out, State: storagetest.SQLite(t), LimitAnonymous: 10_000})
	s.patient()
	return s
}

// export requests an export and returns its body.
func (s *served) export(t *testing.T, path string) []byte {
	t.Helper()
	a := s.ask(t, "GET", "/api/export/"+path)
	if a.status != http.StatusOK {
		t.Fatalf("%s: %d %s", path, a.status, a.body)
	}
	return a.body
}

// TestTablesAreFiles requests every table without filters, and with filters that select all of
// it. The first response is the file, or what it decodes to; the second is generated, and must have the
// same cells.
func TestTablesAreFiles(t *testing.T) {
	s := servePriced(t)
	b := s.published().Build
	for path, file := range tableExports {
		for _, format := range table.Formats {
			whole := withParams(path, "format="+format.Name)
			name := file + format.Extension
			data, _ := b.ReadFile(name)
			f, stored := b.Manifest.File(name)
			var accept []string
			sent := data // as it is stored
			if !stored && format.Name != "json" {
				accept = []string{"Accept-Encoding", "gzip"}
				name += store.GzipExtension
				sent, _ = b.ReadFile(name)
				f, stored = b.Manifest.File(name)
				data = decode(t, "gzip", sent)
			}
			a := s.ask(t, "GET", "/api/export/"+whole, accept...)
			if !stored { // TestEncodingsOfTables compares the array with the lines
				data, sent = a.body, nil
			}
			if len(data) == 0 || stored && (!bytes.Equal(a.body, sent) || a.header.Get("Repr-Digest") == "" || a.header.Get("Accept-Ranges") != "bytes") {
				t.Errorf("%s is not the file: %v", whole, a.header)
			}
			streamed := s.ask(t, "GET", "/api/export/"+withParams(whole, "type=tool&type=model"))
			if streamed.header.Get("Repr-Digest") != "" {
				t.Errorf("%s of all types is a file", whole)
			}
			if format.Name == "parquet" {
				sameParquet(t, whole, streamed.body, data)
			} else if !bytes.Equal(streamed.body, data) {
				t.Errorf("%s of all types is\n%.2000s\nwant the file\n%.2000s", whole, streamed.body, data)
			}
			name = strings.TrimSuffix(strings.TrimPrefix(a.header.Get("Content-Disposition"), `attachment; filename="`), `"`)
			if want := file + format.Extension; name != want {
				t.Errorf("%s is saved as %s, want %s", whole, name, want)
			}
			if !stored {
				continue
			}
			if part := s.ask(t, "GET", "/api/export/"+whole, append(accept, "Range", "bytes=3-9", "If-Range", a.header.Get("ETag"))...); part.status != 206 || !bytes.Equal(part.body, sent[3:10]) {
				t.Errorf("bytes 3 to 9 of %s: %d %q", whole, part.status, part.body)
			}
			if a.header.Get("Content-Length") != strconv.Itoa(len(sent)) {
				t.Errorf("%s has the length %s, want %d", whole, a.header.Get("Content-Length"), len(sent))
			}
			if data := s.ask(t, "GET", "/data/"+b.Manifest.ID+"/"+f.Path); !bytes.Equal(data.body, a.body) {
				t.Errorf("/data has another %s", f.Path)
			}
		}
	}
}

func sameParquet(t *testing.T, path string, got, want []byte) {
	t.Helper()
	read := func(data []byte) (list []string) {
		f, err := parquet.OpenFile(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
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
	if a, b := read(got), read(want); !slices.Equal(a, b) {
		t.Errorf("%s of all types has the rows\n%s\nwant\n%s", path, strings.Join(a, "\n"), strings.Join(b, "\n"))
	}
}

// TestTablesAreFiltered compares the rows that a filter selects with those of the entities that
// it selects.
func TestTablesAreFiltered(t *testing.T) {
	s := servePriced(t)
	for _, filter := range []string{"type=model", "type=tool", "category=alpha", "tag=fast", "minScore=50", "status=withdrawn", "provider=Acme", "provider=nobody"} {
		var selected []struct{ Type, Slug string }
		if err := json.Unmarshal(s.export(t, "entities?"+filter), &selected); err != nil {
			t.Fatal(err)
		}
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
			if !slices.Equal(got, want) {
				t.Errorf("%s with %s:\n%s\nwant\n%s", path, filter, strings.Join(got, ""), strings.Join(want, ""))
			}
		}
	}
	if gone := string(s.export(t, "offers?status=withdrawn&format=jsonl")); !strings.Contains(gone, `"slug":"gone"`) {
		t.Errorf("offers of withdrawn entities: %s", gone)
	}
}

// TestFieldsOfEntities: a selection of fields has the same cells as the table with all columns.
func TestFieldsOfEntities(t *testing.T) {
	s := servePriced(t)
	var all []map[string]any
	unpack(t, s.export(t, "entities?fields=all"), &all)
	if len(all) == 0 || len(all[0]) != len(table.FullColumns(kinds.Default())) || s.ask(t, "GET", "/api/export/entities?fields=slug,all").status != http.StatusBadRequest {
		t.Fatalf("fields=all: %v", all)
	}
	for _, fields := range [][]string{{"slug", "status"}, {"rank"}, {"name", "priceBlended", "retires", "replacedBy", "contextTokens"}, {"linkModelCard", "maintenance", "composite"}} {
		var got []map[string]any
		unpack(t, s.export(t, "entities?fields="+strings.Join(fields, ",")), &got)
		if len(got) != len(all) {
			t.Fatalf("%v: %d rows, want %d", fields, len(got), len(all))
		}
		for i := range all {
			if len(got[i]) != len(fields) {
				t.Errorf("%v: %v", fields, got[i])
			}
			for _, name := range fields {
				if got[i][name] != all[i][name] {
					t.Errorf("%s of row %d is %v, want %v", name, i, got[i][name], all[i][name])
				}
			}
		}
	}
	a := s.ask(t, "GET", "/api/export/entities?fields=slug,statsu")
	if a.status != http.StatusBadRequest || !strings.Contains(string(a.body), `"suggestion":"status"`) {
		t.Errorf("a misspelled field: %d %s", a.status, a.body)
	}
}

// TestTablesOfPreviews: exports show edits that no build has yet.
func TestTablesOfPreviews(t *testing.T) {
	s := servePriced(t)
	b := s.published().Build
	o, _, _ := b.Find("model", "one")
	e := b.Entity(o)
	rank := func() (n int) {
		var rows []struct {
			Slug string
			Rank int
		}
		unpack(t, s.export(t, "entities?fields=slug,rank&type=tool&provider=Maker+3"), &rows)
		return rows[0].Rank
	}
	before := rank()
	edited := *e
	edited.Offers, edited.IDs = slices.Clone(e.Offers[:1]), nil
	edited.Offers[0].ID = "renamed"
	s.Preview([]exports.Edit{{Type: "model", Slug: "one", Entity: &edited}, {Type: "tool", Slug: "other-kit"}})
	of := func(export, slug string) (lines []string) {
		for line := range strings.Lines(string(s.export(t, withParams(export, "format=jsonl")))) {
			if strings.Contains(line, `"slug":"`+slug+`"`) {
				lines = append(lines, line)
			}
		}
		return lines
	}
	if got := of("offers", "one"); len(got) == 0 || strings.Contains(strings.Join(got, ""), "example-cloud") || !strings.Contains(got[0], `"id":"renamed"`) {
		t.Errorf("offers of the edited model: %s", got)
	}
	if got := slices.Concat(of("ids", "one"), of("signals", "other-kit")); len(got) > 0 {
		t.Errorf("rows that edits removed: %s", got)
	}
	if after := rank(); before < 2 || after != before-1 {
		t.Errorf("without the first tool, the rank %d becomes %d", before, after)
	}
	if got := of("entities?fields=all", "other-kit"); len(got) > 0 {
		t.Errorf("a removed tool: %s", got)
	}
}

// TestEncodingsOfTables: tables are sent with gzip or uncompressed, whichever encodings a client
// accepts, and are what the build stores: as it is, as a gzip member, or as lines of JSON.
func TestEncodingsOfTables(t *testing.T) {
	s := servePriced(t)
	b := s.published().Build
	for path, file := range tableExports {
		for format, codings := range map[string]map[string]string{
			"csv":   {"zstd, gzip, br": "gzip", "zstd": "", "gzip, br": "gzip", "gzip": "gzip", "": "", "gzip;q=0": "", "identity;q=0, *": "gzip"},
			"jsonl": {"zstd, gzip, br": "gzip", "": ""}, "json": {"gzip": "gzip", "": ""},
		} {
			lines := map[string]string{"csv": ".csv", "jsonl": ".jsonl", "json": ".jsonl"}[format]
			member, _ := b.ReadFile(file + lines + store.GzipExtension)
			want := decode(t, "gzip", member)
			if format == "json" {
				want = arrayOf(want)
			}
			for accept, coding := range codings {
				a := s.ask(t, "GET", "/api/export/"+withParams(path, "format="+format), "Accept-Encoding", accept)
				got := a.header.Get("Content-Encoding")
				if got != coding || !bytes.Equal(decode(t, got, a.body), want) {
					t.Errorf("%s as %s with Accept-Encoding %q: %q", path, format, accept, got)
				}
				if again := s.ask(t, "GET", "/api/export/"+withParams(path, "format="+format), "Accept-Encoding", accept, "If-None-Match", a.header.Get("ETag")); again.status != http.StatusNotModified {
					t.Errorf("%s as %s with its ETag: %d", path, format, again.status)
				}
				if head := s.ask(t, "HEAD", "/api/export/"+withParams(path, "format="+format), "Accept-Encoding", accept); head.status != 200 || head.header.Get("ETag") != a.header.Get("ETag") || len(head.body) > 0 {
					t.Errorf("HEAD %s as %s: %d", path, format, head.status)
				}
			}
		}
	}
}

// arrayOf returns lines of JSON as an array.
func arrayOf(lines []byte) []byte {
	if len(lines) == 0 {
		return []byte("[]\n")
	}
	return []byte("[\n" + strings.ReplaceAll(strings.TrimSuffix(string(lines), "\n"), "\n", ",\n") + "\n]\n")
}
