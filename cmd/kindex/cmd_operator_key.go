package main

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"kindex/edge/seal"
	"kindex/edge/storage"
)

// keyFile is where the operator's key is, beside a SQLite state, unless another
// one is given.
const keyFile = "kindex.key"

func operatorKeyFlag(f *pflag.FlagSet, file *string) {
	f.StringVar(file, "operator-key", "", "a file with the key that seals secrets in the state; on PostgreSQL the same at every edge (default: "+keyFile+" beside a SQLite state, made where it is not there)")
}

// operatorKeys reads the operator's keys from a file, or beside a SQLite state. There
// they are made where there are none and makes says so; whoever has a PostgreSQL
// state must have them, since all edges need the same.
func operatorKeys(target, file string, makes bool) (keys *seal.Keys, made string, err error) {
	if file != "" {
		if _, err := seal.Parse(file); err == nil {
			return nil, "", usageError{errors.New("--operator-key, or KINDEX_OPERATOR_KEY, is the name of the file that has the key, not the key itself")}
		}
		keys, err = seal.Load(file)
		return keys, "", err
	}
	if storage.IsPostgreSQL(target) {
		return nil, "", usageError{errors.New("a state on PostgreSQL needs the operator's key, the same one at every edge: --operator-key FILE; a new one is made by: openssl rand -base64 32 > FILE && chmod 600 FILE")}
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
	var target, file string
	c := &cobra.Command{
		Use: "rekey", Short: "Seal the secrets in the state with the newest operator's key",
		Long: `Rekey opens every secret in the state, such as those that webhooks are signed with,
and seals it again with the first of the operator's keys. To change the key: write
a new one (openssl rand -base64 32) into the key file above the old one, restart
every edge, so that each can open what either has sealed, run rekey, and then take
the old one out of the file. Nothing is sent or lost meanwhile.`,
		Example: "  kindex state rekey\n  kindex state rekey --state postgres://kindex@db.example.org/kindex --operator-key /etc/kindex/key",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			keys, _, err := operatorKeys(target, file, false)
			if err != nil {
				return err
			}
			s, err := storage.Open(cmd.Context(), target, storage.Options{MustExist: true})
			if err != nil {
				return err
			}
			defer s.Close()
			n, err := s.Rekey(cmd.Context(), keys)
			if err != nil {
				return err
			}
			fmt.Fprintf(cmd.OutOrStdout(), "sealed %d secrets with the operator's key %s\n", n, keys.IDs()[0])
			return nil
		},
	}
	stateFlag(c.Flags(), &target)
	operatorKeyFlag(c.Flags(), &file)
	return c
}
