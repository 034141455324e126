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

// CacheTTL is the maximum age that a cached key can have when a request arrives. It bounds
// how long a revoked key still works on another edge.
const CacheTTL = 500 * time.Millisecond

// refusalTTL is the maximum age of a cached refusal of a key that is unknown, revoked or expired. Such a
// key never becomes valid, unless somebody restores a backup of the store.
const refusalTTL = time.Minute

// lookupTimeout limits how long looking up a key in the store can take. It is independent of
// the requests' own timeouts because many requests may be waiting for one lookup.
const lookupTimeout = 5 * time.Second

// HashPrefix is the number of leading hexadecimal digits of a key's hash that are used to
// look it up. The other 224 bits are compared in constant time: the timing of a database
// index reveals at most these 32 bits of a hash, from which no key can be derived.
const HashPrefix = 8

// Candidate is a stored key whose hash starts with the same digits as the hash of the key
// being looked up.
type Candidate struct {
	Hash    string
	Key     Key
	Account Account
}

// Store is the storage used by an Authenticator. Its methods must be safe for concurrent use.
type Store interface {
	// KeysByHash returns every key, including revoked ones, whose hash starts with the given
	// HashPrefix digits. It must see everything committed before the call.
	KeysByHash(ctx context.Context, prefix string) ([]Candidate, error)
	// TouchKeys stores the times at which keys were last used, given by key id. It does not
	// overwrite a later time.
	TouchKeys(ctx context.Context, used map[string]time.Time) error
}

// Authenticator identifies keys. It is safe for concurrent use.
type Authenticator struct {
	store Store
	now   func() time.Time
	// The cache is indexed by the key's hash. A map lookup is not constant-time, but leaks
	// nothing useful: nobody can choose a hash or derive a key from it.
	cache   keyCache
	refused keyCache // keys that are unknown, revoked or expired
	flights singleflight.Group

	mu   sync.Mutex
	used map[string]time.Time // last-used times that are not stored yet, by key id
}

// NewAuthenticator returns an Authenticator for a store. now is the clock used to record when
// keys are used and to check whether they have expired. Cache entries expire according to the
// monotonic clock.
func NewAuthenticator(store Store, now func() time.Time) *Authenticator {
	return &Authenticator{store: store, now: now, cache: keyCache{ttl: CacheTTL}, refused: keyCache{ttl: refusalTTL}, used: map[string]time.Time{}}
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
	found, _ := a.refused.get(sha256.Sum256([]byte(sent)), time.Now())
	return found.err
}

// Identify returns the key and its account. The error is ErrMalformed, ErrUnknown, ErrRevoked,
// ErrExpired or a *SuspendedError; in the last case, the key and the account are returned, too.
// Any other error means that the store is unavailable.
func (a *Authenticator) Identify(ctx context.Context, sent string) (Key, Account, error) {
	arrived := time.Now()
	if err := check(sent); err != nil {
		return Key{}, Account{}, err
	}
	hash := sha256.Sum256([]byte(sent))
	if found, ok := a.refused.get(hash, arrived); ok {
		return Key{}, Account{}, found.err
	}
	found, ok := a.cache.get(hash, arrived)
	if !ok {
		var err error
		if found, err = a.lookup(ctx, hash, arrived); err != nil {
			return Key{}, Account{}, err
		}
	}
	// The key may have expired since it was cached.
	if found.key.Expired(a.now()) {
		found = cachedKey{err: ErrExpired, begun: found.begun}
		a.refused.put(hash, found)
	}
	if found.err == nil {
		a.touch(found.key.ID)
	}
	return found.key, found.account, found.err
}

// isFinal reports whether a key that is refused for this reason never becomes valid.
func isFinal(err error) bool { return err == ErrUnknown || err == ErrRevoked || err == ErrExpired } //nolint:errorlint // set only by this package

// lookup queries the store, once for all concurrent requests with the same key. It does not
// use the result of a query that started too long before this request arrived.
func (a *Authenticator) lookup(ctx context.Context, hash [sha256.Size]byte, arrived time.Time) (cachedKey, error) {
	for {
		flight := a.flights.DoChan(string(hash[:]), func() (any, error) {
			begun := time.Now() // before the query, because its result may not include later changes
			// The first caller may disconnect while other callers are still waiting.
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lookupTimeout)
			defer cancel()
			candidates, err := a.store.KeysByHash(ctx, hex.EncodeToString(hash[:])[:HashPrefix])
			if err != nil {
				return cachedKey{}, err
			}
			found := checkUsable(candidates, hash)
			found.begun = begun
			if isFinal(found.err) {
				a.refused.put(hash, found)
			} else {
				a.cache.put(hash, found)
			}
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

// checkUsable returns the key with the given hash, or the reason why it cannot be used.
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

// FindByHash finds the candidate with the given hexadecimal hash. The time it takes does not
// depend on how much of the hash matches.
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

// Forget clears the cache, so that changes made on this edge take effect here immediately.
func (a *Authenticator) Forget() {
	a.cache.clear()
	a.refused.clear()
}

func (a *Authenticator) touch(id string) {
	now := a.now()
	a.mu.Lock()
	a.used[id] = now
	a.mu.Unlock()
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
	err := a.store.TouchKeys(ctx, used)
	if err != nil {
		a.mu.Lock()
		maps.Copy(used, a.used) // the times in a.used are newer
		a.used = used
		a.mu.Unlock()
	}
	return err
}

// FlushEvery is the interval at which Work calls Flush.
const FlushEvery = 5 * time.Second

// Work calls Flush at intervals until ctx ends, and then once more. It passes errors to
// failed.
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
