package operator

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"kindex/cmd/kindex/cli"
	"kindex/edge/storage"
)

// AccountsCommand returns the command accounts.
func AccountsCommand() *cobra.Command {
	return cli.Group(&cobra.Command{
		Use: "accounts", Short: "List, limit and suspend accounts, and show their audit logs",
		Long: `Every API key belongs to an account, which is created with its first key or at the first
sign-in. A running edge applies changes within half a second.`,
		Example: "  kindex accounts list\n  kindex accounts limit ada 5000\n  kindex accounts log ada",
	}, accountsListCommand(), accountsLimitCommand(), accountsSuspendCommand(), accountsLogCommand())
}

func accountsListCommand() *cobra.Command {
	return onState(&cobra.Command{
		Use: "list", Short: "List accounts",
		Long:    `List shows all accounts by name, with times in UTC.`,
		Example: "  kindex accounts list\n  kindex accounts list --json",
	}, existing, func(ctx context.Context, s *session) error {
		list, err := s.Accounts(ctx)
		if err != nil {
			return err
		}
		head := []string{"NAME", "ID", "KEYS", "LIMIT", "CREATED", "LAST USED", "SUSPENDED"}
		return printList(s, list, "accounts", head, func(a storage.AccountSummary) (object, []string) {
			limit, seconds := limitOf(a.Quota, a.Window)
			return object{"id": a.ID, "name": a.Name, "createdAt": a.CreatedAt, "suspendedAt": cli.OrNull(a.SuspendedAt), "activeKeys": a.ActiveKeys,
					"lastUsedAt": cli.OrNull(a.LastUsedAt), "limit": limit, "windowSeconds": seconds},
				[]string{a.Name, a.ID, strconv.Itoa(a.ActiveKeys), formatLimit(a.Quota, a.Window),
					cli.FormatTime(a.CreatedAt, ""), cli.FormatTime(a.LastUsedAt, "never"), cli.FormatTime(a.SuspendedAt, "-")}
		})
	})
}

// windowOf returns the length of a stored window: 0 means a UTC day.
func windowOf(w time.Duration) time.Duration {
	if w == 0 {
		return 24 * time.Hour
	}
	return w
}

// limitOf returns the limit of an account for JSON output, null if it has none of its own.
func limitOf(quota int64, window time.Duration) (limit, seconds *int64) {
	if quota == 0 {
		return nil, nil
	}
	n := int64(windowOf(window) / time.Second)
	return &quota, &n
}

func formatLimit(quota int64, window time.Duration) string {
	if quota == 0 {
		return "default"
	}
	per := "per UTC day"
	switch w := windowOf(window); {
	case w == time.Hour:
		per = "per hour"
	case w == time.Minute:
		per = "per minute"
	case w%(24*time.Hour) == 0 && w > 24*time.Hour:
		per = fmt.Sprintf("per %d days", w/(24*time.Hour))
	case w != 24*time.Hour:
		per = "per " + w.String()
	}
	return fmt.Sprintf("%d %s", quota, per)
}

// maxRequests and maxWindow are larger than any sensible value; they prevent overflow.
const (
	maxRequests = 1_000_000_000_000
	maxWindow   = 366 * 24 * time.Hour
)

func accountsLimitCommand() *cobra.Command {
	var quota int64
	var window time.Duration
	c := onState(&cobra.Command{
		Use: "limit NAME N|default", Short: "Set an account's request limit",
		Long: `Limit sets how many requests an account may make per time window. Windows are
aligned to 1970-01-01 00:00 UTC: a day is a UTC day, and an hour starts on the hour.
Changing the window resets the account's count. "default" removes the account's own
limit; the edge's --limit-key then applies.`,
		Example: `  kindex accounts limit ada 5000
  kindex accounts limit ada 600 --window minute
  kindex accounts limit ada 100000 --window 168h
  kindex accounts limit ada default`,
		PreRunE: func(cmd *cobra.Command, args []string) (err error) {
			if args[1] != "default" {
				quota, err = strconv.ParseInt(args[1], 10, 64)
				if err != nil || quota < 1 || quota > maxRequests {
					return cli.Usage(fmt.Errorf("%q: use a number of requests from 1 to %d, or default; to block an account: kindex accounts suspend %q", args[1], maxRequests, args[0]))
				}
			} else if cli.OnCommandLine(cmd.Flags(), "window") {
				return cli.Usage(errors.New("--window cannot be combined with default: the default window is a UTC day"))
			}
			return nil
		},
	}, existing, func(ctx context.Context, s *session) error {
		name := s.args[0]
		if err := s.change(ctx, name, func(tx *storage.Tx, id string) error { return tx.SetQuota(id, quota, window) }); err != nil {
			return err
		}
		limit, seconds := limitOf(quota, window)
		return s.print(object{"account": name, "limit": limit, "windowSeconds": seconds}, "the limit for %q is now: %s", name, formatLimit(quota, window))
	})
	cli.Var(c.Flags(), &window, "window", "window", "day", "the window: day, hour, minute, or a duration such as 24h or 90s", parseWindow)
	return c
}

