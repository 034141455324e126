package history

import (
	"bytes"
	"context"
	"os"
	"path"
)

// Command is one run of git for those who write to a repository.
type Command struct {
	Args   []string
	Config []string // settings for this run, name=value
	Input  []byte   // what it reads, nil for nothing
	Env    []string // further variables, as os.Environ has them
	// Remote lets it speak to another repository: over HTTP, SSH, or within this
	// machine.
	Remote bool
}

// protocols are those over which git may speak to a remote, if it may at all.
// Among those that are not listed is ext, which runs any command.
const protocols = "file:git:http:https:ssh"

// Run runs git where the content folder lies and returns what it prints. It runs
// no hooks and takes paths as they are.
func (p *Place) Run(ctx context.Context, c Command) (string, error) {
	told := []string{"-C", p.dir, "--literal-pathspecs", "-c", "core.hooksPath=" + os.DevNull}
	for _, setting := range c.Config {
		told = append(told, "-c", setting)
	}
	run := prepare(ctx, told, c.Args...)
	if c.Remote {
		run.cmd.Env = append(run.cmd.Env, "GIT_ALLOW_PROTOCOL="+protocols)
	}
	run.cmd.Env = append(run.cmd.Env, c.Env...)
	var out bytes.Buffer
	run.cmd.Stdin, run.cmd.Stdout = bytes.NewReader(c.Input), &out
	err := run.explain(run.cmd.Run())
	return out.String(), err
}

// Path is where the file of an entity lies, from the root of the repository.
func (p *Place) Path(typ, slug string) string { return path.Join(p.prefix, typ, slug+".yaml") }

// Prefix is where the content folder lies, from the root of the repository; "" is
// the root itself.
func (p *Place) Prefix() string { return p.prefix }
