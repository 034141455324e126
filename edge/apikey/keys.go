// Package apikey defines API keys: their format, their stored form, and their accounts.
// A key is shown once, when it is created; only its SHA-256 hash is stored, and a
// masked form to tell keys apart.
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

// Account is an account that makes requests with keys.
type Account struct {
	ID          string
	Name        string
	CreatedAt   time.Time
	SuspendedAt time.Time     // the zero time while it is not
	Quota       int64         // requests per window, 0 for the default
	Window      time.Duration // of Quota, 0 for a UTC day
}

// Key is the stored part of an API key.
type Key struct {
	ID         string
	AccountID  string
	Name       string
	Masked     string
	CreatedAt  time.Time
	LastUsedAt time.Time // the zero time while it is unused; a few seconds old
	RevokedAt  time.Time // the zero time while it is active
	ExpiresAt  time.Time // the zero time for never
	Scopes     Scopes
	Legacy     bool // older than scopes, and so with all of them
}

// Expired reports whether the key has expired.
func (k Key) Expired(now time.Time) bool { return !k.ExpiresAt.IsZero() && !now.Before(k.ExpiresAt) }

// Grant holds the name, scopes and expiry of a new key.
type Grant struct {
	Name      string
	Scopes    Scopes
	ExpiresAt time.Time // the zero time for never
}

// Reasons for rejecting or not creating a key. Their texts can be shown to the sender of
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
	Account string // its name
	Since   time.Time
}

func (e *SuspendedError) Error() string {
	return fmt.Sprintf("the account %q has been suspended since %s", e.Account, e.Since.UTC().Format("2006-01-02 15:04 UTC"))
}

// maxName is how many characters a name has at most.
const maxName = 64

// CheckName returns an error if the name of an account or key is not valid: 1 to 64
// printable characters, in normalization form C so that names that look the same are the
// same, without leading or trailing spaces.
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
		return fmt.Errorf("has the character %U; use letters, digits, punctuation and plain spaces", r)
	}
	for _, r := range name {
		if !unicode.IsPrint(r) {
			return fmt.Errorf("has the character %U; use letters, digits, punctuation and plain spaces", r)
		}
	}
	if !norm.NFC.IsNormalString(name) {
		return fmt.Errorf("is not in Unicode normalization form C; use %q as written here", norm.NFC.String(name))
	}
	return nil
}
