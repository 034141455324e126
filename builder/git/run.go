// Package git is the only package of the program that starts another program, and
// the only program it starts is git.
//
// A repository is data from strangers: what its configuration, its attributes and its
// references say must never choose a command that runs. So almost every command runs
// against a private git directory with a configuration of our own, which borrows only
// the objects of the repository (see [Repository.Command]). The repository itself is
// asked only where it is and what its references are, by commands that run nothing.
package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"
)

// Available reports whether git is installed.
func Available() bool {
	_, err := exec.LookPath("git")
	return err == nil
}

// Process is a git command that was prepared, and perhaps started. It is not safe for
// concurrent use, except that In may be written while Out is read.
type Process struct {
	In  io.WriteCloser // nil unless StartWithInput started it
	Out io.Reader

	ctx    context.Context
	name   string
	cmd    *exec.Cmd
	stderr bytes.Buffer
}

// protected are the settings of every command that sees a repository's own
// configuration, which they override. No setting that can name a command applies to
// these commands anyway; this is the second lock on the same door.
var protected = []string{
	"-c", "safe.bareRepository=explicit", // a folder of content is no repository, whatever lies in it
	"-c", "core.fsmonitor=false", "-c", "core.hooksPath=" + os.DevNull, "-c", "core.pager=cat",
	"-c", "core.editor=false", "-c", "core.sshCommand=false", "-c", "core.askPass=", "-c", "credential.helper=",
	"-c", "protocol.allow=never", "-c", "gc.auto=0", "-c", "maintenance.auto=false",
}

// forced are the variables of every command: messages in English, no prompts, no
// object that stands in for another one, and no way to another repository.
var forced = []string{
	"LC_ALL=C", "GIT_OPTIONAL_LOCKS=0", "GIT_NO_REPLACE_OBJECTS=1", "GIT_GRAFT_FILE=" + os.DevNull, "GIT_ATTR_NOSYSTEM=1",
	"GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=none", "GIT_TERMINAL_PROMPT=0",
}

// basic are the variables that any program needs.
var basic = []string{
	"PATH", "HOME", "USER", "LOGNAME", "XDG_CONFIG_HOME", "TMPDIR", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "GIT_EXEC_PATH",
	// The same on Windows.
	"SYSTEMROOT", "WINDIR", "COMSPEC", "PATHEXT", "TMP", "TEMP", "USERPROFILE", "HOMEDRIVE", "HOMEPATH", "APPDATA", "LOCALAPPDATA", "PROGRAMDATA",
}

// personal are the variables by which people give git their own settings. They decide
// whether a folder is trusted at all (safe.directory) and where the search for a
// repository ends.
var personal = []string{
	"GIT_CEILING_DIRECTORIES", "GIT_DISCOVERY_ACROSS_FILESYSTEM", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM",
	"GIT_CONFIG_PARAMETERS", "GIT_CONFIG_COUNT", "GIT_CONFIG_KEY_*", "GIT_CONFIG_VALUE_*",
}

// connecting are the variables that matter to connections with other machines.
var connecting = []string{
	"SSH_AUTH_SOCK", "http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY", "no_proxy", "NO_PROXY",
	"SSL_CERT_FILE", "SSL_CERT_DIR", "GIT_SSL_CAINFO", "GIT_SSL_CAPATH",
}

// environment returns the variables of this process that the lists name. A name ending
// in * matches all with that prefix.
func environment(lists ...[]string) (env []string) {
	for _, v := range os.Environ() {
		name, _, _ := strings.Cut(v, "=")
		if slices.ContainsFunc(lists, func(list []string) bool { return isListed(list, name) }) {
			env = append(env, v)
		}
	}
	return env
}

func isListed(list []string, name string) bool {
	return slices.ContainsFunc(list, func(n string) bool {
		prefix, all := strings.CutSuffix(n, "*")
		return n == name || all && strings.HasPrefix(name, prefix)
	})
}

// prepare prepares a command. It is killed when ctx ends.
func prepare(ctx context.Context, dir string, env, settings, args []string) *Process {
	told := slices.Concat([]string{"--no-pager", "--literal-pathspecs"}, settings, args)
	p := &Process{ctx: ctx, name: args[0], cmd: exec.CommandContext(ctx, "git", told...)} //nolint:gosec // no shell is involved, and callers check what strangers choose
	p.cmd.Dir, p.cmd.Env, p.cmd.Stderr, p.cmd.WaitDelay = dir, env, &p.stderr, 10*time.Second
	return p
}

// start starts the command.
func (p *Process) start(input bool) (err error) {
	if p.Out, err = p.cmd.StdoutPipe(); err != nil {
		return err
	}
	if input {
		if p.In, err = p.cmd.StdinPipe(); err != nil {
			return err
		}
	}
	if err := p.cmd.Start(); err != nil {
		if p.ctx.Err() != nil {
			return p.ctx.Err()
		}
		return fmt.Errorf("git cannot be run: %w", err)
	}
	return nil
}

// output runs the command to its end and returns what it prints.
func (p *Process) output() (string, error) {
	var out bytes.Buffer
	p.cmd.Stdout = &out
	err := p.explain(p.cmd.Run())
	return out.String(), err
}

// Wait returns how the command ended, once everything it printed has been read.
func (p *Process) Wait() error { return p.explain(p.cmd.Wait()) }

// Stop ends the command if it still runs.
func (p *Process) Stop() {
	_ = p.cmd.Process.Kill() // it may have ended already
	_ = p.cmd.Wait()
}

// explain adds to an error what the command printed about it.
func (p *Process) explain(err error) error {
	if err == nil {
		return nil
	}
	if p.ctx.Err() != nil {
		return p.ctx.Err()
	}
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		return fmt.Errorf("git cannot be run: %w", err)
	}
	return &Error{Command: p.name, Code: exit.ExitCode(), Message: cleanMessage(p.stderr.String()), err: err}
}

// Error is the failure of a git command.
type Error struct {
	Command string // such as rev-parse
	Code    int    // exit code, -1 where a signal ended it
	Message string // what it printed, on one line without control characters

	err error
}

// Error implements error.
func (e *Error) Error() string { return fmt.Sprintf("git %s: %s (%v)", e.Command, e.Message, e.err) }

// ExitCode returns the exit code of the git command that an error comes from, -1 where
// it does not come from one.
func ExitCode(err error) int {
	if e := (*Error)(nil); errors.As(err, &e) {
		return e.Code
	}
	return -1
}

// MessageContains reports whether an error is that of a git command that printed some text.
func MessageContains(err error, text string) bool {
	e := (*Error)(nil)
	return errors.As(err, &e) && strings.Contains(e.Message, text)
}
