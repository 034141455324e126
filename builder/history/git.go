package history

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"
)

// passed are the variables of git that are the person's to set: where settings
// lie, among them which folders are safe to read, and where a search for a
// repository ends. No other reaches git: what is found must depend on the
// repository alone, and not, for instance, on whose hook runs the build.
var passed = []string{
	"GIT_CEILING_DIRECTORIES", "GIT_CONFIG_COUNT", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_KEY_", "GIT_CONFIG_NOSYSTEM",
	"GIT_CONFIG_PARAMETERS", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_VALUE_", "GIT_DISCOVERY_ACROSS_FILESYSTEM", "GIT_EXEC_PATH",
}

// forced is what git is told whatever the person has set: plain messages, no
// stand-ins for objects, and no network, which older versions would use to get
// what a partial clone has not.
var forced = []string{
	"LC_ALL=C", "GIT_OPTIONAL_LOCKS=0", "GIT_NO_REPLACE_OBJECTS=1", "GIT_GRAFT_FILE=" + os.DevNull,
	"GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=none", "GIT_TERMINAL_PROMPT=0",
}

// environment is what git gets to see of this one.
func environment() (env []string) {
	for _, v := range os.Environ() {
		name, _, _ := strings.Cut(v, "=")
		own := strings.HasPrefix(name, "KINDEX_") // some of them are secrets
		if !own && name != "LC_ALL" && name != "PWD" && (!strings.HasPrefix(name, "GIT_") || isPassed(name)) {
			env = append(env, v)
		}
	}
	return append(env, forced...)
}

func isPassed(name string) bool {
	return slices.ContainsFunc(passed, func(p string) bool {
		return name == p || strings.HasSuffix(p, "_") && strings.HasPrefix(name, p)
	})
}

// git runs one git command in dir and returns what it prints.
func git(ctx context.Context, dir string, args ...string) (string, error) {
	p, err := start(ctx, []string{"-C", dir}, false, args...)
	if err != nil {
		return "", err
	}
	return p.read()
}

// process is a git command that runs.
type process struct {
	ctx    context.Context
	name   string
	cmd    *exec.Cmd
	in     io.WriteCloser // nil where it gets no input
	out    io.Reader
	stderr bytes.Buffer
}

// prepare makes a git command that was not started yet.
func prepare(ctx context.Context, told []string, args ...string) *process {
	p := &process{ctx: ctx, name: args[0], cmd: exec.CommandContext(ctx, "git", slices.Concat([]string{"--no-pager"}, told, args)...)}
	p.cmd.Env, p.cmd.Stderr, p.cmd.WaitDelay = environment(), &p.stderr, 10*time.Second
	return p
}

// start runs a git command, with what git itself is told before it. It is killed
// when ctx ends.
func start(ctx context.Context, told []string, input bool, args ...string) (*process, error) {
	p := prepare(ctx, told, args...)
	var err error
	if p.out, err = p.cmd.StdoutPipe(); err != nil {
		return nil, err
	}
	if input {
		if p.in, err = p.cmd.StdinPipe(); err != nil {
			return nil, err
		}
	}
	if err := p.cmd.Start(); err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, fmt.Errorf("git cannot be run: %w", err)
	}
	return p, nil
}

// read returns all that the command prints.
func (p *process) read() (string, error) {
	out, err := io.ReadAll(p.out)
	if failed := p.wait(); failed != nil {
		return "", failed
	}
	return string(out), err
}

// wait returns how the command ended, once all that it printed is read.
func (p *process) wait() error { return p.explain(p.cmd.Wait()) }

// explain adds to the end of the command what it has said.
func (p *process) explain(err error) error {
	if err == nil {
		return nil
	}
	if p.ctx.Err() != nil {
		return p.ctx.Err()
	}
	said := strings.Join(strings.Fields(strings.ToValidUTF8(p.stderr.String(), "\ufffd")), " ")
	return fmt.Errorf("git %s: %s (%w)", p.name, said, err)
}

// stop ends the command, should it still run.
func (p *process) stop() {
	p.cmd.Process.Kill()
	p.cmd.Wait()
}
