package storage

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"
	"time"

	"kindex/edge/apikey"
	"kindex/edge/auth"
)

const accountColumns = "a.id, a.name, a.created_at, a.suspended_at, a.quota, a.quota_window"

func accountInto(a *apikey.Account) []any {
	return []any{&a.ID, &a.Name, moment(&a.CreatedAt), moment(&a.SuspendedAt), orZero(&a.Quota), lasting(&a.Window)}
}

// EnsureAccount returns the account with this name, creating it if it does not exist. The
// name must pass apikey.CheckName.
func (tx *Tx) EnsureAccount(name string) (apikey.Account, error) {
	if _, err := tx.insertAccount(name); err != nil {
		return apikey.Account{}, err
	}
	return tx.AccountNamed(name)
}

// insertAccount creates an account and returns its id, or "" if the name is taken.
func (tx *Tx) insertAccount(name string) (string, error) {
	if err := apikey.CheckName(name); err != nil {
		return "", fmt.Errorf("the account name %w", err)
	}
	id := NewID("acc_")
	if tx.do("INSERT INTO accounts (id, name, created_at) VALUES ($1, $2, $3) ON CONFLICT (name) DO NOTHING", id, name, tx.now()) == 0 {
		return "", tx.failed
	}
	return id, tx.Audit(AuditEntry{AccountID: id, Action: AccountCreated, Detail: strconv.Quote(name)})
}

// AccountNamed returns the account with this name, or apikey.ErrNoAccount.
func (tx *Tx) AccountNamed(name string) (apikey.Account, error) {
	return accountWhere(tx.conn, "a.name = $1", name)
}

func accountWhere(c *conn, condition string, args ...any) (apikey.Account, error) {
	return one(c, apikey.ErrNoAccount, accountInto, "SELECT "+accountColumns+" FROM accounts a WHERE "+condition, args...)
}

// lockAccount locks an account until this transaction ends, so that other transactions can
// neither count the rows that belong to it nor add any.
func (tx *Tx) lockAccount(id string) (apikey.Account, error) {
	tx.do("UPDATE accounts SET version = version + 1 WHERE id = $1", id)
	return accountWhere(tx.conn, "a.id = $1", id)
}

// IdentifiedAccount returns the account for an identity from a provider. If there is none, it
// creates one with this name. If the name is taken, it appends "-2", "-3" and so on, or some
// random letters. An identity with the same name as an existing account never gets access to
// that account. The name must leave room for 11 more letters.
func (tx *Tx) IdentifiedAccount(provider, subject, login, name string) (account apikey.Account, made bool, err error) {
	tx.lockTable("identities") // against concurrent sign-ins of the same identity
	account, err = accountWhere(tx.conn, "a.id = (SELECT account_id FROM identities WHERE provider = $1 AND subject = $2)", provider, subject)
	switch {
	case err == nil:
		tx.do("UPDATE identities SET login = $3 WHERE provider = $1 AND subject = $2 AND login <> $3", provider, subject, login)
		return account, false, tx.failed
	case !errors.Is(err, apikey.ErrNoAccount):
		return account, false, err
	}
	id, err := tx.insertFreeAccount(name)
	if err != nil {
		return account, false, err
	}
	tx.do("INSERT INTO identities (provider, subject, account_id, login, created_at) VALUES ($1, $2, $3, $4, $5)", provider, subject, id, login, tx.now())
	account, err = accountWhere(tx.conn, "a.id = $1", id)
	return account, true, err
}

// maxNumberedNames is the maximum number of accounts with the same name that get numbers.
// Further accounts get random letters, so that strangers cannot make each sign-in try
// thousands of names.
const maxNumberedNames = 9

// insertFreeAccount creates an account with this name, or an available one that starts with
// it, and returns its id.
func (tx *Tx) insertFreeAccount(name string) (string, error) {
	free := name
	for i := 2; i <= maxNumberedNames+2; i++ {
		if id, err := tx.insertAccount(free); err != nil || id != "" {
			return id, err
		}
		free = fmt.Sprintf("%s-%d", name, i)
		if i > maxNumberedNames {
			free = name + "-" + NewID("")[:10]
		}
	}
	return "", fmt.Errorf("no account name like %q is available", name)
}

// SetQuota sets the quota of an account, in requests per window. A quota of 0 removes it. A
// window of 0 means a UTC day. If there is no such account, the error is apikey.ErrNoAccount.
func (tx *Tx) SetQuota(id string, quota int64, window time.Duration) error {
	detail := "the default limit"
	if quota > 0 {
		detail = fmt.Sprintf("%d requests per UTC day", quota)
		if window > 0 {
			detail = fmt.Sprintf("%d requests per %v", quota, window)
		}
	}
	return tx.change(apikey.ErrNoAccount, AuditEntry{AccountID: id, Action: AccountLimitChanged, Detail: detail},
		"UPDATE accounts SET quota = $2, quota_window = $3, version = version + 1 WHERE id = $1",
		id, orNull(quota), sql.NullInt64{Int64: window.Milliseconds(), Valid: quota > 0 && window > 0})
}

// Suspend suspends an account and ends its sessions. If it is already suspended, the time of
// its suspension does not change. If there is no such account, the error is
// apikey.ErrNoAccount.
func (tx *Tx) Suspend(id string) error {
	tx.do("DELETE FROM sessions WHERE account_id = $1", id)
	return tx.change(apikey.ErrNoAccount, AuditEntry{AccountID: id, Action: AccountSuspended},
		"UPDATE accounts SET suspended_at = COALESCE(suspended_at, $2), version = version + 1 WHERE id = $1", id, tx.now())
}

// Unsuspend reinstates a suspended account. If there is no such account, the error is
// apikey.ErrNoAccount.
func (tx *Tx) Unsuspend(id string) error {
	return tx.change(apikey.ErrNoAccount, AuditEntry{AccountID: id, Action: AccountReinstated},
		"UPDATE accounts SET suspended_at = NULL, version = version + 1 WHERE id = $1", id)
}

// change runs a statement that changes a row, and adds the entry to the audit log. If there is
// no such row, the error is missing.
func (tx *Tx) change(missing error, e AuditEntry, statement string, args ...any) error {
	if tx.do(statement, args...) == 0 && tx.failed == nil {
		return missing
	}
	return tx.Audit(e)
}

// AccountSummary is an account with a summary of its keys.
type AccountSummary struct {
	apikey.Account
	ActiveKeys int
	LastUsedAt time.Time // the last use of any key, or zero if none has been used
}

// Accounts returns all accounts, sorted by name.
func (s *State) Accounts(ctx context.Context) ([]AccountSummary, error) {
	return list(s.on(ctx), func(a *AccountSummary) []any {
		return append(accountInto(&a.Account), &a.ActiveKeys, moment(&a.LastUsedAt))
	}, "SELECT "+accountColumns+","+
		" (SELECT COUNT(*) FROM api_keys k WHERE k.account_id = a.id AND "+activeKey("$1")+"),"+
		" (SELECT MAX(k.last_used_at) FROM api_keys k WHERE k.account_id = a.id)"+
		" FROM accounts a ORDER BY a.name", s.now().UnixMilli())
}

// AccountNamed returns the account with this name, or apikey.ErrNoAccount.
func (s *State) AccountNamed(ctx context.Context, name string) (apikey.Account, error) {
	return accountWhere(s.on(ctx), "a.name = $1", name)
}

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
