package apikey

import "time"

// Remembered is how many answers of the store are held.
func Remembered(a *Authenticator) int {
	a.answers.mu.RLock()
	defer a.answers.mu.RUnlock()
	return len(a.answers.younger) + len(a.answers.elder)
}

// Use notes a use without a key.
func Use(a *Authenticator, id string, at time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.used[id] = at
}
