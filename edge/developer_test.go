package edge

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"kindex/builder/suite"
	"kindex/edge/apikey"
	"kindex/edge/storage"
	"kindex/edge/storage/storagetest"
	"kindex/edge/web"
)

const keysPath = "/api/developer/api-keys"

// onEveryEngine runs a test on each database engine, with n edges that serve the same small
// build and share the database, each through its own handle.
func onEveryEngine(t *testing.T, n int, test func(t *testing.T, edges []*served)) {
	_, out := smallBuild(t, 3)
	storagetest.Each(t, func(t *testing.T, open func() *storage.State) {
		var edges []*served
		for range n {
			edges = append(edges, serveWith(t, Options{Dir: out, State: open()}))
		}
		test(t, edges)
	})
}

// ownURL stands for the address on which an edge listens.
const ownURL = "own"

// serveWith starts an edge with the given options on loopback.
func serveWith(t testing.TB, o Options) *served {
	t.Helper()
	h := httptest.NewUnstartedServer(nil)
	if o.SignIn.Configured() && o.URL == "" || o.URL == ownURL {
		o.URL = "http://" + h.Listener.Addr().String()
	}
	s := suite.Must(New(o))(t)
	h.Config.Handler = s
	h.Start()
	t.Cleanup(h.Close)
	return &served{Server: s, url: h.URL, out: o.Dir}
}

// newKey creates a key for the account, and creates the account if it does not exist.
func (s *served) newKey(t testing.TB, account string) (apikey.Secret, apikey.Key) {
	t.Helper()
	secret := apikey.Generate()
	var k apikey.Key
	suite.Check(t, s.state.Write(t.Context(), func(tx *storage.Tx) error {
		a, err := tx.EnsureAccount(account)
		if err == nil {
			k, err = tx.CreateKey(a.ID, "first", secret)
		}
		return err
	}))
	return secret, k
}

// write sends a body with a key. It may be called from any goroutine.
func (s *served) write(method, path, key, body string, header ...string) (answer, error) {
	kind := "application/json"
	if body == "" {
		kind = ""
	}
	return exchange(http.DefaultClient, method, s.url+path, body, append([]string{"x-api-key", key, "Content-Type", kind}, header...)...)
}

// TestKeyIsMadeOnce sends the same write many times concurrently, like a client that does not
// receive a response in time.
func TestKeyIsMadeOnce(t *testing.T) {
	suite.InRace(t)
	onEveryEngine(t, 2, func(t *testing.T, edges []*served) {
		secret, _ := edges[0].newKey(t, "ada")
		var mu sync.Mutex
		var wait sync.WaitGroup
		codes, named := map[string]int{}, map[string]bool{}
		for i := range 20 {
			wait.Go(func() {
				a, err := edges[i%2].write("POST", keysPath, secret.Reveal(), `{"name":"more"}`, "Idempotency-Key", "the-same")
				var answer struct{ ID, Code, Detail string }
				if err == nil {
					err = json.Unmarshal(a.body, &answer)
				}
				mu.Lock()
				defer mu.Unlock()
				if codes[fmt.Sprint(a.status, answer.Code)]++; err != nil {
					t.Error(err)
				}
				id := answer.ID
				if at := strings.Index(answer.Detail, "key_"); at >= 0 {
					id = answer.Detail[at : at+len("key_")+20]
				}
				named[id] = true
			})
		}
		wait.Wait()
		suite.Holds(t, codes["201"] == 1 && codes["409secret-shown-once"] == 19 &&
			len(named) == 1, codes, "of the keys", named)
	})
}

// TestSecurityKeyIsNowhere sends a key everywhere a client might put it by mistake, and checks
// that the log, the metrics and the errors do not contain it.
func TestSecurityKeyIsNowhere(t *testing.T) {
	suite.InTest(t)
	var log suite.Log
	_, out := smallBuild(t, 3)
	st := storagetest.SQLite(t)
	s := serveWith(t, Options{Dir: out, State: st, LogRequests: true, Log: slog.New(slog.NewJSONHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))})
	secret, _ := s.newKey(t, "ada")
	key := secret.Reveal()
	s.router.GET("/panic/:what", s.handle("/panic", web.Unmetered, nil, func(c *web.Call) (*web.Reply, error) { panic("with " + c.Param("what")) }))
	s.router.GET("/error/:what", s.handle("/error", web.Unmetered, nil, func(c *web.Call) (*web.Reply, error) {
		return nil, fmt.Errorf("with %s and %v", c.Param("what"), secret)
	}))
	var errors bytes.Buffer
	for _, r := range []struct {
		method, path string
		header       []string
	}{
		{"GET", "/api/categories", nil}, {"GET", "/api/" + key, nil}, {"GET", "/api/entity/tool/" + key, nil}, {"GET", "/" + key, nil},
		{"GET", "/api/entities?x-api-key=" + key, nil}, {"GET", "/api/entities?" + key + "=1", nil}, {"GET", "/api/search?q=" + key, nil},
		{"GET", "/api/categories", []string{"X-Request-Id", key}}, {"DELETE", keysPath + "?id=" + key, nil},
		{"GET", "/api/categories", []string{"Authorization", "Bearer " + key}}, {"GET", "/api/categories", []string{"x-api-key", key + "x"}},
		{"GET", "/api/categories", []string{"x-api-key", key[:40]}}, {"GET", "/api/categories", []string{"x-api-key", key[:39] + "zz"}},
		{"GET", "/panic/" + key, nil}, {"GET", "/error/" + key, nil}, {key, "/api/categories", nil},
		{"GET", "/api/categories", []string{"X-Forwarded-For", key}}, {"GET", "/api/categories", []string{"Forwarded", "for=" + key}},
	} {
		a := s.ask(t, r.method, r.path, append([]string{"x-api-key", key}, r.header...)...)
		// A client's address and request ID are shown only to that client.
		if a.status >= 400 && !strings.Contains(r.path, key) && !strings.Contains(r.method, key) {
			errors.Write(a.body)
			fmt.Fprint(&errors, a.header)
		}
	}
	for _, body := range []string{`{"name":"` + key + key + `"}`, `{"` + key + `":1}`, `{"name":"` + key} {
		s.send(t, "POST", keysPath, key, body).want(t, 400)
	}
	// If the database is unavailable, its error is logged.
	suite.Check(t, st.Close())
	s.ask(t, "GET", "/api/categories", "x-api-key", key).want(t, 503)
	w := httptest.NewRecorder()
	s.adminHandler(nil).ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	for what, text := range map[string]string{"the log": log.String(), "the metrics": w.Body.String(), "the errors": errors.String()} {
		for _, part := range []string{key, key[3:35], key[8:20], secret.Hash(), secret.Hash()[:16]} {
			if at := strings.Index(text, part); at >= 0 {
				t.Errorf("%s contains a part of the key: …%s…", what, text[max(0, at-200):min(len(text), at+60)])
				break
			}
		}
		suite.Holds(t, len(text) >= 500, what, "is only", text)
	}
	n := strings.Count(log.String(), "…redacted")
	suite.Holds(t, n >= 8, "only", n, "redaction marks")
}
