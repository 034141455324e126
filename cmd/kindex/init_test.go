package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"kindex/builder/suite"
)

// TestStarterReadme runs every command in the README of a new index. It runs the commands
// in order and changes only the port.
func TestStarterReadme(t *testing.T) {
	suite.InTest(t)
	t.Parallel()
	dir := newIndex(t)
	text := suite.Must(os.ReadFile(filepath.Join(dir, "README.md")))(t)
	ran := runCommands(t, dir, string(text))
	for _, want := range []string{"build", "serve", "search", "show", "fmt", "validate"} {
		suite.Contains(t, ran, "kindex "+want)
	}
	suite.Contains(t, ran, "curl ")
}

// TestPrintedCommands runs the commands that init prints, for various folder names.
func TestPrintedCommands(t *testing.T) {
	suite.InTest(t)
	t.Parallel()
	few := []string{"-it's mine: a$HOME`b`\"c\\*\nü", "~", "c/../d e/"}
	for _, name := range suite.Pick(few, append(few, "it's mine", "-x", "a$HOME`b`", "ü b", "a\"b\\", "*", "a\nb")) {
		dir := t.TempDir()
		cmd := program("init", "--title", "T", "--", name)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Errorf("%q: %v\n%s", name, err, out)
			continue
		}
		commands, _, _ := strings.Cut(string(out[strings.Index(string(out), "\nNext:\n")+len("\nNext:\n"):]), "\n\n")
		steps := strings.Split(commands, "  kindex ")
		if len(steps) != 4 || !strings.HasPrefix(steps[3], "serve --dir ") {
			t.Errorf("%q: %s", name, out)
			continue
		}
		script := "kindex " + steps[1] + "kindex " + steps[2] + "kindex search" + strings.TrimPrefix(steps[3], "serve") + " clustering"
		cmd = exec.Command("bash", "-euc", script)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), programEnvironment...)
		if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "scikit-learn") {
			t.Errorf("%s: %v\n%s", script, err, out)
		}
	}
}

var shellBlock = regexp.MustCompile("(?ms)^```sh\n(.*?)^```$")

// runCommands runs every line of a Markdown document's shell blocks in the folder dir, and
// returns these lines. Servers that it starts keep running until the end of the test.
func runCommands(t *testing.T, dir, markdown string) (ran string) {
	t.Helper()
	addr := suite.FreeAddress(t)
	ctx, stop := context.WithCancel(context.Background())
	t.Cleanup(stop)
	for _, block := range shellBlock.FindAllStringSubmatch(markdown, -1) {
		for line := range strings.Lines(block[1]) {
			line = strings.TrimSpace(line)
			ran += line + "\n"
			line = strings.ReplaceAll(line, "127.0.0.1:8080", addr)
			cmd := exec.CommandContext(ctx, "bash", "-euo", "pipefail", "-c", strings.ReplaceAll(line, "curl '", "curl -fsS '"))
			cmd.Dir, cmd.Env = dir, append(append(os.Environ(), programEnvironment...), "KINDEX_ADDR="+addr, "KINDEX_ADMIN=")
			if strings.HasPrefix(line, "kindex serve ") {
				startServer(t, cmd, addr)
				continue
			}
			if out, err := cmd.CombinedOutput(); err != nil || len(out) == 0 && !strings.HasPrefix(line, "kindex fmt ") {
				t.Errorf("%s: %v\n%s", line, err, out)
			}
		}
	}
	return ran
}

// startServer starts a server, waits until it answers, and stops it at the end of the test.
func startServer(t *testing.T, cmd *exec.Cmd, addr string) {
	t.Helper()
	cmd.Args[len(cmd.Args)-1] = "exec " + cmd.Args[len(cmd.Args)-1] // so that a signal reaches the server, not the shell
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	var out strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &out
	suite.Check(t, cmd.Start())
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	for end := time.Now().Add(hanging); time.Now().Before(end); {
		if status, _, err := get("http://" + addr + "/api/categories"); err == nil && status == 200 {
			t.Cleanup(func() {
				if err := cmd.Cancel(); err != nil {
					t.Error(err)
				}
				if err := <-ended; err != nil {
					t.Errorf("the server ended with %v: %s", err, out.String())
				}
			})
			return
		}
		select {
		case err := <-ended:
			t.Fatalf("the server ended with %v: %s", err, out.String())
		case <-time.After(20 * time.Millisecond):
		}
	}
	t.Fatal("the server does not answer")
}
