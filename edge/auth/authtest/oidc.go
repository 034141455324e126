// Package authtest provides identity providers for tests: oidc-provider from npm, and a
// server that imitates GitHub Enterprise.
package authtest

import (
	"bufio"
	"crypto/rand"
	_ "embed"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"golang.org/x/oauth2"

	"kindex/builder/suite"
)

// Client and ClientSecret are the credentials of the service at the providers.
const (
	Client       = "kindex"
	ClientSecret = "the client's secret: with +, % and &"
)

//go:embed provider.mjs
var program []byte

// StartOIDC runs oidc-provider from npm until the test ends and returns its issuer. redirect is
// the only redirect URI it accepts; names maps subjects to display names. The login typed on
// its page becomes the subject, and any password is accepted.
func StartOIDC(t testing.TB, redirect string, names map[string]string) string {
	t.Helper()
	site := filepath.Dir(suite.NodeModules(t, "oidc-provider"))
	text := suite.Must(json.Marshal(names))(t)
	script := filepath.Join(t.TempDir(), "provider.mjs")
	suite.Check(t, os.WriteFile(script, program, 0o600))
	cmd := exec.Command("node", script, site, redirect, Client, ClientSecret, string(text))
	in := suite.Must(cmd.StdinPipe())(t)
	out := suite.Must(cmd.StdoutPipe())(t)
	var output strings.Builder
	cmd.Stderr = &output
	suite.Check(t, cmd.Start())
	t.Cleanup(func() {
		in.Close()
		if err := cmd.Wait(); err != nil {
			t.Errorf("provider: %v", err)
		}
		if t.Failed() {
			t.Logf("the provider's output:\n%s", output.String())
		}
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("the provider did not start: %v\n%s", err, output.String())
	}
	return strings.TrimSpace(line)
}

// GitHub imitates the part of GitHub Enterprise needed to sign in: the OAuth web flow with
// PKCE, and GET /user.
type GitHub struct {
	URL string

	mu     sync.Mutex
	user   string // the response to GET /user, as JSON
	status int    // the status of that response
	codes  map[string]url.Values
	tokens map[string]string // user by token
}

// StartGitHub starts a server that stops when the test ends. It accepts only the credentials
// Client and ClientSecret. The signed-in user is {"id": 1, "login": "ann"}.
func StartGitHub(t testing.TB) *GitHub {
	t.Helper()
	h := &GitHub{user: `{"id": 1, "login": "ann"}`, status: http.StatusOK, codes: map[string]url.Values{}, tokens: map[string]string{}}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /login/oauth/authorize", h.authorize)
	mux.HandleFunc("POST /login/oauth/access_token", h.token)
	mux.HandleFunc("GET /api/v3/user", h.whoami)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.mu.Lock()
		defer h.mu.Unlock()
		mux.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	h.URL = server.URL
	return h
}

// Answer sets the response to all later GET /user requests: a status, and JSON such as {"id":
// 1, "login": "ann"}.
func (h *GitHub) Answer(status int, user string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.status, h.user = status, user
}

func (h *GitHub) authorize(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	if q.Get("client_id") != Client || q.Get("response_type") != "code" || q.Get("scope") != "" {
		http.Error(w, "not a valid request from an OAuth app", http.StatusBadRequest)
		return
	}
	code := rand.Text()
	h.codes[code] = q
	w.Header().Set("Location", q.Get("redirect_uri")+"?"+url.Values{"code": {code}, "state": {q.Get("state")}}.Encode())
	w.WriteHeader(http.StatusFound)
}

// token responds like GitHub, which sends status 200 even for failures.
func (h *GitHub) token(w http.ResponseWriter, r *http.Request) {
	asked, ok := h.codes[r.FormValue("code")]
	delete(h.codes, r.FormValue("code"))
	switch {
	case r.FormValue("client_id") != Client || r.FormValue("client_secret") != ClientSecret:
		fail(w, "incorrect_client_credentials")
	case !ok || asked.Get("redirect_uri") != r.FormValue("redirect_uri") ||
		asked.Get("code_challenge") != oauth2.S256ChallengeFromVerifier(r.FormValue("code_verifier")):
		fail(w, "bad_verification_code")
	default:
		token := "gho_" + rand.Text()
		h.tokens[token] = h.user
		w.Header().Set("Content-Type", "application/x-www-form-urlencoded")
		_, _ = w.Write([]byte(url.Values{"access_token": {token}, "token_type": {"bearer"}, "scope": {""}}.Encode()))
	}
}

func (h *GitHub) whoami(w http.ResponseWriter, r *http.Request) {
	user, ok := h.tokens[strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")]
	if !ok || r.Header.Get("User-Agent") == "" {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(h.status)
	_, _ = w.Write([]byte(user))
}

func fail(w http.ResponseWriter, code string) {
	w.Header().Set("Content-Type", "application/x-www-form-urlencoded")
	_, _ = w.Write([]byte(url.Values{"error": {code}, "error_description": {"the request is invalid"}}.Encode()))
}
