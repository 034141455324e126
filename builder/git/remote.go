package git

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// protocols lists the allowed protocols for remotes. It does not include ext, which runs
// arbitrary commands.
const protocols = "file:git:http:https:ssh"

// Remote returns the fetch and push addresses of a remote from the repository's own
// configuration. The configuration is only read as data: no other setting in it has any
// effect, and files that it includes are not opened. known lists the names of all remotes.
func (r *Repository) Remote(ctx context.Context, name string) (fetch, push string, known []string, err error) {
	out, err := r.Run(ctx, Command{Args: []string{"config", "--file", filepath.Join(r.commonDir, "config"), "--no-includes", "--null",
		"--get-regexp", `^remote\..*\.(url|pushurl)$`}})
	list, err := configured(out, err)
	if err != nil {
		return "", "", nil, err
	}
	for _, s := range list {
		key, value := strings.TrimPrefix(s.Name, "remote."), s.Value
		dot := strings.LastIndex(key, ".")
		of, what := key[:dot], key[dot+1:]
		if !slices.Contains(known, of) {
			known = append(known, of)
		}
		into := &fetch
		if what == "pushurl" {
			into = &push
		}
		if of != name {
			continue
		}
		if *into != "" {
			return "", "", known, fmt.Errorf("the remote %s has more than one address; it must have exactly one", name)
		}
		*into = value
	}
	if push == "" {
		push = fetch
	}
	return fetch, push, known, nil
}

// RunRemote runs ls-remote, fetch or push on another repository. The arguments must contain
// the address of that repository, because named remotes are not available. Unlike Run,
// RunRemote uses the user's settings, which contain the credentials and may redirect the
// address. The repository's own settings have no effect.
func (r *Repository) RunRemote(ctx context.Context, c Command) (string, error) {
	own, err := r.privateDir()
	if err == nil {
		err = r.packReferences(ctx)
	}
	if err != nil {
		return "", err
	}
	env := slices.Concat(environment(basic, personal, connecting), forced,
		[]string{"GIT_ALLOW_PROTOCOL=" + protocols, "GIT_OBJECT_DIRECTORY=" + r.objects()}, c.Env)
	told := settings([]string{"--git-dir=" + own}, append([]string{"core.hooksPath=" + os.DevNull, "core.fsmonitor=false",
		// Garbage collection would delete objects that only the repository's own references
		// keep alive.
		"gc.auto=0", "maintenance.auto=false", "fetch.writeCommitGraph=false"}, c.Config...))
	return prepare(ctx, own, env, told, c.Args).output()
}

// packReferences copies the repository's references to the private git directory. They tell
// git which objects it need not fetch.
func (r *Repository) packReferences(ctx context.Context) error {
	list, err := r.query(ctx, "for-each-ref", "--format=%(objectname) %(refname)")
	if err != nil {
		return err
	}
	own, err := r.privateDir()
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(own, "packed-refs"), []byte(list), 0o600)
}

// Programs returns additional arguments for ls-remote, fetch or push. They prevent the
// hooks of the other repository from running if it is on this machine.
func Programs(command string) []string {
	const other = "git -c core.hooksPath=" + os.DevNull + " -c core.fsmonitor=false "
	if command == "push" {
		return []string{"--receive-pack=" + other + "receive-pack"}
	}
	return []string{"--upload-pack=" + other + "upload-pack"}
}

// Setting is a git setting.
type Setting struct{ Name, Value string }

// configured reads the settings that git config --null --get-regexp prints. It exits with 1 if there are none.
func configured(out string, err error) (list []Setting, _ error) {
	if err != nil && ExitCode(err) != 1 {
		return nil, err
	}
	for entry := range strings.SplitSeq(out, "\x00") {
		if name, value, ok := strings.Cut(entry, "\n"); ok {
			list = append(list, Setting{name, value})
		}
	}
	return list, nil
}

// Secret returns settings as environment variables, for Command.Env, in which they are not visible on a command
// line.
func Secret(list ...Setting) (env []string) {
	n, _ := strconv.Atoi(os.Getenv("GIT_CONFIG_COUNT")) // 0 if the variable is not set
	for _, s := range list {
		env = append(env, fmt.Sprintf("GIT_CONFIG_KEY_%d=%s", n, s.Name), fmt.Sprintf("GIT_CONFIG_VALUE_%d=%s", n, s.Value))
		n++
	}
	return append(env, fmt.Sprintf("GIT_CONFIG_COUNT=%d", n))
}

// CheckBranchName returns an error for an invalid branch name.
func (r *Repository) CheckBranchName(ctx context.Context, name string) error {
	_, err := r.Run(ctx, Command{Args: []string{"check-ref-format", "refs/heads/" + name}})
	if ExitCode(err) == 1 {
		return errors.New(strconv.Quote(name) + " is not a valid branch name")
	}
	return err
}
