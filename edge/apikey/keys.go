// Package apikey implements API keys: their format, their stored form, and their accounts. A
// key is shown once, when it is created. Only its SHA-256 hash and a masked form, by which
// users can tell keys apart, are stored.
package apikey

import (
	"errors"
	"fmt"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"kindex/exports/safetext"
)

// MaxActive is the maximum number of active keys per account.
const MaxActive = 5

// Account is an account that can make requests with its keys.
type Account struct {
	ID          string
	Name        string
	CreatedAt   time.Time
	SuspendedAt time.Time     // zero if the account is not suspended
	Quota       int64         // requests per window, or 0 for the default quota
	Window      time.Duration // the window of Quota, or 0 for a UTC day
}

// Key holds the stored data of an API key.
type Key struct {
	ID         string
	AccountID  string
	Name       string
	Masked     string
	CreatedAt  time.Time
	LastUsedAt time.Time // may be a few seconds out of date; zero if never used
	RevokedAt  time.Time // zero if not revoked
	ExpiresAt  time.Time // zero if the key never expires
	Scopes     Scopes
	Legacy     bool // created before scopes existed; has all scopes
}

// Expired reports whether the key has expired.
func (k Key) Expired(now time.Time) bool { return !k.ExpiresAt.IsZero() && !now.Before(k.ExpiresAt) }

// Grant holds the name, scopes and expiry of a new key.
type Grant struct {
	Name      string
	Scopes    Scopes
	ExpiresAt time.Time // zero if the key never expires
}

// Reasons for rejecting or not creating a key. Their messages can be shown to whoever sent
// the key.
var (
	ErrMalformed = errors.New("this is not an API key")
	ErrUnknown   = errors.New("unknown API key; another service may have issued it")
	ErrRevoked   = errors.New("this API key was revoked")
	ErrExpired   = errors.New("this API key has expired; create a new one")
	ErrTooMany   = fmt.Errorf("an account can have at most %d active API keys; revoke one first", MaxActive)
	// ErrNoAccount means that the named account does not exist.
	ErrNoAccount = errors.New("there is no such account")
)

// SuspendedError means that the operator has suspended an account.
type SuspendedError struct {
	Account string // the name of the account
	Since   time.Time
}

func (e *SuspendedError) Error() string {
	return fmt.Sprintf("the account %q has been suspended since %s", e.Account, e.Since.UTC().Format("2006-01-02 15:04 UTC"))
}

const maxName = 64

// CheckName returns an error if the name of an account or key is not valid: a name has 1 to
// 64 printable characters, no leading or trailing spaces, and is in normalization form C, so
// that names that look the same are the same.
func CheckName(name string) error {
	switch n := utf8.RuneCountInString(name); {
	case n == 0:
		return errors.New("is empty; use a name of 1 to 64 characters")
	case !utf8.ValidString(name):
		return errors.New("is not UTF-8")
	case n > maxName:
		return fmt.Errorf("has %d characters; use at most %d", n, maxName)
	case name[0] == ' ' || name[len(name)-1] == ' ':
		return errors.New("starts or ends with a space; remove it")
	}
	for _, r := range safetext.Hidden(name) {
		return fmt.Errorf("contains the character %U; use letters, digits, punctuation and plain spaces", r)
	}
	for _, r := range name {
		if !unicode.IsPrint(r) {
			return fmt.Errorf("contains the character %U; use letters, digits, punctuation and plain spaces", r)
		}
	}
	if !norm.NFC.IsNormalString(name) {
		return fmt.Errorf("is not in Unicode normalization form C; use %q as written here", norm.NFC.String(name))
	}
	return nil
}
