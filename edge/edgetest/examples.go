package edgetest

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"kindex/builder/suite"
)

// Run configures how and where examples run.
type Run struct {
	Edge *Edge  // the edge that http://127.0.0.1:8080 stands for in the examples, if any
	Key  string // value of the environment variable KEY
	Dir  string // the folder in which the examples run; by default, a new one
	// Env contains additional environment variables in the form NAME=value. HOME is an empty
	// folder, and registries and proxies are unreachable.
	Env  []string
	Path []string // folders with programs, added at the start of PATH
	// Programs maps each additional language to the command that runs its blocks; the name of the
	// block's file is appended to the command. Its extension is the name of the language.
	Programs map[string][]string
	Except   []Exception                   // blocks that are not run
	After    func(b Block, printed string) // called with each block's output, if not nil
	// Timeout is the time limit for one block; the default is ten minutes. A tenth of it is the time
	// limit for processes that a block left running.
	Timeout time.Duration
}

// Exception names a block that is not run, and the reason.
type Exception struct {
	Text   string // text that only this block contains
	Reason string
}

var programs = map[string][]string{
	"sh": {"bash", "-euo", "pipefail"}, "bash": {"bash", "-euo", "pipefail"}, "console": {"bash", "-euo", "pipefail"},
	"python": {"python3"}, "js": {"node"},
}

// Examples runs every fenced block of a Markdown file under Root, in order and in one folder.
// The blocks are run exactly as printed, except for the address of the edge.
//
//   - A block that is a file (see Block) is written to the folder, whatever its language. A
//     later block must use it.
//   - sh and bash blocks are run by bash -euo pipefail, python by python3, js as modules by
//     node, and languages in Run.Programs by their program.
//   - The commands of a console block, which start with "$ ", are run by bash, too. They must
//     print the other lines of the block; see shown.
//   - A text or json block after a block that was run must be that block's standard output.
//   - Any other block and any failure is an error. Blocks in Run.Except are not run, which is
//     logged. An exception that does not match exactly one block is an error, too.
func Examples(t testing.TB, file string, run Run) {
	t.Helper()
	if run.Dir == "" {
		run.Dir = t.TempDir()
	}
	if run.Timeout == 0 {
		run.Timeout = 10 * time.Minute // with the race detector and other tests, a block can take minutes
	}
	blocks := Blocks(t, file)
	excepted := run.excepted(t, file, blocks)
	x := examples{TB: t, Run: run, env: run.environment(t)}
	for i, b := range blocks {
		x.at = fmt.Sprintf("%s:%d", file, b.Line)
		if reason := excepted[i]; reason != "" {
			t.Logf("%s: not run: %s", x.at, reason)
			x.ran = false
			continue
		}
		if run.Edge != nil {
			b.Text = strings.ReplaceAll(b.Text, address, run.Edge.URL)
		}
		x.do(b, blocks[i+1:])
	}
}

func (run Run) excepted(t testing.TB, file string, blocks []Block) map[int]string {
	t.Helper()
	reasons := map[int]string{}
	for _, e := range run.Except {
		found := 0
		for i, b := range blocks {
			if strings.Contains(b.Text, e.Text) {
				reasons[i] = e.Reason
				found++
			}
		}
		if found != 1 || e.Reason == "" || e.Text == "" {
			t.Errorf("%s: the exception %q matches %d blocks, want 1; the reason is %q", file, e.Text, found, e.Reason)
		}
	}
	return reasons
}

// environment returns environment variables that isolate the examples from the machine's
// settings, and the machine from the examples.
func (run Run) environment(t testing.TB) []string {
	t.Helper()
	nowhere := "http://127.0.0.1:1/"
	home := t.TempDir()
	env := append(os.Environ(), "HOME="+home, "KEY="+run.Key, "LC_ALL=C.UTF-8", "NO_COLOR=1",
		"npm_config_registry="+nowhere, "npm_config_cache="+filepath.Join(home, "npm"), "npm_config_update_notifier=false",
		"npm_config_audit=false", "npm_config_fetch_retries=0", "npm_config_fund=false", "PIP_NO_INDEX=1", "PIP_DISABLE_PIP_VERSION_CHECK=1",
		"PATH="+strings.Join(append(run.Path, os.Getenv("PATH")), string(os.PathListSeparator)))
	for _, name := range []string{"http_proxy", "https_proxy", "all_proxy"} {
		env = append(env, name+"="+nowhere, strings.ToUpper(name)+"="+nowhere)
	}
	return append(append(env, "no_proxy=127.0.0.1,localhost", "NO_PROXY=127.0.0.1,localhost"), run.Env...)
}

