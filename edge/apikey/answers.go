package apikey

import (
	"crypto/sha256"
	"sync"
	"time"
)

// cachedKey is the store's answer for a key, with the time of the query.
type cachedKey struct {
	key     Key
	account Account
	err     error // ErrUnknown, ErrRevoked, *SuspendedError
	begun   time.Time
}

// maxAnswers bounds each generation of answers. Trying invented keys makes the edge query
// the store more often, not use more memory.
const maxAnswers = 8192

// keyCache is a cache in two generations: answers are added to the younger one; when it is
// full, or older than any answer may get, it becomes the older one, and the previous older
// one is dropped.
type keyCache struct {
	mu             sync.RWMutex
	younger, older map[[sha256.Size]byte]cachedKey
	since          time.Time
	forgotten      time.Time // answers from before this time are not used
}

// get returns an answer that is recent enough for a request arriving now.
func (a *keyCache) get(hash [sha256.Size]byte, now time.Time) (cachedKey, bool) {
	a.mu.RLock()
	defer a.mu.RUnlock()
	found, ok := a.younger[hash]
	if !ok {
		found, ok = a.older[hash]
	}
	return found, ok && a.fresh(found, now)
}

func (a *keyCache) fresh(found cachedKey, arrived time.Time) bool {
	return arrived.Sub(found.begun) < CacheTTL && found.begun.After(a.forgotten)
}

// mayServe reports whether a request that arrived then can use this answer.
func (a *keyCache) mayServe(found cachedKey, arrived time.Time) bool {
	a.mu.RLock()
	defer a.mu.RUnlock()
	return a.fresh(found, arrived)
}

func (a *keyCache) put(hash [sha256.Size]byte, found cachedKey) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.younger == nil || len(a.younger) >= maxAnswers || time.Since(a.since) >= CacheTTL {
		a.younger, a.older, a.since = map[[sha256.Size]byte]cachedKey{}, a.younger, time.Now()
	}
	a.younger[hash] = found
}

func (a *keyCache) clear() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.younger, a.older, a.forgotten = nil, nil, time.Now()
}
