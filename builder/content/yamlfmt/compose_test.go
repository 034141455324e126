package yamlfmt_test

import (
	"bytes"
	"encoding/json"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/rogpeppe/go-internal/txtar"

	"kindex/builder/content"
	"kindex/builder/content/yamlfmt"
	"kindex/builder/suite"
	"kindex/exports/kinds"
)

func TestCompose(t *testing.T) {
	a, err := txtar.ParseFile("testdata/compose.txtar")
	if err != nil || len(a.Files) < 30 {
		t.Fatal(err, len(a.Files))
	}
	for c := range slices.Chunk(a.Files, 2) {
		name := strings.TrimSuffix(c[0].Name, ".json")
		t.Run(name, func(t *testing.T) {
			fields := fieldsOf(t, c[0].Data)
			got := suite.Must(yamlfmt.Compose(kinds.Default(), fields))(t)
			if !bytes.Equal(got, c[1].Data) {
				t.Errorf("--- got\n%s--- want\n%s", got, c[1].Data)
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
	suite.Check(t, dec.Decode(&fields))
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
	data := suite.Must(json.Marshal(v))(t)
	var out any
	suite.Check(t, json.Unmarshal(data, &out))
	return out
}
