package state

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"kindex/edge/keys"
)

// keyColumns are what keyRow reads.
const keyColumns = "k.id, k.account_id, k.name, k.masked, k.created_at, k.last_used_at, k.revoked_at"

// keyRow is a key as it is stored.
type keyRow struct {
	id, account, name, masked string
	created, used, revoked    sql.NullInt64
}

func (r *keyRow) into() []any {
	return []any{&r.id, &r.account, &r.name, &r.masked, &r.created, &r.used, &r.revoked}
}

func (r *keyRow) key() keys.Key {
	return keys.Key{ID: r.id, AccountID: r.account, Name: r.name, Masked: r.masked, CreatedAt: moment(r.created),
		LastUsedAt: moment(r.used), RevokedAt: moment(r.revoked)}
}

func scanKey(scan func(...any) error) (keys.Key, error) {
	var r keyRow
	err := scan(r.into()...)
	return r.key(), err
}

// CreateKey adds a key to an account: the hash of it, never the key. It is
// keys.ErrTooMany where the account has keys.MaxActive active ones, whoever adds
// some at the same time; *keys.SuspendedError where it is suspended; and
// keys.ErrNoAccount where there is none.
func (tx *Tx) CreateKey(accountID, name string, secret keys.Secret) (keys.Key, error) {
	if err := keys.CheckName(name); err != nil {
		return keys.Key{}, fmt.Errorf("the name of the key %w", err)
	}
	account, err := tx.lockAccount(accountID)
	if err != nil {
		return keys.Key{}, err
	}
	if !account.SuspendedAt.IsZero() {
		return keys.Key{}, &keys.SuspendedError{Account: account.Name, Since: account.SuspendedAt}
	}
	active := 0
	if err := tx.row("SELECT COUNT(*) FROM api_keys WHERE account_id = $1 AND revoked_at IS NULL", accountID).Scan(&active); err != nil {
		return keys.Key{}, err
	}
	if active >= keys.MaxActive {
		return keys.Key{}, keys.ErrTooMany
	}
	now, hash := tx.now(), secret.Hash()
	k := keys.Key{ID: NewID("key_"), AccountID: accountID, Name: name, Masked: secret.Masked(), CreatedAt: time.UnixMilli(now).UTC()}
	_, err = tx.exec("INSERT INTO api_keys (id, account_id, name, masked, hash, hash_prefix, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7)",
		k.ID, k.AccountID, k.Name, k.Masked, hash, hash[:keys.HashPrefix], now)
	return k, err
}

// RevokeKey ends a key of an account. false tells that the account has no active key
// with this id.
func (tx *Tx) RevokeKey(accountID, id string) (bool, error) {
	n, err := tx.exec("UPDATE api_keys SET revoked_at = $3 WHERE id = $2 AND account_id = $1 AND revoked_at IS NULL", accountID, id, tx.now())
	return n == 1, err
}

// RevokeKeysNamed ends the active keys of an account that have a name.
func (tx *Tx) RevokeKeysNamed(accountID, name string) error {
	_, err := tx.exec("UPDATE api_keys SET revoked_at = $3 WHERE account_id = $1 AND name = $2 AND revoked_at IS NULL", accountID, name, tx.now())
	return err
}

// Key returns a key of whatever account, for the operator; keys.ErrUnknown where
// there is none.
func (tx *Tx) Key(id string) (keys.Key, error) {
	k, err := scanKey(tx.row("SELECT "+keyColumns+" FROM api_keys k WHERE k.id = $1", id).Scan)
	if errors.Is(err, sql.ErrNoRows) {
		err = keys.ErrUnknown
	}
	return k, err
}

// Keys returns the active keys of an account, in the order of their making.
func (s *State) Keys(ctx context.Context, accountID string) ([]keys.Key, error) {
	rows, err := s.rows(ctx, "SELECT "+keyColumns+" FROM api_keys k WHERE k.account_id = $1 AND k.revoked_at IS NULL ORDER BY k.created_at, k.id", accountID)
	return collect(rows, err, scanKey)
}

// AllKeys returns the keys of all accounts, revoked ones too, in the order of their
// making.
func (s *State) AllKeys(ctx context.Context) ([]keys.Key, error) {
	rows, err := s.rows(ctx, "SELECT "+keyColumns+" FROM api_keys k ORDER BY k.created_at, k.id")
	return collect(rows, err, scanKey)
}

// KeysByHash implements keys.Store.
func (s *State) KeysByHash(ctx context.Context, prefix string) ([]keys.Candidate, error) {
	rows, err := s.rows(ctx, "SELECT k.hash, "+keyColumns+", "+accountColumns+
		" FROM api_keys k JOIN accounts a ON a.id = k.account_id WHERE k.hash_prefix = $1", prefix)
	return collect(rows, err, func(scan func(...any) error) (keys.Candidate, error) {
		var hash string
		var k keyRow
		var a accountRow
		err := scan(slices.Concat([]any{&hash}, k.into(), a.into())...)
		return keys.Candidate{Hash: hash, Key: k.key(), Account: a.account()}, err
	})
}

// mostTouched is how many keys one statement touches: longer lists are slower.
const mostTouched = 100

// TouchKeys implements keys.Store. It is one transaction however many keys there
// are.
func (s *State) TouchKeys(ctx context.Context, used map[string]time.Time) error {
	// In order: on PostgreSQL other edges touch the same keys at the same time.
	ids := slices.Sorted(maps.Keys(used))
	return s.Write(ctx, func(tx *Tx) error {
		for chunk := range slices.Chunk(ids, mostTouched) {
			values, args := make([]string, len(chunk)), make([]any, 0, 2*len(chunk))
			for i, id := range chunk {
				values[i] = fmt.Sprintf("($%d, CAST($%d AS BIGINT))", 2*i+1, 2*i+2)
				args = append(args, id, used[id].UnixMilli())
			}
			// Both engines call the columns of VALUES column1 and column2.
			if _, err := tx.exec("UPDATE api_keys SET last_used_at = u.column2 FROM (VALUES "+strings.Join(values, ", ")+") AS u"+
				" WHERE api_keys.id = u.column1 AND (last_used_at IS NULL OR last_used_at < u.column2)", args...); err != nil {
				return err
			}
		}
		return nil
	})
}
