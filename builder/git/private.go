package git

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"kindex/builder/scratch"
)

// Command is a git command that operates on the objects of a repository.
type Command struct {
	Args   []string
	Config []string // additional settings, as name=value
	Env    []string // additional environment variables, as name=value
	Input  []byte   // standard input, or nil if there is none
}

// Run runs a command and returns its output. The command does not see the repository's
// configuration, attributes, references, working tree or hooks, nor the user's settings. Its
// arguments must give the full names of objects. New objects are written to the repository's
// object store. The index is private; it is empty at first, and later commands use the same
// one.
func (r *Repository) Run(ctx context.Context, c Command) (string, error) {
	p, err := r.isolated(ctx, c)
	if err != nil {
		return "", err
	}
	return p.output()
}

// Stream runs a command in the environment that Run uses, and calls read with its output while it
// runs. If read fails before the output ends, the command is killed.
func (r *Repository) Stream(ctx context.Context, c Command, read func(out *bufio.Reader) error) error {
	p, err := r.isolated(ctx, c)
	if err != nil {
		return err
	}
	return p.stream(read)
}

func (r *Repository) isolated(ctx context.Context, c Command) (*process, error) {
	own, err := r.privateDir()
	if err != nil {
		return nil, err
	}
	env := slices.Concat(environment(basic), forced, []string{
		"HOME=" + own, "XDG_CONFIG_HOME=" + own, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_OBJECT_DIRECTORY=" + r.objects()}, c.Env)
	p := prepare(ctx, own, env, settings([]string{"--git-dir=" + own}, c.Config), c.Args)
	p.cmd.Stdin = bytes.NewReader(c.Input)
	return p, nil
}

func settings(told, config []string) []string {
	for _, setting := range config {
		told = append(told, "-c", setting)
	}
	return told
}

// privateDir returns the private git directory. The first call creates it. See
// gitrepository-layout(5).
func (r *Repository) privateDir() (string, error) {
	r.once.Do(func() {
		if r.failed = r.createPrivateDir(); r.failed != nil {
			r.failed = fmt.Errorf("creating a temporary folder for git: %w", r.failed)
		}
	})
	if r.failed != nil {
		return "", r.failed
	}
	return r.private.Path, nil
}

func (r *Repository) createPrivateDir() error {
	var err error
	if r.private, err = scratch.New("git"); err != nil {
		return err
	}
	dir := r.private.Path
	// In a bare repository, git does not look at a working tree. A commit graph could
	// contradict the parents in the commits.
	config := "[core]\n\trepositoryformatversion = 1\n\tbare = true\n\tcommitGraph = false\n\tfsmonitor = false\n\thooksPath = " + os.DevNull +
		"\n[extensions]\n\tobjectFormat = " + r.Format + "\n[gc]\n\tauto = 0\n[maintenance]\n\tauto = false\n"
	for name, text := range map[string]string{"config": config, "HEAD": "ref: refs/heads/none\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			return err
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "refs"), 0o700); err != nil {
		return err
	}
	if !r.Shallow {
		return nil
	}
	return copyFile(filepath.Join(dir, "shallow"), filepath.Join(r.commonDir, "shallow"))
}

// copyFile copies a regular file. A missing file is not an error.
func copyFile(to, from string) error {
	info, err := os.Lstat(from)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s must be a regular file", from)
	}
	if err != nil {
		return err
	}
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, data, 0o600) //nolint:gosec // it is in a temporary folder of our own
}
