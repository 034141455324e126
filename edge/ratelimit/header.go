package ratelimit

import (
	"net/http"
	"strconv"
	"time"
)

// largestInteger is the largest integer in a structured field (RFC 9651 section 3.3.1).
const largestInteger = 999_999_999_999_999

// SetHeaders sets X-RateLimit-Limit, -Remaining, -Reset (Unix time in seconds) and -Tier, and
// RateLimit and RateLimit-Policy as in draft-ietf-httpapi-ratelimit-headers-10, with the policy
// "day" for a UTC day and else "window". The names are spelled as documented, not in the canonical
// form of net/http, so Get and Del do not find them.
func (s *State) SetHeaders(h http.Header, now time.Time) {
	policy := `"window"`
	if s.Window == Day {
		policy = `"day"`
	}
	number := func(n int64) string { return strconv.FormatInt(min(n, largestInteger), 10) }
	limit, remaining := number(s.Limit), number(s.Remaining)
	h["X-RateLimit-Limit"] = []string{limit}
	h["X-RateLimit-Remaining"] = []string{remaining}
	h["X-RateLimit-Reset"] = []string{strconv.FormatInt(s.Reset.Unix(), 10)}
	h["X-RateLimit-Tier"] = []string{s.Tier}
	h["RateLimit"] = []string{policy + ";r=" + remaining + ";t=" + number(s.Wait(now))}
	h["RateLimit-Policy"] = []string{policy + ";q=" + limit + ";w=" + number(int64(s.Window/time.Second))}
}
