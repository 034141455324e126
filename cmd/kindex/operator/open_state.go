// Package operator contains the commands with which an operator manages the state of an edge: accounts, API
// keys, submissions, and the state itself.
package operator

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"kindex/cmd/kindex/cli"
	"kindex/edge/storage"
)

// StateFile is the default of --state.
const StateFile = "kindex.db"

// session is a command with the state that it opened. The command may run while an edge is running.
type session struct {
	*storage.State
	target string // --state
	cmd    *cobra.Command
	args   []string
}

// object is a report in JSON output.
type object = map[string]any

// existing is how most commands open a state.
var existing = &storage.Options{MustExist: true}

// asItIs opens an existing state without changing its schema.
var asItIs = &storage.Options{MustExist: true, SkipMigrations: true}

// onState adds --state and --json to a command that calls do with the open state. If a SQLite file was
// created, it says so on standard error, because the path may be wrong.
func onState(c *cobra.Command, options *storage.Options, do func(context.Context, *session) error) *cobra.Command {
	var target string
	c.Flags().StringVar(&target, "state", StateFile, "the state: a SQLite file, or postgres://…")
	cli.JSONFlag(c)
	c.RunE = func(cmd *cobra.Command, args []string) (err error) {
		_, missing := os.Stat(target)
		s, err := storage.Open(cmd.Context(), target, *options)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, s.Close()) }()
		err = do(storage.WithActor(cmd.Context(), storage.Actor{Kind: storage.ByOperator}), &session{s, target, cmd, args})
		if err == nil && errors.Is(missing, fs.ErrNotExist) && !storage.IsPostgreSQL(target) {
			fmt.Fprintf(cmd.ErrOrStderr(), "created the state %s\n", target)
		}
		return err
	}
	return c
}

// print prints a report or, without --json, a line.
func (s *session) print(report any, format string, args ...any) error {
	return cli.Print(s.cmd, report, func(w io.Writer) { fmt.Fprintf(w, format+"\n", args...) })
}

// say prints a line, unless a report is printed as JSON in the end.
func (s *session) say(format string, args ...any) {
	if !cli.AsJSON(s.cmd) {
		fmt.Fprintf(s.cmd.OutOrStdout(), format+"\n", args...)
	}
}

// printList prints a list: as JSON lines or, without --json, as a table with a head, or as "no" and what. show returns an
// entry as JSON and as a row.
func printList[T any](s *session, list []T, what string, head []string, show func(T) (object, []string)) error {
	lines, rows := []object{}, [][]string{head}
	for _, entry := range list {
		line, row := show(entry)
		lines, rows = append(lines, line), append(rows, row)
	}
	switch {
	case cli.AsJSON(s.cmd):
		return cli.PrintJSONLines(s.cmd.OutOrStdout(), lines)
	case len(list) == 0:
		fmt.Fprintln(s.cmd.OutOrStdout(), "no", what)
	default:
		cli.PrintTable(s.cmd, rows)
	}
	return nil
}
