// Package apikey implements API keys: their format, their stored form, and their accounts. A
// key is shown once, when it is created. Only its SHA-256 hash and a masked form, by which
// users can tell keys apart, are stored.
package apikey

import (
	"errors"
	"fmt"
	"slices"
	"strings"
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

// Scope is a part of the API that a key can be allowed to use.
type Scope string

// The scopes.
const (
	ScopeRead     Scope = "read"     // everything that can be read without a key
	ScopeSubmit   Scope = "submit"   // the account's submissions
	ScopeWebhooks Scope = "webhooks" // the account's webhooks and their deliveries
	ScopeKeys     Scope = "keys"     // the account's keys and its audit log
)

// AllScopes lists all scopes, in display order.
var AllScopes = []Scope{ScopeRead, ScopeSubmit, ScopeWebhooks, ScopeKeys}

// Scopes is a set of scopes. The zero value is the empty set.
type Scopes uint8

// Sets of scopes.
var (
	Everything = ScopesOf(AllScopes...)
	// DefaultScopes are the scopes that a new key gets if the request names none. They do not
	// allow creating or revoking other keys.
	DefaultScopes = ScopesOf(ScopeRead, ScopeSubmit, ScopeWebhooks)
)

// ScopesOf returns the set that contains the given scopes.
func ScopesOf(list ...Scope) (s Scopes) {
	for _, one := range list {
		s |= 1 << slices.Index(AllScopes, one)
	}
	return s
}

// Has reports whether the set contains a scope.
func (s Scopes) Has(one Scope) bool { return s&ScopesOf(one) != 0 }

// Covers reports whether the set contains all scopes of another set.
func (s Scopes) Covers(other Scopes) bool { return other&^s == 0 }

// Names returns the names of the scopes in the order of AllScopes.
func (s Scopes) Names() []string {
	names := []string{}
	for _, one := range AllScopes {
		if s.Has(one) {
			names = append(names, string(one))
		}
	}
	return names
}

func (s Scopes) String() string { return strings.Join(s.Names(), ", ") }

// ParseScopes returns the set of scopes with the given names. If a name is unknown, the error
// lists the known scopes.
func ParseScopes(names []string) (s Scopes, err error) {
	if len(names) == 0 {
		return 0, fmt.Errorf("must name at least one of %s", Everything)
	}
	for _, name := range names {
		one := Scope(name)
		switch {
		case !slices.Contains(AllScopes, one):
			return 0, fmt.Errorf("names an unknown scope; known scopes: %s", Everything)
		case s.Has(one):
			return 0, fmt.Errorf("names %s twice", one)
		}
		s |= ScopesOf(one)
	}
	return s, nil
}

// MaxKeyAge is the maximum time from a key's creation to its expiry. A key that is needed for
// longer should not expire at all.
const MaxKeyAge = 5 * 366 * 24 * time.Hour

// CheckExpiry returns an error if a key cannot have this expiry time.
func CheckExpiry(at, now time.Time) error {
	switch {
	case !at.After(now):
		return fmt.Errorf("must be in the future; the time is now %s", now.UTC().Format(time.RFC3339))
	case at.Sub(now) > MaxKeyAge:
		return errors.New("must be within five years; omit it for a key that never expires")
	}
	return nil
}
