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
	stopping := func(c []Candidate, want [sha256.Size]byte) cachedKey {
		w := hex.EncodeToString(want[:])
		for i := range w {
			if c[0].Hash[i] != w[i] {
				return cachedKey{err: ErrUnknown}
			}
		}
		return cachedKey{}
	}
	var leak, ours time.Duration
	for range 50 { // repeated because other programs may disturb the measurement
		leak, ours = excess(stopping, early, late, hash), excess(checkUsable, early, late, hash)
		if leak > 0 && ours < leak/4 && ours > -leak/4 {
			return
		}
	}
	t.Errorf("a late difference takes %v longer than an early one; with a comparison that stops at the first difference, %v", ours, leak)
}

// excess returns how much longer a thousand uninterrupted calls take with late than with
// early. The calls alternate, so that a slowdown of the machine affects both.
func excess(f func([]Candidate, [sha256.Size]byte) cachedKey, early, late []Candidate, hash [sha256.Size]byte) time.Duration {
	best := [2]time.Duration{time.Hour, time.Hour}
	for range 300 {
		for i, c := range [2][]Candidate{early, late} {
			begun := time.Now()
			for range 1000 {
				if f(c, hash).err != ErrUnknown { //nolint:errorlint // errors.Is would distort the measurement
					panic("the wrong key was found")
				}
			}
			best[i] = min(best[i], time.Since(begun))
		}
	}
	return best[1] - best[0]
}
