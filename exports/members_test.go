package exports

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"

	"kindex/exports/jsonenc"
	"kindex/exports/record"
	"kindex/exports/table"
)

type member struct{ name, value string }

// libraryMembers returns an object's members as decoded by encoding/json: the names in order,
// and the raw values.
func libraryMembers(t *testing.T, object []byte) (list []member) {
	t.Helper()
	dec := json.NewDecoder(bytes.NewReader(object))
	if open, err := dec.Token(); err != nil || open != json.Delim('{') {
		t.Fatalf("%s: %v, %v", object, open, err)
	}
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			t.Fatalf("%s: %v", object, err)
		}
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			t.Fatalf("%s: %v", object, err)
		}
		list = append(list, member{name.(string), string(value)})
	}
	if _, err := dec.Token(); err != nil || dec.More() {
		t.Fatalf("%s: %v", object, err)
	}
	return list
}

func compareMembers(t *testing.T, object []byte) {
	t.Helper()
	var got []member
	for name, value := range jsonenc.Members(object) {
		got = append(got, member{string(name), string(value)})
	}
	if want := libraryMembers(t, object); !slices.Equal(got, want) {
		t.Fatalf("%s:\ngot  %q\nwant %q", object, got, want)
	}
}

func TestMembers(t *testing.T) {
	for _, object := range []string{
		`{}`, `{"a":1}`, `{"a":"}","b":"]","c":","}`, `{"a":"\"","b":"\\","c":"\\\"","d":null}`,
		`{"a":{"b":[{"c":"x]}"},[]],"d":{}},"e":[],"f":{}}`, `{"a":-1.5e3,"b":true}`, `{"":"é\u2028"}`,
	} {
		compareMembers(t, []byte(object))
	}
	for range jsonenc.Members(nil) {
		t.Error("nothing has no members")
	}
	for _, e := range catalogue(12, 400) {
		authored, row := e.AppendJSON(nil), table.AppendRow(nil, table.EntityColumns, table.EntityRow(e))
		compareMembers(t, authored)
		compareMembers(t, row)
		compareMembers(t, table.AppendRow(nil, table.LeaderboardColumns, table.LeaderboardRow(e, 7)))
		var names []string
		for name, value := range jsonenc.Members(authored) {
			names = append(names, string(name))
			switch string(name) {
			case "signals":
				var inner []string
				for name := range jsonenc.Members(value) {
					inner = append(inner, string(name))
				}
				if !slices.IsSorted(inner) {
					t.Fatalf("the signals are %q", inner)
				}
				fallthrough
			case "scores", "links":
				compareMembers(t, value)
			}
		}
		if !slices.Equal(names, record.RecordFields) {
			t.Fatalf("the record has %q", names)
		}
	}
}

func FuzzMembers(f *testing.F) {
	f.Add("a", "b\"}\\", "x|y|\\", 12.5, true, uint8(63))
	f.Add("", "\\\\\"", "]|[|{|}|,", math.NaN(), false, uint8(0))
	f.Add("\x00\xff\u2028", "é", "", math.Copysign(0, -1), true, uint8(21))
	all := []table.Column{{Name: "text", Kind: table.Text}, {Name: "list", Kind: table.List}, {Name: "score", Kind: table.Decimal}, {Name: "rank", Kind: table.Integer}, {Name: "day", Kind: table.Date}, {Name: "other", Kind: table.Text}}
	f.Fuzz(func(t *testing.T, a, b, list string, number float64, known bool, which uint8) {
		row := table.Row{{Text: a}, {List: strings.Split(list, "|")}, {Number: min(math.Abs(number), 100), Known: known},
			{Number: number, Known: known}, {Text: b}, {Text: a + b}}
		if math.IsNaN(number) {
			row[2].Known = false // a score cannot be NaN: ScoreOf would panic
		}
		var columns []table.Column
		var cells table.Row
		for i := range all {
			if which>>i&1 == 1 {
				columns, cells = append(columns, all[i]), append(cells, row[i])
			}
		}
		if len(columns) == 0 {
			columns, cells = all, row
		}
		object := table.AppendRow(nil, columns, cells)
		compareMembers(t, object)
		if !json.Valid(object) {
			t.Fatalf("%s is not JSON", object)
		}
		e := record.Entity{Type: a, Name: b, Tags: []string{a, b}, Links: []record.Link{{Name: "paper", URL: b}}, Signals: record.Signals{
			Facts: []record.Fact{{Name: "stars", Number: number, Source: a}}, Benchmarks: []record.Benchmark{{Name: b, Value: number, Date: a}}}}
		compareMembers(t, e.AppendJSON(nil))
	})
}
