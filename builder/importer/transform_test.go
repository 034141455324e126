package importer

import (
	"encoding/json"
	"reflect"
	"testing"
)

func TestPythonList(t *testing.T) {
	for text, want := range map[string][]string{
		"[]":                   {},
		"[ ]":                  {},
		"['a']":                {"a"},
		"['a', 'b',]":          {"a", "b"},
		`["it's", 'a "b"']`:    {"it's", `a "b"`},
		`['tensorflow"']`:      {`tensorflow"`},
		`['a\'b', 'c\\d']`:     {"a'b", `c\d`},
		`["\u00e9", '\xe9']`:   {"é", "é"},
		"('a', 'b')":           {"a", "b"},
		"{'a'}":                {"a"},
		"[1, -2.5, 3e4]":       {"1", "-2.5", "3e4"},
		"[None, True, 'None']": {"", "True", "None"},
		`["a","b"]`:            {"a", "b"},
		"  ['a, b']  ":         {"a, b"},
		"['中文', 'é']":          {"中文", "é"},
	} {
		if got, ok := pythonList(text); !ok || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %q %v, want %q", text, got, ok, want)
		}
	}
	for _, text := range []string{"", "[", "]", "['a'", "'a']", "['a' 'b']", "[a]", "['a]", "[,]", "['a',,'b']", "[['a']]", "{'a': 1}",
		`['\q']`, `['\x4']`, `['\ud800']`, "[1 2]", "['a'] ['b']", "['a')"} {
		if got, ok := pythonList(text); ok {
			t.Errorf("%s is not a list, but gives %q", text, got)
		}
	}
}

func TestConvert(t *testing.T) {
	for _, c := range []struct {
		as, decimal, text string
		want              any // nil if it is refused
	}{
		{"number", "", "5326.0", int64(5326)}, {"number", "", "5326", int64(5326)}, {"number", "", "0.125", 0.125},
		{"number", "", "-1.5", -1.5}, {"number", "", "+3", int64(3)}, {"number", "", "1.2e3", int64(1200)}, {"number", "", "1e-2", 0.01},
		{"number", "", "9007199254740993", int64(9007199254740993)}, {"number", "", "007", int64(7)},
		{"number", "", "1,234", nil}, {"number", "", "1.234", nil}, {"number", "", "1.234.567", int64(1234567)}, {"number", "", "12,400,000", int64(12400000)},
		{"number", "", "12,5", nil}, {"number", "", "1,240.50", 1240.5}, {"number", "", "1.240,50", 1240.5}, {"number", ",", "1 240,5", 1240.5}, {"number", "", "1’240.50", 1240.5},
		{"number", "", "−5", int64(-5)}, {"number", "", "1.2.3", nil},
		{"number", "", "nan", nil}, {"number", "", "inf", nil}, {"number", "", "0x10", nil}, {"number", "", "1_000", nil},
		{"number", "", "5k", int64(5000)}, {"number", "", "12.3k", int64(12300)}, {"number", "", "1.2 M", int64(1200000)}, {"number", "", "7B", int64(7000000000)},
		{"number", "", "5kg", nil}, {"number", "", "-5k", nil}, {"number", "", "64%", nil}, {"number", "", "1e999", nil}, {"number", "", "", nil}, {"number", "", ".5", nil},
		{"number", ".", "1,234,567.5", 1234567.5}, {"number", ".", "1.234", 1.234}, {"number", ".", "1,23", nil},
		{"number", ",", "1.234.567,5", 1234567.5}, {"number", ",", "1,234", 1.234}, {"number", ",", "1.234", int64(1234)}, {"number", ",", "1.2", nil},
		{"date", "", "2024-06-06", "2024-06-06"}, {"date", "", "2015-11-07 01:19:20.000000", "2015-11-07"},
		{"date", "", "2024-06-06T12:00Z", "2024-06-06"}, {"date", "", "2024-06-06T23:59:59+02:00", "2024-06-06"}, {"date", "", "2024-06-06 10:11:12 UTC", "2024-06-06"},
		{"date", "", "2026/03/04", "2026-03-04"}, {"date", "", "2026.03.04T10:00", "2026-03-04"}, {"date", "", "1772582400", "2026-03-04"}, {"date", "", "2026/3-4", nil},
		{"size", "", "830 KB", "830 kB"}, {"size", "", "2 GB", "2 GB"}, {"size", ",", "1,2 GB", "1.2 GB"}, {"size", ".", "1,024 MB", "1024 MB"}, {"size", "", "1024", int64(1024)},
		{"duration", "", "500ms", "500ms"}, {"duration", "", "2 h 30 min", "2h30m"}, {"duration", ",", "1,5 Hours", "1.5h"}, {"duration", "", "soon", "soon"},
		{"date", "", "2024-02-30", nil}, {"date", "", "2024-06", nil}, {"date", "", "2024-06-06x", nil}, {"date", "", "06.06.2024", nil}, {"date", "", "20240606", nil},
		{"day", "", "2024-06", "2024-06"}, {"day", "", "2024-06-06", "2024-06-06"}, {"day", "", "2024-13", nil}, {"day", "", "2024", nil},
		{"period", "", "2024", "2024"}, {"period", "", "2024-06", "2024-06"}, {"period", "", "2024/06/06", "2024-06-06"}, {"period", "", "12.03.1974", nil},
		{"month", "", "2024-06-06T12:00:00Z", "2024-06"}, {"month", "", "2024-06", "2024-06"}, {"month", "", "June 2024", nil},
		{"dmy", "", "6.7.2024", "2024-07-06"}, {"dmy", "", "06/07/2024", "2024-07-06"}, {"dmy", "", "31.2.2024", nil}, {"dmy", "", "2024-06-06", nil},
		{"mdy", "", "6/7/2024", "2024-06-07"}, {"mdy", "", "13/1/2024", nil},
		{"slug", "", "Deep Learning!", "deep-learning"}, {"slug", "", "中文", nil}, {"lower", "", "ÄB", "äb"}, {"", "", "As Is", "As Is"},
	} {
		e := &evaluator{decimal: c.decimal}
		got, wrong := e.convert(c.as, c.text)
		if (wrong == "") != (c.want != nil) || wrong == "" && got != c.want {
			t.Errorf("%s %s %q: %v (%s), want %v", c.as, c.decimal, c.text, got, wrong, c.want)
		}
	}
	if n, wrong := new(evaluator).convert("number", json.Number("1.234")); n != 1.234 {
		t.Errorf("a number of JSON can be read in one way only: %v %s", n, wrong)
	}
}
