package operator

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"kindex/cmd/kindex/cli"
	"kindex/edge/storage"
)

type accountsLogOptions struct {
	state string
	limit int
	json  bool
}

func accountsLogCommand() *cobra.Command {
	var o accountsLogOptions
	c := &cobra.Command{
		Use: "log NAME", Short: "Show an account's audit log",
		Long: fmt.Sprintf(`Log shows the audit log of an account, newest entries first: what was done, when, by
whom, and from which IP address. The owner sees the same log in the panel and at
GET /api/developer/audit. Entries are kept for %d days, but at most the newest %d for
each kind of action. Times are UTC.`, storage.AuditRetention/(24*time.Hour), storage.AuditPerAction),
		Example: "  kindex accounts log ada\n  kindex accounts log ada --limit 1000 --json",
		Args:    cobra.ExactArgs(1),
		RunE:    func(cmd *cobra.Command, args []string) error { return runAccountsLog(cmd, o, args[0]) },
	}
	stateFlag(c.Flags(), &o.state)
	c.Flags().IntVar(&o.limit, "limit", 100, "show at most this many entries")
	cli.JSONFlag(c.Flags(), &o.json)
	return c
}

func runAccountsLog(cmd *cobra.Command, o accountsLogOptions, name string) error {
	if o.limit < 1 {
		return cli.Usage(fmt.Errorf("--limit %d: use 1 or more", o.limit))
	}
	return withState(cmd, o.state, false, func(ctx context.Context, s *storage.State) error {
		accounts, err := s.Accounts(ctx)
		if err != nil {
			return err
		}
		account, err := findAccount(accounts, name)
		if err != nil {
			return err
		}
		list, count, err := s.AuditLog(ctx, account.ID, 0, o.limit)
		if err != nil {
			return err
		}
		return printLog(cmd, list, count, o.json)
	})
}

// logLine is an entry in JSON output. Unknown or inapplicable values are "".
type logLine struct {
	ID        string            `json:"id"`
	At        time.Time         `json:"at"`
	Action    storage.Action    `json:"action"`
	Actor     storage.ActorKind `json:"actor"`
	ActorID   string            `json:"actorId"`
	ActorName string            `json:"actorName"`
	Address   string            `json:"address"`
	Target    string            `json:"target"`
	Detail    string            `json:"detail"`
}

func printLog(cmd *cobra.Command, list []storage.AuditEntry, count int, asJSON bool) error {
	if asJSON {
		lines := make([]logLine, len(list))
		for i, e := range list {
			lines[i] = logLine{e.ID(), e.At, e.Action, e.Actor.Kind, e.Actor.ID, e.Actor.Name, e.Actor.Address, e.Target, e.Detail}
		}
		return cli.PrintJSONLines(cmd.OutOrStdout(), cli.WithoutErrors(lines))
	}
	if len(list) == 0 {
		fmt.Fprintln(cmd.OutOrStdout(), "no entries")
		return nil
	}
	rows := [][]string{{"TIME", "ACTION", "ACTOR", "ADDRESS", "TARGET", "DETAIL"}}
	for _, e := range list {
		actor := string(e.Actor.Kind)
		if e.Actor.ID != "" {
			actor += " " + e.Actor.ID + " (" + e.Actor.Name + ")"
		}
		rows = append(rows, []string{e.At.Format("2006-01-02 15:04:05"), string(e.Action), actor, cli.OrDash(e.Actor.Address), cli.OrDash(e.Target), cli.OrDash(e.Detail)})
	}
	cli.PrintTable(cmd, rows)
	if more := count - len(list); more > 0 {
		fmt.Fprintf(cmd.ErrOrStderr(), "%d older entries are not shown; see --limit\n", more)
	}
	return nil
}
