package operator

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"kindex/cmd/kindex/cli"
	"kindex/edge/apikey"
	"kindex/edge/storage"
	"kindex/exports/didyoumean"
)

// KeysCommand returns the command keys.
func KeysCommand() *cobra.Command {
	c := &cobra.Command{
		Use: "keys", Short: "Create, list and revoke API keys",
		Long: `Create API keys for people who cannot create their first key themselves. A key is
shown only once, when it is created; the state stores only its SHA-256 hash. A running
edge applies changes within half a second.`,
		Example: "  kindex keys create --account ada\n  kindex keys list",
		Args:    cli.NoSuchCommand,
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	c.AddCommand(keysCreateCommand(), keysListCommand(), keysRevokeCommand())
	return c
}

type keysCreateOptions struct {
	state, account, name string
	scopes               []string
	expires              string
	replace, json        bool
}

func keysCreateCommand() *cobra.Command {
	var o keysCreateOptions
	c := &cobra.Command{
		Use: "create --account NAME", Short: "Create an API key and print it",
		Long: `Create creates an API key and prints it, and nothing else, to standard output; --json
prints it with its details. The key is shown only once. The account and a SQLite state
are created if missing. With --replace, the account's keys with the same name are
revoked in the same transaction.

A key has every scope unless --scopes selects some of them:

  read      read the index
  submit    submit entities, and list and withdraw the account's submissions
  webhooks  manage the account's webhooks
  keys      manage the account's keys and read its audit log`,
		Example: `  kindex keys create --account ada
  kindex keys create --account ada --name notebook --scopes read --expires 90d
  KEY=$(kindex keys create --account ada --name "build server" --state /var/lib/kindex/kindex.db)`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return runKeysCreate(cmd, o) },
	}
	f := c.Flags()
	stateFlag(f, &o.state)
	f.StringVar(&o.account, "account", "", "the account that the key belongs to; created if missing")
	cli.JSONFlag(f, &o.json)
	f.StringVar(&o.name, "name", "default", "a name for the key")
	f.StringSliceVar(&o.scopes, "scopes", strings.Split(apikey.Everything.Join(","), ","), "the scopes of the key")
	f.StringVar(&o.expires, "expires", "never", "when the key expires: days such as 90d, a UTC date, a time (RFC 3339), or never")
	f.BoolVar(&o.replace, "replace", false, "revoke the account's existing keys that have the same name")
	return c
}

func runKeysCreate(cmd *cobra.Command, o keysCreateOptions) error {
	if o.account == "" {
		return cli.Usage(fmt.Errorf("--account is required; see %s --help", cmd.CommandPath()))
	}
	for _, n := range []struct{ flag, value string }{{"account", o.account}, {"name", o.name}} {
		if err := apikey.CheckName(n.value); err != nil {
			return cli.Usage(fmt.Errorf("--%s %q %w", n.flag, n.value, err))
		}
	}
	grant := apikey.Grant{Name: o.name}
	var err error
	if grant.Scopes, err = apikey.ParseScopes(o.scopes); err != nil {
		return cli.Usage(fmt.Errorf("--scopes %s: it %w", strings.Join(o.scopes, ","), err))
	}
	if grant.ExpiresAt, err = parseExpiry(o.expires, time.Now()); err != nil {
		return cli.Usage(fmt.Errorf("--expires %q %w", o.expires, err))
	}
	secret := apikey.Generate()
	var made apikey.Key
	err = withState(cmd, o.state, true, func(ctx context.Context, s *storage.State) error {
		return s.Write(ctx, func(tx *storage.Tx) error {
			account, err := tx.EnsureAccount(o.account)
			if err == nil && o.replace {
				err = tx.RevokeKeysNamed(account.ID, o.name)
			}
			if err == nil {
				made, err = tx.CreateLimitedKey(account.ID, grant, secret)
			}
			return err
		})
	})
	var suspended *apikey.SuspendedError
	switch {
	case errors.Is(err, apikey.ErrTooMany):
		return fmt.Errorf("%w; to list them: kindex keys list --account %q", err, o.account)
	case errors.As(err, &suspended):
		return fmt.Errorf("%w; to reinstate it: kindex accounts suspend --undo %q", err, o.account)
	case err != nil:
		return err
	}
	if o.json {
		err = cli.PrintIndentedJSON(cmd.OutOrStdout(), createdKey{secret.Reveal(), newKeyLine(made, o.account)})
	} else {
		fmt.Fprintln(cmd.OutOrStdout(), secret.Reveal())
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "created %s for the account %q; the key will not be shown again\n", made.ID, o.account)
	return err
}

