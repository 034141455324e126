package apikey

import "time"

// Remembered returns the number of cached lookups.
func Remembered(a *Authenticator) int {
	n := 0
	for _, c := range []*keyCache{&a.cache, &a.refused} {
		c.mu.RLock()
		n += len(c.younger) + len(c.older)
		c.mu.RUnlock()
	}
	return n
}

// Use records that the key with this id was used at the given time.
func Use(a *Authenticator, id string, at time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.used[id] = at
}
