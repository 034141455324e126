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
)

// KeysCommand returns the command keys.
func KeysCommand() *cobra.Command {
	return cli.Group(&cobra.Command{
		Use: "keys", Short: "Create, list and revoke API keys",
		Long: `Create API keys for people who cannot create their first key themselves. The state stores
only their SHA-256. A running edge applies changes within half a second.`,
		Example: "  kindex keys create --account ada\n  kindex keys list",
	}, keysCreateCommand(), keysListCommand(), keysRevokeCommand())
}

func keyObject(k apikey.Key, account string) object {
	return object{"id": k.ID, "name": k.Name, "account": account, "masked": k.Masked, "scopes": k.Scopes.Names(), "legacy": k.Legacy,
		"expiresAt": cli.OrNull(k.ExpiresAt), "createdAt": k.CreatedAt, "lastUsedAt": cli.OrNull(k.LastUsedAt), "revokedAt": cli.OrNull(k.RevokedAt)}
}

func keysCreateCommand() *cobra.Command {
	var account string
	var grant apikey.Grant
	var scopes []string
	var replace bool
	c := onState(&cobra.Command{
		Use: "create --account NAME", Short: "Create an API key and print it",
		Long: `Create creates an API key and prints it, and nothing else, to standard output. It is
shown only once. The account and a SQLite state are created if missing. With --replace,
the account's keys with the same name are revoked. A key has every scope unless --scopes
selects some of read, submit, webhooks and keys; see site/docs/accounts.md.`,
		Example: `  kindex keys create --account ada
  kindex keys create --account ada --name notebook --scopes read --expires 90d
  KEY=$(kindex keys create --account ada --name "build server" --state /var/lib/kindex/kindex.db)`,
		PreRunE: func(cmd *cobra.Command, _ []string) (err error) {
			if grant.Scopes, err = apikey.ParseScopes(scopes); err != nil {
				return cli.Usage(fmt.Errorf("--scopes %s: it %w", strings.Join(scopes, ","), err))
			}
			return nil
		},
	}, &storage.Options{}, func(ctx context.Context, s *session) error {
		secret := apikey.Generate()
		var made apikey.Key
		err := s.Write(ctx, func(tx *storage.Tx) error {
			owner, err := tx.EnsureAccount(account)
			if err == nil && replace {
				err = tx.RevokeKeysNamed(owner.ID, grant.Name)
			}
			if err == nil {
				made, err = tx.CreateLimitedKey(owner.ID, grant, secret)
			}
			return err
		})
		var suspended *apikey.SuspendedError
		switch {
		case errors.Is(err, apikey.ErrTooMany):
			return fmt.Errorf("%w; to list them: kindex keys list --account %q", err, account)
		case errors.As(err, &suspended):
			return fmt.Errorf("%w; to reinstate it: kindex accounts suspend --undo %q", err, account)
		case err != nil:
			return err
		}
		report := keyObject(made, account)
		report["key"] = secret.Reveal() // no other output contains the key itself
		err = s.print(report, "%s", secret.Reveal())
		fmt.Fprintf(s.cmd.ErrOrStderr(), "created %s for the account %q; the key will not be shown again\n", made.ID, account)
		return err
	})
	f := c.Flags()
	cli.Var(f, &account, "account", "name", "", "the account that the key belongs to; created if missing", checkName)
	cli.Var(f, &grant.Name, "name", "name", "default", "a name for the key", checkName)
	f.StringSliceVar(&scopes, "scopes", apikey.Everything.Names(), "the scopes of the key")
	cli.Var(f, &grant.ExpiresAt, "expires", "expiry", "never", "when the key expires: days such as 90d, a UTC date, a time (RFC 3339), or never", parseExpiry)
	f.BoolVar(&replace, "replace", false, "revoke the account's existing keys that have the same name")
	return c
}

func checkName(name string) (string, error) {
	err := apikey.CheckName(name)
	if err != nil {
		err = fmt.Errorf("%q %w", name, err)
	}
	return name, err
}

// parseExpiry parses a key's expiry. It returns the zero time for a key that
// never expires.
func parseExpiry(text string) (at time.Time, err error) {
	now := time.Now()
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
		return at, fmt.Errorf("%q is not a valid expiry; use days such as 90d, a date such as 2027-01-31, a time such as 2027-01-31T12:00:00Z, or never", text)
	}
	at = at.UTC().Truncate(time.Second)
	if err = apikey.CheckExpiry(at, now); err != nil {
		err = fmt.Errorf("%q %w", text, err)
	}
	return at, err
}

