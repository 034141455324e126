// Package operator contains the commands with which an operator manages the state of an edge: accounts, API
// keys, submissions, and the state itself.
package operator

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"kindex/edge/storage"
)

// StateFile is the default of --state.
const StateFile = "kindex.db"

// stateFlag adds --state to an operator command.
func stateFlag(f *pflag.FlagSet, target *string) {
	f.StringVar(target, "state", StateFile, "the state: a SQLite file, or postgres://…")
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
