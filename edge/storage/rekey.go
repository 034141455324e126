package storage

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"kindex/edge/seal"
	"kindex/edge/webhook"
)

// sealedColumns lists all columns with sealed secrets, with the table, its key, and the
// purpose for which the secrets are sealed.
var sealedColumns = []struct{ table, id, column, purpose string }{
	{"webhooks", "id", "secret", webhook.Purpose},
	{"webhooks", "id", "previous_secret", webhook.Purpose},
}

// CheckSealed returns an error if a stored secret cannot be opened with the operator's keys.
// If a key is missing, the error names its id. Errors never contain the secrets.
func (s *State) CheckSealed(ctx context.Context, keys *seal.Keys) error {
	missing := map[string]int{}
	damaged := 0
	err := s.eachSealed(ctx, func(_, _, purpose, row, sealed string) error {
		_, err := keys.Open(sealed, purpose, row)
		var unknown *seal.UnknownKeyError
		if errors.As(err, &unknown) {
			missing[unknown.ID]++
		} else if err != nil {
			damaged++
		}
		return nil
	})
	switch {
	case err != nil:
		return err
	case len(missing) > 0:
		return fmt.Errorf("the database %s has secrets sealed with the operator's key %s, but the key file contains only %s: add the missing key to the file, below the newest key",
			s.target, strings.Join(slices.Sorted(maps.Keys(missing)), " and "), strings.Join(keys.IDs(), ", "))
	case damaged > 0:
		return fmt.Errorf("the database %s has %d damaged or moved secrets", s.target, damaged)
	}
	return nil
}

// Rekey seals every secret with the first of the operator's keys, unless it is already sealed
// with that key, and returns how many secrets it changed. The operator's keys must include
// all keys in use. An edge can keep running meanwhile if it also has the new key.
func (s *State) Rekey(ctx context.Context, keys *seal.Keys) (n int, err error) {
	if err := s.CheckSealed(ctx, keys); err != nil {
		return 0, err
	}
	type sealed struct{ table, id, column, row, before, after string }
	var list []sealed
	for _, c := range sealedColumns {
		err = errors.Join(err, s.eachSealedIn(ctx, c.table, c.id, c.column, func(row, text string) error {
			if keys.Current(text) {
				return nil
			}
			secret, err := keys.Open(text, c.purpose, row)
			if err == nil {
				list = append(list, sealed{c.table, c.id, c.column, row, text, keys.Seal(secret, c.purpose, row)})
			}
			return err
		}))
	}
	if err != nil {
		return 0, err
	}
	err = s.Write(ctx, func(tx *Tx) error {
		n = 0
		for _, one := range list {
			changed, err := tx.exec("UPDATE "+one.table+" SET "+one.column+" = $1 WHERE "+one.id+" = $2 AND "+one.column+" = $3",
				one.after, one.row, one.before)
			if err != nil {
				return err
			}
			n += int(changed)
		}
		return nil
	})
	return n, err
}

func (s *State) eachSealed(ctx context.Context, do func(table, column, purpose, row, sealed string) error) error {
	for _, c := range sealedColumns {
		err := s.eachSealedIn(ctx, c.table, c.id, c.column, func(row, sealed string) error {
			return do(c.table, c.column, c.purpose, row, sealed)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (s *State) eachSealedIn(ctx context.Context, table, id, column string, do func(row, sealed string) error) error {
	rows, err := s.rows(ctx, "SELECT "+id+", "+column+" FROM "+table+" WHERE "+column+" IS NOT NULL")
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var row, sealed string
		if err := rows.Scan(&row, &sealed); err != nil {
			return err
		}
		if err := do(row, sealed); err != nil {
			return err
		}
	}
	return rows.Err()
}
