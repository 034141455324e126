package content_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"kindex/builder/content"
	"kindex/exports/record"
)

// TestMappingLint reads one malformed mapping for each archive in
// testdata/mapping and compares the whole report. With -update it writes down
// what is reported; read the difference before you commit it.
func TestMappingLint(t *testing.T) {
	archives, err := filepath.Glob("testdata/mapping/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	if len(archives) < 15 {
		t.Fatalf("testdata/mapping has %d cases, that is too few to be all of them", len(archives))
	}
	for _, path := range archives {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if len(bytes.TrimSpace(a.Comment)) == 0 || len(a.Files) != 2 {
				t.Fatal("the archive should say what is wrong, and hold mapping.yaml and want")
			}
			m, problems := content.ParseMapping("mapping.yaml", a.Files[0].Data)
			if n, _ := problems.Count(); (m == nil) != (n > 0) {
				t.Errorf("the mapping is nil: %v, but there are %d errors", m == nil, n)
			}
			got := problems.Error() + "\n"
			if *update {
				a.Files[1].Data = []byte(got)
				if err := os.WriteFile(path, txtar.Format(a), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			compareReports(t, got, string(a.Files[1].Data))
		})
	}
}

// TestMappingExamples: the mappings that people are shown are right.
func TestMappingExamples(t *testing.T) {
	readme, err := os.ReadFile("../../content/README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(readme), "## Importing a catalogue")
	section, _, _ = strings.Cut(section, "\n## ")
	blocks := strings.Split(section, "```yaml\n")[1:]
	if len(blocks) != 2 {
		t.Fatalf("the section on importing has %d mappings, want a whole one and one of benchmarks", len(blocks))
	}
	for i, text := range blocks {
		text, _, _ = strings.Cut(text, "```")
		if i == 1 {
			text = "type: model\nslug: id\n" + text
		}
		if _, problems := content.ParseMapping("README.md", []byte(text)); len(problems) > 0 {
			t.Errorf("mapping %d of content/README.md: %v", i+1, problems)
		}
	}
	fixture, err := filepath.Glob("../importer/testdata/*.yaml")
	if err != nil || len(fixture) < 3 {
		t.Fatal(len(fixture), err)
	}
	for _, path := range fixture {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if _, problems := content.ParseMapping(path, data); len(problems) > 0 {
			t.Error(problems)
		}
	}
}

// FuzzParseMapping holds what must be true of any bytes whatever.
func FuzzParseMapping(f *testing.F) {
	for _, pattern := range []string{"testdata/mapping/*.txtar", "../importer/testdata/*.yaml"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			f.Fatal("nothing to begin with", err)
		}
		for _, path := range files {
			data, err := os.ReadFile(path)
			if err != nil {
				f.Fatal(err)
			}
			if a := txtar.Parse(data); len(a.Files) > 0 {
				data = a.Files[0].Data
			}
			f.Add(data)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		m, problems := content.ParseMapping("mapping.yaml", data)
		for _, p := range problems {
			checkProblem(t, p)
		}
		if n, _ := problems.Count(); (m == nil) != (n > 0) {
			t.Fatalf("the mapping is nil: %v, but there are %d errors", m == nil, n)
		}
		if m == nil {
			return
		}
		for _, use := range m.Columns() {
			if use.Column == "" || use.Location.Line < 1 || use.Location.Column < 1 {
				t.Errorf("%+v is no use of a column", use)
			}
		}
	})
}

// FuzzMerge: whatever the file, an update refuses it or says what it should,
// loses no comment and no other field, and does nothing the second time.
func FuzzMerge(f *testing.F) {
	f.Add([]byte("name: X\ncategory: c\ndescription: >\n  d\n  e\n\nversion: 1.10\ntags: [a,\n  b]\nlicense: MIT\n"), "MIT", int64(7))
	f.Add([]byte("# a\nname: X # b\ncategory: c\ndescription: d\nsignals:\n  # e\n  stars: # f\n    value: 3 # g\n    # h\n    date: 2026-01-01\n  forks: {value: 1}\n# i\n"), "x: y", int64(3))
	f.Fuzz(func(t *testing.T, data []byte, license string, stars int64) {
		e, _ := content.ParseEntity("content/tool/x.yaml", "tool", "x", data)
		if e == nil || len(data) > 500 || stars < 0 || stars > 1<<50 {
			return
		}
		fields := map[string]any{"license": license, "signals": map[string]any{"stars": map[string]any{"value": stars}}}
		out, err := content.Merge("content/tool/x.yaml", data, fields)
		if err != nil {
			return
		}
		again, err := content.Merge("content/tool/x.yaml", out, fields)
		if err != nil || !bytes.Equal(out, again) {
			t.Fatalf("the second time: %v\n%s", err, again)
		}
		merged, problems := content.ParseEntity("content/tool/x.yaml", "tool", "x", out)
		if merged == nil {
			if _, alone := content.ParseEntity("x", "tool", "x", []byte("name: x\ncategory: c\ndescription: d\nlicense: "+quote(license))); len(alone) == 0 {
				t.Fatalf("%v\n%s", problems, out)
			}
			return
		}
		if fact, ok := merged.Signals.Fact("stars"); !ok || fact.Number != float64(stars) || fact.Source != "" && !bytes.Contains(data, []byte("stars")) {
			t.Errorf("stars are %+v", fact)
		}
		isStars := func(f record.Fact) bool { return f.Name == "stars" }
		e.License, merged.License = "", ""
		e.Signals.Facts = slices.DeleteFunc(e.Signals.Facts, isStars)
		merged.Signals.Facts = slices.DeleteFunc(merged.Signals.Facts, isStars)
		e.Signals.Facts = append([]record.Fact{}, e.Signals.Facts...) // nil and empty are alike
		merged.Signals.Facts = append([]record.Fact{}, merged.Signals.Facts...)
		if !reflect.DeepEqual(e, merged) {
			t.Errorf("another field changed\n%s\n%s", data, out)
		}
	})
}

func quote(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}
