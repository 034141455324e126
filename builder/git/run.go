// Package git runs git. It is the only package that starts programs, and git is the only program
// that it starts.
//
// A repository is untrusted data: its configuration, attributes and references must never
// determine which programs run. So almost every command runs in a private git directory, which
// has its own configuration and shares only the repository's objects (see [Repository.Run]). The
// repository itself is used only by commands that find its location, read and write its
// references, or read some settings; these commands run no other programs.
package git

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// Available reports whether git is installed.
func Available() bool {
	_, err := exec.LookPath("git")
	return err == nil
}

// process is a git command.
type process struct {
	ctx    context.Context
	name   string
	cmd    *exec.Cmd
	stderr bytes.Buffer
}

// protected lists settings that override the repository's own configuration in every command
// that sees it. None of these commands uses a setting that can name a program, so this is only
// defence in depth.
var protected = []string{
	"-c", "safe.bareRepository=explicit", // a content folder is not a repository, whatever it contains
	"-c", "core.fsmonitor=false", "-c", "core.hooksPath=" + os.DevNull, "-c", "core.pager=cat",
	"-c", "core.editor=false", "-c", "core.sshCommand=false", "-c", "core.askPass=", "-c", "credential.helper=",
	"-c", "protocol.allow=never", "-c", "gc.auto=0", "-c", "maintenance.auto=false",
}

// forced lists the environment variables that are set for every command: messages in English, no
// prompts, no replace objects, and no access to other repositories.
var forced = []string{
	"LC_ALL=C", "GIT_OPTIONAL_LOCKS=0", "GIT_NO_REPLACE_OBJECTS=1", "GIT_GRAFT_FILE=" + os.DevNull, "GIT_ATTR_NOSYSTEM=1",
	"GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=none", "GIT_TERMINAL_PROMPT=0",
}

// basic lists the environment variables that any program needs.
var basic = []string{
	"PATH", "HOME", "USER", "LOGNAME", "XDG_CONFIG_HOME", "TMPDIR", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "GIT_EXEC_PATH",
	// Their equivalents on Windows.
	"SYSTEMROOT", "WINDIR", "COMSPEC", "PATHEXT", "TMP", "TEMP", "USERPROFILE", "HOMEDRIVE", "HOMEPATH", "APPDATA", "LOCALAPPDATA", "PROGRAMDATA",
}

// personal lists the environment variables that determine the user's git settings, including
// whether a folder is trusted (safe.directory), and where the search for a repository stops.
var personal = []string{
	"GIT_CEILING_DIRECTORIES", "GIT_DISCOVERY_ACROSS_FILESYSTEM", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM",
	"GIT_CONFIG_PARAMETERS", "GIT_CONFIG_COUNT", "GIT_CONFIG_KEY_*", "GIT_CONFIG_VALUE_*",
}

// connecting lists the environment variables that affect connections to other machines.
var connecting = []string{
	"SSH_AUTH_SOCK", "http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY", "no_proxy", "NO_PROXY",
	"SSL_CERT_FILE", "SSL_CERT_DIR", "GIT_SSL_CAINFO", "GIT_SSL_CAPATH",
}

// environment returns the environment variables of this process whose names are in the lists. A
// name ending in * matches every variable with that prefix.
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

// prepare prepares a command, which is killed when ctx ends.
func prepare(ctx context.Context, dir string, env, settings, args []string) *process {
	told := slices.Concat([]string{"--no-pager", "--literal-pathspecs"}, settings, args)
	p := &process{ctx: ctx, name: args[0], cmd: exec.CommandContext(ctx, "git", told...)} //nolint:gosec // no shell is involved, and callers check untrusted arguments
	p.cmd.Dir, p.cmd.Env, p.cmd.Stderr, p.cmd.WaitDelay = dir, env, &p.stderr, 10*time.Second
	return p
}

func (p *process) output() (string, error) {
	var out bytes.Buffer
	p.cmd.Stdout = &out
	err := p.explain(p.cmd.Run())
	return out.String(), err
}

func (p *process) stream(read func(out *bufio.Reader) error) error {
	out, err := p.cmd.StdoutPipe()
	if err == nil {
		err = p.cmd.Start()
	}
	if err != nil {
		return p.explain(err)
	}
	err = read(bufio.NewReaderSize(out, 64<<10))
	if err == nil || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return cmp.Or(p.explain(p.cmd.Wait()), err) // git's own error is more informative
	}
	_ = p.cmd.Process.Kill() // it may have exited already
	_ = p.cmd.Wait()
	return err
}

func (p *process) explain(err error) error {
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

// Error is returned for a failed git command.
type Error struct {
	Command string // the git command, such as rev-parse
	Code    int    // exit code, or -1 if killed by a signal
	Message string // error output, on one line without control characters

	err error
}

// Error implements error.
func (e *Error) Error() string { return fmt.Sprintf("git %s: %s (%v)", e.Command, e.Message, e.err) }

// ExitCode returns the exit code of the git command that caused an error, or -1 if no git
// command caused it.
func ExitCode(err error) int {
	if e := (*Error)(nil); errors.As(err, &e) {
		return e.Code
	}
	return -1
}

// MessageContains reports whether an error comes from a git command whose error output
// contains text.
func MessageContains(err error, text string) bool {
	e := (*Error)(nil)
	return errors.As(err, &e) && strings.Contains(e.Message, text)
}

// BlobName returns the object name of a blob with the given bytes, in an object format (sha1 or
// sha256): the hash of a header followed by the bytes.
func BlobName(data []byte, format string) string {
	h := sha1.New()
	if format == "sha256" {
		h = sha256.New()
	}
	h.Write([]byte("blob " + strconv.Itoa(len(data)) + "\x00"))
	h.Write(data) // never fails
	return hex.EncodeToString(h.Sum(nil))
}

// cleanMessage puts a message on one line and replaces terminal control characters, because
// messages from git may contain names from a repository and messages from servers.
func cleanMessage(message string) string {
	clean := strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && !unicode.IsSpace(r) || unicode.Is(unicode.Cf, r) {
			return unicode.ReplacementChar
		}
		return r
	}, strings.ToValidUTF8(message, "\ufffd"))
	return strings.Join(strings.Fields(clean), " ")
}
