package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"kindex/builder"
	"kindex/builder/suite"
)

// TestHistoryOfDeleted checks that for a deleted entity, the terminal shows only the
// deletion and none of its former fields, while JSON output contains both.
func TestHistoryOfDeleted(t *testing.T) {
	suite.InTest(t)
	content, out := t.TempDir(), t.TempDir()
	if err := os.Mkdir(filepath.Join(content, "tool"), 0o755); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(content, "tool", "b.yaml")
	for name, text := range map[string]string{"a": "name: A\ncategory: c\ndescription: One.\n", "b": "name: B\ncategory: c\ndescription: Two.\n"} {
		if err := os.WriteFile(filepath.Join(content, "tool", name+".yaml"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	day := time.Date(2026, 7, 1, 0, 0, 0, 0, time.UTC)
	for range 2 {
		if _, err := builder.Build(context.Background(), builder.Options{Content: content, Out: out, AsOf: day, Keep: 2, AllowShrink: true}); err != nil {
			t.Fatal(err)
		}
		day = day.AddDate(0, 0, 1)
		if err := os.Remove(path); err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
	}
	const want = `2026-07-02 00:00  deleted tool/b (B)

2026-07-01 00:00  created tool/b (B)
  name: B
  description: Two.
  category: c
  status: active

`
	var text, lines strings.Builder
	if err := runHistory(&text, historyOptions{dir: out}, "tool/b"); err != nil || text.String() != want {
		t.Errorf("%v\n%s", err, text.String())
	}
	if err := runHistory(&lines, historyOptions{dir: out, limit: 1, json: true}, "tool/b"); err != nil ||
		!strings.Contains(lines.String(), `{"field":"description","old":"Two.","new":null}`) {
		t.Errorf("%v\n%s", err, lines.String())
	}
}