type examples struct {
	testing.TB
	Run
	env     []string
	at      string // file:line of the current block
	ran     bool   // whether the previous block was run
	printed string // its output
}

func (x *examples) do(b Block, later []Block) {
	x.Helper()
	program, extension := x.Programs[b.Language], b.Language
	if program == nil {
		program = programs[b.Language]
	}
	if extension == "js" {
		extension = "mjs" // a module
	}
	ran := x.ran
	x.ran = false
	switch {
	case b.File != "":
		x.write(b, later)
	case program == nil && b.Language != "text" && b.Language != "json":
		x.Errorf("%s: no program runs blocks in the language %q", x.at, b.Language)
	case program == nil && !ran:
		x.Errorf("%s: this %s block shows output, but does not follow a block that was run; if that is intended, add an exception", x.at, b.Language)
	case program == nil:
		x.compare(b.Text)
	default:
		script, shows := b.Text, "…"
		if b.Language == "console" {
			script, shows = x.console(b)
		}
		stdout, stderr, err := x.run(program, fmt.Sprintf("block-%d.%s", b.Line, extension), script, b.Language == "console")
		if x.ran, x.printed = true, stdout; err != nil {
			x.Errorf("%s: %v\n%s%s", x.at, err, stdout, stderr)
		} else {
			x.compare(shows)
		}
		if x.After != nil {
			x.After(b, x.printed)
		}
	}
}

// compare checks that the last block printed what an example shows.
func (x *examples) compare(shows string) {
	x.Helper()
	if !shown(shows, x.printed) {
		x.Errorf("%s: the example shows\n%s\nbut the output is:\n%s", x.at, shows, x.printed)
	}
}

func (x *examples) write(b Block, later []Block) {
	x.Helper()
	name := filepath.Join(x.Dir, b.File)
	if !filepath.IsLocal(b.File) {
		x.Errorf("%s: %s is outside the folder", x.at, b.File)
		return
	}
	suite.Check(x, os.MkdirAll(filepath.Dir(name), 0o755))
	suite.Check(x, os.WriteFile(name, []byte(b.Text), 0o644))
	parts := strings.Split(b.File, "/")
	for _, l := range later {
		for i := range parts { // the file itself or a folder that contains it
			if l.File == "" && strings.Contains(l.Text, strings.Join(parts[:i+1], "/")) {
				return
			}
		}
	}
	x.Errorf("%s: no later block uses %s", x.at, b.File)
}

// run runs a block as a file with the given name and then removes the file. If the block leaves
// processes running, they are killed, and this is reported as an error.
func (x *examples) run(program []string, name, text string, merged bool) (string, string, error) {
	x.Helper()
	path := filepath.Join(x.Dir, name)
	suite.Check(x, os.WriteFile(path, []byte(text), 0o644))
	defer os.Remove(path)
	ctx, cancel := context.WithTimeout(x.Context(), x.Timeout)
	defer cancel()
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, program[0], append(program[1:len(program):len(program)], name)...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr, cmd.WaitDelay = x.Dir, x.env, &stdout, &stderr, x.Timeout/10
	if merged {
		cmd.Stderr = &stdout
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	err := cmd.Run()
	if cmd.Process != nil {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // background processes
	}
	return stdout.String(), stderr.String(), err
}

// console returns the commands of a console block as a script, and the output that the block shows.
// A command continues on lines that start with "> ", and after a line that ends with a backslash.
func (x *examples) console(b Block) (script, shows string) {
	x.Helper()
	command, continued := false, false // the line before is one, and ends with a backslash
	for line := range strings.SplitAfterSeq(b.Text, "\n") {
		text, begins := strings.CutPrefix(line, "$ ")
		if continued || command && strings.HasPrefix(line, "> ") {
			text, begins = strings.TrimPrefix(line, "> "), true
		}
		if begins {
			script += text
		} else if shows += line; script == "" && strings.TrimSpace(line) != "" {
			x.Errorf("%s: the console block does not begin with a command", x.at)
		}
		command, continued = begins, begins && strings.HasSuffix(strings.TrimRight(line, "\n"), `\`)
	}
	return script, shows
}

// Example finds the block in a Markdown file that contains the file with the given name. It
// returns the block's text with the address of the edge filled in. Tests can then use that file in
// more ways than the Markdown page does.
func (e *Edge) Example(t testing.TB, file, name string) string {
	t.Helper()
	for _, b := range Blocks(t, file) {
		if b.File == name {
			return strings.ReplaceAll(b.Text, address, e.URL)
		}
	}
	t.Fatalf("%s has no block for the file %s", file, name)
	return ""
}
