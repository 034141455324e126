package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"kindex/builder/suite"
	"kindex/cmd/kindex/cli"
	"kindex/edge/submission/github/githubtest"
)

// trap is a way for a repository to make git run a program or print false data.
type trap struct {
	name string
	// set sets the trap.
	set func(*hostile)
	// spring triggers the trap. It is a shell command that runs plain git in the checkout,
	// and it may fail. It proves that the trap works, and must leave the repository
	// unchanged.
	spring string
	// lie is the false data that plain git prints when the trap is triggered, or "" if the
	// trap runs a program.
	lie string
	// refused is set if every command rejects such a repository. remote is set if the trap
	// prevents kindex from reaching the forge's repository.
	refused, remote bool
	other           bool // the last commit differs from that of the honest repository
}

// hostile is a repository with content and a trap.
type hostile struct {
	*testing.T
	root    string // parent of the folders below
	dir     string // the checkout
	bare    string // the repository that dir was cloned from, which is also the forge's repository
	content string // the content folder in dir
	marker  string // a program that leaves a trace when run
	trace   string
	http    *httptest.Server // a host that asks for a password
}

// pristine is the folder with the repositories that newHostile copies, or "".
var pristine struct {
	sync.Once
	dir string
}

// newHostile creates a checkout with two commits, like a clone of an index.
func newHostile(t *testing.T) *hostile {
	pristine.Do(func() {
		dir := suite.Must(os.MkdirTemp("", "kindex-hostile-"))(t)
		pristine.dir = dir
		hostileIn(t, dir).commitTwice()
	})
	h := hostileIn(t, t.TempDir())
	suite.Output(t, exec.Command("cp", "-a", pristine.dir+"/.", h.root))
	config := filepath.Join(h.dir, ".git", "config")
	h.write(config, strings.ReplaceAll(readText(t, config), pristine.dir, h.root))
	suite.Check(t, os.Mkdir(filepath.Join(h.root, "tmp"), 0o755))
	h.write(h.marker, "#!/bin/sh\necho \"$0 $*\" >> '"+h.trace+"'\nexit 1\n")
	return h
}

func hostileIn(t *testing.T, root string) *hostile {
	return &hostile{T: t, root: root, dir: filepath.Join(root, "checkout"), content: "content", bare: filepath.Join(root, "example", "index.git"),
		marker: filepath.Join(root, "marker"), trace: filepath.Join(root, "ran")}
}

// commitTwice creates the two repositories.
func (h *hostile) commitTwice() {
	h.git(h.root, "init", "-q", "-b", "main", h.dir)
	h.git(h.root, "init", "-q", "--bare", "-b", "main", h.bare)
	h.write(filepath.Join(h.dir, h.content, "categories.yaml"), "categories:\n  - {slug: hand-tools, title: Hand tools, description: Without a motor.}\n")
	h.entity("Hammer")
	h.git(h.dir, "add", ".")
	h.git(h.dir, "commit", "-q", "-m", "First")
	h.entity("Hammer 2")
	h.git(h.dir, "commit", "-q", "-a", "-m", "Second")
	h.git(h.dir, "remote", "add", "origin", "file://"+h.bare)
	h.git(h.dir, "push", "-q", "origin", "main")
}

func (h *hostile) write(path, text string) {
	h.Helper()
	suite.Check(h, os.MkdirAll(filepath.Dir(path), 0o755))
	suite.Check(h, os.WriteFile(path, []byte(text), 0o755))
}

func (h *hostile) entity(name string) {
	h.write(filepath.Join(h.dir, h.content, "tool", "hammer.yaml"), "name: "+name+"\ndescription: Drives nails.\ncategory: hand-tools\n")
}

// git runs git as the attacker, without triggering the trap.
func (h *hostile) git(dir string, args ...string) string {
	h.Helper()
	return gitIn(h, dir, args...)
}

// config adds settings to the checkout, as alternating names and values.
func (h *hostile) config(settings ...string) {
	for i := 0; i < len(settings); i += 2 {
		h.git(h.dir, "config", "--add", settings[i], settings[i+1])
	}
}

// shell runs a command with plain git, as a person would, and returns its output.
func (h *hostile) shell(command string) string {
	h.Helper()
	cmd := exec.Command("sh", "-c", command)
	cmd.Dir = h.dir
	cmd.Env = append(os.Environ(), programEnvironment...)
	cmd.Env = append(cmd.Env, "MARKER="+h.marker, "BARE="+h.bare, "ROOT="+h.root, "GIT_TERMINAL_PROMPT=0")
	cmd.WaitDelay = hanging
	out, _ := cmd.CombinedOutput() // it may fail
	return string(out)
}

// ran reports whether the marker has run since the last call.
func (h *hostile) ran() string {
	h.Helper()
	data, err := os.ReadFile(h.trace)
	if os.IsNotExist(err) {
		return ""
	}
	suite.Check(h, errors.Join(err, os.Remove(h.trace)))
	return "ran: " + string(data)
}

