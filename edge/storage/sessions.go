package storage

import (
	"context"
	"fmt"
	"time"

	"kindex/edge/apikey"
	"kindex/edge/auth"
)

// firstKeyName is the name of the key that is created with a new account.
const firstKeyName = "first key"

// AddAttempt implements auth.Store. On PostgreSQL, concurrent calls can exceed the limits by
// one attempt each.
func (s *State) AddAttempt(ctx context.Context, a auth.Attempt) error {
	return s.Write(ctx, func(tx *Tx) error {
		if _, err := tx.exec("DELETE FROM signin_attempts WHERE expires_at <= $1", tx.now()); err != nil {
			return err
		}
		if err := tx.dropAttempts(a.Network, auth.MaxPerNetwork-1); err != nil {
			return err
		}
		if err := tx.evictAttempt(a.Network); err != nil {
			return err
		}
		_, err := tx.exec("INSERT INTO signin_attempts (browser, state, provider, nonce, verifier, network, expires_at) VALUES ($1, $2, $3, $4, $5, $6, $7)",
			a.Browser, a.State, a.Provider, a.Nonce, a.Verifier, a.Network, toMillis(a.ExpiresAt))
		return err
	})
}

// dropAttempts drops the oldest attempts of a network, so that only a given number is kept.
func (tx *Tx) dropAttempts(network string, keep int) error {
	_, err := tx.exec("DELETE FROM signin_attempts WHERE browser IN (SELECT browser FROM signin_attempts WHERE network = $1"+
		" ORDER BY expires_at DESC, browser LIMIT 1000000 OFFSET $2)", network, keep)
	return err
}

// evictAttempt makes room if there are auth.MaxAttempts attempts. It finds the wider network with
// the most attempts and, within that, the network with the most attempts, and drops the oldest
// attempt from that network. If there is a tie, it prefers the network that needs room.
func (tx *Tx) evictAttempt(network string) error {
	total, held := 0, 0
	if err := tx.row("SELECT COUNT(*) FROM signin_attempts").Scan(&total); err != nil || total < auth.MaxAttempts {
		return err
	}
	attempts := fmt.Sprintf(" FROM (SELECT network, SUBSTR(network, 1, %d) AS wider, expires_at FROM signin_attempts) AS a", auth.WiderNetworkLen)
	wider, largest := "", ""
	if err := tx.row("SELECT wider"+attempts+" GROUP BY wider"+
		" ORDER BY COUNT(*) DESC, CASE WHEN wider = $1 THEN 0 ELSE 1 END, MIN(expires_at) LIMIT 1",
		network[:min(auth.WiderNetworkLen, len(network))]).Scan(&wider); err != nil {
		return err
	}
	if err := tx.row("SELECT network, COUNT(*)"+attempts+" WHERE wider = $2 GROUP BY network"+
		" ORDER BY COUNT(*) DESC, CASE WHEN network = $1 THEN 0 ELSE 1 END, MIN(expires_at) LIMIT 1",
		network, wider).Scan(&largest, &held); err != nil {
		return err
	}
	return tx.dropAttempts(largest, max(0, held-1-(total-auth.MaxAttempts)))
}

// TakeAttempt implements auth.Store. An attempt that does not match completely is kept, so
// that a forged callback cannot invalidate it.
func (s *State) TakeAttempt(ctx context.Context, browser, state, provider string, now time.Time) (a auth.Attempt, err error) {
	err = s.Write(ctx, func(tx *Tx) error {
		a, err = one(tx.row("DELETE FROM signin_attempts WHERE browser = $1 AND state = $2 AND provider = $3 AND expires_at > $4"+
			" RETURNING browser, state, provider, nonce, verifier, expires_at", browser, state, provider, toMillis(now)), auth.ErrNoAttempt,
			func(a *auth.Attempt) []any {
				return []any{&a.Browser, &a.State, &a.Provider, &a.Nonce, &a.Verifier, moment(&a.ExpiresAt)}
			})
		return err
	})
	return a, err
}