// parseExpiry parses a key's expiry. It returns the zero time for a key that
// never expires.
func parseExpiry(text string, now time.Time) (at time.Time, err error) {
	days, isDays := strings.CutSuffix(text, "d")
	n, numberErr := strconv.Atoi(days)
	switch {
	case text == "never":
		return time.Time{}, nil
	case isDays && numberErr == nil && n < 10_000:
		at = now.AddDate(0, 0, n)
	default:
		if at, err = time.Parse(time.DateOnly, text); err != nil {
			at, err = time.Parse(time.RFC3339, text)
		}
	}
	if err != nil {
		return at, errors.New("is not a valid expiry; use days such as 90d, a date such as 2027-01-31, a time such as 2027-01-31T12:00:00Z, or never")
	}
	at = at.UTC().Truncate(time.Second)
	return at, apikey.CheckExpiry(at, now)
}

type keysListOptions struct {
	state, account string
	all, json      bool
}

func keysListCommand() *cobra.Command {
	var o keysListOptions
	c := &cobra.Command{
		Use: "list", Short: "List API keys, masked",
		Long: `List shows the active keys of one account or of all accounts, oldest first. Times are UTC.
The last use of a key is recorded with a delay of a few seconds. Keys created before
scopes existed have all scopes; they are marked "legacy".`,
		Example: "  kindex keys list\n  kindex keys list --account ada --all --json",
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return runKeysList(cmd, o) },
	}
	f := c.Flags()
	stateFlag(f, &o.state)
	f.StringVar(&o.account, "account", "", "only the keys of this account")
	f.BoolVar(&o.all, "all", false, "also show revoked and expired keys")
	cli.JSONFlag(f, &o.json)
	return c
}

// keyLine is a key in JSON output.
type keyLine struct {
	ID         string         `json:"id"`
	Name       string         `json:"name"`
	Account    string         `json:"account"`
	Masked     string         `json:"masked"`
	Scopes     []apikey.Scope `json:"scopes"`
	Legacy     bool           `json:"legacy"`
	ExpiresAt  *time.Time     `json:"expiresAt"`
	CreatedAt  time.Time      `json:"createdAt"`
	LastUsedAt *time.Time     `json:"lastUsedAt"`
	RevokedAt  *time.Time     `json:"revokedAt"`
}

// createdKey is a new key in JSON output. No other output contains the key itself.
type createdKey struct {
	Key string `json:"key"`
	keyLine
}

func newKeyLine(k apikey.Key, account string) keyLine {
	return keyLine{k.ID, k.Name, account, k.Masked, k.Scopes.List(), k.Legacy, cli.OrNull(k.ExpiresAt), k.CreatedAt, cli.OrNull(k.LastUsedAt), cli.OrNull(k.RevokedAt)}
}

func runKeysList(cmd *cobra.Command, o keysListOptions) error {
	return withState(cmd, o.state, false, func(ctx context.Context, s *storage.State) error {
		accounts, err := s.Accounts(ctx)
		if err != nil {
			return err
		}
		names := map[string]string{}
		for _, a := range accounts {
			names[a.ID] = a.Name
		}
		if o.account != "" {
			if _, err := findAccount(accounts, o.account); err != nil {
				return err
			}
		}
		list, err := s.AllKeys(ctx)
		if err != nil {
			return err
		}
		shown := list[:0]
		for _, k := range list {
			if (o.account == "" || names[k.AccountID] == o.account) && (o.all || k.RevokedAt.IsZero() && !k.Expired(time.Now())) {
				shown = append(shown, k)
			}
		}
		return printKeys(cmd, o, shown, names)
	})
}

