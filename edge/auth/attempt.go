package auth

import (
	"crypto/subtle"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// attemptTTL is the maximum time that a user can spend at the provider.
const attemptTTL = 10 * time.Minute

// attempt is a sign-in between its start and the provider's callback. Nothing is stored: its state,
// nonce and code verifier are derived from a random token in a cookie of the browser that started
// it. The token ends with the time at which the attempt expires, in Unix seconds.
type attempt struct{ provider, token string }

func newAttempt(provider string, now time.Time) attempt {
	return attempt{provider, newToken() + "." + strconv.FormatInt(now.Add(attemptTTL).Unix(), 10)}
}

// state is the parameter by which a callback is recognized.
func (a attempt) state() string { return derive(a.token, "state for "+a.provider) }

// nonce is expected in the id_token.
func (a attempt) nonce() string { return derive(a.token, "nonce for "+a.provider) }

// verifier is the PKCE code verifier.
func (a attempt) verifier() string { return derive(a.token, "verifier for "+a.provider) }

// attempt returns the attempt to which a callback belongs. A callback with a repeated parameter is
// treated as forged. An attempt can be used once, because the provider's code can.
func (h *Handler) attempt(r *http.Request, p provider) (a attempt, ok bool) {
	answer := r.URL.Query()
	for _, values := range answer {
		if len(values) > 1 {
			return a, false
		}
	}
	a = attempt{p.name(), h.cookie(r, attemptCookie)}
	_, expires, _ := strings.Cut(a.token, ".")
	end, err := strconv.ParseInt(expires, 10, 64)
	return a, err == nil && h.Now().Unix() < end && subtle.ConstantTimeCompare([]byte(answer.Get("state")), []byte(a.state())) == 1
}
