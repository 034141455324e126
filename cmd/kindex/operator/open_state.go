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
	options storage.Options
	target  string // --state
	json    bool   // --json
	cmd     *cobra.Command
	args    []string
}

// object is a report in JSON output.
type object = map[string]any

// existing is how most commands open a state.
var existing = storage.Options{MustExist: true}

// asItIs opens an existing state without changing its schema.
var asItIs = storage.Options{MustExist: true, SkipMigrations: true}

// onState adds --state and --json to a command that calls do with the open state. If a SQLite file was
// created, it says so on standard error, because the path may be wrong.
func onState(c *cobra.Command, options storage.Options, do func(context.Context, *session) error) (*cobra.Command, *session) {
	s := &session{options: options}
	c.Flags().StringVar(&s.target, "state", StateFile, "the state: a SQLite file, or postgres://…")
	cli.JSONFlag(c.Flags(), &s.json)
	c.RunE = func(cmd *cobra.Command, args []string) (err error) {
		s.cmd, s.args = cmd, args
		_, missing := os.Stat(s.target)
		if s.State, err = storage.Open(cmd.Context(), s.target, s.options); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, s.Close()) }()
		err = do(storage.WithActor(cmd.Context(), storage.Actor{Kind: storage.ByOperator}), s)
		if err == nil && errors.Is(missing, fs.ErrNotExist) && !storage.IsPostgreSQL(s.target) {
			fmt.Fprintf(cmd.ErrOrStderr(), "created the state %s\n", s.target)
		}
		return err
	}
	return c, s
}

// print prints a report or, without --json, a line.
func (s *session) print(report any, format string, args ...any) error {
	return cli.Print(s.cmd.OutOrStdout(), s.json, report, func(w io.Writer) { fmt.Fprintf(w, format+"\n", args...) })
}

// printList prints a list: as JSON lines or, without --json, as a table with a head, or as "no" and what.
func printList[T, L any](s *session, list []T, line func(T) L, what string, head []string, row func(T) []string) error {
	if s.json {
		lines := make([]L, len(list))
		for i := range list {
			lines[i] = line(list[i])
		}
		return cli.PrintJSONLines(s.cmd.OutOrStdout(), lines)
	}
	if len(list) == 0 {
		fmt.Fprintln(s.cmd.OutOrStdout(), "no", what)
		return nil
	}
	rows := [][]string{head}
	for i := range list {
		rows = append(rows, row(list[i]))
	}
	cli.PrintTable(s.cmd, rows)
	return nil
}
