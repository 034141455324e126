package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"kindex/builder/plural"
	"kindex/edge/storage"
	"kindex/exports/safetext"
)

func stateCommand() *cobra.Command {
	c := &cobra.Command{
		Use: "state", Short: "Check, back up, migrate, copy and rekey the state",
		Long: `The state is what an edge writes: accounts, keys, request counts, submissions and
webhooks. It is a SQLite file, or a PostgreSQL database that many edges share.`,
		Example: "  kindex state check\n  kindex state backup kindex-backup.db",
		Args:    noSuchCommand,
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	c.AddCommand(stateCheckCommand(), stateBackupCommand(), stateMigrateCommand(), stateCopyCommand(), stateRekeyCommand())
	return c
}

// openAsItIs opens a state that must be there, and leaves its schema alone.
func openAsItIs(ctx context.Context, target string) (*storage.State, error) {
	return storage.Open(ctx, target, storage.Options{MustExist: true, SkipMigrations: true})
}

func stateCheckCommand() *cobra.Command {
	var target string
	c := &cobra.Command{
		Use: "check", Short: "Look for anything wrong with the state",
		Long: `Check reads all of the state, as it is at one moment, and changes nothing; an edge
may be serving it. It looks at the database (on SQLite every page, index and
reference) and at what kindex relies on, such as that no account has more active
keys than it may. What is wrong is printed, and then the exit code is 1.`,
		Example: "  kindex state check\n  kindex state check --state postgres://kindex@db.example.org/kindex",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) (failed error) {
			s, err := openAsItIs(cmd.Context(), target)
			if err != nil {
				return err
			}
			defer func() { failed = errors.Join(failed, s.Close()) }()
			r, err := s.Check(cmd.Context())
			if err != nil {
				return err
			}
			printStateReport(cmd.OutOrStdout(), r)
			if len(r.Problems) > 0 {
				return quietError{exitProblem}
			}
			return nil
		},
	}
	stateFlag(c.Flags(), &target)
	return c
}

func printStateReport(w io.Writer, r *storage.Report) {
	fmt.Fprintf(w, "%s: %s %s, schema %d", r.State, r.Engine, r.Server, r.Version)
	if r.Version == r.Latest {
		fmt.Fprint(w, ", the newest")
	}
	fmt.Fprintln(w)
	if len(r.Counts) > 0 {
		fmt.Fprintln(w, "rows:", formatCounts(r.Counts))
	}
	for _, note := range r.Notes {
		fmt.Fprintln(w, "note:", safetext.Escape(note))
	}
	for _, problem := range r.Problems {
		fmt.Fprintln(w, "wrong:", safetext.Escape(problem))
	}
	if len(r.Problems) == 0 {
		fmt.Fprintln(w, "nothing is wrong")
		return
	}
	fmt.Fprintln(w, plural.Count(len(r.Problems), "problem", "problems"))
}

func formatCounts(counts []storage.TableCount) string {
	words := make([]string, len(counts))
	for i, c := range counts {
		words[i] = fmt.Sprintf("%s %d", c.Table, c.Rows)
	}
	return strings.Join(words, ", ")
}

func stateBackupCommand() *cobra.Command {
	var target string
	var force bool
	c := &cobra.Command{
		Use: "backup FILE", Short: "Write the whole state into a new SQLite file",
		Long: `Backup writes the state, as it is at one moment, into a SQLite file, from either
engine; edges may go on serving it. The file is checked like by kindex state check
and gets its name when it is whole and on the disk. It is readable for its owner
only: it holds all that the state holds. The operator's key, which opens the secrets
of webhooks, is not in it: keep a copy of that elsewhere.

To restore it, use it as the state, or copy it: kindex state copy --from FILE.`,
		Example: `  kindex state backup /var/backups/kindex-$(date +%F).db --state /var/lib/kindex/kindex.db
  kindex state backup --force kindex-backup.db --state postgres://kindex@db.example.org/kindex`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) (failed error) {
			s, err := openAsItIs(cmd.Context(), target)
			if err != nil {
				return err
			}
			defer func() { failed = errors.Join(failed, s.Close()) }()
			r, err := s.Backup(cmd.Context(), args[0], force)
			if err != nil {
				if r != nil {
					printStateReport(cmd.ErrOrStderr(), r)
				}
				return err
			}
			i, err := os.Stat(args[0])
			if err != nil {
				return err
			}
			fmt.Fprintf(cmd.OutOrStdout(), "backed up %s to %s: %d bytes, schema %d, nothing is wrong\nrows: %s\n", s, args[0], i.Size(), r.Version, formatCounts(r.Counts))
			return nil
		},
	}
	stateFlag(c.Flags(), &target)
	c.Flags().BoolVar(&force, "force", false, "replace a file that is there")
	return c
}

