package mapping_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"kindex/builder/content/contenttest"
	"kindex/builder/importer/mapping"
	"kindex/builder/suite"
	"kindex/exports/kinds"
)

// TestMappingLint reads one malformed mapping for each archive in testdata/lint and compares the
// whole report. With -update, it writes the actual report; review the diff before you commit it.
func TestMappingLint(t *testing.T) {
	suite.Archives(t, "testdata/lint", 15, func(t *testing.T, _ string, files []txtar.File) string {
		m, problems := mapping.Parse(kinds.Default(), "mapping.yaml", files[0].Data)
		if n, _ := problems.Count(); (m == nil) != (n > 0) {
			t.Errorf("the mapping is nil: %v, but there are %d errors", m == nil, n)
		}
		contenttest.CheckReport(t, problems.Error()+"\n")
		return problems.Error() + "\n"
	})
}

// TestMappingExamples checks that the mappings in the documentation are valid.
func TestMappingExamples(t *testing.T) {
	guide := suite.Must(os.ReadFile("../../../site/docs/importing.md"))(t)
	blocks := strings.Split(string(guide), "```yaml\n")[1:]
	if len(blocks) != 3 {
		t.Fatalf("the guide has %d mappings, want a whole one, one of benchmarks and one of offers", len(blocks))
	}
	for i, text := range blocks {
		text, _, _ = strings.Cut(text, "```")
		if i > 0 {
			text = "type: model\nslug: id\n" + text
		}
		if _, problems := mapping.Parse(kinds.Default(), "importing.md", []byte(text)); len(problems) > 0 {
			t.Errorf("mapping %d of importing.md: %v", i+1, problems)
		}
	}
	fixture, err := filepath.Glob("../testdata/*.yaml")
	if err != nil || len(fixture) < 3 {
		t.Fatal(len(fixture), err)
	}
	for _, path := range fixture {
		data := suite.Must(os.ReadFile(path))(t)
		if _, problems := mapping.Parse(kinds.Default(), path, data); len(problems) > 0 {
			t.Error(problems)
		}
	}
}

// FuzzParseMapping checks the invariants of Parse for any input.
func FuzzParseMapping(f *testing.F) {
	for _, pattern := range []string{"testdata/lint/*.txtar", "../testdata/*.yaml"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			f.Fatal("no seeds", err)
		}
		for _, path := range files {
			data := suite.Must(os.ReadFile(path))(f)
			if a := txtar.Parse(data); len(a.Files) > 0 {
				data = a.Files[0].Data
			}
			f.Add(data)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		m, problems := mapping.Parse(kinds.Default(), "mapping.yaml", data)
		for _, p := range problems {
			contenttest.CheckProblem(t, p)
		}
		if n, _ := problems.Count(); (m == nil) != (n > 0) {
			t.Fatalf("the mapping is nil: %v, but there are %d errors", m == nil, n)
		}
		if m == nil {
			return
		}
		for _, use := range m.Uses {
			if use.Column == "" || use.Place.Line < 1 || use.Place.Column < 1 {
				t.Errorf("%+v does not use a column", use)
			}
		}
	})
}
