package yamlfmt_test

import (
	"bytes"
	"encoding/json"
	"math"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"kindex/builder/content"
	"kindex/builder/content/yamlfmt"
	"kindex/exports/kinds"
)

func TestCompose(t *testing.T) {
	for name, c := range map[string]struct{ fields, want string }{
		"every field": {`{"signals": {"benchmarks": [{"source": "https://b.example/", "value": 1.50, "name": "Two words (a, b)"}, {"name": "MRCRv2", "value": -3}],
			"released": {"value": "2024-05", "date": "2026-01-02"}, "stars": {"source": "https://a.example/#x", "date": "2026-01-01", "value": 79207}},
			"lastUpdated": "2026-01-02", "addedDate": "2026-01-01", "capabilities": ["gpu"], "tags": ["a", "no", "3d", "1"],
			"links": {"paper": "https://p.example/", "homepage": "https://h.example/?a=b&c"}, "url": "https://a.example/", "pricingModel": "free",
			"license": "MIT OR Apache-2.0", "version": "1.10", "category": "nlp", "description": "Does this: that.", "provider": "Dvořák & Co",
			"status": "deprecated", "formerly": ["x-1", "x-2"], "name": "X"}`,
			`name: X
formerly: [x-1, x-2]
status: deprecated
provider: Dvořák & Co
description: "Does this: that."
category: nlp
version: "1.10"
license: MIT OR Apache-2.0
pricingModel: free
url: https://a.example/
links:
  homepage: https://h.example/?a=b&c
  paper: https://p.example/
tags: [a, "no", 3d, "1"]
capabilities: [gpu]
addedDate: 2026-01-01
lastUpdated: 2026-01-02
signals:
  stars: {value: 79207, date: 2026-01-01, source: https://a.example/#x}
  released: {value: 2024-05, date: 2026-01-02}
  benchmarks:
    - {name: "Two words (a, b)", value: 1.50, source: https://b.example/}
    - {name: MRCRv2, value: -3}
`},
		"unknown fields follow":        {`{"zebra": 1, "ant": [1, [2]], "name": "X", "nest": {"a": {"b": {"c": null}}}}`, "name: X\nant:\n  - 1\n  - [2]\nnest:\n  a:\n    b: {c: null}\nzebra: 1\n"},
		"version as a number":          {`{"version": 1.10}`, "version: \"1.10\"\n"},
		"version in words":             {`{"version": "2.3.1"}`, "version: 2.3.1\n"},
		"dates are texts elsewhere":    {`{"name": "2026-01-01", "addedDate": "tomorrow"}`, "name: \"2026-01-01\"\naddedDate: tomorrow\n"},
		"numbers in words of science":  {`{"value": 1e3, "more": 1.5E-7, "most": 100000000000000000000}`, "more: 0.00000015\nmost: 100000000000000000000\nvalue: 1000\n"},
		"nothing":                      {`{}`, "{}\n"},
		"empty":                        {`{"tags": [], "links": {}, "name": ""}`, "name: \"\"\nlinks: {}\ntags: []\n"},
		"signs":                        {`{"a": "- a", "b": "a #b", "c": "#a", "d": "*a", "e": "a: b", "f": "a:", "g": "@a", "h": "a#b:c", "i": "it's \"so\"", "j": "'a'", "k": "% a", "l": "~"}`, "a: \"- a\"\nb: \"a #b\"\nc: \"#a\"\nd: \"*a\"\ne: \"a: b\"\nf: \"a:\"\ng: \"@a\"\nh: a#b:c\ni: it's \"so\"\nj: \"'a'\"\nk: \"% a\"\nl: \"~\"\n"},
		"other than texts":             {`{"a": "true", "b": "Null", "c": "0x1F", "d": "1_000", "e": "12:30:45", "f": ".5", "g": "1e3", "h": "-.inf", "i": "off", "j": "1.2.3", "k": "e", "l": "0.1rc1"}`, "a: \"true\"\nb: \"Null\"\nc: \"0x1F\"\nd: \"1_000\"\ne: \"12:30:45\"\nf: \".5\"\ng: \"1e3\"\nh: \"-.inf\"\ni: \"off\"\nj: 1.2.3\nk: e\nl: 0.1rc1\n"},
		"hidden and several lines":     {`{"a": "one\ntwo\tthree\r\u0000\u202e\ufeff\u2028\u0085", "b": " a ", "c": "back\\slash", "d": "日本語 ü😀"}`, "a: \"one\\ntwo\\tthree\\x0d\\x00\\u202e\\ufeff\\u2028\\x85\"\nb: \" a \"\nc: back\\slash\nd: 日本語 ü😀\n"},
		"names of fields":              {`{"a b": 1, "c: d": 2, "no": 3, "": 4, "1": 5, "x": {"z": {"é, è": 1, "a b": 2}}}`, "\"\": 4\n\"1\": 5\na b: 1\n\"c: d\": 2\n\"no\": 3\nx:\n  z: {\"a b\": 2, \"é, è\": 1}\n"},
		"brackets in a list of tags":   {`{"tags": ["a, b", "a]", "{", "a:b", "a: b"]}`, "tags: [\"a, b\", \"a]\", \"{\", a:b, \"a: b\"]\n"},
		"brackets in the description":  {`{"description": "A [b] {c}, d"}`, "description: A [b] {c}, d\n"},
		"a list of sets and of lists":  {`{"benchmarks": [{"a": [1]}, [], [[1, 2]], {}]}`, "benchmarks:\n  - a: [1]\n  - []\n  - - [1, 2]\n  - {}\n"},
		"what other programs misread":  {`{"a": "+<<", "b": "+-0", "c": "._01", "d": "0o-0", "tags": ["O@!?", "x?y"]}`, "tags: [\"O@!?\", \"x?y\"]\na: \"+<<\"\nb: \"+-0\"\nc: \"._01\"\nd: \"0o-0\"\n"},
		"what looks like YAML's lines": {`{"a": "---", "b": "...", "c": "<<", "d": "=", "e": "? a"}`, "a: \"---\"\nb: \"...\"\nc: \"<<\"\nd: \"=\"\ne: \"? a\"\n"},
	} {
		t.Run(name, func(t *testing.T) {
			fields := fieldsOf(t, []byte(c.fields))
			got, err := yamlfmt.Compose(kinds.Default(), fields)
			if err != nil {
				t.Fatal(err)
			}
			if string(got) != c.want {
				t.Errorf("--- got\n%s--- want\n%s", got, c.want)
			}
			checkReadsBack(t, fields, got)
			if name == "every field" {
				if _, problems := content.ParseEntity(kinds.Default(), "content/tool/x.yaml", "tool", "x", got); len(problems) > 0 {
					t.Error(problems)
				}
			}
		})
	}
}

