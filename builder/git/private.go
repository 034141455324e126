package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// Command is one git command on the objects of a repository.
type Command struct {
	Args   []string
	Config []string // settings of this command, name=value
	Env    []string // further variables, name=value
	Input  []byte   // what it reads from its standard input; nil for nothing
}

// Run runs a command and returns what it prints. Neither the repository's
// configuration and attributes nor its references exist for it, nor a working tree,
// hooks, or the settings of the person; objects are named by their whole names. What it
// writes, it writes among the objects of the repository; the index is one of our own,
// empty at first, which later commands see.
func (r *Repository) Run(ctx context.Context, c Command) (string, error) {
	p, err := r.isolated(ctx, c)
	if err != nil {
		return "", err
	}
	p.cmd.Stdin = bytes.NewReader(c.Input)
	return p.output()
}

// Start starts a command as Run runs it. Its output must be read to the end before
// Wait, or it must be stopped.
func (r *Repository) Start(ctx context.Context, c Command) (*Process, error) {
	return r.started(ctx, c, false)
}

// StartWithInput is Start for a command that is fed while it runs.
func (r *Repository) StartWithInput(ctx context.Context, c Command) (*Process, error) {
	return r.started(ctx, c, true)
}

func (r *Repository) started(ctx context.Context, c Command, input bool) (*Process, error) {
	p, err := r.isolated(ctx, c)
	if err == nil {
		err = p.start(input)
	}
	if err != nil {
		return nil, err
	}
	return p, nil
}

// isolated prepares a command in our own git directory.
func (r *Repository) isolated(ctx context.Context, c Command) (*Process, error) {
	own, err := r.privateDir()
	if err != nil {
		return nil, err
	}
	env := slices.Concat(environment(basic), forced, []string{
		"HOME=" + own, "XDG_CONFIG_HOME=" + own, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_OBJECT_DIRECTORY=" + r.objects()}, c.Env)
	return prepare(ctx, own, env, settings([]string{"--git-dir=" + own}, c.Config), c.Args), nil
}

func settings(told, config []string) []string {
	for _, setting := range config {
		told = append(told, "-c", setting)
	}
	return told
}

// privateDir returns our own git directory, which is created at the first call. See
// gitrepository-layout(5).
func (r *Repository) privateDir() (string, error) {
	r.once.Do(func() {
		if r.failed = r.createPrivateDir(); r.failed != nil {
			r.failed = fmt.Errorf("git needs a temporary folder of its own: %w", r.failed)
		}
	})
	return r.private, r.failed
}

func (r *Repository) createPrivateDir() error {
	dir, err := os.MkdirTemp("", "kindex-git-")
	if err != nil {
		return err
	}
	if r.private, err = filepath.Abs(dir); err != nil {
		return err
	}
	// A bare repository has no working tree whose files git would look at. A commit
	// graph could say something else of parents than the commits do.
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

// copyFile copies a regular file. One that does not exist is no error.
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
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}
