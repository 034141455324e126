package storage

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"kindex/edge/seal"
	"kindex/edge/webhook"
)

// sealed is a stored secret: the current one of a webhook, or the one before.
type sealed struct {
	webhook, column, text string
	secret                []byte
}

// CheckSealed returns an error if a stored secret cannot be opened with the operator's keys.
// If a key is missing, the error names its id. Errors never contain the secrets.
func (s *State) CheckSealed(ctx context.Context, keys *seal.Keys) error {
	_, err := s.openSealed(ctx, keys)
	return err
}

func (s *State) openSealed(ctx context.Context, keys *seal.Keys) ([]sealed, error) {
	stored, err := list(s.on(ctx), func(s *sealed) []any { return []any{&s.webhook, &s.column, &s.text} }, `SELECT id, 'secret', secret FROM webhooks
		UNION ALL SELECT id, 'previous_secret', previous_secret FROM webhooks WHERE previous_secret IS NOT NULL`)
	if err != nil {
		return nil, err
	}
	var missing []string
	damaged := 0
	for i := range stored {
		one := &stored[i]
		var unknown *seal.UnknownKeyError
		if one.secret, err = keys.Open(one.text, webhook.Purpose, one.webhook); errors.As(err, &unknown) {
			missing = append(missing, unknown.ID)
		} else if err != nil {
			damaged++
		}
	}
	slices.Sort(missing)
	switch {
	case len(missing) > 0:
		return nil, fmt.Errorf("the database %s has secrets sealed with the operator's key %s, but the key file contains only %s: add the missing key to the file, below the newest key",
			s.target, strings.Join(slices.Compact(missing), " and "), strings.Join(keys.IDs(), ", "))
	case damaged > 0:
		return nil, fmt.Errorf("the database %s has %d damaged or moved secrets", s.target, damaged)
	}
	return stored, nil
}

// Rekey seals every secret with the first of the operator's keys, unless it is already sealed
// with that key, and returns how many secrets it changed. The operator's keys must include
// all keys in use. An edge can keep running meanwhile if it also has the new key.
func (s *State) Rekey(ctx context.Context, keys *seal.Keys) (n int, err error) {
	stored, err := s.openSealed(ctx, keys)
	if err != nil {
		return 0, err
	}
	err = s.Write(ctx, func(tx *Tx) error {
		n = 0
		for _, one := range stored {
			if !keys.Current(one.text) {
				n += int(tx.do("UPDATE webhooks SET "+one.column+" = $1 WHERE id = $2 AND "+one.column+" = $3",
					keys.Seal(one.secret, webhook.Purpose, one.webhook), one.webhook, one.text))
			}
		}
		return tx.failed
	})
	return n, err
}
