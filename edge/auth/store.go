package auth

import (
	"context"
	"errors"
	"time"

	"kindex/edge/apikey"
)

// How long sessions last.
const (
	// SessionIdleTimeout is how long an unused session lasts.
	SessionIdleTimeout = 30 * 24 * time.Hour
	// MaxSessionAge is the maximum duration of a session, however often it is used.
	MaxSessionAge = 90 * 24 * time.Hour
	// SessionStep is how out of date the stored time of a session's last use can be, so that
	// not every request needs to update it.
	SessionStep = time.Hour
)

// MaxSessions is the maximum number of sessions per account; the oldest are dropped.
const MaxSessions = 20

// ErrSignedOut means that nobody is signed in.
var ErrSignedOut = errors.New("not signed in")

// Identity identifies a user at a provider.
type Identity struct {
	Provider string // the issuer of an OpenID Connect provider, or the address of GitHub
	Subject  string // never reused by that provider
	Login    string // the current login there, or "" if unknown
}

// SignedInIdentity is a user authenticated by a provider.
type SignedInIdentity struct {
	Identity Identity
	Name     string        // for a new account; if taken, "name-2" and so on are used
	Key      apikey.Secret // for a new account
	Hash     string        // the hash of the new session's token
	Replaces string        // the Hash of the browser's previous session, or "" if there is none
	At       time.Time
	Address  string // the IP address of the browser, for the audit log
}

// Store is the storage used for sign-in. Its writes are durable when they return.
type Store interface {
	// SignIn finds or creates the account for an identity and opens a session in the same
	// transaction. A new account gets its first key. made reports whether the account is new.
	// The error is a *apikey.SuspendedError if the account is suspended.
	SignIn(ctx context.Context, a SignedInIdentity) (account apikey.Account, made bool, err error)
	// Session returns the account of a session that has not expired, unless the account is
	// suspended, and records that the session is used. The error is ErrSignedOut if there is none.
	Session(ctx context.Context, hash string, now time.Time) (apikey.Account, error)
	// EndSession removes a session, if it exists.
	EndSession(ctx context.Context, hash string) error
}
