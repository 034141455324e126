package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestCompare(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	small := write("small.json", `{"entities":1000}
{"part":"open","name":"open p50","value":2,"unit":"ms"}
{"part":"search","name":"term p50","value":0.5,"unit":"ms","yardstick":"Bleve","yardstickValue":1,"ratio":0.5}
{"part":"search","name":"only here","value":1,"unit":"ms"}
`)
	large := write("large.json", `{"entities":10000}
{"part":"search","name":"term p50","value":2,"unit":"ms","yardstick":"Bleve","yardstickValue":8,"ratio":0.25}
{"part":"open","name":"open p50","value":3,"unit":"ms"}
`)
	var out, problems strings.Builder
	if code := run(t.Context(), []string{"compare", small, large}, &out, &problems); code != exitOK || problems.String() != "" {
		t.Fatalf("exit code %d: %s", code, problems.String())
	}
	want := `part    what      1000      ratio          10000    ratio          growth
open    open p50  2.00 ms                  3.00 ms                 1.50
search  term p50  0.500 ms  0.500 × Bleve  2.00 ms  0.250 × Bleve  4.00
`
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", out.String(), want)
	}
	for name, args := range map[string][]string{
		"one file": {small}, "a missing file": {small, filepath.Join(dir, "none")}, "another file": {small, write("other", "part what\n")},
	} {
		if code := run(t.Context(), append([]string{"compare"}, args...), &out, &problems); code != exitProblem {
			t.Errorf("%s: exit code %d", name, code)
		}
	}
}
