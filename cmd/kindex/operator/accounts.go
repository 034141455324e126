package operator

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"kindex/cmd/kindex/cli"
	"kindex/edge/apikey"
	"kindex/edge/storage"
)

// AccountsCommand returns the command accounts.
func AccountsCommand() *cobra.Command {
	c := &cobra.Command{
		Use: "accounts", Short: "List, limit and suspend accounts, and show their audit logs",
		Long: `Every API key belongs to an account. An account is created when its first
key is created with kindex keys create, or when somebody signs in for the first time.
A running edge applies changes within half a second.`,
		Example: "  kindex accounts list\n  kindex accounts limit ada 5000\n  kindex accounts log ada",
		Args:    cli.NoSuchCommand,
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	c.AddCommand(accountsListCommand(), accountsLimitCommand(), accountsSuspendCommand(), accountsLogCommand())
	return c
}

func accountsListCommand() *cobra.Command {
	var target string
	var asJSON bool
	c := &cobra.Command{
		Use: "list", Short: "List accounts",
		Long: `List shows all accounts by name, with the number of active keys, the account's own
limit if it has one, and when a key was last used. Times are UTC.`,
		Example: "  kindex accounts list\n  kindex accounts list --json",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return withState(cmd, target, false, func(ctx context.Context, s *storage.State) error {
				list, err := s.Accounts(ctx)
				if err != nil {
					return err
				}
				return printAccounts(cmd, list, asJSON)
			})
		},
	}
	stateFlag(c.Flags(), &target)
	cli.JSONFlag(c.Flags(), &asJSON)
	return c
}

// accountLine is an account in JSON output. If the account has no limit of its own, limit
// and windowSeconds are null.
type accountLine struct {
	ID            string     `json:"id"`
	Name          string     `json:"name"`
	CreatedAt     time.Time  `json:"createdAt"`
	SuspendedAt   *time.Time `json:"suspendedAt"`
	ActiveKeys    int        `json:"activeKeys"`
	LastUsedAt    *time.Time `json:"lastUsedAt"`
	Limit         *int64     `json:"limit"`
	WindowSeconds *int64     `json:"windowSeconds"`
}

func printAccounts(cmd *cobra.Command, list []storage.AccountSummary, asJSON bool) error {
	if asJSON {
		lines := make([]accountLine, len(list))
		for i, a := range list {
			line := accountLine{ID: a.ID, Name: a.Name, CreatedAt: a.CreatedAt, SuspendedAt: cli.OrNull(a.SuspendedAt),
				ActiveKeys: a.ActiveKeys, LastUsedAt: cli.OrNull(a.LastUsedAt)}
			if a.Quota > 0 {
				seconds := int64(windowOf(a.Window) / time.Second)
				line.Limit, line.WindowSeconds = &a.Quota, &seconds
			}
			lines[i] = line
		}
		return cli.PrintJSONLines(cmd.OutOrStdout(), cli.WithoutErrors(lines))
	}
	if len(list) == 0 {
		fmt.Fprintln(cmd.OutOrStdout(), "no accounts")
		return nil
	}
	rows := [][]string{{"NAME", "ID", "KEYS", "LIMIT", "CREATED", "LAST USED", "SUSPENDED"}}
	for _, a := range list {
		rows = append(rows, []string{a.Name, a.ID, strconv.Itoa(a.ActiveKeys), formatLimit(a.Quota, a.Window),
			cli.FormatTime(a.CreatedAt, ""), cli.FormatTime(a.LastUsedAt, "never"), cli.FormatTime(a.SuspendedAt, "-")})
	}
	cli.PrintTable(cmd, rows)
	return nil
}

