package edgetest

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"
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
	// block's file is appended to the command. If the file extension differs from the name of the
	// language, it follows the name after a dot: "ts.mts".
	Programs map[string][]string
	// Except lists blocks that are not run, each with the reason.
	Except []Exception
	// After, if not nil, is called with each block's output.
	After func(b Block, printed string)
	// Timeout is the time limit for one block; the default is ten minutes.
	Timeout time.Duration
	// WaitDelay is how long to wait for processes that a block left running; the default is a
	// minute.
	WaitDelay time.Duration
}

// Exception names a block that is not run, and the reason.
type Exception struct {
	Text   string // text that only this block contains
	Reason string
}

// programs contains the commands that run blocks, by language and file extension.
var programs = map[string][]string{
	"sh.sh": {"bash", "-euo", "pipefail"}, "bash.sh": {"bash", "-euo", "pipefail"}, "console.sh": {"bash", "-uo", "pipefail"},
	"python.py": {"python3"}, "js.mjs": {"node"}, "mjs.mjs": {"node"}, "javascript.mjs": {"node"},
}

// Examples runs every fenced block of a Markdown file under Root, in order and in one folder.
// The blocks are run exactly as printed, except for the address of the edge.
//
//   - A block that is a file (see Block) is written to the folder, whatever its language. A
//     later block must use it.
//   - sh and bash blocks are run by bash -euo pipefail, python by python3, js and mjs as
//     modules by node, and languages in Run.Programs by their program.
//   - In a console block, the commands after "$ " are run one by one. Each must succeed and
//     print the output that follows it in the block; see shown.
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
	if run.WaitDelay == 0 {
		run.WaitDelay = time.Minute
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

// excepted returns the indexes of the blocks that are not run, with the reasons.
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

// examples is the state of a run of one file's examples.
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
	program, extension := x.program(b.Language)
	switch {
	case b.File != "":
		x.write(b, later)
		x.ran = false
	case program == nil && (b.Language == "text" || b.Language == "json"):
		if !x.ran {
			x.Errorf("%s: this %s block shows output, but does not follow a block that was run; if that is intended, add an exception", x.at, b.Language)
		} else if !shown(b.Text, x.printed) {
			x.Errorf("%s: the example shows\n%s\nbut the output is:\n%s", x.at, b.Text, x.printed)
		}
		x.ran = false
	case program == nil:
		x.Errorf("%s: no program runs blocks in the language %q", x.at, b.Language)
		x.ran = false
	default:
		commands, script := []command(nil), b.Text
		if b.Language == "console" {
			commands, script = x.console(b)
		}
		stdout, stderr, err := x.run(program, fmt.Sprintf("block-%d.%s", b.Line, extension), script, b.Language == "console")
		if err != nil {
			x.Errorf("%s: %v\n%s%s", x.at, err, stdout, stderr)
		}
		x.compare(commands, stdout)
		x.ran, x.printed = true, marks.ReplaceAllString(stdout, "")
		if x.After != nil {
			x.After(b, x.printed)
		}
	}
}

// program returns the command that runs blocks in a language, and the file extension.
func (x *examples) program(language string) ([]string, string) {
	for _, table := range []map[string][]string{x.Programs, programs} {
		for name, program := range table {
			of, extension, dotted := strings.Cut(name, ".")
			if of == language && dotted {
				return program, extension
			} else if of == language {
				return program, language
			}
		}
	}
	return nil, ""
}

// write saves the file that a block contains to the folder.
func (x *examples) write(b Block, later []Block) {
	x.Helper()
	name := filepath.Join(x.Dir, b.File)
	if !filepath.IsLocal(b.File) {
		x.Errorf("%s: %s is outside the folder", x.at, b.File)
		return
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		x.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(b.Text), 0o644); err != nil {
		x.Fatal(err)
	}
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
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		x.Fatal(err)
	}
	defer os.Remove(path)
	ctx, cancel := context.WithTimeout(x.Context(), x.Timeout)
	defer cancel()
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, program[0], append(program[1:len(program):len(program)], name)...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr, cmd.WaitDelay = x.Dir, x.env, &stdout, &stderr, x.WaitDelay
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

// command is a command in a console block and the output shown after it.
type command struct{ text, shows string }

// mark separates the outputs of a console block's commands.
const mark = "\x1e"

var marks = regexp.MustCompile(mark + `\d+` + mark)

// console turns a console block into a script that prints a mark and the exit status after
// each command. A command continues on lines that start with "> ", and after a line that ends
// with a backslash.
func (x *examples) console(b Block) ([]command, string) {
	x.Helper()
	var commands []command
	continued := false
	for _, line := range strings.SplitAfter(b.Text, "\n") {
		text, begins := strings.CutPrefix(line, "$ ")
		switch {
		case begins && !continued:
			commands = append(commands, command{text: text})
		case len(commands) == 0:
			if strings.TrimSpace(line) != "" {
				x.Errorf("%s: the console block does not begin with a command", x.at)
			}
		case continued || commands[len(commands)-1].shows == "" && strings.HasPrefix(line, "> "):
			commands[len(commands)-1].text += strings.TrimPrefix(line, "> ")
			begins = true
		default:
			commands[len(commands)-1].shows += line
		}
		continued = begins && strings.HasSuffix(strings.TrimRight(line, "\n"), `\`)
	}
	var script strings.Builder
	for _, c := range commands {
		fmt.Fprintf(&script, "%sprintf '%s%%d%s' $?\n", c.text, mark, mark)
	}
	return commands, script.String()
}

// compare compares the output of a console block's commands with the output that the block
// shows.
func (x *examples) compare(commands []command, printed string) {
	x.Helper()
	for _, c := range commands {
		got, rest, _ := strings.Cut(printed, mark)
		status, rest, found := strings.Cut(rest, mark)
		if !found {
			x.Errorf("%s: the script ended before the command: %s%s", x.at, c.text, got)
			return
		}
		if status != "0" {
			x.Errorf("%s: exit status %s from the command: %s%s", x.at, status, c.text, got)
		}
		if !shown(c.shows, got) {
			x.Errorf("%s: $ %sthe example shows\n%s\nbut the output is:\n%s", x.at, c.text, c.shows, got)
		}
		printed = rest
	}
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
