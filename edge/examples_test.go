package edge_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"kindex/builder/suite"
	"kindex/edge/edgetest"
)

// recorder is a testing.TB that records errors. A fatal one ends the goroutine.
type recorder struct {
	testing.TB
	errors []string
}

func (*recorder) Helper() {}
func (r *recorder) Errorf(f string, args ...any) {
	r.errors = append(r.errors, fmt.Sprintf(f, args...))
}
func (r *recorder) Fatalf(f string, args ...any) {
	r.Errorf(f, args...)
	runtime.Goexit()
}

// examplesOf runs the examples in a text as if it were a page of the project.
func examplesOf(t *testing.T, text string, run edgetest.Run) *recorder {
	t.Helper()
	dir := t.TempDir()
	suite.Write(t, dir, map[string]string{"go.mod": "", "page.md": strings.ReplaceAll(text, "'''", "```")})
	t.Chdir(dir)
	r := &recorder{TB: t}
	ended := make(chan bool)
	go func() {
		defer close(ended)
		edgetest.Examples(r, "page.md", run)
	}()
	<-ended
	return r
}

// TestExamplesFail runs pages that have one fault each.
func TestExamplesFail(t *testing.T) {
	suite.InTest(t)
	for name, c := range map[string]struct{ text, want string }{
		"a program fails":        {"'''sh\ntrue | false | true\n'''\n", "page.md:1: exit status 1"},
		"a variable is missing":  {"'''sh\necho $NOBODY_SETS_THIS\n'''\n", "unbound"},
		"another language":       {"'''ruby\nputs 1\n'''\n", `in the language "ruby"`},
		"other output":           {"'''console\n$ echo 2\n3\n'''\n", "the example shows\n3\n"},
		"no command":             {"'''console\nhello\n'''\n", "does not begin with a command"},
		"a text of nothing":      {"'''text\nhello\n'''\n", "does not follow a block that was run"},
		"a file nobody uses":     {"'''python\n# a.py\nprint()\n'''\n'''sh\ntrue\n'''\n", "no later block uses a.py"},
		"a file elsewhere":       {"'''json ../a.json\n{}\n'''\n'''sh\ntrue ../a.json\n'''\n", "is outside the folder"},
		"an exception of two":    {"'''sh\n: EXCEPTED\n'''\n'''sh\n: EXCEPTED\n'''\n", `the exception "EXCEPTED" matches 2 blocks`},
		"what runs on and on":    {"'''sh\nsleep 60\n'''\n", "signal: killed"},
		"what is left behind":    {"'''sh\nsleep 60 &\n'''\n", "WaitDelay"},
		"registries":             {"'''sh\nnpm view kindex 2>&1\n'''\n", "127.0.0.1:1"},
		"the key of the machine": {"'''sh\ntest \"$KEY\" = other\n'''\n", "exit status 1"},
	} {
		t.Run(name, func(t *testing.T) {
			run := edgetest.Run{Key: "mine"}
			if strings.Contains(name, "runs on and on") {
				run.Timeout = 300 * time.Millisecond
			}
			if strings.Contains(name, "left behind") {
				run.Timeout = 10 * time.Second // a tenth of it decides
			}
			if strings.HasPrefix(name, "an exception") {
				run.Except = []edgetest.Exception{{Text: "EXCEPTED", Reason: "because"}}
			}
			r := examplesOf(t, c.text, run)
			suite.Holds(t, len(r.errors) != 0 &&
				strings.Contains(strings.Join(r.errors, "\n"), c.want), "errors", r.errors, c.want)
		})
	}
}