func stateMigrateCommand() *cobra.Command {
	var target string
	var check bool
	c := &cobra.Command{
		Use: "migrate", Short: "Bring the schema of the state up to date",
		Long: `Migrate brings the state to the schema of this kindex, as kindex serve does when it
begins. There is no way back but a backup. A SQLite file must not be served
meanwhile. With --check it changes nothing, and the exit code is 1 if there is
something to do.`,
		Example: "  kindex state migrate --check\n  kindex state migrate --state postgres://kindex@db.example.org/kindex",
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return runStateMigrate(cmd, target, check) },
	}
	stateFlag(c.Flags(), &target)
	c.Flags().BoolVar(&check, "check", false, "only tell")
	return c
}

func runStateMigrate(cmd *cobra.Command, target string, check bool) (failed error) {
	ctx := cmd.Context()
	s, err := storage.Open(ctx, target, storage.Options{MustExist: true, SkipMigrations: true, Exclusive: !check})
	if err != nil {
		return err
	}
	defer func() { failed = errors.Join(failed, s.Close()) }()
	at, newest, err := s.Versions(ctx)
	switch {
	case err != nil:
		return err
	case at == newest:
		fmt.Fprintf(cmd.OutOrStdout(), "%s has schema %d, the newest\n", s, at)
		return nil
	case at > newest:
		return &storage.SchemaTooNewError{Target: s.String(), Version: at, Latest: newest}
	case check:
		fmt.Fprintf(cmd.OutOrStdout(), "%s has schema %d, the newest is %d\n", s, at, newest)
		return quietError{exitProblem}
	}
	if err := s.Migrate(ctx); err != nil {
		return err
	}
	fmt.Fprintf(cmd.OutOrStdout(), "brought %s from schema %d to %d\n", s, at, newest)
	return nil
}

type stateCopyOptions struct {
	from, to     string
	whileServing bool
}

func stateCopyCommand() *cobra.Command {
	var o stateCopyOptions
	c := &cobra.Command{
		Use: "copy --from STATE --to STATE", Short: "Copy a state into an empty one, from SQLite to PostgreSQL or back",
		Long: `Copy copies everything into a state that is empty or not there yet, in one
transaction: it is all there in the end, or nothing is. Each table is read back and
compared with its source by count and checksum.

Stop the edges first. What they write behind the moment of the copy is not in it,
and the edge of a SQLite file has the requests of the last half second in memory. A
SQLite file that is being served is refused unless --while-serving is given; edges on
PostgreSQL cannot be seen.`,
		Example: `  kindex state copy --from kindex.db --to postgres://kindex@db.example.org/kindex
  kindex state copy --from kindex-backup.db --to kindex.db`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return runStateCopy(cmd, o) },
	}
	f := c.Flags()
	f.StringVar(&o.from, "from", "", "the state to copy: a SQLite file, or postgres://…")
	f.StringVar(&o.to, "to", "", "the empty state: a SQLite file, made where it is not there, or postgres://…")
	f.BoolVar(&o.whileServing, "while-serving", false, "copy a SQLite file that an edge is serving, without the requests that it has in memory")
	return c
}

// sameState tells that two names are those of one SQLite file. A database that is
// copied to itself is refused for not being empty.
func sameState(a, b string) bool {
	one, err := os.Stat(a)
	if err != nil {
		return false
	}
	other, err := os.Stat(b)
	return err == nil && os.SameFile(one, other)
}

func runStateCopy(cmd *cobra.Command, o stateCopyOptions) (failed error) {
	ctx := cmd.Context()
	if o.from == "" || o.to == "" {
		return usageError{fmt.Errorf("--from and --to must both name a state; see: %s --help", cmd.CommandPath())}
	}
	if sameState(o.from, o.to) {
		return usageError{fmt.Errorf("--from and --to name the same state, %s; copy into a new one", o.to)}
	}
	from, err := openAsItIs(ctx, o.from)
	if err != nil {
		return err
	}
	defer func() { failed = errors.Join(failed, from.Close()) }()
	if err := from.LockExclusive(); errors.Is(err, storage.ErrInUse) && !o.whileServing {
		return fmt.Errorf("%s is being served: stop the edge first, or give --while-serving to copy without the requests that it has in memory", from)
	} else if err != nil && !errors.Is(err, storage.ErrInUse) {
		return err
	}
	to, err := storage.Open(ctx, o.to, storage.Options{SkipMigrations: true, Exclusive: true})
	if err != nil {
		return err
	}
	defer func() { failed = errors.Join(failed, to.Close()) }()
	counts, err := from.CopyTo(ctx, to)
	if err != nil {
		return err
	}
	fmt.Fprintf(cmd.OutOrStdout(), "copied %s to %s, compared by count and checksum\nrows: %s\n", from, to, formatCounts(counts))
	return nil
}
