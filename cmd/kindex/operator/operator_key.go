package operator

import (
	"context"
	"errors"
	"path/filepath"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"kindex/cmd/kindex/cli"
	"kindex/edge/seal"
	"kindex/edge/storage"
)

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
