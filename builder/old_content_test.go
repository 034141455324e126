package builder_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"kindex/builder"
	"kindex/builder/suite"
	"kindex/exports"
)

// oldContent is content of version 0.8.2, with an edit, and oldExports is what that version
// exported, which no test updates.
const (
	oldContent = "testdata/old_content.txtar"
	oldExports = "testdata/old_exports.golden.txtar"
)

// oldFiles are the compared files of a build, in addition to its records.
var oldFiles = []string{"entities.csv", "entities.jsonl", "changelog.jsonl", "categories.json", "feed.json", "feed.xml"}

// TestOldContent builds content that has none of the fields that were added later. Its exports
// stay byte by byte what they were; its records and categories, and the benchmark results in its
// changes, have only additional members without a value.
func TestOldContent(t *testing.T) {
	suite.InTest(t)
	got := exportsOfOldContent(t)
	want, err := txtar.ParseFile(oldExports)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range want.Files {
		i := slices.IndexFunc(got.Files, func(x txtar.File) bool { return x.Name == f.Name })
		switch {
		case i < 0:
			t.Errorf("%s is missing", f.Name)
		case f.Name == "categories.json":
			compareLines(t, [][]byte{got.Files[i].Data}, [][]byte{f.Data})
		case f.Name == "records.jsonl" || f.Name == "changelog.jsonl": // changes contain benchmark results
			compareLines(t, bytes.Split(got.Files[i].Data, []byte("\n")), bytes.Split(f.Data, []byte("\n")))
		case !bytes.Equal(got.Files[i].Data, f.Data):
			t.Errorf("%s is\n%s\nand was\n%s", f.Name, got.Files[i].Data, f.Data)
		}
	}
	if len(want.Files) != len(oldFiles)+1 {
		t.Errorf("%s has %d files", oldExports, len(want.Files))
	}
}

// exportsOfOldContent builds the content, edits it and builds it again.
func exportsOfOldContent(t *testing.T) *txtar.Archive {
	t.Helper()
	a, err := txtar.ParseFile(oldContent)
	if err != nil {
		t.Fatal(err)
	}
	content, out := filepath.Join(t.TempDir(), "content"), t.TempDir()
	var b *exports.Build
	for i, phase := range []string{"1/", "2/"} { // the second one is an edit
		for _, f := range a.Files {
			name, ok := strings.CutPrefix(f.Name, phase)
			if !ok {
				continue
			}
			path := filepath.Join(content, filepath.FromSlash(name))
			if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, f.Data, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		r, err := builder.Build(context.Background(), builder.Options{Content: content, Out: out, Keep: 3,
			AsOf: time.Date(2026, 10, 1+i, 0, 0, 0, 0, time.UTC)})
		if err != nil {
			t.Fatal(err)
		}
		b = built(t, r)
	}
	got := &txtar.Archive{}
	for _, name := range oldFiles {
		data, _, ok := b.File(name)
		if name == "changelog.jsonl" {
			for i := range b.History().Changes() {
				data = append(append(data, b.History().ChangeLine(i)...), '\n')
			}
			ok = len(data) > 0
		}
		if !ok {
			t.Errorf("no %s", name)
		}
		got.Files = append(got.Files, txtar.File{Name: name, Data: bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n"))})
	}
	var records []byte
	for o := range uint32(b.Len()) {
		records = append(append(records, b.Record(o)...), '\n')
	}
	got.Files = append(got.Files, txtar.File{Name: "records.jsonl", Data: records})
	return txtar.Parse(txtar.Format(got)) // adds missing line feeds at the ends of files
}

// compareLines compares JSON objects after removing the additional members that are empty.
func compareLines(t *testing.T, got, want [][]byte) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%d lines, not %d", len(got), len(want))
	}
	for i := range want {
		if len(want[i]) == 0 {
			continue
		}
		var now, then any
		for _, r := range []struct {
			data []byte
			into *any
		}{{got[i], &now}, {want[i], &then}} {
			if err := json.Unmarshal(r.data, r.into); err != nil {
				t.Fatal(err)
			}
		}
		if pruned := without(now, then); !reflect.DeepEqual(pruned, then) {
			t.Errorf("it is\n%s\nand was\n%s", got[i], want[i])
		}
	}
}

// without returns now without the members that then does not have, provided that they have no
// value.
func without(now, then any) any {
	switch then := then.(type) {
	case map[string]any:
		members, _ := now.(map[string]any)
		left := map[string]any{}
		for name, v := range members {
			if old, known := then[name]; known {
				left[name] = without(v, old)
			} else if !isEmpty(v) {
				left[name] = v
			}
		}
		return left
	case []any:
		list, _ := now.([]any)
		left := []any{}
		for i, v := range list {
			if i < len(then) {
				v = without(v, then[i])
			}
			left = append(left, v)
		}
		return left
	}
	return now
}

// isEmpty reports whether a value says nothing: null, 0, and lists and objects of nothing else.
func isEmpty(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case float64:
		return v == 0
	case []any:
		return len(v) == 0
	case map[string]any:
		for _, x := range v {
			if !isEmpty(x) {
				return false
			}
		}
		return true
	}
	return false
}

// TestIsEmpty: the comparison would be worthless if it overlooked a value.
func TestIsEmpty(t *testing.T) {
	for text, want := range map[string]bool{`null`: true, `[]`: true, `{}`: true, `0`: true, `{"a":null,"b":[]}`: true, `false`: false, `""`: false, `[null]`: false, `{"a":{"b":1}}`: false} {
		var v any
		if err := json.Unmarshal([]byte(text), &v); err != nil || isEmpty(v) != want {
			t.Errorf("%s: %t, %v", text, !want, err)
		}
	}
	if got := fmt.Sprint(without(map[string]any{"a": 1.0, "b": nil, "c": 2.0}, map[string]any{"a": 1.0})); got != "map[a:1 c:2]" {
		t.Error(got)
	}
}
