package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"kindex/edge/keys"
	"kindex/edge/state"
	"kindex/exports/nearest"
)

func keysCommand() *cobra.Command {
	c := &cobra.Command{
		Use: "keys", Short: "Make, list and revoke API keys",
		Long: `Keys are made here for people who cannot make their first one themselves. A key
is shown once, when it is made; the state has only its SHA-256 hash. A running
edge knows of a change within half a second.`,
		Example: "  kindex keys create --account ada\n  kindex keys list",
		Args:    noSuchCommand,
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	c.AddCommand(keysCreateCommand(), keysListCommand(), keysRevokeCommand())
	return c
}

type keysCreateOptions struct {
	state, account, name string
	replace              bool
}

func keysCreateCommand() *cobra.Command {
	var o keysCreateOptions
	c := &cobra.Command{
		Use: "create --account NAME", Short: "Make an API key and print it",
		Long: `Create makes an API key and prints it, and nothing else, on standard output. It is
shown this once. The account is made where there is none of this name, and so is a
SQLite state. With --replace the keys of the account that have the same name are
revoked in the same moment.`,
		Example: `  kindex keys create --account ada
  KEY=$(kindex keys create --account ada --name "build server" --state /var/lib/kindex/kindex.db)`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return runKeysCreate(cmd, o) },
	}
	f := c.Flags()
	stateFlag(f, &o.state)
	f.StringVar(&o.account, "account", "", "the account that the key is for; made where there is none")
	f.StringVar(&o.name, "name", "default", "what the key is called, to tell it from others")
	f.BoolVar(&o.replace, "replace", false, "revoke the account's keys of the same name")
	return c
}

func runKeysCreate(cmd *cobra.Command, o keysCreateOptions) error {
	if o.account == "" {
		return usageError{fmt.Errorf("--account must say whose key it is; see: %s --help", cmd.CommandPath())}
	}
	for _, n := range []struct{ flag, value string }{{"account", o.account}, {"name", o.name}} {
		if err := keys.CheckName(n.value); err != nil {
			return usageError{fmt.Errorf("--%s %q %w", n.flag, n.value, err)}
		}
	}
	secret := keys.Generate()
	var made keys.Key
	err := withState(cmd, o.state, true, func(ctx context.Context, s *state.State) error {
		return s.Write(ctx, func(tx *state.Tx) error {
			account, err := tx.EnsureAccount(o.account)
			if err == nil && o.replace {
				err = tx.RevokeKeysNamed(account.ID, o.name)
			}
			if err == nil {
				made, err = tx.CreateKey(account.ID, o.name, secret)
			}
			return err
		})
	})
	var suspended *keys.SuspendedError
	switch {
	case errors.Is(err, keys.ErrTooMany):
		return fmt.Errorf("%w; they are listed by: kindex keys list --account %q", err, o.account)
	case errors.As(err, &suspended):
		return fmt.Errorf("%w; it is let in again by: kindex accounts suspend --undo %q", err, o.account)
	case err != nil:
		return err
	}
	fmt.Fprintln(cmd.OutOrStdout(), secret.Reveal())
	fmt.Fprintf(cmd.ErrOrStderr(), "made %s for the account %q; the key is shown this once\n", made.ID, o.account)
	return nil
}

type keysListOptions struct {
	state, account string
	all, json      bool
}

func keysListCommand() *cobra.Command {
	var o keysListOptions
	c := &cobra.Command{
		Use: "list", Short: "List API keys, masked",
		Long: `List shows the active keys, of one account or of all, in the order of their making.
Times are UTC. When a key was used last is known with a delay of a few seconds.`,
		Example: "  kindex keys list\n  kindex keys list --account ada --all --json",
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return runKeysList(cmd, o) },
	}
	f := c.Flags()
	stateFlag(f, &o.state)
	f.StringVar(&o.account, "account", "", "only the keys of this account")
	f.BoolVar(&o.all, "all", false, "show revoked keys too")
	f.BoolVar(&o.json, "json", false, "print a key a line, as JSON")
	return c
}

