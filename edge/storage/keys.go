package storage

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"kindex/edge/apikey"
)

const keyColumns = "k.id, k.account_id, k.name, k.masked, k.created_at, k.last_used_at, k.revoked_at, k.expires_at, k.scopes"

func keyInto(k *apikey.Key) []any {
	return []any{&k.ID, &k.AccountID, &k.Name, &k.Masked, moment(&k.CreatedAt), moment(&k.LastUsedAt), moment(&k.RevokedAt), moment(&k.ExpiresAt),
		column(func(value any) error {
			var scopes sql.NullString
			err := scopes.Scan(value)
			k.Scopes = readScopes(scopes.String)
			if k.Legacy = !scopes.Valid; k.Legacy {
				k.Scopes = apikey.Everything
			}
			return err
		})}
}

// readScopes parses stored scopes. Unknown scopes are ignored.
func readScopes(text string) (s apikey.Scopes) {
	for name := range strings.FieldsSeq(text) {
		if slices.Contains(apikey.AllScopes, apikey.Scope(name)) {
			s |= apikey.ScopesOf(apikey.Scope(name))
		}
	}
	return s
}

// activeKey returns the SQL condition that a key in api_keys is active at the time given by a
// placeholder.
func activeKey(at string) string {
	return "revoked_at IS NULL AND (expires_at IS NULL OR expires_at > " + at + ")"
}

// CreateKey adds a key with all scopes and no expiry to an account; see
// CreateLimitedKey.
func (tx *Tx) CreateKey(accountID, name string, secret apikey.Secret) (apikey.Key, error) {
	return tx.CreateLimitedKey(accountID, apikey.Grant{Name: name, Scopes: apikey.Everything}, secret)
}

// maxInactiveKeys is the maximum number of revoked and expired keys kept per account;
// the newest are kept.
const maxInactiveKeys = 100

// CreateLimitedKey adds a key to an account and stores only its hash. The error is
// apikey.ErrTooMany if the account has apikey.MaxActive active keys, *apikey.SuspendedError if it
// is suspended, and apikey.ErrNoAccount if it does not exist.
func (tx *Tx) CreateLimitedKey(accountID string, g apikey.Grant, secret apikey.Secret) (apikey.Key, error) {
	if err := apikey.CheckName(g.Name); err != nil {
		return apikey.Key{}, fmt.Errorf("the key name %w", err)
	}
	now := tx.now()
	switch account, err := tx.lockAccount(accountID); {
	case err != nil:
		return apikey.Key{}, err
	case !account.SuspendedAt.IsZero():
		return apikey.Key{}, &apikey.SuspendedError{Account: account.Name, Since: account.SuspendedAt}
	case tx.count("api_keys WHERE account_id = $1 AND "+activeKey("$2"), accountID, now) >= apikey.MaxActive:
		return apikey.Key{}, apikey.ErrTooMany
	}
	tx.do("DELETE FROM api_keys WHERE id IN (SELECT id FROM api_keys WHERE account_id = $1 AND NOT ("+activeKey("$2")+")"+
		" ORDER BY created_at DESC, id LIMIT 1000 OFFSET $3)", accountID, now, maxInactiveKeys)
	k := apikey.Key{ID: NewID("key_"), AccountID: accountID, Name: g.Name, Masked: secret.Masked(), CreatedAt: fromMillis(now), Scopes: g.Scopes, ExpiresAt: g.ExpiresAt}
	tx.do("INSERT INTO api_keys (id, account_id, name, masked, hash, created_at, scopes, expires_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
		k.ID, k.AccountID, k.Name, k.Masked, secret.Hash(), now, strings.Join(k.Scopes.Names(), " "), toMillis(k.ExpiresAt))
	return k, tx.Audit(AuditEntry{AccountID: accountID, Action: KeyCreated, Target: k.ID, Detail: grantDetail(g)})
}

func grantDetail(g apikey.Grant) string {
	expires := "never expires"
	if !g.ExpiresAt.IsZero() {
		expires = "expires " + g.ExpiresAt.UTC().Format(time.RFC3339)
	}
	return strconv.Quote(g.Name) + ", scopes " + g.Scopes.String() + ", " + expires
}

