// Package cli contains what the commands of kindex share: errors and exit codes, output for people and
// programs.
package cli

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"kindex/exports"
	"kindex/exports/didyoumean"
)

// The exit codes documented in the help.
const (
	ExitOK      = 0
	ExitProblem = 1 // a problem with the content, a build or the machine; nothing was published
	ExitUsage   = 2 // usage error
	ExitBusy    = 3 // another build is running in the output folder
)

// UsageError is an error in the command line.
type UsageError struct{ Err error }

func (e UsageError) Error() string { return e.Err.Error() }
func (e UsageError) Unwrap() error { return e.Err }

// Usage returns err as a UsageError.
func Usage(err error) error { return UsageError{err} }

// ErrReported ends a command that has already printed its problems, with ExitProblem.
var ErrReported = errors.New("the problems have been reported")

// UnknownName returns the error for a name that is not among the known ones, with a similar one of them. what
// is what the name should refer to, such as "entity".
func UnknownName(what, name string, known []string) error { return unknown(what, name, "", known) }

// UnknownChoice is like UnknownName for a choice of a few names, all of which the error lists.
func UnknownChoice(what, name string, known []string) error {
	return unknown(what, name, "; expected one of: "+strings.Join(known, ", "), known)
}

func unknown(what, name, listed string, known []string) error {
	text := fmt.Sprintf("unknown %s %q%s", what, name, listed)
	if near := didyoumean.Name(name, known); near != "" {
		text += fmt.Sprintf(" (did you mean %q?)", near)
	}
	return errors.New(text)
}

// NoSuchCommand rejects arguments of a command that only has subcommands.
func NoSuchCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var names []string
	for _, c := range cmd.Commands() {
		names = append(names, c.Name())
	}
	err := UnknownName("command", args[0], names)
	return Usage(fmt.Errorf("%w; see %s --help", err, cmd.CommandPath()))
}

// RecoverDamaged turns a panic while reading a build that was not verified into an error
// that says what to do. Commands that must start within milliseconds defer it, because they
// do not verify every byte of the build first.
func RecoverDamaged(dir string, err *error) {
	if r := recover(); r != nil {
		*err = fmt.Errorf("the build in %s cannot be read (%v); to find the damage: kindex verify %s", dir, r, dir)
	}
}

// WithBuild calls do with the published build in a folder.
func WithBuild(dir string, do func(b *exports.Build) error) (err error) {
	defer RecoverDamaged(dir, &err)
	b, err := exports.OpenCurrent(dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.Close()) }()
	return do(b)
}

// Group returns a command that only has subcommands.
func Group(c *cobra.Command, subcommands ...*cobra.Command) *cobra.Command {
	c.Args = NoSuchCommand
	c.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	c.AddCommand(subcommands...)
	return c
}

// SameFile reports whether two paths lead to the same file or folder.
func SameFile(a, b string) bool {
	one, err1 := os.Stat(a)
	other, err2 := os.Stat(b)
	return err1 == nil && err2 == nil && os.SameFile(one, other)
}
