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

// protocols are those by which a remote may be reached. Among those that are not
// listed is ext, which runs any command.
const protocols = "file:git:http:https:ssh"

// Remote returns the addresses that the repository's own configuration gives a remote,
// to fetch from and to push to. They are read as data: nothing else in that file has any
// effect, and no file that it includes is opened. known lists the names of all remotes.
func (r *Repository) Remote(ctx context.Context, name string) (fetch, push string, known []string, err error) {
	out, err := r.Run(ctx, Command{Args: []string{"config", "--file", filepath.Join(r.commonDir, "config"), "--no-includes", "--null",
		"--get-regexp", `^remote\..*\.(url|pushurl)$`}})
	if err != nil && ExitCode(err) != 1 {
		return "", "", nil, err
	}
	for entry := range strings.SplitSeq(out, "\x00") {
		key, value, ok := strings.Cut(strings.TrimPrefix(entry, "remote."), "\n")
		dot := strings.LastIndex(key, ".")
		if !ok || dot < 0 {
			continue
		}
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
			return "", "", known, fmt.Errorf("the remote %s has more than one address; it must have one", name)
		}
		*into = value
	}
	if push == "" {
		push = fetch
	}
	return fetch, push, known, nil
}

// RunRemote runs ls-remote, fetch or push with the address of another repository, which
// must be among the arguments: no remote has a name here. Unlike Run, it obeys the
// settings of the person, who has the credentials, and connects to where they lead. No
// setting of the repository counts.
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
		// A collection of garbage would take what only the repository's own references keep for garbage.
		"gc.auto=0", "maintenance.auto=false", "fetch.writeCommitGraph=false"}, c.Config...))
	return prepare(ctx, own, env, told, c.Args).output()
}

// packReferences gives our own git directory the references of the repository, by which
// git finds out what need not be fetched.
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

// Programs returns the arguments of ls-remote, fetch and push that keep a repository on
// this machine from running hooks when it is the other side.
func Programs(command string) []string {
	const other = "git -c core.hooksPath=" + os.DevNull + " -c core.fsmonitor=false "
	if command == "push" {
		return []string{"--receive-pack=" + other + "receive-pack"}
	}
	return []string{"--upload-pack=" + other + "upload-pack"}
}

// Setting is a setting that no other process may read, as a command line would let it.
type Setting struct{ Name, Value string }

// Secret returns variables that stand for settings, to be added to those of a command.
func Secret(list ...Setting) (env []string) {
	n, _ := strconv.Atoi(os.Getenv("GIT_CONFIG_COUNT")) // 0 where there are none
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
		return errors.New(strconv.Quote(name) + " is not the name of a branch")
	}
	return err
}