func parseWindow(s string) (time.Duration, error) {
	switch s {
	case "day":
		return 0, nil
	case "hour":
		return time.Hour, nil
	case "minute":
		return time.Minute, nil
	}
	d, err := time.ParseDuration(s)
	if err != nil || d < time.Second || d > maxWindow || d%time.Second != 0 {
		return 0, fmt.Errorf("%q is not a window: use day, hour, minute, or whole seconds up to 366 days, such as 24h or 90s", s)
	}
	return d, nil
}

func accountsSuspendCommand() *cobra.Command {
	var undo bool
	c := onState(&cobra.Command{
		Use: "suspend NAME", Short: "Suspend or reinstate an account",
		Long: `Suspend blocks an account: requests with its keys get 403 account-suspended, its
owner cannot sign in, and no keys can be created for it. --undo reinstates it with its
existing keys.`,
		Example: "  kindex accounts suspend ada\n  kindex accounts suspend ada --undo",
	}, existing, func(ctx context.Context, s *session) error {
		change, now := (*storage.Tx).Suspend, "is suspended"
		if undo {
			change, now = (*storage.Tx).Unsuspend, "is not suspended"
		}
		if err := s.change(ctx, s.args[0], change); err != nil {
			return err
		}
		return s.print(object{"account": s.args[0], "suspended": !undo}, "the account %q %s", s.args[0], now)
	})
	c.Flags().BoolVar(&undo, "undo", false, "reinstate the account")
	return c
}

// change changes an account, by its ID.
func (s *session) change(ctx context.Context, name string, change func(tx *storage.Tx, id string) error) error {
	account, _, err := s.findAccount(ctx, name)
	if err != nil {
		return err
	}
	return s.Write(ctx, func(tx *storage.Tx) error { return change(tx, account.ID) })
}

func (s *session) findAccount(ctx context.Context, name string) (found storage.AccountSummary, all []storage.AccountSummary, err error) {
	if all, err = s.Accounts(ctx); err != nil {
		return found, nil, err
	}
	var names []string
	for _, a := range all {
		if a.Name == name {
			return a, all, nil
		}
		names = append(names, a.Name)
	}
	return found, all, cli.UnknownName("account", name, names)
}

func accountsLogCommand() *cobra.Command {
	var limit int
	c := onState(&cobra.Command{
		Use: "log NAME", Short: "Show an account's audit log",
		Long: fmt.Sprintf(`Log shows the audit log of an account, newest entries first: what was done, when, by
whom, and from which IP address. The owner sees the same log in the panel and at
GET /api/developer/audit. Entries are kept for %d days, but at most the newest %d for
each kind of action. Times are UTC.`, storage.AuditRetention/(24*time.Hour), storage.AuditPerAction),
		Example: "  kindex accounts log ada\n  kindex accounts log ada --limit 1000 --json",
	}, existing, func(ctx context.Context, s *session) error {
		account, _, err := s.findAccount(ctx, s.args[0])
		if err != nil {
			return err
		}
		list, count, err := s.AuditLog(ctx, account.ID, 0, limit)
		if err != nil {
			return err
		}
		err = printList(s, list, "entries", []string{"TIME", "ACTION", "ACTOR", "ADDRESS", "TARGET", "DETAIL"}, func(e storage.AuditEntry) (object, []string) {
			actor := string(e.Actor.Kind)
			if e.Actor.ID != "" {
				actor += " " + e.Actor.ID + " (" + e.Actor.Name + ")"
			}
			return object{"id": e.ID(), "at": e.At, "action": e.Action, "actor": e.Actor.Kind, "actorId": e.Actor.ID, "actorName": e.Actor.Name,
				"address": e.Actor.Address, "target": e.Target, "detail": e.Detail}, []string{e.At.Format("2006-01-02 15:04:05"), string(e.Action), actor, cmp.Or(e.Actor.Address, "-"), cmp.Or(e.Target, "-"), cmp.Or(e.Detail, "-")}
		})
		if more := count - len(list); more > 0 && !cli.AsJSON(s.cmd) {
			fmt.Fprintf(s.cmd.ErrOrStderr(), "%d older entries are not shown; see --limit\n", more)
		}
		return err
	})
	c.Flags().IntVar(&limit, "limit", 100, "show at most this many entries")
	cli.AtLeast(c.Flags(), &limit, "limit", 1)
	return c
}
