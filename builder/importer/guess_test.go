package importer_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kindex/builder/importer"
	"kindex/builder/importer/mapping"
	"kindex/builder/suite"
	"kindex/exports/kinds"
)

// FuzzGuess checks that a proposed mapping is valid, whatever the file contains, unless no column
// has names, and that doubts and columns are single lines.
func FuzzGuess(f *testing.F) {
	for _, name := range []string{"best-of.csv", "leaderboard.csv", "models-dev.jsonl"} {
		data := suite.Must(os.ReadFile(filepath.Join("testdata", name)))(f)
		f.Add(data, strings.HasSuffix(name, ".jsonl"))
	}
	f.Add([]byte("name,stars,released,GitHub\na,\"1,234\",3.4.2026,b/c\n"), false)
	f.Add([]byte("Tool\tLicence\n\"# x\",null\n"), false)
	f.Add([]byte("{\"name\":\"a: b\",\"category\":[\"x\"],\"github\":\"{a}/b\",\"tags\":\"a|b\"}\n"), true)
	f.Fuzz(func(t *testing.T, data []byte, jsonl bool) {
		file := filepath.Join(t.TempDir(), map[bool]string{true: "list.jsonl", false: "list.csv"}[jsonl])
		suite.Check(t, os.WriteFile(file, data, 0o600))
		p, err := importer.Guess(file, filepath.Join(t.TempDir(), "content"), "")
		if err != nil {
			return
		}
		m, problems := mapping.Parse(kinds.Default(), "list.yaml", p.Mapping)
		if n, _ := problems.Count(); n > 0 && strings.Contains(string(p.Mapping), "\n  name: ") {
			t.Errorf("the mapping is not valid: %v\n%s", problems, p.Mapping)
		} else if n == 0 && m == nil {
			t.Error("no mapping")
		}
		if again, err := importer.Guess(file, filepath.Join(t.TempDir(), "content"), ""); err != nil || string(again.Mapping) != string(p.Mapping) {
			t.Errorf("two guesses differ: %v", err)
		}
	})
}
