package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"kindex/builder/suite"
)

// TestMain lets the program start itself as a yardstick.
func TestMain(m *testing.M) {
	if len(os.Args) == 3 && yardsticks[os.Args[1]] != nil {
		main()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// TestBench measures a small folder: every server answers every class that it is in, and the
// search engines find most of what kindex finds.
func TestBench(t *testing.T) {
	suite.InSoak(t, "the program is compiled and linked, which takes longer than all other tests of the tools")
	kindex := filepath.Join(t.TempDir(), "kindex")
	suite.Output(t, exec.Command("go", "build", "-o", kindex, "kindex/cmd/kindex"))
	var out bytes.Buffer
	if err := run(t.Context(), []string{"-corpus", suite.Content(t), "-kindex", kindex, "-queries", "20"}, &out); err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	rows := map[string]int{}
	for line := range strings.Lines(out.String()) {
		name, rest, _ := strings.Cut(line, "  ")
		rows[name]++
		if fields := strings.Fields(rest); rows["class"] > 0 && len(fields) == 6 && strings.Contains("phrase typo", name) && fields[0] != "net/http" && len(fields[5]) < len("10%") {
			t.Errorf("%s finds too little: %s", fields[0], line)
		}
	}
	for name, want := range map[string]int{"kindex opens": 1,
		"FTS5 opens": 1, "Bleve opens": 1, "two words": 4, "five words": 4, "phrase": 4, "typo": 3, "facets": 2, "filters": 2, "entity": 2, "lists": 2, "pages": 2} {
		if rows[name] != want {
			t.Errorf("%d rows of %s, want %d:\n%s", rows[name], name, want, out.String())
		}
	}
}