// TestHostileRepositories checks that the program runs nothing but git on a repository and
// is not deceived, whatever the repository contains. Each trap is first triggered with
// plain git. All commands run git through one package, so make test runs only a few
// commands for each trap, in rotation; make soak runs all commands for every trap.
func TestHostileRepositories(t *testing.T) {
	suite.WithoutRace(t)
	suite.InTest(t)
	state, ids := submissionsState(t)
	honest := newHostile(t)
	want := honest.build("honest")
	for i, trap := range traps {
		t.Run(trap.name, func(t *testing.T) {
			t.Parallel()
			h := newHostile(t)
			trap.set(h)
			h.prove(trap)
			got := h.build("build")
			if refused := strings.Contains(got, " "); refused != trap.refused || !refused && !trap.other && got != want {
				t.Errorf("the build is %s, want %s as in the honest repository", got, want)
			}
			h.quiet("build")
			h.commands(trap, i, state, ids)
			if left, err := filepath.Glob(filepath.Join(h.root, "tmp", "*")); err != nil || len(left) > 0 {
				t.Errorf("it leaves %q (%v)", left, err)
			}
		})
	}
}

// commands runs other commands than build: all of them in make soak and if every command must
// reject the repository. Otherwise, it runs those that are most likely to trigger the trap, and
// others in rotation.
func (h *hostile) commands(trap trap, number int, state string, ids [2]string) {
	h.Helper()
	all := suite.Soaking() || trap.refused
	if all || number%6 == 0 || trap.springs("diff", "log", "show") {
		h.readers(trap, number)
	}
	if all || number%12 == 1 {
		h.watch(trap)
	}
	if all || number%6 == 2 || trap.remote || trap.springs("push", "fetch", "ls-remote") {
		h.accept(trap, number, state, ids)
	}
}

// prove triggers the trap with plain git, in a copy of the checkout.
func (h *hostile) prove(trap trap) {
	h.Helper()
	h.ran() // forget what ran while the trap was being set
	saved := filepath.Join(h.root, "saved")
	suite.Check(h, os.CopyFS(saved, os.DirFS(h.bare)))
	suite.Output(h, exec.Command("cp", "-a", h.dir, h.dir+".saved"))
	said := h.shell(trap.spring)
	if trap.lie != "" && !strings.Contains(said, trap.lie) || trap.lie == "" && h.ran() == "" {
		h.Fatalf("the trap does not work: git printed %s", said)
	}
	h.ran()
	for _, dir := range []string{h.dir, h.bare} {
		suite.Check(h, os.RemoveAll(dir))
	}
	suite.Check(h, os.Rename(saved, h.bare))
	suite.Check(h, os.Rename(h.dir+".saved", h.dir))
}

// quiet checks that a command has run no program.
func (h *hostile) quiet(what string) {
	h.Helper()
	suite.Equal(h, h.ran(), "", what)
}

// kindex executes a command line in the checkout.
func (h *hostile) kindex(args ...string) (out string, err error) {
	h.Helper()
	o := workIn(h.T, h.dir, []string{"KINDEX_FORGE_TOKEN=" + githubtest.Token, "TMPDIR=" + filepath.Join(h.root, "tmp")}, args...)
	if o.Code != cli.ExitOK {
		err = fmt.Errorf("exit code %d", o.Code)
	}
	return o.Stdout + o.Stderr, err
}

// build builds the content and returns the id of the build.
func (h *hostile) build(out string) string {
	h.Helper()
	said, err := h.kindex("build", "--content", h.content, "--out", filepath.Join(h.root, out), "--as-of", "2026-07-01", "--json")
	var report struct {
		ID    string
		Dirty bool
	}
	if failed := json.Unmarshal([]byte(said), &report); err != nil || failed != nil || report.Dirty {
		return fmt.Sprintf("%v: %s", err, said)
	}
	return report.ID
}

// springs reports whether the trap is triggered by one of the given git commands.
func (t trap) springs(commands ...string) bool {
	return slices.ContainsFunc(commands, func(c string) bool { return strings.Contains(t.spring, c) })
}

// reading lists the read-only commands.
var reading = []string{"validate", "diff HEAD~1..HEAD", "diff HEAD~1", "diff main...HEAD", "diff nosuch", "history --dir ../build"}

// readers runs read-only commands: all of them in make soak, otherwise some of them in
// rotation.
func (h *hostile) readers(trap trap, number int) {
	h.Helper()
	commands := reading
	if !suite.Soaking() {
		commands = []string{reading[number%len(reading)]}
		switch {
		case trap.refused:
			commands = []string{"validate", "diff HEAD~1"}
		case trap.springs("diff", "log", "show"):
			commands = []string{"diff HEAD~1"}
		}
	}
	for _, what := range commands {
		args := strings.Fields(what)
		switch args[0] {
		case "validate":
			args = append(args, h.content)
		case "diff":
			args = append(args, "--content", h.content)
		}
		said, err := h.kindex(args...)
		h.quiet(what)
		switch {
		case trap.refused && args[0] == "validate":
			if err == nil && h.content == "content" {
				h.Errorf("validate found no problem: %s", said)
			}
		case !trap.refused && err != nil && !strings.Contains(what, "nosuch"):
			h.Errorf("%s: %v: %s", what, err, said)
		case strings.Contains(said, "Forged"):
			h.Errorf("%s was deceived: %s", what, said)
		}
	}
}

