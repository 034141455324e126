package auth

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"net/http"
	"time"

	"kindex/edge/apikey"
)

// The names of the cookies. Because of their prefix, browsers accept them only from this host
// and only over https (RFC 6265bis, section 4.1.3.2), so that no neighbouring host can plant
// one.
const (
	attemptCookie = "kindex-signin"
	sessionCookie = "kindex-session"
)

// FormField is the name of the form field that contains the form token.
const FormField = "token"

const maxForm = 64 << 10

func newToken() string {
	var b [32]byte
	rand.Read(b[:])
	return base64.RawURLEncoding.EncodeToString(b[:])
}

// hash returns the stored form of a token. A plain hash is enough because tokens are too
// random to be found by brute force.
func hash(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}

// formToken returns the token for forms in a session. It is derived from the session
// token, which only the browser has: nothing needs to be stored, and a copy of the
// database is not enough to forge a form.
func formToken(session string) string {
	return derive(session, "kindex form")
}

// derive returns a token for a purpose, which does not reveal the one that it is derived from.
func derive(token, purpose string) string {
	mac := hmac.New(sha256.New, []byte(token))
	mac.Write([]byte(purpose))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

func (h *Handler) cookieName(name string) string {
	if h.secure {
		return "__Host-" + name
	}
	return name
}

// setCookie sets a cookie or, if the value is empty, deletes it.
func (h *Handler) setCookie(w http.ResponseWriter, name, value string, life time.Duration) {
	c := &http.Cookie{Name: h.cookieName(name), Value: value, Path: "/", MaxAge: int(life / time.Second), //nolint:gosec // Secure is set if the website uses https
		HttpOnly: true, Secure: h.secure, SameSite: http.SameSiteLaxMode}
	if value == "" {
		c.MaxAge = -1
	}
	http.SetCookie(w, c)
}

func (h *Handler) cookie(r *http.Request, name string) string {
	if c, err := r.Cookie(h.cookieName(name)); err == nil {
		return c.Value
	}
	return ""
}

// Session returns the user of the session to which the request belongs, and the token that
// every form in that session must contain in FormField. The error is ErrSignedOut if nobody is
// signed in. Any other error means that the database is unavailable.
func (h *Handler) Session(r *http.Request) (account apikey.Account, token string, err error) {
	secret := h.cookie(r, sessionCookie)
	if secret == "" {
		return apikey.Account{}, "", ErrSignedOut
	}
	account, err = h.Store.Session(r.Context(), hash(secret), h.Now())
	return account, formToken(secret), err
}

// ErrForged means that a form was not sent by a page of this service in this session. Its
// message can be shown.
var ErrForged = errors.New("this form was not submitted from a page of this service, or you have signed in again since you opened it; reload the page")

// CheckForm checks that a POST was sent by a form of this service in the session of the same
// browser: it must come from a page of the same origin and contain the session's form token.
// It parses the form and returns ErrForged or ErrSignedOut if the check fails.
func (h *Handler) CheckForm(r *http.Request) error {
	if err := h.checkOrigin(r); err != nil {
		return err
	}
	_, token, err := h.Session(r)
	if err != nil {
		return err
	}
	r.Body = http.MaxBytesReader(nil, r.Body, maxForm)
	if r.ParseForm() != nil || subtle.ConstantTimeCompare([]byte(r.PostForm.Get(FormField)), []byte(token)) != 1 {
		return ErrForged
	}
	return nil
}

// checkOrigin rejects a POST that does not come from a page of this service. Every browser sends
// the origin of a POST in at least one of two headers. Each of these headers that is present must
// match the public address, whatever the Host header says.
func (h *Handler) checkOrigin(r *http.Request) error {
	site, origin := r.Header.Get("Sec-Fetch-Site"), r.Header.Get("Origin")
	if site == "" && origin == "" || origin != "" && origin != "null" && origin != h.origin() || h.foreign.Check(r) != nil {
		return ErrForged
	}
	return nil
}

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
