package apikey

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"maps"
	"net/http"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"
)

// CacheTTL is how old what is known of a key may be when a request arrives. It
// bounds how long a revoked key goes on working on another edge.
const CacheTTL = 500 * time.Millisecond

// lookupTimeout is how long the store may take to find a key. It is no request's
// own time: many may wait for one lookup.
const lookupTimeout = 5 * time.Second

// HashPrefix is how many hexadecimal digits of its hash a key is looked up by. The
// other 224 bits are compared in constant time: how long the index of a database
// takes tells at most these 32 bits of a hash, which lead to no key.
const HashPrefix = 8

// Candidate is a stored key whose hash begins like that of a key that was sent.
type Candidate struct {
	Hash    string
	Key     Key
	Account Account
}

// Store is what an Authenticator needs. Its methods may be called by any number of
// goroutines at once.
type Store interface {
	// KeysByHash returns every key, revoked ones too, whose hash begins with these
	// HashPrefix digits. What was committed before the call must be in the answer.
	KeysByHash(ctx context.Context, prefix string) ([]Candidate, error)
	// TouchKeys notes when keys were used, by their ids. A later time that is there
	// already stays.
	TouchKeys(ctx context.Context, used map[string]time.Time) error
}

// Authenticator tells whose a key is. It is for any number of goroutines at once.
type Authenticator struct {
	store Store
	now   func() time.Time
	// cache by the hash of the key. That a map compares them as fast as it can is
	// no leak: nobody can choose a hash, and it leads to no key.
	cache   keyCache
	flights singleflight.Group

	mu   sync.Mutex
	used map[string]time.Time // by the id of the key; not yet stored
}

// NewAuthenticator returns one that asks store. now is the clock of last uses and
// of expiry; what ages the cache is the monotonic clock of the machine.
func NewAuthenticator(store Store, now func() time.Time) *Authenticator {
	return &Authenticator{store: store, now: now, used: map[string]time.Time{}}
}

// FromHeader finds the key that a request carries in x-api-key; there is none in an
// anonymous one. A key in another header, an empty header or two keys are errors:
// whoever sends a key must not be taken for a stranger.
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

// keyInBasic finds a key that came as the name or the password of Basic
// authentication (RFC 7617), as some services take them.
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

// ErrWrongHeader tells that a key came in Authorization, as a bearer token or so.
var ErrWrongHeader = errors.New("send the API key in the header x-api-key, not in Authorization")

var errSeveral = errors.New("the header x-api-key was sent more than once; send a single key")

// Identify tells whose key this is. Errors are ErrMalformed, ErrUnknown, ErrRevoked,
// ErrExpired and, together with the key and the account, *SuspendedError; any other
// means that the store cannot be asked.
func (a *Authenticator) Identify(ctx context.Context, sent string) (Key, Account, error) {
	arrived := time.Now()
	if err := check(sent); err != nil {
		return Key{}, Account{}, err
	}
	hash := sha256.Sum256([]byte(sent))
	found, ok := a.cache.get(hash, arrived)
	if !ok {
		var err error
		if found, err = a.lookup(ctx, hash, arrived); err != nil {
			return Key{}, Account{}, err
		}
	}
	// What was asked before may be known: whether a key has expired is asked each time.
	if found.key.Expired(a.now()) {
		return Key{}, Account{}, ErrExpired
	}
	if found.err == nil {
		a.touch(found.key.ID)
	}
	return found.key, found.account, found.err
}

// lookup asks the store, together with all who ask for the same key meanwhile. An
// answer that was begun too long before this request arrived is not taken.
func (a *Authenticator) lookup(ctx context.Context, hash [sha256.Size]byte, arrived time.Time) (cachedKey, error) {
	for {
		flight := a.flights.DoChan(string(hash[:]), func() (any, error) {
			begun := time.Now() // before the question: what is true later may be missing
			// The first who asks may leave while others wait.
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lookupTimeout)
			defer cancel()
			candidates, err := a.store.KeysByHash(ctx, hex.EncodeToString(hash[:])[:HashPrefix])
			if err != nil {
				return cachedKey{}, err
			}
			found := checkUsable(candidates, hash)
			found.begun = begun
			a.cache.put(hash, found)
			return found, nil
		})
		select {
		case <-ctx.Done():
			return cachedKey{}, ctx.Err()
		case r := <-flight:
			if r.Err != nil {
				return cachedKey{}, r.Err
			}
			if found := r.Val.(cachedKey); a.cache.mayServe(found, arrived) {
				return found, nil
			}
		}
	}
}

// checkUsable says what is known of the key with this hash.
func checkUsable(candidates []Candidate, hash [sha256.Size]byte) cachedKey {
	key, account, found := FindByHash(candidates, hex.EncodeToString(hash[:]))
	switch {
	case !found:
		return cachedKey{err: ErrUnknown}
	case !key.RevokedAt.IsZero():
		return cachedKey{err: ErrRevoked}
	case !account.SuspendedAt.IsZero():
		return cachedKey{key: key, account: account, err: &SuspendedError{account.Name, account.SuspendedAt}}
	}
	return cachedKey{key: key, account: account}
}

// FindByHash finds the key with a hash, in hexadecimal, among those that begin like it, in a
// time that does not depend on how much of the hash fits.
func FindByHash(candidates []Candidate, hash string) (Key, Account, bool) {
	at := -1
	for i := range candidates {
		at = subtle.ConstantTimeSelect(subtle.ConstantTimeCompare([]byte(candidates[i].Hash), []byte(hash)), i, at)
	}
	if at < 0 {
		return Key{}, Account{}, false
	}
	return candidates[at].Key, candidates[at].Account, true
}

// Forget makes this edge ask again for every key, so that what was just changed
// here holds here at once.
func (a *Authenticator) Forget() { a.cache.clear() }

func (a *Authenticator) touch(id string) {
	now := a.now()
	a.mu.Lock()
	a.used[id] = now
	a.mu.Unlock()
}

// LastUsed is when a key was used last, as far as this edge knows: what was noted
// here may not be stored yet.
func (a *Authenticator) LastUsed(k Key) time.Time {
	a.mu.Lock()
	defer a.mu.Unlock()
	if t := a.used[k.ID]; t.After(k.LastUsedAt) {
		return t
	}
	return k.LastUsedAt
}

// Flush stores when keys were used. What cannot be stored is kept for the next time.
func (a *Authenticator) Flush(ctx context.Context) error {
	a.mu.Lock()
	used := a.used
	a.used = map[string]time.Time{}
	a.mu.Unlock()
	if len(used) == 0 {
		return nil
	}
	err := a.store.TouchKeys(ctx, used)
	if err != nil {
		a.mu.Lock()
		maps.Copy(used, a.used) // those are newer
		a.used = used
		a.mu.Unlock()
	}
	return err
}

// FlushEvery is how often Work stores when keys were used.
const FlushEvery = 5 * time.Second

// Work flushes until ctx ends, and once more then. Failures are told to failed.
func (a *Authenticator) Work(ctx context.Context, failed func(error)) {
	tick := time.NewTicker(FlushEvery)
	defer tick.Stop()
	for {
		last := false
		select {
		case <-ctx.Done():
			last = true
		case <-tick.C:
		}
		end, cancel := context.WithTimeout(context.WithoutCancel(ctx), lookupTimeout)
		err := a.Flush(end)
		cancel()
		if err != nil {
			failed(err)
		}
		if last {
			return
		}
	}
}
