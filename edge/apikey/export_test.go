package apikey

import "time"

// Remembered returns the number of cached lookups.
func Remembered(a *Authenticator) int {
	a.cache.mu.RLock()
	defer a.cache.mu.RUnlock()
	return len(a.cache.younger) + len(a.cache.older)
}

// Use records that the key with this id was used at the given time.
func Use(a *Authenticator, id string, at time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.used[id] = at
}
