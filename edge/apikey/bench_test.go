package apikey_test

import (
	"testing"
	"time"

	"kindex/edge/apikey"
)

// BenchmarkIdentify is what a request with a known key costs beside all else.
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
