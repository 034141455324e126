package storage

import (
	"database/sql"
	"time"
)

// IdempotencyKey identifies a repeatable write: two requests with the same account, method, path
// and Idempotency-Key are attempts at the same write. BodyHash is the hash of the request body.
type IdempotencyKey struct {
	AccountID, Method, Path, Key, BodyHash string
}

// IdempotencyRecord is the stored response to a write.
type IdempotencyRecord struct {
	BodyHash string
	Status   int
	Location string
	Answer   string
	SecretID string // the id of the resource whose secret was in the response, or "" if there is none
}

const idempotencyTTL = 24 * time.Hour

// MaxIdempotencyKeys is the maximum number of writes remembered per account; the oldest
// are dropped first.
const MaxIdempotencyKeys = 500

// ClaimIdempotency records an attempt. If the write was attempted before, it returns the record of
// the earlier attempt instead. If a concurrent attempt has the same key, it first waits for that
// attempt to end.
func (tx *Tx) ClaimIdempotency(a IdempotencyKey) (*IdempotencyRecord, error) {
	now := tx.now()
	// An expired row is reused. If a row is still valid, the statement changes nothing, and n
	// is 0.
	n := tx.do(`INSERT INTO idempotency (account_id, method, path, key, body_hash, status, location, answer, secret_id, created_at)
		VALUES ($1, $2, $3, $4, $5, 0, '', '', '', $6)
		ON CONFLICT (account_id, method, path, key) DO UPDATE
		SET body_hash = excluded.body_hash, status = 0, location = '', answer = '', secret_id = '', created_at = excluded.created_at
		WHERE idempotency.created_at <= $7`,
		a.AccountID, a.Method, a.Path, a.Key, a.BodyHash, now, now-idempotencyTTL.Milliseconds())
	if n > 0 {
		return nil, nil
	}
	d, err := one(tx.conn, sql.ErrNoRows, func(d *IdempotencyRecord) []any {
		return []any{&d.BodyHash, &d.Status, &d.Location, &d.Answer, &d.SecretID}
	},
		"SELECT body_hash, status, location, answer, secret_id FROM idempotency WHERE account_id = $1 AND method = $2 AND path = $3 AND key = $4",
		a.AccountID, a.Method, a.Path, a.Key)
	return &d, err
}

// SaveIdempotency stores the response to an attempt that ClaimIdempotency recorded.
func (tx *Tx) SaveIdempotency(a IdempotencyKey, d IdempotencyRecord) error {
	tx.do(`UPDATE idempotency SET status = $5, location = $6, answer = $7, secret_id = $8
		WHERE account_id = $1 AND method = $2 AND path = $3 AND key = $4`,
		a.AccountID, a.Method, a.Path, a.Key, d.Status, d.Location, d.Answer, d.SecretID)
	// Writes that are as old as the oldest one kept are kept, too.
	tx.do(`DELETE FROM idempotency WHERE account_id = $1 AND created_at <
		(SELECT created_at FROM idempotency WHERE account_id = $1 ORDER BY created_at DESC LIMIT 1 OFFSET $2)`, a.AccountID, MaxIdempotencyKeys-1)
	return tx.failed
}