func printKeys(cmd *cobra.Command, o keysListOptions, list []apikey.Key, names map[string]string) error {
	if o.json {
		lines := make([]keyLine, len(list))
		for i, k := range list {
			lines[i] = newKeyLine(k, names[k.AccountID])
		}
		return cli.PrintJSONLines(cmd.OutOrStdout(), cli.WithoutErrors(lines))
	}
	if len(list) == 0 {
		fmt.Fprintln(cmd.OutOrStdout(), "no keys")
		return nil
	}
	head := []string{"ID", "ACCOUNT", "NAME", "KEY", "SCOPES", "EXPIRES", "CREATED", "LAST USED"}
	if o.all {
		head = append(head, "REVOKED")
	}
	rows := [][]string{head}
	for _, k := range list {
		scopes := k.Scopes.Join(",")
		if k.Legacy {
			scopes += " (legacy)"
		}
		row := []string{k.ID, names[k.AccountID], k.Name, k.Masked, scopes, cli.FormatTime(k.ExpiresAt, "never"), cli.FormatTime(k.CreatedAt, ""), cli.FormatTime(k.LastUsedAt, "never")}
		if o.all {
			row = append(row, cli.FormatTime(k.RevokedAt, "-"))
		}
		rows = append(rows, row)
	}
	cli.PrintTable(cmd, rows)
	return nil
}

func keysRevokeCommand() *cobra.Command {
	var target string
	var asJSON bool
	c := &cobra.Command{
		Use: "revoke ID", Short: "Revoke an API key permanently",
		Long: `Revoke revokes a key permanently: a running edge rejects it within half a second. To
find its ID, such as key_h3jd…, use kindex keys list.`,
		Example: "  kindex keys revoke key_h3jd2mq7xkzc4v5wtbna",
		Args:    cobra.ExactArgs(1),
		RunE:    func(cmd *cobra.Command, args []string) error { return runKeysRevoke(cmd, target, args[0], asJSON) },
	}
	stateFlag(c.Flags(), &target)
	cli.JSONFlag(c.Flags(), &asJSON)
	return c
}

// revokedKey is the result of revoking a key in JSON output. Its outcome is revoked,
// already-revoked or expired.
type revokedKey struct {
	ID      string `json:"id"`
	Masked  string `json:"masked"`
	Outcome string `json:"outcome"`
}

func runKeysRevoke(cmd *cobra.Command, target, id string, asJSON bool) error {
	if strings.HasPrefix(id, apikey.Prefix) {
		// Do not print the argument: it may be a complete key.
		return cli.Usage(errors.New("expected a key ID starting with key_, not the key itself; to list IDs: kindex keys list"))
	}
	return withState(cmd, target, false, func(ctx context.Context, s *storage.State) error {
		var k apikey.Key
		revoked := false
		err := s.Write(ctx, func(tx *storage.Tx) (err error) {
			if k, err = tx.Key(id); err == nil {
				revoked, err = tx.RevokeKey(k.AccountID, id)
			}
			return err
		})
		switch {
		case errors.Is(err, apikey.ErrUnknown):
			return unknownKey(ctx, s, id)
		case err != nil:
			return err
		}
		outcome, text := "revoked", fmt.Sprintf("revoked %s (%s)", k.ID, k.Masked)
		switch {
		case !revoked && k.RevokedAt.IsZero():
			outcome, text = "expired", fmt.Sprintf("%s (%s) expired on %s", k.ID, k.Masked, cli.FormatTime(k.ExpiresAt, ""))
		case !revoked:
			outcome, text = "already-revoked", fmt.Sprintf("%s (%s) was already revoked", k.ID, k.Masked)
		}
		if asJSON {
			return cli.PrintIndentedJSON(cmd.OutOrStdout(), revokedKey{k.ID, k.Masked, outcome})
		}
		fmt.Fprintln(cmd.OutOrStdout(), text)
		return nil
	})
}

func unknownKey(ctx context.Context, s *storage.State, id string) error {
	list, err := s.AllKeys(ctx)
	if err != nil {
		return err
	}
	ids := make([]string, len(list))
	for i, k := range list {
		ids[i] = k.ID
	}
	return cli.UnknownName("key", id, nil, didyoumean.Name(id, ids))
}

// findAccount returns the account with the given name.
func findAccount(accounts []storage.AccountSummary, name string) (storage.AccountSummary, error) {
	var names []string
	for _, a := range accounts {
		if a.Name == name {
			return a, nil
		}
		names = append(names, a.Name)
	}
	return storage.AccountSummary{}, cli.UnknownName("account", name, nil, didyoumean.Name(name, names))
}
