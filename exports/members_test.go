package exports

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"
)

type member struct{ name, value string }

// libraryMembers is the view of encoding/json: names in order, values as they are.
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
	Members(object, func(name string, value []byte) { got = append(got, member{name, string(value)}) })
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
	Members(nil, func(string, []byte) { t.Error("nothing has no members") })
	for _, e := range catalogue(12, 400) {
		record, row := e.AppendJSON(nil), AppendRow(nil, EntityColumns, EntityRow(e))
		compareMembers(t, record)
		compareMembers(t, row)
		compareMembers(t, AppendRow(nil, LeaderboardColumns, LeaderboardRow(e, 7)))
		var names []string
		Members(record, func(name string, value []byte) {
			names = append(names, name)
			if name == "scores" || name == "links" || name == "signals" {
				compareMembers(t, value)
			}
			if name == "signals" {
				var inner []string
				Members(value, func(name string, _ []byte) { inner = append(inner, name) })
				if !slices.IsSorted(inner) {
					t.Fatalf("the signals are %q", inner)
				}
			}
		})
		if !slices.Equal(names, RecordFields) {
			t.Fatalf("the record has %q", names)
		}
	}
}

func FuzzMembers(f *testing.F) {
	f.Add("a", "b\"}\\", "x|y|\\", 12.5, true, uint8(63))
	f.Add("", "\\\\\"", "]|[|{|}|,", math.NaN(), false, uint8(0))
	f.Add("\x00\xff\u2028", "é", "", math.Copysign(0, -1), true, uint8(21))
	all := []Column{{Name: "text", Kind: Text}, {Name: "list", Kind: List}, {Name: "score", Kind: Decimal}, {Name: "rank", Kind: Integer}, {Name: "day", Kind: Date}, {Name: "other", Kind: Text}}
	f.Fuzz(func(t *testing.T, a, b, list string, number float64, known bool, which uint8) {
		row := Row{{Text: a}, {List: strings.Split(list, "|")}, {Number: min(math.Abs(number), 100), Known: known},
			{Number: number, Known: known}, {Text: b}, {Text: a + b}}
		if math.IsNaN(number) {
			row[2].Known = false // no score is NaN: ScoreOf would panic
		}
		var columns []Column
		var cells Row
		for i := range all {
			if which>>i&1 == 1 {
				columns, cells = append(columns, all[i]), append(cells, row[i])
			}
		}
		if len(columns) == 0 {
			columns, cells = all, row
		}
		object := AppendRow(nil, columns, cells)
		compareMembers(t, object)
		if _, err := ParseRow(object, columns); err != nil {
			t.Fatalf("%s: %v", object, err)
		}
		e := Entity{Type: a, Name: b, Tags: []string{a, b}, Links: []Link{{Name: "paper", URL: b}}, Signals: Signals{
			Facts: []Fact{{Name: "stars", Number: number, Source: a}}, Benchmarks: []Benchmark{{Name: b, Value: number, Date: a}}}}
		compareMembers(t, e.AppendJSON(nil))
	})
}