// TestComposeTypes checks that Go types produce the same result as the types of decoded JSON.
func TestComposeTypes(t *testing.T) {
	got, err := yamlfmt.Compose(kinds.Default(), map[string]any{"tags": []string{"a", "b"}, "signals": map[string]any{
		"stars": map[string]any{"value": int64(5)}, "forks": map[string]any{"value": 6}, "likes": map[string]any{"value": 7.0}}})
	want := "tags: [a, b]\nsignals:\n  stars: {value: 5}\n  forks: {value: 6}\n  likes: {value: 7}\n"
	if err != nil || string(got) != want {
		t.Errorf("%s\n%v", got, err)
	}
}

func TestComposeRefuses(t *testing.T) {
	deep := any("x")
	for range 40 {
		deep = []any{deep}
	}
	for want, fields := range map[string]map[string]any{
		"name: is not UTF-8 text":                     {"name": "a\xff"},
		"is not UTF-8 text":                           {"a\xff": 1},
		"signals.stars: NaN is not a finite number":   {"signals": map[string]any{"stars": math.NaN()}},
		"a: \"1e999\" is not a valid number":          {"a": json.Number("1e999")},
		"a: \"0x\" is not a valid number":             {"a": json.Number("0x")},
		"is nested more than 32 levels deep":          {"a": deep},
		"tags[0]: a struct {} cannot be written":      {"tags": []any{struct{}{}}},
		"the fields: cannot be written as YAML: is l": {"description": strings.Repeat("x", 300000)},
	} {
		if got, err := yamlfmt.Compose(kinds.Default(), fields); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v instead of %s\n%.100s", err, want, got)
		}
	}
}

