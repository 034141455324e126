package safedial

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

// RetryAfter returns how long a response asks to wait before the next request, at most longest.
// The header Retry-After has a number of seconds or a date (RFC 9110 section 10.2.3). ok is false
// if the header is missing or invalid.
func RetryAfter(h http.Header, now time.Time, longest time.Duration) (wait time.Duration, ok bool) {
	text := strings.TrimSpace(h.Get("Retry-After"))
	if text == "" {
		return 0, false
	}
	if strings.Trim(text, "0123456789") == "" {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil || n > int64(longest/time.Second) { // more seconds than a Duration has would overflow
			return longest, true
		}
		return time.Duration(n) * time.Second, true
	}
	at, err := http.ParseTime(text)
	if err != nil {
		return 0, false
	}
	return min(max(at.Sub(now), 0), longest), true
}
