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
	// AttemptTTL is how long one may take at the provider's.
	AttemptTTL = 10 * time.Minute
	// SessionIdleTimeout is how long a session lasts that is not used.
	SessionIdleTimeout = 30 * 24 * time.Hour
	// MaxSessionAge is how long a session lasts however much it is used.
	MaxSessionAge = 90 * 24 * time.Hour
	// sessionStep is how far its use may be behind: not every request writes.
	sessionStep = time.Hour
)

// Bounds of what strangers may make the state remember.
const (
	// MaxAttempts is how many attempts may be under way, and MaxPerNetwork how many
	// of them from one network. Where there is no room, the oldest attempts of the
	// network that has the most are dropped, never those of smaller ones: whoever
	// starts many keeps nobody else from signing in.
	MaxAttempts   = 10_000
	MaxPerNetwork = 500
	// MaxSessions is how many sessions an account has; the oldest make room.
	MaxSessions = 20
)

// Why the store has nothing to give.
var (
	ErrNoAttempt = errors.New("unknown, expired or completed sign-in attempt")
	ErrSignedOut = errors.New("not signed in")
)

// Attempt is a sign-in under way, between its start and the provider's answer. It
// is found by the hashes of what the browser and the provider bring back.
type Attempt struct {
	Browser   string // hash of the cookie
	State     string // hash of the parameter "state"
	Provider  string // name of the provider, as it is in addresses
	Nonce     string // to be found in the id_token
	Verifier  string // of PKCE
	Network   string // where it was started from, as NetworkOf writes it; TakeAttempt does not return it
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

// WiderNetworkLen is how many bytes of what NetworkOf writes name a /32 of IPv6 or a
// /16 of IPv4.
const WiderNetworkLen = 10

// Identity is somebody as a provider knows them.
type Identity struct {
	Provider string // issuer of an OpenID Connect provider, address of a GitHub
	Subject  string // never given to anybody else by that provider
	Login    string // what they call themselves there now; "" where that is not told
}

// Session is a browser that is signed in.
type Session struct {
	Hash      string // of the token in its cookie
	AccountID string
	CreatedAt time.Time
	SeenAt    time.Time // at most an hour behind
	ExpiresAt time.Time
}

// SignedInIdentity is somebody whom a provider vouches for.
type SignedInIdentity struct {
	Identity Identity
	Name     string        // for a new account; another takes "name-2" and so on
	Key      apikey.Secret // for a new account
	Hash     string        // of the new session's token
	Replaces string        // hash of the browser's session until now, "" for none
	At       time.Time
	Address  string // the IP address of the browser, for the audit log
}

// Store is what signing in needs of the state. Its writes are durable when they
// return.
type Store interface {
	// AddAttempt keeps an attempt, and of all no more than MaxAttempts, of one
	// network no more than MaxPerNetwork.
	AddAttempt(ctx context.Context, a Attempt) error
	// TakeAttempt removes the one attempt that fits all that is told and returns it,
	// to one caller only; ErrNoAttempt where none fits.
	TakeAttempt(ctx context.Context, browser, state, provider string, now time.Time) (Attempt, error)
	// SignIn finds the account of an identity, or makes it with its first key, and
	// opens a session in the same transaction. made tells that the account is new.
	// It is a *apikey.SuspendedError where the account is suspended.
	SignIn(ctx context.Context, a SignedInIdentity) (account apikey.Account, made bool, err error)
	// Session finds a session that has not ended; ErrSignedOut where there is none.
	// A suspended account has none.
	Session(ctx context.Context, hash string, now time.Time) (Session, apikey.Account, error)
	// ExtendSession notes that a session is in use.
	ExtendSession(ctx context.Context, hash string, seen, expires time.Time) error
	// EndSession removes a session; there need be none.
	EndSession(ctx context.Context, hash string) error
}
