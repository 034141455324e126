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

// stateFlag adds the flag that names the state to a command of the operator's.
func stateFlag(f *pflag.FlagSet, target *string) {
	f.StringVar(target, "state", stateFile, "the state: a SQLite file, or postgres://…")
}

// withState opens a state for a command that works beside the edge, and closes it.
// Only a command that makes has a SQLite file made; it is told on standard error,
// since it may be the wrong place.
func withState(cmd *cobra.Command, target string, makes bool, do func(context.Context, *storage.State) error) (err error) {
	if makes && !storage.IsPostgreSQL(target) {
		if _, missing := os.Stat(target); errors.Is(missing, fs.ErrNotExist) {
			defer func() {
				if err == nil {
					fmt.Fprintf(cmd.ErrOrStderr(), "made the state %s\n", target)
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

// printTable writes columns for people, a row a line.
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
	_ = w.Flush() // what cannot be written, run tells
}

// formatTime is a time for people, in UTC, or a word where there is none.
func formatTime(t time.Time, none string) string {
	if t.IsZero() {
		return none
	}
	return t.UTC().Format("2006-01-02 15:04")
}

// orNull is a time for programs: null where there is none.
func orNull(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	t = t.UTC()
	return &t
}
