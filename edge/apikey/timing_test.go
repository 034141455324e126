package apikey

import (
	"crypto/sha256"
	"encoding/hex"
	"testing"
	"time"

	"kindex/builder/suite"
)

// TestTimingOfKeyComparison checks that the duration of a comparison does not reveal how much
// of a guess is right. It proves that the measurement works by also measuring a comparison
// that stops at the first difference, which must be detected.
func TestTimingOfKeyComparison(t *testing.T) {
	suite.WithoutRace(t)
	hash := sha256.Sum256([]byte("kx_"))
	text := hex.EncodeToString(hash[:])
	differing := func(i int) []Candidate {
		other := []byte(text)
		other[i] ^= 1
		return []Candidate{{Hash: string(other)}}
	}
	early, late := differing(HashPrefix), differing(len(text)-1)
	stopping := func(c []Candidate, want string) (Key, Account, bool) {
		for i := range want {
			if c[0].Hash[i] != want[i] {
				return Key{}, Account{}, false
			}
		}
		return c[0].Key, c[0].Account, true
	}
	var leak, ours time.Duration
	for range 50 { // repeated because other programs may disturb the measurement
		leak, ours = excess(stopping, early, late, text), excess(FindByHash, early, late, text)
		if leak > 0 && ours < leak/4 && ours > -leak/4 {
			return
		}
	}
	t.Errorf("a late difference takes %v longer than an early one; with a comparison that stops at the first difference, %v", ours, leak)
}

// excess returns how much longer a thousand uninterrupted calls take with late than with
// early. The calls alternate, so that a slowdown of the machine affects both.
func excess(f func([]Candidate, string) (Key, Account, bool), early, late []Candidate, hash string) time.Duration {
	best := [2]time.Duration{time.Hour, time.Hour}
	for range 300 {
		for i, c := range [2][]Candidate{early, late} {
			begun := time.Now()
			for range 1000 {
				if _, _, found := f(c, hash); found {
					panic("the wrong key was found")
				}
			}
			best[i] = min(best[i], time.Since(begun))
		}
	}
	return best[1] - best[0]
}