// SignIn implements auth.Store.
func (s *State) SignIn(ctx context.Context, a auth.SignedInIdentity) (account apikey.Account, made bool, err error) {
	by := Actor{Kind: BySession, Address: a.Address}
	err = s.Write(WithActor(ctx, by), func(tx *Tx) error {
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
		if err := tx.openSession(account.ID, a); err != nil {
			return err
		}
		return tx.Audit(AuditEntry{AccountID: account.ID, Action: AccountSignedIn, Detail: signInDetail(a.Identity)})
	})
	return account, made, err
}

// signInDetail describes a sign-in for the audit log.
func signInDetail(i auth.Identity) string {
	if i.Login == "" {
		return "with " + i.Provider
	}
	return "with " + i.Provider + " as " + quoteNames(i.Login)
}

// openSession replaces the session of a browser. It drops expired sessions and, if the
// account has too many, its oldest ones.
func (tx *Tx) openSession(account string, a auth.SignedInIdentity) error {
	if _, err := tx.exec("DELETE FROM sessions WHERE expires_at <= $1 OR hash = $2", toMillis(a.At), a.Replaces); err != nil {
		return err
	}
	if _, err := tx.exec("DELETE FROM sessions WHERE hash IN (SELECT hash FROM sessions WHERE account_id = $1"+
		" ORDER BY created_at DESC, hash LIMIT 1000 OFFSET $2)", account, auth.MaxSessions-1); err != nil {
		return err
	}
	_, err := tx.exec("INSERT INTO sessions (hash, account_id, created_at, seen_at, expires_at) VALUES ($1, $2, $3, $3, $4)",
		a.Hash, account, toMillis(a.At), toMillis(a.At.Add(auth.SessionIdleTimeout)))
	return err
}

// endSessions permanently signs an account out of all browsers.
func (tx *Tx) endSessions(account string) error {
	_, err := tx.exec("DELETE FROM sessions WHERE account_id = $1", account)
	return err
}

// PurgeSignIns deletes expired sessions and sign-in attempts.
func (s *State) PurgeSignIns(ctx context.Context) error {
	return s.Write(ctx, func(tx *Tx) error {
		for _, table := range []string{"sessions", "signin_attempts"} {
			if _, err := tx.exec("DELETE FROM "+table+" WHERE expires_at <= $1", tx.now()); err != nil {
				return err
			}
		}
		return nil
	})
}

// Session implements auth.Store.
func (s *State) Session(ctx context.Context, hash string, now time.Time) (auth.Session, apikey.Account, error) {
	// An account can be suspended while it signs in.
	var account apikey.Account
	v, err := one(s.row(ctx, "SELECT s.hash, s.account_id, s.created_at, s.seen_at, s.expires_at, "+accountColumns+" FROM sessions s"+
		" JOIN accounts a ON a.id = s.account_id WHERE s.hash = $1 AND s.expires_at > $2 AND a.suspended_at IS NULL", hash, toMillis(now)),
		auth.ErrSignedOut, func(v *auth.Session) []any {
			return append([]any{&v.Hash, &v.AccountID, moment(&v.CreatedAt), moment(&v.SeenAt), moment(&v.ExpiresAt)}, accountInto(&account)...)
		})
	return v, account, err
}

// ExtendSession implements auth.Store.
func (s *State) ExtendSession(ctx context.Context, hash string, seen, expires time.Time) error {
	_, err := s.exec(ctx, "UPDATE sessions SET seen_at = $2, expires_at = $3 WHERE hash = $1 AND seen_at < $2", hash, toMillis(seen), toMillis(expires))
	return err
}

// EndSession implements auth.Store.
func (s *State) EndSession(ctx context.Context, hash string) error {
	_, err := s.exec(ctx, "DELETE FROM sessions WHERE hash = $1", hash)
	return err
}