// windowOf returns the length of a stored window: 0 means a UTC day.
func windowOf(w time.Duration) time.Duration {
	if w == 0 {
		return 24 * time.Hour
	}
	return w
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

type accountsLimitOptions struct {
	state, window string
	json          bool
}

func accountsLimitCommand() *cobra.Command {
	var o accountsLimitOptions
	c := &cobra.Command{
		Use: "limit NAME N|default", Short: "Set an account's request limit",
		Long: `Limit sets how many requests an account may make per time window. Windows are
aligned to 1970-01-01 00:00 UTC: a day is a UTC day, and an hour starts on the hour.
Changing the window resets the account's count. "default" removes the account's own
limit; the edge's --limit-key then applies.`,
		Example: `  kindex accounts limit ada 5000
  kindex accounts limit ada 600 --window minute
  kindex accounts limit ada 100000 --window 168h
  kindex accounts limit ada default`,
		Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error { return runAccountsLimit(cmd, o, args[0], args[1]) },
	}
	stateFlag(c.Flags(), &o.state)
	cli.JSONFlag(c.Flags(), &o.json)
	c.Flags().StringVar(&o.window, "window", "day", "the window: day, hour, minute, or a duration such as 24h or 90s")
	return c
}

// maxRequests and maxWindow are larger than any sensible value; they prevent overflow.
const (
	maxRequests = 1_000_000_000_000
	maxWindow   = 366 * 24 * time.Hour
)

// accountLimit is the limit of an account in JSON output; null means the default.
type accountLimit struct {
	Account       string `json:"account"`
	Limit         *int64 `json:"limit"`
	WindowSeconds *int64 `json:"windowSeconds"`
}

func runAccountsLimit(cmd *cobra.Command, o accountsLimitOptions, name, number string) error {
	var quota int64
	if number != "default" {
		var err error
		quota, err = strconv.ParseInt(number, 10, 64)
		if err != nil || quota < 1 || quota > maxRequests {
			return cli.Usage(fmt.Errorf("%q: use a number of requests from 1 to %d, or default; to block an account: kindex accounts suspend %q", number, maxRequests, name))
		}
	} else if cli.OnCommandLine(cmd.Flags(), "window") {
		return cli.Usage(errors.New("--window cannot be combined with default: the default window is a UTC day"))
	}
	window, err := parseWindow(o.window)
	if err != nil {
		return err
	}
	changed := accountLimit{Account: name}
	if quota > 0 {
		seconds := int64(windowOf(window) / time.Second)
		changed.Limit, changed.WindowSeconds = &quota, &seconds
	}
	return changeAccount(cmd, o.state, name, func(tx *storage.Tx, a apikey.Account) error { return tx.SetQuota(a.ID, quota, window) },
		func(w io.Writer) error {
			if o.json {
				return cli.PrintIndentedJSON(w, changed)
			}
			fmt.Fprintf(w, "the limit for %q is now: %s\n", name, formatLimit(quota, window))
			return nil
		})
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
		return 0, cli.Usage(fmt.Errorf("--window %q: use day, hour, minute, or whole seconds up to 366 days, such as 24h or 90s", s))
	}
	return d, nil
}

func accountsSuspendCommand() *cobra.Command {
	var target string
	var undo, asJSON bool
	c := &cobra.Command{
		Use: "suspend NAME", Short: "Suspend or reinstate an account",
		Long: `Suspend blocks an account: requests with its keys get 403 account-suspended, its
owner cannot sign in, and no keys can be created for it. --undo reinstates it with its
existing keys.`,
		Example: "  kindex accounts suspend ada\n  kindex accounts suspend ada --undo",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			change, now := (*storage.Tx).Suspend, "is suspended"
			if undo {
				change, now = (*storage.Tx).Unsuspend, "is not suspended"
			}
			return changeAccount(cmd, target, args[0], func(tx *storage.Tx, a apikey.Account) error { return change(tx, a.ID) },
				func(w io.Writer) error {
					if asJSON {
						return cli.PrintIndentedJSON(w, accountSuspension{args[0], !undo})
					}
					fmt.Fprintf(w, "the account %q %s\n", args[0], now)
					return nil
				})
		},
	}
	stateFlag(c.Flags(), &target)
	cli.JSONFlag(c.Flags(), &asJSON)
	c.Flags().BoolVar(&undo, "undo", false, "reinstate the account")
	return c
}

// accountSuspension is the result of suspending or reinstating an account in JSON output.
type accountSuspension struct {
	Account   string `json:"account"`
	Suspended bool   `json:"suspended"`
}

// changeAccount changes an account and prints the result.
func changeAccount(cmd *cobra.Command, target, name string, change func(*storage.Tx, apikey.Account) error, show func(io.Writer) error) error {
	return withState(cmd, target, false, func(ctx context.Context, s *storage.State) error {
		err := s.Write(ctx, func(tx *storage.Tx) error {
			a, err := tx.AccountNamed(name)
			if err != nil {
				return err
			}
			return change(tx, a)
		})
		if errors.Is(err, apikey.ErrNoAccount) {
			accounts, err := s.Accounts(ctx)
			if err != nil {
				return err
			}
			_, err = findAccount(accounts, name)
			return err
		}
		if err != nil {
			return err
		}
		return show(cmd.OutOrStdout())
	})
}
