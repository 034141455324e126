package apikey

import "time"

// Remembered returns the number of refusals that are remembered.
func Remembered(a *Authenticator) int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.refused)
}

// Use records that the key with this id was used at the given time.
func Use(a *Authenticator, id string, at time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.used[id] = at
}
