package storage

import (
	"context"
	"strconv"
	"time"

	"kindex/edge/apikey"
	"kindex/edge/auth"
)

// firstKeyName is the name of the key that is created with a new account.
const firstKeyName = "first key"

// SignIn implements auth.Store.
func (s *State) SignIn(ctx context.Context, a auth.SignedInIdentity) (account apikey.Account, made bool, err error) {
	err = s.Write(WithActor(ctx, Actor{Kind: BySession, Address: a.Address}), func(tx *Tx) error {
		account, made, err = tx.IdentifiedAccount(a.Identity.Provider, a.Identity.Subject, a.Identity.Login, a.Name)
		switch {
		case err != nil:
			return err
		case !account.SuspendedAt.IsZero():
			return &apikey.SuspendedError{Account: account.Name, Since: account.SuspendedAt}
		case made:
			if _, err := tx.CreateKey(account.ID, firstKeyName, a.Key); err != nil {
				return err
			}
		}
		// The session replaces that of the browser and, if the account has too many, the oldest ones.
		tx.do("DELETE FROM sessions WHERE hash = $1", a.Replaces)
		tx.do("DELETE FROM sessions WHERE hash IN (SELECT hash FROM sessions WHERE account_id = $1"+
			" ORDER BY created_at DESC, hash LIMIT 1000 OFFSET $2)", account.ID, auth.MaxSessions-1)
		tx.do("INSERT INTO sessions (hash, account_id, created_at, seen_at) VALUES ($1, $2, $3, $3)", a.Hash, account.ID, toMillis(a.At))
		detail := "with " + a.Identity.Provider
		if a.Identity.Login != "" {
			detail += " as " + strconv.Quote(a.Identity.Login)
		}
		return tx.Audit(AuditEntry{AccountID: account.ID, Action: AccountSignedIn, Detail: detail})
	})
	return account, made, err
}

// Session implements auth.Store.
func (s *State) Session(ctx context.Context, hash string, now time.Time) (apikey.Account, error) {
	var seen time.Time
	// An account can be suspended while it signs in.
	account, err := one(s.on(ctx), auth.ErrSignedOut, func(a *apikey.Account) []any { return append(accountInto(a), moment(&seen)) },
		"SELECT "+accountColumns+", s.seen_at FROM sessions s JOIN accounts a ON a.id = s.account_id"+
			" WHERE s.hash = $1 AND s.created_at > $2 AND s.seen_at > $3 AND a.suspended_at IS NULL",
		hash, toMillis(now.Add(-auth.MaxSessionAge)), toMillis(now.Add(-auth.SessionIdleTimeout)))
	if err == nil && now.Sub(seen) >= auth.SessionStep {
		_, _ = s.on(ctx).exec("UPDATE sessions SET seen_at = $2 WHERE hash = $1 AND seen_at < $2", hash, toMillis(now)) // if this fails, the next request tries again
	}
	return account, err
}

// EndSession implements auth.Store.
func (s *State) EndSession(ctx context.Context, hash string) error {
	_, err := s.on(ctx).exec("DELETE FROM sessions WHERE hash = $1", hash)
	return err
}
