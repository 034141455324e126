package auth_test

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/coreos/go-oidc/v3/oidc/oidctest"

	"kindex/builder/suite"
	"kindex/edge/storage/storagetest"
)

// TestIDTokens checks that ID tokens with a single defect are refused. The log names the
// defect, but the page does not.
func TestIDTokens(t *testing.T) {
	suite.InTest(t)
	other := suite.Must(rsa.GenerateKey(rand.Reader, 2048))(t)
	hs256 := func(key []byte) func(string) string {
		return func(claims string) string {
			text := strings.TrimSuffix(unsigned(`{"alg":"HS256","kid":"k1"}`, claims), ".")
			mac := hmac.New(sha256.New, key)
			mac.Write([]byte(text))
			return text + "." + base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
		}
	}
	for name, c := range map[string]struct {
		says map[string]any
		sign func(*crafted) func(string) string
		want string // expected in the log
	}{
		"wrong nonce":              {map[string]any{"nonce": "another"}, nil, "a different nonce"},
		"no nonce":                 {map[string]any{"nonce": nil}, nil, "a different nonce"},
		"wrong audience":           {map[string]any{"aud": "another"}, nil, "expected audience"},
		"no audience":              {map[string]any{"aud": nil}, nil, "expected audience"},
		"more audiences":           {map[string]any{"aud": []string{clientID, "another"}}, nil, "not for this service alone"},
		"another authorized party": {map[string]any{"azp": "another"}, nil, "not for this service alone"},
		"expired":                  {map[string]any{"exp": time.Now().Add(-time.Minute).Unix()}, nil, "expired"},
		"no expiry":                {map[string]any{"exp": nil}, nil, "expired"},
		"not yet valid":            {map[string]any{"nbf": time.Now().Add(time.Hour).Unix()}, nil, "not before"},
		"wrong issuer":             {map[string]any{"iss": "https://evil.example"}, nil, "different provider"},
		"no subject":               {map[string]any{"sub": nil}, nil, "no usable subject"},
		"subject too long":         {map[string]any{"sub": strings.Repeat("a", 256)}, nil, "no usable subject"},
		"subject with NUL":         {map[string]any{"sub": "a\x00b"}, nil, "no usable subject"},
		"wrong access token hash":  {map[string]any{"at_hash": "AAAAAAAAAAAAAAAAAAAAAA"}, nil, "access token hash"},
		"alg none": {nil, func(*crafted) func(string) string {
			return func(s string) string { return unsigned(`{"alg":"none"}`, s) }
		}, "id_token"},
		"alg None": {nil, func(*crafted) func(string) string {
			return func(s string) string { return unsigned(`{"alg":"None"}`, s) }
		}, "id_token"},
		"no alg": {nil, func(*crafted) func(string) string { return func(s string) string { return unsigned(`{}`, s) } }, "id_token"},
		"no signature": {nil, func(*crafted) func(string) string {
			return func(s string) string { return unsigned(`{"alg":"RS256","kid":"k1"}`, s) }
		}, "failed to verify"},
		"signed by the client's secret": {nil, func(*crafted) func(string) string { return hs256([]byte(clientSecret)) }, "id_token"},
		"signed by the public key as text": {nil, func(c *crafted) func(string) string {
			der, err := x509.MarshalPKIXPublicKey(&c.key.PublicKey)
			if err != nil {
				panic(err)
			}
			return hs256(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der}))
		}, "id_token"},
		"signed by another key": {nil, func(*crafted) func(string) string {
			return func(s string) string { return oidctest.SignIDToken(other, "k1", "RS256", s) }
		}, "failed to verify"},
		"signed by a key that is not told": {nil, func(*crafted) func(string) string {
			return func(s string) string { return oidctest.SignIDToken(other, "k2", "RS256", s) }
		}, "failed to verify"},
		"not a token": {nil, func(*crafted) func(string) string { return func(string) string { return "x" } }, "malformed"},
		"none at all": {nil, func(*crafted) func(string) string { return func(string) string { return "" } }, "id_token"},
	} {
		t.Run(name, func(t *testing.T) {
			v, crafted := serve(t, storagetest.SQLite(t), false), startCrafted(t)
			v.offer(t, oidcOptions(crafted.issuer))
			crafted.says = c.says
			if c.sign != nil {
				crafted.sign = c.sign(crafted)
			}
			b := newBrowser(t, v)
			p := b.open(b.follow(b.begin(v, "oidc"), v.atCallback).target(t).String())
			suite.Holds(t, p.status == http.StatusBadGateway && b.cookie(v.url, "kindex-session") == "" &&
				len(v.accounts(t)) == 0, p.status, "session", b.cookie(v.url, "kindex-session"), "accounts", v.accounts(t))
			suite.Contains(t, v.log.String(), c.want)
			suite.Lacks(t, p.body, c.want)
			suite.Lacks(t, v.log.String(), clientSecret, "the log contains the secret")
		})
	}
}

