package keys

import (
	"crypto/sha256"
	"encoding/hex"
	"testing"
	"time"
)

// TestTimingOfKeyComparison is the attack on a comparison that stops at the first
// difference: how long it takes tells how much of a guess is right. The same
// measurement must find such a comparison out, or it proves nothing.
func TestTimingOfKeyComparison(t *testing.T) {
	hash := sha256.Sum256([]byte("kx_"))
	text := hex.EncodeToString(hash[:])
	differing := func(i int) []Candidate {
		other := []byte(text)
		other[i] ^= 1
		return []Candidate{{Hash: string(other)}}
	}
	early, late := differing(HashPrefix), differing(len(text)-1)
	stopping := func(c []Candidate, want [sha256.Size]byte) answer {
		w := hex.EncodeToString(want[:])
		for i := range w {
			if c[0].Hash[i] != w[i] {
				return answer{err: ErrUnknown}
			}
		}
		return answer{}
	}
	excess := func(f func([]Candidate, [sha256.Size]byte) answer) time.Duration {
		return fastest(f, late, hash) - fastest(f, early, hash)
	}
	var leak, ours time.Duration
	for range 5 { // the machine has other things to do
		leak, ours = excess(stopping), excess(judge)
		if leak > 0 && ours < leak/4 && ours > -leak/4 {
			return
		}
	}
	t.Errorf("a difference at the end takes %v longer than one at the beginning; where a comparison stops at the first, %v longer", ours, leak)
}

// fastest is how long a thousand calls take where nothing comes between.
func fastest(f func([]Candidate, [sha256.Size]byte) answer, c []Candidate, hash [sha256.Size]byte) time.Duration {
	best := time.Hour
	for range 300 {
		begun := time.Now()
		for range 1000 {
			if f(c, hash).err != ErrUnknown { //nolint:errorlint // it is measured
				panic("the wrong key was found")
			}
		}
		best = min(best, time.Since(begun))
	}
	return best
}
