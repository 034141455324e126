package auth_test

import (
	"crypto/rand"
	"crypto/rsa"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coreos/go-oidc/v3/oidc/oidctest"
	"golang.org/x/oauth2"
)

// crafted is an OpenID Connect provider that signs everybody in without asking. A test can
// make it lie in any part of its responses.
type crafted struct {
	issuer string
	key    *rsa.PrivateKey

	mu         sync.Mutex
	says       map[string]any             // replacements for the honest claims; nil removes one
	sign       func(claims string) string // nil: RS256 with the published key
	discovery  map[string]any             // replacements for the true metadata
	answer     url.Values                 // replacements for parameters of its authorization response
	lax        bool                       // it accepts any code verifier
	padding    int                        // number of extra bytes in its metadata
	info       map[string]any             // user information, in addition to the token
	infoStatus int
	moved      string                // redirect target for token requests
	codes      map[string]url.Values // authorization request by code
	exchanges  atomic.Int64          // number of token requests
	broken     atomic.Bool           // the endpoints do not respond
}

// craftedKey is created only once because generating a key takes a while.
var craftedKey = sync.OnceValue(func() *rsa.PrivateKey {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		panic(err)
	}
	return key
})

func startCrafted(t testing.TB) *crafted {
	t.Helper()
	c := &crafted{key: craftedKey(), codes: map[string]url.Values{}}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/openid-configuration", c.configuration)
	mux.HandleFunc("GET /auth", c.authorize)
	mux.HandleFunc("POST /token", c.token)
	mux.HandleFunc("GET /jwks", c.jwks)
	mux.HandleFunc("GET /me", c.me)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if c.broken.Load() {
			http.Error(w, "broken", http.StatusInternalServerError)
			return
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		mux.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	c.issuer = server.URL
	return c
}

// lie changes the provider's behaviour.
func (c *crafted) lie(change func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	change()
}

func writeJSON(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v)
}

func (c *crafted) configuration(w http.ResponseWriter, _ *http.Request) {
	said := map[string]any{"issuer": c.issuer, "authorization_endpoint": c.issuer + "/auth", "token_endpoint": c.issuer + "/token",
		"jwks_uri": c.issuer + "/jwks", "id_token_signing_alg_values_supported": []string{"RS256", "HS256", "none"},
		"authorization_response_iss_parameter_supported": true, "padding": string(make([]byte, c.padding))}
	maps.Copy(said, c.discovery)
	writeJSON(w, said)
}

func (c *crafted) authorize(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	code := rand.Text()
	c.codes[code] = q
	answer := url.Values{"code": {code}, "state": {q.Get("state")}, "iss": {c.issuer}}
	for name, values := range c.answer {
		if answer[name] = values; values == nil {
			answer.Del(name)
		}
	}
	w.Header().Set("Location", q.Get("redirect_uri")+"?"+answer.Encode())
	w.WriteHeader(http.StatusFound)
}

func (c *crafted) token(w http.ResponseWriter, r *http.Request) {
	c.exchanges.Add(1)
	if c.moved != "" {
		w.Header().Set("Location", c.moved)
		w.WriteHeader(http.StatusTemporaryRedirect)
		return
	}
	id, secret, _ := r.BasicAuth()
	asked, ok := c.codes[r.FormValue("code")]
	delete(c.codes, r.FormValue("code"))
	switch {
	case id != url.QueryEscape(clientID) || secret != url.QueryEscape(clientSecret):
		w.WriteHeader(http.StatusUnauthorized)
		writeJSON(w, map[string]any{"error": "invalid_client"})
	case !ok || asked.Get("redirect_uri") != r.FormValue("redirect_uri") || asked.Get("code_challenge_method") != "S256" ||
		!c.lax && asked.Get("code_challenge") != oauth2.S256ChallengeFromVerifier(r.FormValue("code_verifier")):
		w.WriteHeader(http.StatusBadRequest)
		writeJSON(w, map[string]any{"error": "invalid_grant"})
	default:
		writeJSON(w, map[string]any{"access_token": "at", "token_type": "Bearer", "id_token": c.idToken(asked.Get("nonce"))})
	}
}

func (c *crafted) idToken(nonce string) string {
	claims := map[string]any{"iss": c.issuer, "sub": "7", "aud": clientID, "nonce": nonce, "preferred_username": "mallory",
		"iat": time.Now().Unix(), "exp": time.Now().Add(time.Hour).Unix()}
	for name, v := range c.says {
		if claims[name] = v; v == nil {
			delete(claims, name)
		}
	}
	text, err := json.Marshal(claims)
	if err != nil {
		panic(err)
	}
	if c.sign != nil {
		return c.sign(string(text))
	}
	return oidctest.SignIDToken(c.key, "k1", "RS256", string(text))
}

func (c *crafted) me(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Authorization") != "Bearer at" {
		c.infoStatus = http.StatusUnauthorized
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(c.infoStatus)
	_ = json.NewEncoder(w).Encode(c.info)
}

func (c *crafted) jwks(w http.ResponseWriter, _ *http.Request) {
	e := []byte{byte(c.key.E >> 16), byte(c.key.E >> 8), byte(c.key.E)}
	writeJSON(w, map[string]any{"keys": []any{map[string]any{"kty": "RSA", "kid": "k1", "alg": "RS256", "use": "sig",
		"n": base64.RawURLEncoding.EncodeToString(c.key.N.Bytes()), "e": base64.RawURLEncoding.EncodeToString(e)}}})
}

// unsigned returns a token with the given header and without a signature. Libraries refuse to
// create such tokens.
func unsigned(header, claims string) string {
	encode := base64.RawURLEncoding.EncodeToString
	return fmt.Sprintf("%s.%s.", encode([]byte(header)), encode([]byte(claims)))
}
