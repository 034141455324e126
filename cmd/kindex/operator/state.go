package operator

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"kindex/builder/plural"
	"kindex/cmd/kindex/cli"
	"kindex/edge/storage"
	"kindex/exports/safetext"
)

// StateCommand returns the command state.
func StateCommand() *cobra.Command {
	return cli.Group(&cobra.Command{
		Use: "state", Short: "Check, back up, migrate, copy and rekey the state",
		Long: `The state is what an edge writes: accounts, keys, request counts, submissions and
webhooks. It is a SQLite file, or a PostgreSQL database shared by many edges.`,
		Example: "  kindex state check\n  kindex state backup kindex-backup.db",
	}, stateCheckCommand(), stateBackupCommand(), stateMigrateCommand(), stateCopyCommand(), stateRekeyCommand())
}

func rowsOf(counts []storage.TableCount) map[string]int64 {
	rows := map[string]int64{}
	for _, c := range counts {
		rows[c.Table] = c.Rows
	}
	return rows
}

func stateCheckCommand() *cobra.Command {
	return onState(&cobra.Command{
		Use: "check", Short: "Check the integrity of the state",
		Long: `Check reads the whole state and changes nothing, also while an edge uses it. It checks the
database, its schema and its settings. If there are problems, the exit code is 1.`,
		Example: "  kindex state check\n  kindex state check --state postgres://kindex@db.example.org/kindex",
	}, asItIs, func(ctx context.Context, s *session) error {
		r, err := s.Check(ctx)
		if err != nil {
			return err
		}
		report := object{"state": r.State, "engine": r.Engine, "server": r.Server, "schema": r.Version, "latestSchema": r.Latest,
			"rows": rowsOf(r.Counts), "notes": append([]string{}, r.Notes...), "problems": append([]string{}, r.Problems...)}
		err = cli.Print(s.cmd, report, func(w io.Writer) { printStateReport(w, r) })
		if err == nil && len(r.Problems) > 0 {
			err = cli.ErrReported
		}
		return err
	})
}

func printStateReport(w io.Writer, r *storage.Report) {
	fmt.Fprintf(w, "%s: %s %s, schema version %d", r.State, r.Engine, r.Server, r.Version)
	if r.Version == r.Latest {
		fmt.Fprint(w, " (current)")
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
		fmt.Fprintln(w, "no problems")
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
	var force bool
	c := onState(&cobra.Command{
		Use: "backup FILE", Short: "Write the whole state into a new SQLite file",
		Long: `Backup writes a snapshot of the state, from either engine, to a SQLite file, also while
edges use it. The file is checked as by kindex state check. It has everything but the
operator's key, which opens the secrets of webhooks: keep a copy of the key elsewhere. To
restore a backup, use the file as the state, or copy it: kindex state copy --from FILE.`,
		Example: `  kindex state backup /var/backups/kindex-$(date +%F).db --state /var/lib/kindex/kindex.db
  kindex state backup --force kindex-backup.db --state postgres://kindex@db.example.org/kindex`,
	}, asItIs, func(ctx context.Context, s *session) error {
		file := s.args[0]
		r, err := s.Backup(ctx, file, force)
		if err != nil {
			if r != nil {
				printStateReport(s.cmd.ErrOrStderr(), r)
			}
			return err
		}
		i, err := os.Stat(file)
		if err != nil {
			return err
		}
		return s.print(object{"from": s.String(), "to": file, "rows": rowsOf(r.Counts)}, "backed up %s to %s: %d bytes, schema version %d, no problems\nrows: %s",
			s, file, i.Size(), r.Version, formatCounts(r.Counts))
	})
	c.Flags().BoolVar(&force, "force", false, "replace an existing file")
	return c
}

func stateMigrateCommand() *cobra.Command {
	var check bool
	options := *asItIs
	c := onState(&cobra.Command{
		Use: "migrate", Short: "Update the schema of the state",
		Long: `Migrate updates the state to this version's schema; kindex serve does the same when it
starts. With --check it changes nothing, and exits with 1 if a migration is needed.`,
		Example: "  kindex state migrate --check\n  kindex state migrate --state postgres://kindex@db.example.org/kindex",
	}, &options, func(ctx context.Context, s *session) error {
		at, newest, err := s.Versions(ctx)
		if err == nil && at > newest {
			err = &storage.SchemaTooNewError{Target: s.String(), Version: at, Latest: newest}
		}
		if err == nil && at < newest && !check {
			err = s.Migrate(ctx)
		}
		if err != nil {
			return err
		}
		text := fmt.Sprintf("migrated %s from schema version %d to %d", s, at, newest)
		if at == newest {
			text = fmt.Sprintf("%s has schema version %d (current)", s, at)
		} else if check {
			text = fmt.Sprintf("%s has schema version %d; the current version is %d", s, at, newest)
		}
		err = s.print(object{"state": s.String(), "schema": at, "latestSchema": newest, "migrated": at < newest && !check}, "%s", text)
		if err == nil && check && at < newest {
			err = cli.ErrReported
		}
		return err
	})
	c.PreRun = func(*cobra.Command, []string) { options.Exclusive = !check }
	c.Flags().BoolVar(&check, "check", false, "only report")
	return c
}

func stateCopyCommand() *cobra.Command {
	var fromName, toName string
	c := &cobra.Command{
		Use: "copy --from STATE --to STATE", Short: "Copy the database to an empty one, from SQLite to PostgreSQL or vice versa",
		Long: `Copy copies the whole state to an empty or new one in a single transaction, and compares
each table with its source. Stop the edges first: what they write after the copy starts
is not copied. A SQLite file that is being served is refused.`,
		Example: `  kindex state copy --from kindex.db --to postgres://kindex@db.example.org/kindex
  kindex state copy --from kindex-backup.db --to kindex.db`,
		RunE: func(cmd *cobra.Command, _ []string) (failed error) {
			if cli.SameFile(fromName, toName) { // PostgreSQL needs no such check: the target is not empty
				return cli.Usage(fmt.Errorf("--from and --to are the same state, %s; copy to a new one", toName))
			}
			from, err := storage.Open(cmd.Context(), fromName, *asItIs)
			if err != nil {
				return err
			}
			defer func() { failed = errors.Join(failed, from.Close()) }()
			if err := from.LockExclusive(); errors.Is(err, storage.ErrInUse) {
				return fmt.Errorf("%s is being served: stop the edge first, or copy a backup of it", from)
			} else if err != nil {
				return err
			}
			to, err := storage.Open(cmd.Context(), toName, storage.Options{SkipMigrations: true, Exclusive: true})
			if err != nil {
				return err
			}
			defer func() { failed = errors.Join(failed, to.Close()) }()
			counts, err := from.CopyTo(cmd.Context(), to)
			if err != nil {
				return err
			}
			return cli.Print(cmd, object{"from": from.String(), "to": to.String(), "rows": rowsOf(counts)}, func(w io.Writer) {
				fmt.Fprintf(w, "copied %s to %s, verified by row count and checksum\nrows: %s\n", from, to, formatCounts(counts))
			})
		},
	}
	f := c.Flags()
	cli.JSONFlag(c)
	f.StringVar(&fromName, "from", "", "the state to copy: a SQLite file, or postgres://…")
	f.StringVar(&toName, "to", "", "the empty state: a SQLite file, created if missing, or postgres://…")
	return c
}
