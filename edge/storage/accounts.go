package storage

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"kindex/edge/apikey"
)

// accountColumns are the columns that accountInto receives.
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
	n, err := tx.exec("INSERT INTO accounts (id, name, created_at) VALUES ($1, $2, $3) ON CONFLICT (name) DO NOTHING", id, name, tx.now())
	if err != nil || n == 0 {
		return "", err
	}
	return id, tx.Audit(AuditEntry{AccountID: id, Action: AccountCreated, Detail: quoteNames(name)})
}

// AccountNamed returns the account with this name, or apikey.ErrNoAccount.
func (tx *Tx) AccountNamed(name string) (apikey.Account, error) {
	return accountWhere(tx.conn, "a.name = $1", name)
}

func accountWhere(c *conn, condition string, args ...any) (apikey.Account, error) {
	return one(c, apikey.ErrNoAccount, accountInto, "SELECT "+accountColumns+" FROM accounts a WHERE "+condition, args...)
}

// Account returns the account with this id, or apikey.ErrNoAccount.
func (tx *Tx) Account(id string) (apikey.Account, error) {
	return accountWhere(tx.conn, "a.id = $1", id)
}

// lockAccount locks an account until this transaction ends, so that other transactions can
// neither count the rows that belong to it nor add any.
func (tx *Tx) lockAccount(id string) (apikey.Account, error) {
	if _, err := tx.exec("UPDATE accounts SET version = version + 1 WHERE id = $1", id); err != nil {
		return apikey.Account{}, err
	}
	return tx.Account(id)
}

// IdentifiedAccount returns the account for an identity from a provider. If there is none, it
// creates one with this name. If the name is taken, it appends "-2", "-3" and so on, or some
// random letters. An identity with the same name as an existing account never gets access to
// that account. The name must leave room for 11 more letters.
func (tx *Tx) IdentifiedAccount(provider, subject, login, name string) (account apikey.Account, made bool, err error) {
	find := func() (apikey.Account, error) {
		return accountWhere(tx.conn, "a.id = (SELECT account_id FROM identities WHERE provider = $1 AND subject = $2)", provider, subject)
	}
	account, err = find()
	switch {
	case err == nil:
		_, err = tx.exec("UPDATE identities SET login = $3 WHERE provider = $1 AND subject = $2 AND login <> $3", provider, subject, login)
		return account, false, err
	case !errors.Is(err, apikey.ErrNoAccount):
		return account, false, err
	}
	id, err := tx.insertFreeAccount(name)
	if err != nil {
		return account, false, err
	}
	n, err := tx.exec("INSERT INTO identities (provider, subject, account_id, login, created_at) VALUES ($1, $2, $3, $4, $5)"+
		" ON CONFLICT (provider, subject) DO NOTHING", provider, subject, id, login, tx.now())
	if err != nil {
		return account, false, err
	}
	if n == 0 { // a concurrent call has created it
		for _, statement := range []string{"DELETE FROM audit_log WHERE account_id = $1", "DELETE FROM accounts WHERE id = $1"} {
			if _, err = tx.exec(statement, id); err != nil {
				return account, false, err
			}
		}
	}
	account, err = find()
	return account, n == 1, err
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
	if quota < 0 || window < 0 {
		return fmt.Errorf("invalid quota of %d in %v", quota, window)
	}
	detail := "the default limit"
	if quota > 0 {
		detail = fmt.Sprintf("%d requests per UTC day", quota)
		if window > 0 {
			detail = fmt.Sprintf("%d requests per %v", quota, window)
		}
	}
	return tx.changeAccount(AuditEntry{AccountID: id, Action: AccountLimitChanged, Detail: detail},
		"UPDATE accounts SET quota = $2, quota_window = $3, version = version + 1 WHERE id = $1",
		orNull(quota), sql.NullInt64{Int64: window.Milliseconds(), Valid: quota > 0 && window > 0})
}

// Suspend suspends an account and ends its sessions. If it is already suspended, the time of
// its suspension does not change. If there is no such account, the error is
// apikey.ErrNoAccount.
func (tx *Tx) Suspend(id string) error {
	if err := tx.endSessions(id); err != nil {
		return err
	}
	return tx.changeAccount(AuditEntry{AccountID: id, Action: AccountSuspended},
		"UPDATE accounts SET suspended_at = COALESCE(suspended_at, $2), version = version + 1 WHERE id = $1", tx.now())
}

// Unsuspend reinstates a suspended account. If there is no such account, the error is
// apikey.ErrNoAccount.
func (tx *Tx) Unsuspend(id string) error {
	return tx.changeAccount(AuditEntry{AccountID: id, Action: AccountReinstated},
		"UPDATE accounts SET suspended_at = NULL, version = version + 1 WHERE id = $1")
}

// changeAccount is like change for an account. The first argument of the statement is its id.
func (tx *Tx) changeAccount(e AuditEntry, statement string, args ...any) error {
	return tx.change(apikey.ErrNoAccount, e, statement, append([]any{e.AccountID}, args...)...)
}

// change runs a statement that changes a row, and adds the entry to the audit log. If there is no such
// row, the error is missing.
func (tx *Tx) change(missing error, e AuditEntry, statement string, args ...any) error {
	n, err := tx.exec(statement, args...)
	switch {
	case err != nil:
		return err
	case n == 0:
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