// TestDiscovery checks that a provider with invalid metadata is refused, and accepted once
// its metadata is valid.
func TestDiscovery(t *testing.T) {
	suite.InTest(t)
	for name, lie := range map[string]func(*crafted){
		"another issuer":         func(c *crafted) { c.discovery = map[string]any{"issuer": "https://evil.example"} },
		"token without https":    func(c *crafted) { c.discovery = map[string]any{"token_endpoint": "http://example.org/token"} },
		"keys without https":     func(c *crafted) { c.discovery = map[string]any{"jwks_uri": "http://example.org/jwks"} },
		"a script to log in":     func(c *crafted) { c.discovery = map[string]any{"authorization_endpoint": "javascript:alert(1)"} },
		"a word to log in":       func(c *crafted) { c.discovery = map[string]any{"authorization_endpoint": "/auth"} },
		"no token endpoint":      func(c *crafted) { c.discovery = map[string]any{"token_endpoint": nil} },
		"user info in the clear": func(c *crafted) { c.discovery = map[string]any{"userinfo_endpoint": "http://example.org/me"} },
		"endless":                func(c *crafted) { c.padding = 2 << 20 },
		"broken":                 func(c *crafted) { c.broken.Store(true) },
	} {
		t.Run(name, func(t *testing.T) {
			v, c := serve(t, storagetest.SQLite(t), false), startCrafted(t)
			v.offer(t, oidcOptions(c.issuer))
			lie(c)
			b := newBrowser(t, v)
			suite.Equal(t, b.begin(v, "oidc").status, http.StatusBadGateway)
			suite.Equal(t, b.cookie(v.url, "kindex-signin"), "")
		})
	}
}

// TestRedirectedExchange has the provider redirect the token request, which contains the
// client's secret.
func TestRedirectedExchange(t *testing.T) {
	v, c, thief := serve(t, storagetest.SQLite(t), false), startCrafted(t), startCrafted(t)
	v.offer(t, oidcOptions(c.issuer))
	c.moved = thief.issuer + "/token"
	b := newBrowser(t, v)
	p := b.open(b.follow(b.begin(v, "oidc"), v.atCallback).target(t).String())
	if p.status != http.StatusBadGateway || c.exchanges.Load() != 1 || thief.exchanges.Load() != 0 {
		t.Errorf("%d; %d token requests, %d at the redirect target", p.status, c.exchanges.Load(), thief.exchanges.Load())
	}
}

// TestUserInfo checks that the name is taken from either place where a provider can publish it,
// but only if it belongs to the same user.
func TestUserInfo(t *testing.T) {
	suite.InTest(t)
	for name, c := range map[string]struct {
		info    map[string]any
		status  int
		account string
	}{
		"name":               {map[string]any{"sub": "7", "preferred_username": "Ann"}, 200, "ann"},
		"e-mail":             {map[string]any{"sub": "7", "email": "Ann.Other@example.org"}, 200, "ann-other"},
		"nothing":            {map[string]any{"sub": "7"}, 200, "user"},
		"unavailable":        {nil, 500, "user"},
		"different subjects": {map[string]any{"sub": "8", "preferred_username": "Ann"}, 200, ""},
	} {
		t.Run(name, func(t *testing.T) {
			v, p := serve(t, storagetest.SQLite(t), false), startCrafted(t)
			p.says = map[string]any{"preferred_username": nil}
			p.info, p.infoStatus = c.info, c.status
			p.discovery = map[string]any{"userinfo_endpoint": p.issuer + "/me"}
			v.offer(t, oidcOptions(p.issuer))
			b := newBrowser(t, v)
			b.open(b.follow(b.begin(v, "oidc"), v.atCallback).target(t).String())
			suite.Equal(t, b.signedIn(v), c.account, "signed in to", v.log)
		})
	}
}