// keyLine is a key for programs.
type keyLine struct {
	ID         string     `json:"id"`
	Name       string     `json:"name"`
	Account    string     `json:"account"`
	Masked     string     `json:"masked"`
	CreatedAt  time.Time  `json:"createdAt"`
	LastUsedAt *time.Time `json:"lastUsedAt"`
	RevokedAt  *time.Time `json:"revokedAt"`
}

func runKeysList(cmd *cobra.Command, o keysListOptions) error {
	return withState(cmd, o.state, false, func(ctx context.Context, s *state.State) error {
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
			if (o.account == "" || names[k.AccountID] == o.account) && (o.all || k.RevokedAt.IsZero()) {
				shown = append(shown, k)
			}
		}
		return printKeys(cmd, o, shown, names)
	})
}

func printKeys(cmd *cobra.Command, o keysListOptions, list []keys.Key, names map[string]string) error {
	if o.json {
		enc := json.NewEncoder(cmd.OutOrStdout())
		for _, k := range list {
			line := keyLine{k.ID, k.Name, names[k.AccountID], k.Masked, k.CreatedAt, orNull(k.LastUsedAt), orNull(k.RevokedAt)}
			if err := enc.Encode(line); err != nil {
				return err
			}
		}
		return nil
	}
	if len(list) == 0 {
		fmt.Fprintln(cmd.OutOrStdout(), "no keys")
		return nil
	}
	head := []string{"ID", "ACCOUNT", "NAME", "KEY", "CREATED", "LAST USED"}
	if o.all {
		head = append(head, "REVOKED")
	}
	rows := [][]string{head}
	for _, k := range list {
		row := []string{k.ID, names[k.AccountID], k.Name, k.Masked, moment(k.CreatedAt, ""), moment(k.LastUsedAt, "never")}
		if o.all {
			row = append(row, moment(k.RevokedAt, "-"))
		}
		rows = append(rows, row)
	}
	printTable(cmd, rows)
	return nil
}

func keysRevokeCommand() *cobra.Command {
	var target string
	c := &cobra.Command{
		Use: "revoke ID", Short: "Revoke an API key for good",
		Long: `Revoke ends a key: a running edge refuses it within half a second, for good. ID is
the one that kindex keys list shows, such as key_h3jd….`,
		Example: "  kindex keys revoke key_h3jd2mq7xkzc4v5wtbna",
		Args:    cobra.ExactArgs(1),
		RunE:    func(cmd *cobra.Command, args []string) error { return runKeysRevoke(cmd, target, args[0]) },
	}
	stateFlag(c.Flags(), &target)
	return c
}

func runKeysRevoke(cmd *cobra.Command, target, id string) error {
	if strings.HasPrefix(id, keys.Prefix) {
		// It may be a whole key: it is not repeated.
		return usageError{errors.New("this is a key, or looks like one; name it by its id, which begins with key_: kindex keys list")}
	}
	return withState(cmd, target, false, func(ctx context.Context, s *state.State) error {
		var k keys.Key
		revoked := false
		err := s.Write(ctx, func(tx *state.Tx) (err error) {
			if k, err = tx.Key(id); err == nil {
				revoked, err = tx.RevokeKey(k.AccountID, id)
			}
			return err
		})
		switch {
		case errors.Is(err, keys.ErrUnknown):
			return unknownKey(ctx, s, id)
		case err != nil:
			return err
		case !revoked:
			fmt.Fprintf(cmd.OutOrStdout(), "%s (%s) was revoked already\n", k.ID, k.Masked)
		default:
			fmt.Fprintf(cmd.OutOrStdout(), "revoked %s (%s)\n", k.ID, k.Masked)
		}
		return nil
	})
}

func unknownKey(ctx context.Context, s *state.State, id string) error {
	list, err := s.AllKeys(ctx)
	if err != nil {
		return err
	}
	ids := make([]string, len(list))
	for i, k := range list {
		ids[i] = k.ID
	}
	return unknownName("key", id, nil, nearest.Name(id, ids))
}

// findAccount finds an account by its name.
func findAccount(accounts []state.AccountSummary, name string) (state.AccountSummary, error) {
	var names []string
	for _, a := range accounts {
		if a.Name == name {
			return a, nil
		}
		names = append(names, a.Name)
	}
	return state.AccountSummary{}, unknownName("account", name, nil, nearest.Name(name, names))
}
