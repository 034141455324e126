package apikey

import (
	"crypto/sha256"
	"sync"
	"time"
)

// cachedKey is the result of looking up a key in the store, with the time of the query.
type cachedKey struct {
	key     Key
	account Account
	err     error // ErrUnknown, ErrRevoked, *SuspendedError
	begun   time.Time
}

// maxAnswers is the maximum number of results in each generation. A client that sends made-up
// keys causes more store queries, but does not increase memory use.
const maxAnswers = 8192

// keyCache caches lookup results in two generations. Results are added to the younger
// generation. Once that is full or has reached ttl, it becomes the older generation, and
// the previous older generation is dropped.
type keyCache struct {
	ttl            time.Duration
	mu             sync.RWMutex
	younger, older map[[sha256.Size]byte]cachedKey
	since          time.Time
	forgotten      time.Time // results of earlier queries are not used
}

// get returns a cached result that is recent enough for a request that arrives now.
func (a *keyCache) get(hash [sha256.Size]byte, now time.Time) (cachedKey, bool) {
	a.mu.RLock()
	defer a.mu.RUnlock()
	found, ok := a.younger[hash]
	if !ok {
		found, ok = a.older[hash]
	}
	if !ok || !a.fresh(found, now) {
		return cachedKey{}, false
	}
	return found, true
}

func (a *keyCache) fresh(found cachedKey, arrived time.Time) bool {
	return arrived.Sub(found.begun) < a.ttl && found.begun.After(a.forgotten)
}

// mayServe reports whether a result is recent enough for a request that arrived at the given
// time.
func (a *keyCache) mayServe(found cachedKey, arrived time.Time) bool {
	a.mu.RLock()
	defer a.mu.RUnlock()
	return a.fresh(found, arrived)
}

func (a *keyCache) put(hash [sha256.Size]byte, found cachedKey) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.younger == nil || len(a.younger) >= maxAnswers || time.Since(a.since) >= a.ttl {
		a.younger, a.older, a.since = map[[sha256.Size]byte]cachedKey{}, a.younger, time.Now()
	}
	a.younger[hash] = found
}

func (a *keyCache) clear() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.younger, a.older, a.forgotten = nil, nil, time.Now()
}
