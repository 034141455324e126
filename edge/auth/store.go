package auth

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"time"

	"kindex/edge/apikey"
)

// How long attempts and sessions last.
const (
	// AttemptTTL is the maximum time that a user can spend at the provider.
	AttemptTTL = 10 * time.Minute
	// SessionIdleTimeout is how long an unused session lasts.
	SessionIdleTimeout = 30 * 24 * time.Hour
	// MaxSessionAge is the maximum duration of a session, however often it is used.
	MaxSessionAge = 90 * 24 * time.Hour
	// sessionStep is how out of date the stored time of a session's last use can be, so that
	// not every request needs to update it.
	sessionStep = time.Hour
)

// Limits on how much data clients can cause the store to keep.
const (
	// MaxAttempts is the maximum number of attempts in progress, and MaxPerNetwork the
	// maximum for one network. If there is no room, the oldest attempts from the network with
	// the most attempts are dropped, so that starting many attempts does not keep people in
	// other networks from signing in.
	MaxAttempts   = 10_000
	MaxPerNetwork = 500
	// MaxSessions is the maximum number of sessions per account; the oldest are dropped.
	MaxSessions = 20
)

// Errors that a Store returns.
var (
	ErrNoAttempt = errors.New("unknown, expired or completed sign-in attempt")
	ErrSignedOut = errors.New("not signed in")
)

// Attempt is a sign-in in progress, between its start and the provider's callback. It is looked
// up by the hashes of two tokens: one from the browser and one from the provider.
type Attempt struct {
	Browser   string // the hash of the token in the browser's cookie
	State     string // the hash of the parameter "state"
	Provider  string // the provider's name as used in URLs
	Nonce     string // expected in the id_token
	Verifier  string // the PKCE code verifier
	Network   string // the network where it was started, as returned by NetworkOf; TakeAttempt does not return it
	ExpiresAt time.Time
}

// NetworkOf formats a network, an IPv6 /48 or an IPv4 /24, so that the first WiderNetworkLen
// bytes are the same for all networks in the same /32 or /16.
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

// WiderNetworkLen is the number of bytes of NetworkOf's result that identify an IPv6 /32 or
// an IPv4 /16.
const WiderNetworkLen = 10

// Identity identifies a user at a provider.
type Identity struct {
	Provider string // the issuer of an OpenID Connect provider, or the address of GitHub
	Subject  string // never reused by that provider
	Login    string // the current login there, or "" if unknown
}

// Session is a session in a signed-in browser.
type Session struct {
	Hash      string // the hash of the token in its cookie
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
	Hash     string        // the hash of the new session's token
	Replaces string        // the Hash of the browser's previous session, or "" if there is none
	At       time.Time
	Address  string // the IP address of the browser, for the audit log
}

// Store is the storage used for sign-in. Its writes are durable when they return.
type Store interface {
	// AddAttempt stores an attempt. It keeps at most MaxAttempts in total, and at most
	// MaxPerNetwork per network.
	AddAttempt(ctx context.Context, a Attempt) error
	// TakeAttempt removes the attempt that matches all arguments and returns it to one caller
	// only. The error is ErrNoAttempt if none matches.
	TakeAttempt(ctx context.Context, browser, state, provider string, now time.Time) (Attempt, error)
	// SignIn finds or creates the account for an identity and opens a session in the same
	// transaction. A new account gets its first key. made reports whether the account is new.
	// The error is a *apikey.SuspendedError if the account is suspended.
	SignIn(ctx context.Context, a SignedInIdentity) (account apikey.Account, made bool, err error)
	// Session returns a session that has not expired, unless its account is suspended. The
	// error is ErrSignedOut if there is none.
	Session(ctx context.Context, hash string, now time.Time) (Session, apikey.Account, error)
	// ExtendSession records when a session was last used and when it expires.
	ExtendSession(ctx context.Context, hash string, seen, expires time.Time) error
	// EndSession removes a session, if it exists.
	EndSession(ctx context.Context, hash string) error
}
