package apikey

import (
	"crypto/sha256"
	"sync"
	"time"
)

// cachedKey is what the store has said of a key, and when it was asked.
type cachedKey struct {
	key     Key
	account Account
	err     error // ErrUnknown, ErrRevoked, *SuspendedError
	begun   time.Time
}

// maxAnswers bounds each generation of answers. Whoever tries invented keys makes
// the edge ask the store more often, not hold more.
const maxAnswers = 8192

// keyCache is a cache in two generations: answers are put into the younger; when
// that is full, or older than any answer may get, it becomes the elder one, and the
// one before is dropped with all that is in it.
type keyCache struct {
	mu             sync.RWMutex
	younger, older map[[sha256.Size]byte]cachedKey
	since          time.Time
	forgotten      time.Time // nothing asked before this is believed
}

// get returns an answer that a request which arrives now may rely on.
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

// mayServe reports whether a request that arrived then may rely on this answer.
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
