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

// sealed is a stored secret: the current one of a webhook, or the one before.
type sealed struct{ webhook, column, text string }

// sealedSecrets returns all stored secrets.
func (s *State) sealedSecrets(ctx context.Context) ([]sealed, error) {
	return list(s.on(ctx), func(s *sealed) []any { return []any{&s.webhook, &s.column, &s.text} }, `SELECT id, 'secret', secret FROM webhooks
		UNION ALL SELECT id, 'previous_secret', previous_secret FROM webhooks WHERE previous_secret IS NOT NULL`)
}

// CheckSealed returns an error if a stored secret cannot be opened with the operator's keys.
// If a key is missing, the error names its id. Errors never contain the secrets.
func (s *State) CheckSealed(ctx context.Context, keys *seal.Keys) error {
	list, err := s.sealedSecrets(ctx)
	if err != nil {
		return err
	}
	missing := map[string]int{}
	damaged := 0
	for _, one := range list {
		_, err := keys.Open(one.text, webhook.Purpose, one.webhook)
		var unknown *seal.UnknownKeyError
		if errors.As(err, &unknown) {
			missing[unknown.ID]++
		} else if err != nil {
			damaged++
		}
	}
	switch {
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
	list, err := s.sealedSecrets(ctx)
	if err != nil {
		return 0, err
	}
	err = s.Write(ctx, func(tx *Tx) error {
		n = 0
		for _, one := range list {
			if keys.Current(one.text) {
				continue
			}
			secret, err := keys.Open(one.text, webhook.Purpose, one.webhook)
			if err != nil {
				return err
			}
			changed, err := tx.exec("UPDATE webhooks SET "+one.column+" = $1 WHERE id = $2 AND "+one.column+" = $3",
				keys.Seal(secret, webhook.Purpose, one.webhook), one.webhook, one.text)
			if err != nil {
				return err
			}
			n += int(changed)
		}
		return nil
	})
	return n, err
}
