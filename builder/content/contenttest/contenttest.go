// Package contenttest contains helpers for testing reported problems, and seed files for
// fuzzing.
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

// Report lines start with a position, so that editors and terminals can jump to it.
var problemLine = regexp.MustCompile(`^[^:]+:\d+:\d+: `)

// Seeds returns valid and invalid entity files as seeds for fuzzing.
func Seeds(f *testing.F) (list [][]byte) {
	f.Helper()
	archives, err := filepath.Glob(filepath.Join(suite.Root(f), "builder/content/testdata/lint/*.txtar"))
	if err != nil || len(archives) == 0 {
		f.Fatal("no seed archives", err)
	}
	for _, path := range archives {
		a := suite.Must(txtar.ParseFile(path))(f)
		for _, file := range a.Files {
			if strings.Contains(file.Name, "/") {
				list = append(list, file.Data)
			}
		}
	}
	good, err := filepath.Glob(filepath.Join(suite.Content(f), "*/*.yaml"))
	if err != nil || len(good) == 0 {
		f.Fatal("no valid seed files", err)
	}
	for _, path := range good {
		data := suite.Must(os.ReadFile(path))(f)
		list = append(list, data)
	}
	return list
}

// CheckProblem checks that a problem has a position and a message, and that it is reported
// on a single line.
func CheckProblem(t *testing.T, p yamldoc.Problem) {
	t.Helper()
	line := p.String()
	switch {
	case p.File == "" || p.Line < 1 || p.Column < 1:
		t.Errorf("problem without a position: %q", line)
	case p.Message == "":
		t.Errorf("problem without a message: %q", line)
	case p.Severity != yamldoc.Error && p.Severity != yamldoc.Warning:
		t.Errorf("problem with severity %q: %q", p.Severity, line)
	case !problemLine.MatchString(line) || strings.ContainsAny(line, "\n\r\x1b\u2028\u202e") || !utf8.ValidString(line):
		t.Errorf("problem with a line break: %q", line)
	case len(line) > 4000:
		t.Errorf("problem is %d bytes long: %.200q…", len(line), line)
	}
}

// CheckReport checks that a report has lines, and that each starts with a position.
func CheckReport(t *testing.T, report string) {
	t.Helper()
	if report == "" {
		t.Error("nothing was reported")
	}
	for line := range strings.Lines(report) {
		if !problemLine.MatchString(line) {
			t.Errorf("line does not start with a position: %s", line)
		}
	}
}
