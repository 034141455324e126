package auth

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"time"

	"kindex/edge/apikey"
)

// How long things last.
const (
	// AttemptTTL is the maximum time a user can spend at the provider.
	AttemptTTL = 10 * time.Minute
	// SessionIdleTimeout is how long a session lasts that is not used.
	SessionIdleTimeout = 30 * 24 * time.Hour
	// MaxSessionAge is how long a session lasts however much it is used.
	MaxSessionAge = 90 * 24 * time.Hour
	// sessionStep is how stale the stored last use can be: not every request writes.
	sessionStep = time.Hour
)

// Limits on what clients can make the store keep.
const (
	// MaxAttempts is the maximum number of attempts in progress, and MaxPerNetwork the
	// maximum for one network. If there is no room, the oldest attempts of the network
	// with the most are dropped, never those of smaller networks: starting many
	// attempts does not keep others from signing in.
	MaxAttempts   = 10_000
	MaxPerNetwork = 500
	// MaxSessions is the maximum number of sessions per account; the oldest are dropped.
	MaxSessions = 20
)

// Errors of the store.
var (
	ErrNoAttempt = errors.New("unknown, expired or completed sign-in attempt")
	ErrSignedOut = errors.New("not signed in")
)

// Attempt is a sign-in in progress, between its start and the provider's callback. It is
// found by the hashes of the browser's and the provider's tokens.
type Attempt struct {
	Browser   string // hash of the cookie
	State     string // hash of the parameter "state"
	Provider  string // name of the provider, as in addresses
	Nonce     string // to be found in the id_token
	Verifier  string // of PKCE
	Network   string // the network it was started from, as returned by NetworkOf; TakeAttempt does not return it
	ExpiresAt time.Time
}

// NetworkOf writes a network, a /48 of IPv6 or a /24 of IPv4, so that the first
// WiderNetworkLen bytes are the same for all networks of one /32 or /16.
func NetworkOf(p netip.Prefix) string {
	switch a := p.Masked().Addr(); {
	case a.Is4():
		b := a.As4()
		return fmt.Sprintf("4:0000%x", b[:3])
	case a.Is6():
		b := a.As16()
		return fmt.Sprintf("6:%x", b[:6])
	}
	return ""
}

// WiderNetworkLen is the number of bytes of NetworkOf's result that identify a /32 of IPv6
// or a /16 of IPv4.
const WiderNetworkLen = 10

// Identity is a user as known to a provider.
type Identity struct {
	Provider string // issuer of an OpenID Connect provider, address of a GitHub
	Subject  string // never reused by that provider
	Login    string // the current login there; "" if unknown
}

// Session is the session of a signed-in browser.
type Session struct {
	Hash      string // of the token in its cookie
	AccountID string
	CreatedAt time.Time
	SeenAt    time.Time // at most an hour out of date
	ExpiresAt time.Time
}

// SignedInIdentity is a user authenticated by a provider.
type SignedInIdentity struct {
	Identity Identity
	Name     string        // for a new account; if taken, "name-2" and so on are used
	Key      apikey.Secret // for a new account
	Hash     string        // of the new session's token
	Replaces string        // hash of the browser's session until now, "" for none
	At       time.Time
	Address  string // the IP address of the browser, for the audit log
}

// Store is the storage that sign-in needs. Its writes are durable when they return.
type Store interface {
	// AddAttempt stores an attempt. It keeps at most MaxAttempts in total, and
	// MaxPerNetwork for one network.
	AddAttempt(ctx context.Context, a Attempt) error
	// TakeAttempt removes the attempt that matches all arguments and returns it to one
	// caller only; ErrNoAttempt if none matches.
	TakeAttempt(ctx context.Context, browser, state, provider string, now time.Time) (Attempt, error)
	// SignIn finds or creates the account of an identity, a new one with its first key, and
	// opens a session in the same transaction. made reports whether the account is new. The
	// error is a *apikey.SuspendedError if the account is suspended.
	SignIn(ctx context.Context, a SignedInIdentity) (account apikey.Account, made bool, err error)
	// Session returns a session that has not expired; ErrSignedOut if there is none.
	// Sessions of suspended accounts are not returned.
	Session(ctx context.Context, hash string, now time.Time) (Session, apikey.Account, error)
	// ExtendSession notes that a session is in use.
	ExtendSession(ctx context.Context, hash string, seen, expires time.Time) error
	// EndSession removes a session; there need be none.
	EndSession(ctx context.Context, hash string) error
}
