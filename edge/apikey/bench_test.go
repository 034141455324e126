package apikey_test

import (
	"testing"
	"time"

	"kindex/edge/apikey"
)

// BenchmarkIdentify measures how much time authentication adds to a request with a known key.
func BenchmarkIdentify(b *testing.B) {
	s := newStore(nil)
	a := apikey.NewAuthenticator(s, time.Now)
	key := s.add("k").Reveal()
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := a.Identify(b.Context(), key); err != nil {
			b.Fatal(err)
		}
	}
}
