package builder_test

import (
	"bytes"
	"compress/gzip"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"

	"kindex/builder/suite"
	"kindex/exports"
	"kindex/exports/jsonenc"
	"kindex/exports/record"
	"kindex/exports/store"
	"kindex/exports/table"
)

// tableFile returns a table in one form, which may be stored as a gzip member only.
func tableFile(t *testing.T, b *exports.Build, name string) []byte {
	t.Helper()
	if data, _ := b.ReadFile(name); data != nil {
		return data
	}
	member, err := b.ReadFile(name + store.GzipExtension)
	if member == nil || err != nil {
		t.Fatalf("the build has no %s: %v", name, err)
	}
	return unzipped(t, member)
}

// compareTable compares the rows of a table in JSONL with those in the other formats, and returns their number.
func compareTable(t *testing.T, b *exports.Build, name string) int {
	t.Helper()
	file := func(ext string) []byte { return tableFile(t, b, name+ext) }
	var want []map[string]any
	for line := range strings.Lines(string(file(".jsonl"))) {
		want = append(want, decodeObject(t, []byte(line)))
	}
	columns := columnsOf(name)
	for format, got := range map[string][]map[string]any{"csv": csvRows(t, columns, file(".csv")), "parquet": parquetRows(t, columns, file(".parquet"))} {
		if len(got) != len(want) {
			t.Fatalf("%s.%s has %d rows, want %d", name, format, len(got), len(want))
		}
		for i := range want {
			if !reflect.DeepEqual(got[i], want[i]) {
				t.Fatalf("%s.%s: row %d is\n%v\nwant\n%v", name, format, i, got[i], want[i])
			}
		}
	}
	for _, ext := range []string{".json", ".jsonl", ".csv"} {
		if plain, _ := b.ReadFile(name + ext); plain != nil && !bytes.Equal(unzipped(t, file(ext+store.GzipExtension)), plain) {
			t.Errorf("%s%s.gz has other content", name, ext)
		}
	}
	return len(want)
}

// unzipped decodes a gzip member.
func unzipped(t *testing.T, member []byte) []byte {
	t.Helper()
	z := suite.Must(gzip.NewReader(bytes.NewReader(member)))(t)
	z.Multistream(false) // many clients stop after the first member
	return suite.Must(io.ReadAll(z))(t)
}

// csvRows reads a CSV file, in which null is an empty cell.
func csvRows(t *testing.T, columns []table.Column, data []byte) (rows []map[string]any) {
	t.Helper()
	list := suite.Must(csv.NewReader(bytes.NewReader(data)).ReadAll())(t)
	for i, c := range columns {
		if list[0][i] != c.Name {
			t.Fatalf("the header is %q", list[0])
		}
	}
	for _, cells := range list[1:] {
		row := map[string]any{}
		for i, c := range columns {
			row[c.Name] = ofText(c.Kind, cells[i])
		}
		rows = append(rows, row)
	}
	return rows
}

// ofText returns a cell as JSON has it.
func ofText(k table.Kind, text string) any {
	switch {
	case k == table.List:
		list := []any{}
		for _, s := range strings.FieldsFunc(text, func(r rune) bool { return r == '|' }) {
			list = append(list, s)
		}
		return list
	case text == "":
		return nil
	case k == table.Boolean:
		return text == "true"
	case k == table.Text || k == table.Date:
		return text
	}
	return json.Number(text)
}

// parquetRows reads a Parquet file value by value.
func parquetRows(t *testing.T, columns []table.Column, data []byte) (rows []map[string]any) {
	t.Helper()
	f := suite.Must(parquet.OpenFile(bytes.NewReader(data), int64(len(data))))(t)
	r := parquet.NewReader(f)
	defer r.Close()
	for buf := make([]parquet.Row, 10); ; {
		n, err := r.ReadRows(buf)
		for _, values := range buf[:n] {
			row := map[string]any{}
			values.Range(func(i int, list []parquet.Value) bool {
				row[columns[i].Name] = ofParquet(columns[i].Kind, list)
				return true
			})
			rows = append(rows, row)
		}
		if errors.Is(err, io.EOF) {
			return rows
		} else if err != nil {
			t.Fatal(err)
		}
	}
}

func ofParquet(k table.Kind, list []parquet.Value) any {
	v := list[0]
	switch {
	case k == table.List:
		texts := []any{}
		for _, v := range list {
			if !v.IsNull() {
				texts = append(texts, v.String())
			}
		}
		return texts
	case v.IsNull():
		return nil
	case k == table.Boolean:
		return v.Boolean()
	case k == table.Date:
		return time.Unix(86400*int64(v.Int32()), 0).UTC().Format(time.DateOnly)
	case k == table.Integer:
		return json.Number(fmt.Sprint(v.Int64()))
	case k == table.Money:
		p, exact, err := record.RoundPrice(v.Double())
		return json.Number(p.String() + map[bool]string{false: " is rounded"}[exact && err == nil])
	case k == table.Decimal:
		return json.Number(record.ScoreOf(v.Double()).String())
	case k == table.Number:
		return json.Number(jsonenc.AppendNumber(nil, v.Double()))
	}
	return v.String()
}
