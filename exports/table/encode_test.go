package table

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"reflect"
	"testing"

	"github.com/parquet-go/parquet-go"

	"kindex/builder/suite"
	"kindex/exports/jsonenc"
	"kindex/exports/record"
)

// sample covers every kind of cell, with full, empty, quoted and non-ASCII values.
func sample() []*record.Entity {
	full := &record.Entity{
		Type: "tool", Slug: "a", Name: "A, \"quoted\"\u2028", Provider: "P", Description: "x | y é ⫶",
		Category: "c", Version: "1.10", PricingModel: "open-source", License: "MIT", URL: "https://example.org/a",
		Tags: []string{"one", "two"}, Capabilities: []string{"three"},
		AddedDate: "2024-02-29", LastUpdated: "1969-12-31", Status: record.Active,
		Links: []record.Link{{Name: "paper", URL: "https://example.org/p"}},
		Signals: record.Signals{
			Facts: []record.Fact{
				{Name: "lastRelease", Day: "2024-01-02", Date: "2024-06-06", Source: "https://example.org"},
				{Name: "stars", Number: 5326, Date: "2024-06-06"},
			},
			Benchmarks: []record.Benchmark{{Name: "B (x)", Value: 41.78, Source: "https://example.org/b"}},
		},
	}
	full.Scores.Set("composite", record.ScoreOf(93.45))
	full.Scores.Set("adoption", record.ScoreOf(0))
	return []*record.Entity{full, {Type: "model", Slug: "b", Name: "B", Category: "c", Description: "d", Status: record.Active}}
}

func encodeAll(t *testing.T, format string, columns []Column) []byte {
	t.Helper()
	var buf bytes.Buffer
	enc := suite.Must(NewEncoder(format, &buf, columns))(t)
	for _, e := range sample() {
		suite.Check(t, enc.Write(EntityRow(EntityColumns, e, 0)))
	}
	suite.Check(t, enc.Close())
	return buf.Bytes()
}

func TestJSONExport(t *testing.T) {
	var rows []map[string]any
	suite.Check(t, json.Unmarshal(encodeAll(t, "json", EntityColumns), &rows))
	if len(rows) != 2 || len(rows[0]) != 20 || len(rows[1]) != 20 {
		t.Fatalf("rows: %v", rows)
	}
	if rows[0]["composite"] != 93.5 || rows[0]["adoption"] != 0.0 || rows[0]["quality"] != nil || rows[0]["version"] != "1.10" {
		t.Errorf("first row: %v", rows[0])
	}
	if rows[1]["provider"] != nil || !reflect.DeepEqual(rows[1]["tags"], []any{}) || rows[1]["addedDate"] != nil {
		t.Errorf("second row: %v", rows[1])
	}
}

func TestCSVExport(t *testing.T) {
	raw := encodeAll(t, "csv", EntityColumns)
	if n := bytes.Count(raw, []byte("\r\n")); n != 3 {
		t.Errorf("%d lines end in CRLF, want 3", n)
	}
	rows := suite.Must(csv.NewReader(bytes.NewReader(raw)).ReadAll())(t)
	want := []string{"a", "tool", "A, \"quoted\"\u2028", "P", "x | y é ⫶", "c", "1.10", "open-source", "MIT",
		"https://example.org/a", "one|two", "three", "93.5", "0.0", "", "", "", "", "2024-02-29", "1969-12-31"}
	if !reflect.DeepEqual(rows[1], want) {
		t.Errorf("got  %q\nwant %q", rows[1], want)
	}
}

type parquetRow struct {
	Slug        string   `parquet:"slug,optional"`
	Provider    *string  `parquet:"provider,optional"`
	Tags        []string `parquet:"tags,list"`
	Composite   *float64 `parquet:"composite,optional"`
	Quality     *float64 `parquet:"quality,optional"`
	LastUpdated *int32   `parquet:"lastUpdated,optional,date"`
}

func TestParquetExport(t *testing.T) {
	raw := encodeAll(t, "parquet", EntityColumns)
	f := suite.Must(parquet.OpenFile(bytes.NewReader(raw), int64(len(raw))))(t)
	var names []string
	for _, field := range f.Schema().Fields() {
		names = append(names, field.Name())
	}
	for i, c := range EntityColumns {
		if names[i] != c.Name {
			t.Fatalf("columns %v", names)
		}
	}
	if s := f.Schema().Fields()[19].String(); !bytes.Contains([]byte(s), []byte("DATE")) {
		t.Errorf("lastUpdated is %s", s)
	}
	rows := suite.Must(parquet.Read[parquetRow](bytes.NewReader(raw), int64(len(raw))))(t)
	a, b := rows[0], rows[1]
	if a.Slug != "a" || *a.Provider != "P" || !reflect.DeepEqual(a.Tags, []string{"one", "two"}) ||
		*a.Composite != 93.5 || a.Quality != nil || *a.LastUpdated != -1 {
		t.Errorf("first row: %+v", a)
	}
	if b.Provider != nil || len(b.Tags) != 0 || b.Composite != nil || b.LastUpdated != nil {
		t.Errorf("second row: %+v", b)
	}
}

func TestRecordRoundTrip(t *testing.T) {
	for _, e := range sample() {
		raw := e.AppendJSON(nil)
		if !json.Valid(raw) {
			t.Fatalf("not JSON: %s", raw)
		}
		var back record.Entity
		suite.Check(t, json.Unmarshal(raw, &back))
		if got := back.AppendJSON(nil); !bytes.Equal(got, raw) {
			t.Errorf("got  %s\nwant %s", got, raw)
		}
	}
}

func TestScore(t *testing.T) {
	for x, want := range map[float64]string{0: "0.0", 100: "100.0", 12.34: "12.3", 12.35: "12.4", 99.96: "100.0"} {
		suite.Equal(t, record.ScoreOf(x).String(), want, "ScoreOf", x)
	}
	if (record.Score{}).Compare(record.ScoreOf(0)) != -1 || record.ScoreOf(2).Compare(record.ScoreOf(1)) != 1 {
		t.Error("null must be below every score")
	}
}

func FuzzAppendString(f *testing.F) {
	f.Add("a\"b\\\n\x00\u2028\xff")
	f.Fuzz(func(t *testing.T, s string) {
		var got string
		if err := json.Unmarshal(jsonenc.AppendString(nil, s), &got); err != nil {
			t.Fatalf("%q: %v", s, err)
		}
		if want := string([]rune(s)); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}
