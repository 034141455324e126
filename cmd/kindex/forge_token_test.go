package main

import (
	"bufio"
	"crypto/tls"
	"encoding/base64"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"kindex/builder/suite"
	"kindex/edge/submission/github/githubtest"
)

// eavesdropper is an attacker's server, which acts as both a host and a proxy, and answers
// every connection.
type eavesdropper struct {
	*httptest.Server
	mu     sync.Mutex
	asked  []string // requested hosts or paths
	tokens int      // requests carrying the forge's token
}

func newEavesdropper(t *testing.T) *eavesdropper {
	e := &eavesdropper{}
	certified := httptest.NewUnstartedServer(nil) // started only for its certificate
	certified.StartTLS()
	t.Cleanup(certified.Close)
	e.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		e.note(r)
		if r.Method != http.MethodConnect {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			return
		}
		defer conn.Close()
		_, _ = conn.Write([]byte("HTTP/1.1 200 OK\r\n\r\n"))
		inside := tls.Server(conn, &tls.Config{Certificates: certified.TLS.Certificates})
		if hidden, err := http.ReadRequest(bufio.NewReader(inside)); err == nil {
			e.note(hidden)
		}
	}))
	t.Cleanup(e.Close)
	return e
}

func (e *eavesdropper) note(r *http.Request) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.asked = append(e.asked, r.Method+" "+r.Host+r.URL.Path)
	token := base64.StdEncoding.EncodeToString([]byte("x-access-token:" + githubtest.Token))
	if strings.Contains(strings.Join(r.Header.Values("Authorization"), " "), token) {
		e.tokens++
	}
}

// TestForgeTokenStaysThere checks that a forge's token reaches only that forge's git host,
// whatever the configuration of the checkout contains. Connections that would leave the
// machine end at the test's proxy.
func TestForgeTokenStaysThere(t *testing.T) {
	suite.InTest(t)
	state, ids := submissionsState(t)
	data := suite.Must(os.ReadFile(state))(t)
	const genuine = "https://github.com/example/index.git"
	for name, row := range map[string]struct {
		config func(attacker string) []string
		says   string // part of the error, or "" if the genuine host is queried
	}{
		"origin on another host": {func(a string) []string { return []string{"remote.origin.url", a + "/example/index.git"} },
			"the remote origin is on 127.0.0.1:"},
		"another host to push to": {func(a string) []string {
			return []string{"remote.origin.url", genuine, "remote.origin.pushurl", a + "/example/index.git"}
		}, "but the forge's repositories are on github.com"},
		"another host in the guise of a name": {func(a string) []string {
			return []string{"remote.origin.url", "https://github.com@" + strings.TrimPrefix(a, "http://") + "/example/index.git"}
		}, "but the forge's repositories are on github.com"},
		"another repository": {func(string) []string { return []string{"remote.origin.url", "https://github.com/attacker/index.git"} },
			"is the repository attacker/index, but --forge-repo is example/index"},
		"a path of this machine": {func(string) []string { return []string{"remote.origin.url", "file:///tmp/example/index.git"} },
			"points to a repository on this machine, but the forge's repositories are on github.com"},
		"another scheme": {func(string) []string { return []string{"remote.origin.url", "ftp://github.com/example/index.git"} },
			"starts with ftp:"},
		"insteadOf": {func(a string) []string {
			return []string{"remote.origin.url", genuine, "url." + a + "/.insteadOf", "https://github.com/"}
		}, ""},
		"proxy": {func(a string) []string {
			return []string{"remote.origin.url", genuine, "http.proxy", a, "http.sslVerify", "false", "http.https://github.com/.proxy", a}
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h, attacker, proxy := newHostile(t), newEavesdropper(t), newEavesdropper(t)
			h.git(h.dir, "config", "--remove-section", "remote.origin")
			h.config(row.config(attacker.URL)...)
			own := filepath.Join(h.root, "kindex.db")
			suite.Check(t, os.WriteFile(own, data, 0o600))
			cmd := program("submissions", "accept", ids[0], "--state", own, "--content", "content", "--forge", "https://api.github.com", "--forge-repo", "example/index", "--base", "main")
			cmd.Dir = h.dir
			cmd.Env = append(cmd.Env, "KINDEX_FORGE_TOKEN="+githubtest.Token, "https_proxy="+proxy.URL, "HTTPS_PROXY="+proxy.URL, "no_proxy=", "NO_PROXY=")
			said, err := cmd.CombinedOutput()
			if err == nil || !strings.Contains(string(said), row.says) {
				t.Errorf("it says %q, %v", said, err)
			}
			if len(attacker.asked) > 0 || attacker.tokens > 0 {
				t.Errorf("the attacker's host was sent %q and saw the token %d times", attacker.asked, attacker.tokens)
			}
			if want := row.says == ""; (len(proxy.asked) > 0) != want || proxy.tokens > 0 {
				t.Errorf("the genuine host was sent %q; the token was visible in transit %d times", proxy.asked, proxy.tokens)
			}
		})
	}
}
