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
	"path/filepath"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"kindex/cmd/kindex/cli"
	"kindex/edge/seal"
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

// keyFile is the default name of the operator's key file, which is in the same folder as a
// SQLite state.
const keyFile = "kindex.key"

// KeyFlag adds --operator-key.
func KeyFlag(f *pflag.FlagSet, file *string) {
	f.StringVar(file, "operator-key", "", "file with the key that seals secrets in the state; with PostgreSQL, every edge needs the same key (default: "+keyFile+" next to a SQLite state, created if missing)")
}

// LoadKeys reads the operator's keys from a file. The default is a file next to a
// SQLite state; if it is missing and makes is set, LoadKeys creates it and returns its
// name as made. With PostgreSQL, the file must be specified, since all edges need the same
// keys.
func LoadKeys(target, file string, makes bool) (keys *seal.Keys, made string, err error) {
	if file != "" {
		if _, err := seal.Parse(file); err == nil {
			return nil, "", cli.Usage(errors.New("--operator-key, or KINDEX_OPERATOR_KEY, must be the name of the key file, not the key itself"))
		}
		keys, err = seal.Load(file)
		return keys, "", err
	}
	if storage.IsPostgreSQL(target) {
		return nil, "", cli.Usage(errors.New("with a PostgreSQL database, the operator's key is required, the same on every edge: use --operator-key FILE; to create a key: openssl rand -base64 32 > FILE && chmod 600 FILE"))
	}
	beside := filepath.Join(filepath.Dir(target), keyFile)
	if !makes {
		keys, err = seal.Load(beside)
		return keys, "", err
	}
	keys, fresh, err := seal.LoadOrMake(beside)
	if fresh {
		made = beside
	}
	return keys, made, err
}

func stateRekeyCommand() *cobra.Command {
	var file string
	c := onState(&cobra.Command{
		Use: "rekey", Short: "Reseal the secrets in the state with the operator's newest key",
		Long: `Rekey reseals every secret in the state with the first of the operator's keys. To change
the key: write a new one (openssl rand -base64 32) into the key file above the old one,
restart every edge, run rekey, and remove the old key from the file.`,
		Example: "  kindex state rekey\n  kindex state rekey --state postgres://kindex@db.example.org/kindex --operator-key /etc/kindex/key",
	}, existing, func(ctx context.Context, s *session) error {
		keys, _, err := LoadKeys(s.target, file, false)
		if err != nil {
			return err
		}
		n, err := s.Rekey(ctx, keys)
		if err != nil {
			return err
		}
		return s.print(object{"state": s.String(), "key": keys.IDs()[0], "secrets": n}, "sealed %d secrets with the operator's key %s", n, keys.IDs()[0])
	})
	KeyFlag(c.Flags(), &file)
	return c
}
