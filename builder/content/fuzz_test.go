package content_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/rogpeppe/go-internal/txtar"

	"kindex/builder/content"
	"kindex/exports/record"
)

// FuzzParseEntity holds what must be true of any bytes whatever: no panic, no
// long wait, a place for every problem, and a record that reads back.
func FuzzParseEntity(f *testing.F) {
	for _, data := range seeds(f) {
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		start := time.Now()
		e, problems := content.ParseEntity("content/tool/x.yaml", "tool", "x", data)
		if took := time.Since(start); took > 5*time.Minute { // it only catches a hang
			t.Errorf("%d bytes took %s", len(data), took)
		}
		_, others := content.ParseScoring("content/scoring.yaml", data)
		for _, p := range append(others, problems...) {
			checkProblem(t, p)
		}
		errors, _ := problems.Count()
		if (e == nil) != (errors > 0) {
			t.Fatalf("the entity is nil: %v, but there are %d errors", e == nil, errors)
		}
		again, same := content.ParseEntity("content/tool/x.yaml", "tool", "x", data)
		if !reflect.DeepEqual(e, again) || !reflect.DeepEqual(problems, same) {
			t.Error("the same bytes gave something else the second time")
		}
		if e != nil {
			checkRecord(t, e)
		}
	})
}

func seeds(f *testing.F) (list [][]byte) {
	archives, err := filepath.Glob("testdata/lint/*.txtar")
	if err != nil || len(archives) == 0 {
		f.Fatal("no archives to begin with", err)
	}
	for _, path := range archives {
		a, err := txtar.ParseFile(path)
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range a.Files {
			if strings.Contains(file.Name, "/") {
				list = append(list, file.Data)
			}
		}
	}
	good, err := filepath.Glob("../../content/*/*.yaml")
	if err != nil || len(good) == 0 {
		f.Fatal("no good files to begin with", err)
	}
	for _, path := range good {
		data, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		list = append(list, data)
	}
	return list
}

func checkProblem(t *testing.T, p content.Problem) {
	t.Helper()
	line := p.String()
	switch {
	case p.File == "" || p.Line < 1 || p.Column < 1:
		t.Errorf("a problem without a place: %q", line)
	case p.Message == "":
		t.Errorf("a problem without a message: %q", line)
	case p.Severity != content.Error && p.Severity != content.Warning:
		t.Errorf("a problem of severity %q: %q", p.Severity, line)
	case !problemLine.MatchString(line) || strings.ContainsAny(line, "\n\r\x1b\u2028\u202e") || !utf8.ValidString(line):
		t.Errorf("a problem that breaks its line: %q", line)
	case len(line) > 4000:
		t.Errorf("a problem of %d bytes: %.200q…", len(line), line)
	}
}

// checkRecord reads the JSON record of an entity back.
func checkRecord(t *testing.T, e *record.Entity) {
	t.Helper()
	authored := e.AppendJSON(nil)
	var back record.Entity
	if err := json.Unmarshal(authored, &back); err != nil {
		t.Fatalf("the record is not valid: %v\n%s", err, authored)
	}
	if second := back.AppendJSON(nil); string(second) != string(authored) {
		t.Errorf("the record changes when it is read back\n%s\n%s", authored, second)
	}
	if e.Name == "" || e.Category == "" || e.Description == "" {
		t.Errorf("a required field is empty: %s", authored)
	}
}
