// Package apikey knows API keys: how they look, what of them is stored, and whose
// they are. A key is shown once, when it is made; from then on only its SHA-256
// hash is known, and a masked form to tell keys apart by.
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

// MaxActive is how many keys of an account may be active at the same time.
const MaxActive = 5

// Account is who may ask more than strangers may.
type Account struct {
	ID          string
	Name        string
	CreatedAt   time.Time
	SuspendedAt time.Time     // the zero time while it is not
	Quota       int64         // requests in a window, 0 for as many as every account
	Window      time.Duration // of Quota, 0 for a UTC day
}

// Key is what is known of an API key once it was shown.
type Key struct {
	ID         string
	AccountID  string
	Name       string
	Masked     string
	CreatedAt  time.Time
	LastUsedAt time.Time // the zero time while it is unused; a few seconds old
	RevokedAt  time.Time // the zero time while it is active
	ExpiresAt  time.Time // the zero time where it never does
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

// Why a key is refused, or cannot be made. Their texts may be shown to whoever
// has sent the key.
var (
	ErrMalformed = errors.New("this is not an API key")
	ErrUnknown   = errors.New("unknown API key; another service may have issued it")
	ErrRevoked   = errors.New("this API key was revoked")
	ErrExpired   = errors.New("this API key has expired; create a new one")
	ErrTooMany   = fmt.Errorf("an account can have at most %d active API keys; revoke one first", MaxActive)
	// ErrNoAccount tells that an account is named that does not exist.
	ErrNoAccount = errors.New("there is no such account")
)

// SuspendedError tells that the operator has suspended an account.
type SuspendedError struct {
	Account string // its name
	Since   time.Time
}

func (e *SuspendedError) Error() string {
	return fmt.Sprintf("the account %q has been suspended since %s", e.Account, e.Since.UTC().Format("2006-01-02 15:04 UTC"))
}

// maxName is how many characters a name has at most.
const maxName = 64

// CheckName tells what is wrong with the name of an account or of a key, nil for
// nothing: it has 1 to 64 printable characters, in normal form C so that what
// looks the same is the same, and no spaces at its ends.
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