// RevokeKey revokes an account's key. It returns false if the account has no active key with
// this id.
func (tx *Tx) RevokeKey(accountID, id string) (bool, error) {
	return tx.revoke(KeyRevoked, "account_id = $1 AND id = $2", accountID, id)
}

// RevokeKeysNamed revokes the active keys of an account that have this name.
func (tx *Tx) RevokeKeysNamed(accountID, name string) error {
	_, err := tx.revoke(KeyRevoked, "account_id = $1 AND name = $2", accountID, name)
	return err
}

// RevokeReported revokes a key that was reported as leaked, of suspended accounts too, and
// returns it as it was before. The error is apikey.ErrUnknown if there is no such key.
func (tx *Tx) RevokeReported(secret apikey.Secret) (apikey.Key, error) {
	k, err := one(tx.conn, apikey.ErrUnknown, keyInto, "SELECT "+keyColumns+" FROM api_keys k WHERE k.hash = $1", secret.Hash())
	if err == nil && k.RevokedAt.IsZero() {
		_, err = tx.revoke(KeyReported, "id = $1", k.ID)
	}
	return k, err
}

// revoke revokes the active keys that match a condition, and records this in the audit log. It
// reports whether there were any.
func (tx *Tx) revoke(action Action, where string, args ...any) (bool, error) {
	all := arguments(args)
	at := all.add(tx.now())
	revoked, err := list(tx.conn, func(e *AuditEntry) []any { return []any{&e.AccountID, &e.Target, &e.Detail} },
		"UPDATE api_keys SET revoked_at = "+at+" WHERE "+where+" AND "+activeKey(at)+" RETURNING account_id, id, name", all...)
	for _, e := range revoked {
		e.Action, e.Detail = action, strconv.Quote(e.Detail)
		err = errors.Join(err, tx.Audit(e))
	}
	return len(revoked) > 0, err
}

// Key returns a key of any account, for the operator. If there is none, the error is
// apikey.ErrUnknown.
func (tx *Tx) Key(id string) (apikey.Key, error) {
	return one(tx.conn, apikey.ErrUnknown, keyInto, "SELECT "+keyColumns+" FROM api_keys k WHERE k.id = $1", id)
}

// Keys returns the active keys of an account, oldest first.
func (s *State) Keys(ctx context.Context, accountID string) ([]apikey.Key, error) {
	return list(s.on(ctx), keyInto, "SELECT "+keyColumns+" FROM api_keys k WHERE k.account_id = $1 AND "+activeKey("$2")+" ORDER BY k.created_at, k.id",
		accountID, s.now().UnixMilli())
}

// AllKeys returns the keys of all accounts, including revoked and expired ones, oldest
// first.
func (s *State) AllKeys(ctx context.Context) ([]apikey.Key, error) {
	return list(s.on(ctx), keyInto, "SELECT "+keyColumns+" FROM api_keys k ORDER BY k.created_at, k.id")
}

// KeyByHash implements apikey.Store.
func (s *State) KeyByHash(ctx context.Context, hash string) (k apikey.Key, account apikey.Account, err error) {
	k, err = one(s.on(ctx), apikey.ErrUnknown, func(k *apikey.Key) []any { return append(keyInto(k), accountInto(&account)...) },
		"SELECT "+keyColumns+", "+accountColumns+" FROM api_keys k JOIN accounts a ON a.id = k.account_id WHERE k.hash = $1", hash)
	return k, account, err
}

// TouchKeys implements apikey.Store. It uses one transaction for all keys.
func (s *State) TouchKeys(ctx context.Context, used map[string]time.Time) error {
	return s.Write(ctx, func(tx *Tx) error {
		// The ids are sorted because on PostgreSQL, another edge can update the same keys at the
		// same time.
		for _, id := range slices.Sorted(maps.Keys(used)) {
			tx.do("UPDATE api_keys SET last_used_at = $2 WHERE id = $1 AND (last_used_at IS NULL OR last_used_at < $2)", id, used[id].UnixMilli())
		}
		return nil
	})
}