func keysListCommand() *cobra.Command {
	var account string
	var all bool
	c := onState(&cobra.Command{
		Use: "list", Short: "List API keys, masked",
		Long: `List shows the active keys of one account or of all accounts, oldest first, with times in
UTC. Keys from before scopes existed have all scopes; they are marked "legacy".`,
		Example: "  kindex keys list\n  kindex keys list --account ada --all --json",
	}, existing, func(ctx context.Context, s *session) error {
		_, accounts, err := s.findAccount(ctx, account)
		if err != nil && (account != "" || accounts == nil) {
			return err
		}
		names := map[string]string{}
		for _, a := range accounts {
			names[a.ID] = a.Name
		}
		list, err := s.AllKeys(ctx)
		if err != nil {
			return err
		}
		shown := list[:0]
		for _, k := range list {
			if (account == "" || names[k.AccountID] == account) && (all || k.RevokedAt.IsZero() && !k.Expired(time.Now())) {
				shown = append(shown, k)
			}
		}
		head := []string{"ID", "ACCOUNT", "NAME", "KEY", "SCOPES", "EXPIRES", "CREATED", "LAST USED", "REVOKED"}
		columns := len(head)
		if !all {
			columns--
		}
		return printList(s, shown, "keys", head[:columns], func(k apikey.Key) (object, []string) {
			scopes := strings.Join(k.Scopes.Names(), ",")
			if k.Legacy {
				scopes += " (legacy)"
			}
			return keyObject(k, names[k.AccountID]), []string{k.ID, names[k.AccountID], k.Name, k.Masked, scopes, cli.FormatTime(k.ExpiresAt, "never"), cli.FormatTime(k.CreatedAt, ""),
				cli.FormatTime(k.LastUsedAt, "never"), cli.FormatTime(k.RevokedAt, "-")}[:columns]
		})
	})
	c.Flags().StringVar(&account, "account", "", "only the keys of this account")
	c.Flags().BoolVar(&all, "all", false, "also show revoked and expired keys")
	return c
}

func keysRevokeCommand() *cobra.Command {
	return onState(&cobra.Command{
		Use: "revoke ID", Short: "Revoke an API key permanently",
		Long: `Revoke revokes a key permanently: a running edge rejects it within half a second. To
find its ID, such as key_h3jd…, use kindex keys list.`,
		Example: "  kindex keys revoke key_h3jd2mq7xkzc4v5wtbna",
		PreRunE: func(_ *cobra.Command, args []string) error {
			if strings.HasPrefix(args[0], apikey.Prefix) {
				// Do not print the argument: it may be a complete key.
				return cli.Usage(errors.New("expected a key ID starting with key_, not the key itself; to list IDs: kindex keys list"))
			}
			return nil
		},
	}, existing, func(ctx context.Context, s *session) error {
		var k apikey.Key
		revoked := false
		err := s.Write(ctx, func(tx *storage.Tx) (err error) {
			if k, err = tx.Key(s.args[0]); err == nil {
				revoked, err = tx.RevokeKey(k.AccountID, k.ID)
			}
			return err
		})
		switch {
		case errors.Is(err, apikey.ErrUnknown):
			return s.unknownKey(ctx)
		case err != nil:
			return err
		}
		outcome, text := "revoked", fmt.Sprintf("revoked %s (%s)", k.ID, k.Masked)
		if !revoked && k.RevokedAt.IsZero() {
			outcome, text = "expired", fmt.Sprintf("%s (%s) expired on %s", k.ID, k.Masked, cli.FormatTime(k.ExpiresAt, ""))
		} else if !revoked {
			outcome, text = "already-revoked", fmt.Sprintf("%s (%s) was already revoked", k.ID, k.Masked)
		}
		return s.print(object{"id": k.ID, "masked": k.Masked, "outcome": outcome}, "%s", text)
	})
}

func (s *session) unknownKey(ctx context.Context) error {
	list, err := s.AllKeys(ctx)
	if err != nil {
		return err
	}
	ids := make([]string, len(list))
	for i, k := range list {
		ids[i] = k.ID
	}
	return cli.UnknownName("key", s.args[0], ids)
}
