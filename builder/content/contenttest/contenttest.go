// Package contenttest checks reports of problems in tests, and holds the files with
// which fuzzing starts.
package contenttest

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/rogpeppe/go-internal/txtar"

	"kindex/builder/content/yamldoc"
	"kindex/builder/suite"
)

// A report line begins with a position, so that editors and terminals can jump there.
var problemLine = regexp.MustCompile(`^[^:]+:\d+:\d+: `)

// Seeds returns entity files, right and wrong ones, for fuzzing to start from.
func Seeds(f *testing.F) (list [][]byte) {
	f.Helper()
	root := suite.Root(f)
	archives, err := filepath.Glob(filepath.Join(root, "builder/content/testdata/lint/*.txtar"))
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
	good, err := filepath.Glob(filepath.Join(root, "content/*/*.yaml"))
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

// CheckProblem checks that a problem has a position and a message, and fits one line.
func CheckProblem(t *testing.T, p yamldoc.Problem) {
	t.Helper()
	line := p.String()
	switch {
	case p.File == "" || p.Line < 1 || p.Column < 1:
		t.Errorf("a problem without a place: %q", line)
	case p.Message == "":
		t.Errorf("a problem without a message: %q", line)
	case p.Severity != yamldoc.Error && p.Severity != yamldoc.Warning:
		t.Errorf("a problem of severity %q: %q", p.Severity, line)
	case !problemLine.MatchString(line) || strings.ContainsAny(line, "\n\r\x1b\u2028\u202e") || !utf8.ValidString(line):
		t.Errorf("a problem that breaks its line: %q", line)
	case len(line) > 4000:
		t.Errorf("a problem of %d bytes: %.200q…", len(line), line)
	}
}

// CompareReports compares a report with the one that is wanted, and checks that every
// line of it begins with a position.
func CompareReports(t *testing.T, got, want string) {
	t.Helper()
	if got == "" {
		t.Error("nothing was reported")
	}
	for line := range strings.Lines(got) {
		if !problemLine.MatchString(line) {
			t.Errorf("the line does not begin with a place: %s", line)
		}
	}
	if got != want {
		t.Errorf("the report differs\n--- got\n%s--- want\n%s", got, want)
	}
}
