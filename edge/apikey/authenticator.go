package apikey

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"maps"
	"net/http"
	"strings"
	"sync"
	"time"
)

// refusalTTL is how long a refusal of a key that is unknown, revoked or expired is remembered. Such a
// key never becomes valid, unless somebody restores a backup of the store. maxKnown is the maximum number
// of such keys, and of valid ones, that are remembered.
const (
	refusalTTL = time.Minute
	maxKnown   = 8192
)

// lookupTimeout limits how long looking up a key in the store, or storing when keys were used, can take.
const lookupTimeout = 5 * time.Second

// Store is the storage used by an Authenticator. Its methods must be safe for concurrent use.
type Store interface {
	// KeyByHash returns the key with a hash, revoked or not, and its account. If there is none, the
	// error is ErrUnknown. It must see everything committed before the call. How long it takes
	// may depend on the hash: nobody can derive a key from that.
	KeyByHash(ctx context.Context, hash string) (Key, Account, error)
	// TouchKeys stores the times at which keys were last used, given by key id. It does not
	// overwrite a later time.
	TouchKeys(ctx context.Context, used map[string]time.Time) error
}

// Authenticator identifies keys. Each request looks its key up, so that a revoked one stops working at
// once everywhere. It is safe for concurrent use.
type Authenticator struct {
	store Store
	now   func() time.Time

	mu   sync.Mutex
	used map[string]time.Time // last-used times that are not stored yet, by key id
	// By the hash of a key: those that were refused, and those that were valid when they were last
	// looked up.
	refused map[[sha256.Size]byte]refusal
	good    map[[sha256.Size]byte]bool
}

// refusal is why a key cannot become valid.
type refusal struct {
	err error
	at  time.Time
}

// NewAuthenticator returns an Authenticator for a store. now is the clock used to record when
// keys are used and to check whether they have expired.
func NewAuthenticator(store Store, now func() time.Time) *Authenticator {
	return &Authenticator{store: store, now: now, used: map[string]time.Time{}, refused: map[[sha256.Size]byte]refusal{}, good: map[[sha256.Size]byte]bool{}}
}

// FromHeader returns the key in the x-api-key header. A request without a key is anonymous. A
// key in another header, an empty header or two keys are errors: a caller who sends a key
// must not be treated as anonymous.
func FromHeader(h http.Header) (key string, anonymous bool, err error) {
	values := h["X-Api-Key"]
	if len(values) == 1 {
		return values[0], false, nil
	}
	if len(values) > 1 {
		return "", false, errSeveral
	}
	for _, v := range h["Authorization"] {
		scheme, credentials, _ := strings.Cut(v, " ")
		if credentials = strings.TrimSpace(credentials); strings.EqualFold(scheme, "Basic") {
			credentials = keyInBasic(credentials)
		}
		if strings.EqualFold(scheme, "Bearer") || strings.HasPrefix(credentials, Prefix) || strings.HasPrefix(scheme, Prefix) {
			return "", false, ErrWrongHeader
		}
	}
	return "", true, nil
}

// keyInBasic finds a key sent as the name or the password of Basic authentication (RFC 7617),
// which some services accept.
func keyInBasic(credentials string) string {
	plain, err := base64.StdEncoding.DecodeString(credentials)
	if err != nil {
		return ""
	}
	name, password, _ := strings.Cut(string(plain), ":")
	if strings.HasPrefix(name, Prefix) {
		return name
	}
	return password
}

// ErrWrongHeader means that a key was sent in Authorization, for example as a bearer token.
var ErrWrongHeader = errors.New("send the API key in the header x-api-key, not in Authorization")

var errSeveral = errors.New("the header x-api-key was sent more than once; send a single key")

// Refused returns why a key cannot be valid, as far as that is known without the store:
// ErrMalformed, or the result of a recent lookup. Otherwise it returns nil.
func (a *Authenticator) Refused(sent string) error {
	if err := check(sent); err != nil {
		return err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if r := a.refused[sha256.Sum256([]byte(sent))]; time.Since(r.at) < refusalTTL {
		return r.err
	}
	return nil
}

// WasValid reports whether a key was valid when it was last looked up.
func (a *Authenticator) WasValid(sent string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.good[sha256.Sum256([]byte(sent))]
}

// Identify returns the key and its account. The error is ErrMalformed, ErrUnknown, ErrRevoked,
// ErrExpired or a *SuspendedError; in the last case, the key and the account are returned, too.
// Any other error means that the store is unavailable.
func (a *Authenticator) Identify(ctx context.Context, sent string) (Key, Account, error) {
	if err := a.Refused(sent); err != nil {
		return Key{}, Account{}, err
	}
	sum := sha256.Sum256([]byte(sent))
	ctx, cancel := context.WithTimeout(ctx, lookupTimeout)
	defer cancel()
	key, account, err := a.store.KeyByHash(ctx, hex.EncodeToString(sum[:]))
	switch {
	case errors.Is(err, ErrUnknown):
	case err != nil:
		return Key{}, Account{}, err
	case !key.RevokedAt.IsZero():
		err = ErrRevoked
	case key.Expired(a.now()):
		err = ErrExpired
	case !account.SuspendedAt.IsZero():
		return key, account, &SuspendedError{account.Name, account.SuspendedAt}
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if err == nil {
		if len(a.good) >= maxKnown {
			clear(a.good)
		}
		a.used[key.ID], a.good[sum] = a.now(), true
		return key, account, nil
	}
	if delete(a.good, sum); len(a.refused) >= maxKnown {
		clear(a.refused) // made-up keys do not push out valid ones
	}
	a.refused[sum] = refusal{err, time.Now()}
	return Key{}, Account{}, err
}

// LastUsed returns when a key was last used, as far as this edge knows, including uses that
// are not stored yet.
func (a *Authenticator) LastUsed(k Key) time.Time {
	a.mu.Lock()
	defer a.mu.Unlock()
	if t := a.used[k.ID]; t.After(k.LastUsedAt) {
		return t
	}
	return k.LastUsedAt
}

// Flush stores the times at which keys were last used. Times that cannot be stored are kept
// for the next flush.
func (a *Authenticator) Flush(ctx context.Context) error {
	a.mu.Lock()
	used := a.used
	a.used = map[string]time.Time{}
	a.mu.Unlock()
	if len(used) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, lookupTimeout)
	defer cancel()
	err := a.store.TouchKeys(ctx, used)
	if err != nil {
		a.mu.Lock()
		maps.Copy(used, a.used) // the times in a.used are newer
		a.used = used
		a.mu.Unlock()
	}
	return err
}