// FuzzCompose checks that every file that Compose writes can be read back as the same values,
// and that composing these values again returns the same file.
func FuzzCompose(f *testing.F) {
	f.Add([]byte(`{"name": "X", "version": "1.10", "tags": ["a"], "signals": {"stars": {"value": 1, "date": "2026-01-01"}}}`))
	f.Add([]byte(`{"a": "- x", "b": "é: #", "c": [{"d": [null, true, -1.5]}], "": {"": "\u0000\u202e\n "}}`))
	f.Add([]byte(`{"a": "1_0", "b": "0o7", "c": "+.5e3", "d": "2026-01-01T00:00:00Z", "e": "a: b", "f": "|", "g": " \u00a0"}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		dec := json.NewDecoder(bytes.NewReader(data))
		dec.UseNumber()
		var fields map[string]any
		if dec.Decode(&fields) != nil || fields == nil {
			return
		}
		got, err := yamlfmt.Compose(kinds.Default(), fields)
		if err != nil {
			for _, allowed := range []string{"levels deep", "is not a valid number", "is larger than", "the maximum for a file"} {
				if strings.Contains(err.Error(), allowed) {
					return
				}
			}
			t.Fatalf("%q: %v", data, err)
		}
		checkReadsBack(t, fields, got)
		if again, err := yamlfmt.Compose(kinds.Default(), fieldsOf(t, data)); err != nil || !bytes.Equal(again, got) {
			t.Errorf("the same fields gave different bytes: %v\n%s\n%s", err, got, again)
		}
	})
}

// fieldsOf decodes a JSON object, keeping its numbers as written.
func fieldsOf(t *testing.T, data []byte) map[string]any {
	t.Helper()
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	var fields map[string]any
	if err := dec.Decode(&fields); err != nil {
		t.Fatal(err)
	}
	return fields
}

// checkReadsBack reads a file with the YAML library directly, without the rules of this
// package, and compares the values.
func checkReadsBack(t *testing.T, fields map[string]any, data []byte) {
	t.Helper()
	var back any
	if err := yaml.Unmarshal(data, &back); err != nil {
		t.Fatalf("%v\n%s", err, data)
	}
	want := likeJSON(t, fields)
	if _, ok := fields["version"].(json.Number); ok {
		// The version becomes a string, whose digits may differ from those of the number.
		delete(want.(map[string]any), "version")
		delete(back.(map[string]any), "version")
	}
	if got := likeJSON(t, back); !same(got, want) {
		t.Errorf("%#v reads back as %#v\n%s", want, got, data)
	}
}

// same compares values; the library returns integers of more than 64 bits as strings.
func same(got, want any) bool {
	switch want := want.(type) {
	case map[string]any:
		m, ok := got.(map[string]any)
		for name, v := range want {
			ok = ok && same(m[name], v)
		}
		return ok && len(m) == len(want)
	case []any:
		l, ok := got.([]any)
		ok = ok && len(l) == len(want)
		for i := range want {
			ok = ok && same(l[i], want[i])
		}
		return ok
	case float64:
		if s, ok := got.(string); ok && math.Abs(want) > math.MaxInt64/2 {
			x, err := strconv.ParseFloat(s, 64)
			return err == nil && x == want
		}
	}
	return reflect.DeepEqual(got, want)
}

// likeJSON converts all numbers to float64.
func likeJSON(t *testing.T, v any) any {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	var out any
	if err := json.Unmarshal(data, &out); err != nil {
		t.Fatal(err)
	}
	return out
}
