package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"kindex/edge/storage"
	"kindex/exports/safetext"
)

// stateFlag adds --state to an operator command.
func stateFlag(f *pflag.FlagSet, target *string) {
	f.StringVar(target, "state", stateFile, "the state: a SQLite file, or postgres://…")
}

// withState opens a state for a command that may run while an edge is running, calls do,
// and closes the state. If makes is set, it creates a missing SQLite file, and reports on
// standard error that it did so, because the path may be wrong.
func withState(cmd *cobra.Command, target string, makes bool, do func(context.Context, *storage.State) error) (err error) {
	if makes && !storage.IsPostgreSQL(target) {
		if _, missing := os.Stat(target); errors.Is(missing, fs.ErrNotExist) {
			defer func() {
				if err == nil {
					fmt.Fprintf(cmd.ErrOrStderr(), "created the state %s\n", target)
				}
			}()
		}
	}
	s, err := storage.Open(cmd.Context(), target, storage.Options{MustExist: !makes})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	return do(storage.WithActor(cmd.Context(), storage.Actor{Kind: storage.ByOperator}), s)
}

// printTable prints rows as aligned columns.
func printTable(cmd *cobra.Command, rows [][]string) {
	w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
	for _, row := range rows {
		for i, cell := range row {
			if i > 0 {
				fmt.Fprint(w, "\t")
			}
			fmt.Fprint(w, safetext.Escape(cell))
		}
		fmt.Fprintln(w)
	}
	_ = w.Flush() // run reports write errors
}

// formatTime formats a time in UTC in a human-readable form, or returns none for the zero
// time.
func formatTime(t time.Time, none string) string {
	if t.IsZero() {
		return none
	}
	return t.UTC().Format("2006-01-02 15:04")
}

// orNull returns nil (null in JSON) for the zero time.
func orNull(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	t = t.UTC()
	return &t
}