// watch serves the content while an edit is being committed.
func (h *hostile) watch(trap trap) {
	h.Helper()
	cmd := program("serve", "--watch", "--content", h.content, "--dir", filepath.Join(h.root, "watched"), "--addr", "127.0.0.1:0", "--admin", "", "--as-of", "2026-07-01")
	cmd.Dir, cmd.Env = h.dir, append(cmd.Env, "TMPDIR="+filepath.Join(h.root, "tmp"))
	out := suite.Must(cmd.StdoutPipe())(h)
	cmd.Stderr = cmd.Stdout
	suite.Check(h, cmd.Start())
	defer time.AfterFunc(hanging, func() { _ = cmd.Process.Kill() }).Stop()
	lines := bufio.NewScanner(out)
	edited, said := false, ""
	for lines.Scan() {
		said += lines.Text() + "\n"
		if strings.HasPrefix(lines.Text(), "serving ") {
			h.entity("Hammer 3")
			edited = true
		}
		if edited && strings.HasPrefix(lines.Text(), "published") {
			break // the edit is built
		}
	}
	_ = cmd.Process.Signal(syscall.SIGTERM) // it may already have exited because it refused the content
	_, _ = io.Copy(io.Discard, out)
	err := cmd.Wait()
	h.quiet("serve --watch")
	if !trap.refused && (err != nil || !edited) {
		h.Errorf("serve --watch: %v: %s", err, said)
	}
	h.entity("Hammer 2")
}

// accept accepts one submission without a forge, and another one with a forge. It does
// both in make soak and for traps that must make at least one of the two fail. Otherwise,
// it alternates between the two.
func (h *hostile) accept(trap trap, number int, state string, ids [2]string) {
	h.Helper()
	data := suite.Must(os.ReadFile(state))(h)
	own := filepath.Join(h.root, "kindex.db")
	suite.Check(h, os.WriteFile(own, data, 0o600))
	forge := githubtest.Start(h.bare)
	defer forge.Close()
	for i, more := range [][]string{nil, {"--forge", forge.URL, "--forge-repo", githubtest.Repository}} {
		if !suite.Soaking() && !trap.refused && !trap.remote && i != number%2 && (i == 0 || !trap.springs("push", "fetch", "ls-remote")) {
			continue
		}
		said, err := h.kindex(append([]string{"submissions", "accept", ids[i], "--state", own, "--content", h.content, "--as-of", "2026-07-01"}, more...)...)
		what := "accept " + strings.Join(more, " ")
		h.quiet(what)
		if refused := trap.refused || trap.remote && i == 1; (err != nil) != refused {
			h.Errorf("%s: %v: %s", what, err, said)
		}
	}
}

// submissionsState creates a database with two submissions.
func submissionsState(t *testing.T) (state string, ids [2]string) {
	t.Helper()
	h := newHostile(t)
	h.build("out")
	state = filepath.Join(h.root, "kindex.db")
	cmd := program("keys", "create", "--account", "ada", "--state", state)
	key := suite.Must(cmd.Output())(t)
	addr := suite.FreeAddress(t)
	edge := program("serve", "--dir", filepath.Join(h.root, "out"), "--state", state, "--addr", addr, "--admin", "")
	out := suite.Must(edge.StdoutPipe())(t)
	suite.Check(t, edge.Start())
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatalf("%q, %v", line, err)
	}
	for i, name := range []string{"Saw", "Rasp"} {
		body := fmt.Sprintf(`{"type":"tool","name":%q,"category":"hand-tools","description":"Shapes wood.","url":"https://%s.example/"}`, name, strings.ToLower(name))
		r, _ := http.NewRequest(http.MethodPost, "http://"+addr+"/api/submit", bytes.NewReader([]byte(body)))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("x-api-key", keyIn(string(key)))
		res := suite.Must(http.DefaultClient.Do(r))(t)
		text, _ := io.ReadAll(res.Body)
		var one struct{ ID string }
		if err := json.Unmarshal(text, &one); err != nil || one.ID == "" {
			t.Fatalf("%d: %s", res.StatusCode, text)
		}
		res.Body.Close()
		ids[i] = one.ID
	}
	_ = edge.Process.Signal(syscall.SIGTERM)
	suite.Check(t, edge.Wait())
	return state, ids
}

// keyIn returns the key in the output of keys create.
func keyIn(said string) string {
	for word := range strings.FieldsSeq(said) {
		if strings.HasPrefix(word, "kx_") {
			return word
		}
	}
	return said
}
