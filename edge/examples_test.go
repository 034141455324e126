package edge_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"kindex/builder/suite"
	"kindex/edge"
	"kindex/edge/edgetest"
	"kindex/exports"
)

// recorder is a testing.TB that records errors. A fatal one ends the goroutine.
type recorder struct {
	testing.TB
	errors, logs []string
}

func (*recorder) Helper() {}
func (r *recorder) Errorf(f string, args ...any) {
	r.errors = append(r.errors, fmt.Sprintf(f, args...))
}
func (r *recorder) Fatalf(f string, args ...any) {
	r.Errorf(f, args...)
	runtime.Goexit()
}
func (r *recorder) Logf(f string, args ...any) { r.logs = append(r.logs, fmt.Sprintf(f, args...)) }

// examplesOf runs the examples in a text as if it were a page of the project.
func examplesOf(t *testing.T, text string, run edgetest.Run) *recorder {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, "page.md")
	for name, content := range map[string]string{"go.mod": "", "page.md": strings.ReplaceAll(text, "'''", "```")} {
		suite.Check(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644))
	}
	t.Chdir(dir)
	r := &recorder{TB: t}
	ended := make(chan bool)
	go func() {
		defer close(ended)
		edgetest.Examples(r, filepath.Base(file), run)
	}()
	<-ended
	return r
}

const goodPage = `# A page

'''sh
curl -fsS -H "x-api-key: $KEY" 'http://127.0.0.1:8080/api/entities?limit=1&fields=slug' > one.json
'''

1. A file, in a list:

   '''python
   # tools/print.py
   import json, sys
   print(json.load(open(sys.argv[1]))["count"])
   '''

2. which is used:

   '''console
   $ python3 tools/print.py \
       one.json
   COUNT
   $ sed 's/"build":"[^"]*"/"build":"B"/' one.json
   {"data":[{"slug":…}],
    "count":COUNT,…}
   $ cat <<END
   > two
   > lines
   > END
   two
   lines
   $ false || echo "exit $?"
   exit 1
   '''

'''js
// A comment of several words is no name.mjs
import { readFileSync } from "node:fs"
console.log(JSON.parse(readFileSync("one.json")).data.length)
'''

prints

'''text
1
'''

~~~upper
loud
~~~

'''yaml
not: run
'''
`

func TestExamples(t *testing.T) {
	suite.InTest(t)
	e := edgetest.Start(t, edge.Options{LimitAnonymous: 1, LimitKey: 10})
	var printed []string
	dir := t.TempDir()
	suite.Check(t, os.WriteFile(filepath.Join(dir, "tr.sh"), []byte(`tr a-z A-Z < "$1"`), 0o644))
	b := suite.Must(exports.OpenCurrent(edgetest.Built(t)))(t)
	defer b.Close()
	count := fmt.Sprint(b.Manifest.Counts.Entities)
	r := examplesOf(t, strings.ReplaceAll(goodPage, "COUNT", count), edgetest.Run{Edge: e, Key: e.Key(t, "ada"), Dir: dir, Env: []string{"FURTHER=yes"},
		Programs: map[string][]string{"upper": {"bash", "tr.sh"}},
		Except:   []edgetest.Exception{{Text: "not: run", Reason: "it is data"}},
		After:    func(_ edgetest.Block, s string) { printed = append(printed, s) }})
	suite.Equal(t, len(r.errors), 0, "the page is right")
	suite.Equal(t, len(r.logs), 1, "logged")
	suite.Contains(t, r.logs[0], "page.md:50: not run: it is data", "logged", r.logs)
	suite.Holds(t, len(printed) == 4 && printed[3] == "LOUD\n" &&
		strings.HasPrefix(printed[1], count+"\n{\"data\""), "printed", printed)
	suite.Equal(t, len(suite.Must(filepath.Glob(filepath.Join(dir, "block-*")))(t)), 0, "left over")
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
