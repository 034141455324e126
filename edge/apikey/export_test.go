package apikey

import "time"

// Remembered is how many answers of the store are held.
func Remembered(a *Authenticator) int {
	a.cache.mu.RLock()
	defer a.cache.mu.RUnlock()
	return len(a.cache.younger) + len(a.cache.older)
}

// Use notes a use without a key.
func Use(a *Authenticator, id string, at time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.used[id] = at
}
