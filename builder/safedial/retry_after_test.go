package safedial_test

import (
	"net/http"
	"testing"
	"time"

	"kindex/builder/safedial"
)

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)
	for text, want := range map[string]time.Duration{
		"0": 0, "7": 7 * time.Second, " 7 ": 7 * time.Second, "3600": time.Hour, "3601": time.Hour,
		"9223372037": time.Hour, "99999999999999999999": time.Hour, // more than a Duration, more than an int64
		"Mon, 23 Nov 2026 12:00:09 GMT": 9 * time.Second, "Mon, 23 Nov 2026 11:00:00 GMT": 0, "Mon, 23 Nov 9999 11:00:00 GMT": time.Hour,
		"Monday, 23-Nov-26 12:01:00 GMT": time.Minute,
		"":                               -1, "soon": -1, "-7": -1, "1.5": -1, "7s": -1,
	} {
		got, ok := safedial.RetryAfter(http.Header{"Retry-After": {text}}, now, time.Hour)
		if ok != (want >= 0) || got != max(want, 0) {
			t.Errorf("%q: %v, %v; want %v", text, got, ok, want)
		}
	}
}
