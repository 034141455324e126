package edge

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"kindex/builder/safedial"
	"kindex/builder/suite"
	"kindex/edge/web"
)

// Common attacks on an edge, one per test. Attacks on keys are in developer_test.go, on webhook
// addresses in builder/safedial, on sign-in in edge/auth, and on submissions in edge/submission.

// send is like ask, but also sends a body.
func (s *served) send(t testing.TB, method, path, key, body string, header ...string) answer {
	t.Helper()
	return suite.Must(exchange(http.DefaultClient, method, s.url+path, body, append([]string{"x-api-key", key, "Content-Type", "application/json"}, header...)...))(t)
}

// keyOf creates a key for an account.
func (s *served) keyOf(t testing.TB, account string) (key, id string) {
	t.Helper()
	secret, k := s.newKey(t, account)
	return secret.Reveal(), k.ID
}

// writes are paths that accept a body.
var writes = []string{"/api/developer/api-keys", "/api/submit", "/api/webhooks"}

// TestAttackMassAssignment sends fields that only the service is allowed to set.
func TestAttackMassAssignment(t *testing.T) {
	s := serveFew(t, Options{LimitKey: 1000})
	key, _ := s.keyOf(t, "account")
	good := map[string]map[string]any{
		"/api/developer/api-keys": {"name": "mine"},
		"/api/submit":             {"type": "tool", "name": "Thing", "provider": "Maker", "description": "Finds things in heaps of data.", "category": "alpha", "url": "https://example.org/thing"},
		"/api/webhooks":           {"url": "https://example.org/hook", "events": []string{"entity.created"}},
	}
	for _, path := range writes {
		for _, field := range []string{"id", "accountId", "account_id", "account", "status", "createdAt", "hash", "key", "secret", "active", "revokedAt",
			"limit", "quota", "suspendedAt", "scores", "composite", "signals.stars", "reason", "pullRequest", "Name", "NAME", "Url", "__proto__", "constructor", ""} {
			body := map[string]any{field: "x"}
			for k, v := range good[path] {
				body[k] = v
			}
			text := suite.Must(json.Marshal(body))(t)
			a := s.send(t, "POST", path, key, string(text))
			var p web.Problem
			if err := json.Unmarshal(a.body, &p); err != nil || a.status != 400 ||
				!slices.ContainsFunc(p.Errors, func(e web.FieldError) bool { return strings.Trim(e.Field, `"`) == field }) {
				t.Errorf("%s with %q: %d %s", path, field, a.status, a.body)
			}
		}
	}
}

// TestAttackOfAnotherAccount requests another account's objects by ID. The response must be the
// same as for an ID that does not exist.
func TestAttackOfAnotherAccount(t *testing.T) {
	exception := suite.Must(safedial.ParseException("127.0.0.1:9"))(t)
	s := serveFew(t, Options{LimitKey: 1000, Guard: safedial.New(safedial.Options{Allow: []safedial.Exception{exception}, Resolver: fixedNames{}, Dial: noNetwork})})
	victim, keyID := s.keyOf(t, "victim")
	attacker, _ := s.keyOf(t, "attacker")
	made := func(key, path, body string) string {
		t.Helper()
		a := s.send(t, "POST", path, key, body)
		var o struct{ ID string }
		if err := json.Unmarshal(a.body, &o); err != nil || a.status > 202 {
			t.Fatalf("%s: %d %s", path, a.status, a.body)
		}
		return o.ID
	}
	submission := made(victim, "/api/submit", `{"type":"tool","name":"Thing","description":"Finds things in heaps of data.","category":"alpha","url":"https://example.org/thing"}`)
	webhook := made(victim, "/api/webhooks", `{"url":"https://127.0.0.1:9/hook","events":["entity.created"]}`)
	test := made(victim, "/api/webhooks/"+webhook+"/test", "")
	other := func(id string) string { return id[:len(id)-4] + "aaaa" }
	for _, r := range []struct{ verb, path, id string }{
		{"DELETE", "/api/developer/api-keys?id=%s", keyID}, {"GET", "/api/submissions/%s", submission}, {"DELETE", "/api/submissions/%s", submission},
		{"GET", "/api/webhooks/%s", webhook}, {"DELETE", "/api/webhooks/%s", webhook}, {"POST", "/api/webhooks/%s/test", webhook},
		{"GET", "/api/webhooks/%s/deliveries", webhook}, {"POST", "/api/webhooks/%s/deliveries/dlv_aaaaaaaaaaaaaaaaaaaa/replay", webhook},
	} {
		foreign := s.send(t, r.verb, fmt.Sprintf(r.path, r.id), attacker, "")
		absent := s.send(t, r.verb, fmt.Sprintf(r.path, other(r.id)), attacker, "")
		if foreign.status != 404 || absent.status != 404 {
			t.Errorf("%s %s: %d %s, and %d for a nonexistent object", r.verb, r.path, foreign.status, foreign.body, absent.status)
			continue
		}
		var a, b web.Problem
		if json.Unmarshal(foreign.body, &a) != nil || json.Unmarshal(absent.body, &b) != nil ||
			a.Code != b.Code || strings.ReplaceAll(a.Detail, r.id, "") != strings.ReplaceAll(b.Detail, other(r.id), "") || (a.Suggestion == nil) != (b.Suggestion == nil) {
			t.Errorf("%s %s: the responses differ: %s and %s", r.verb, r.path, foreign.body, absent.body)
		}
		foreign.lacks(t, "Thing", "127.0.0.1")
	}
	for path, id := range map[string]string{"/api/developer/api-keys": keyID, "/api/submissions": submission, "/api/webhooks": webhook} {
		s.send(t, "GET", path, attacker, "").want(t, 200).lacks(t, id)
		s.send(t, "GET", path, victim, "").want(t, 200, id)
	}
	// Nor does another account's delivery exist under the caller's own webhook.
	own := made(attacker, "/api/webhooks", `{"url":"https://127.0.0.1:9/own","events":["entity.created"]}`)
	s.send(t, "POST", "/api/webhooks/"+own+"/deliveries/"+test+"/replay", attacker, "").want(t, 404)
}

// endless is a body that never ends; read is the number of bytes read from it.
type endless struct{ read atomic.Int64 }

func (e *endless) Read(p []byte) (int, error) {
	if e.read.Add(int64(len(p))) > 64<<20 {
		return 0, io.ErrUnexpectedEOF // the test has failed by now
	}
	for i := range p {
		p[i] = '['
	}
	return len(p), nil
}

// TestAttackBodyBombs sends bodies that grow when decoded.
func TestAttackBodyBombs(t *testing.T) {
	suite.InTest(t)
	s := serveFew(t, Options{LimitKey: 10_000})
	key, _ := s.keyOf(t, "account")
	var member bytes.Buffer
	z := gzip.NewWriter(&member)
	_, _ = z.Write(make([]byte, 1<<20)) // in memory
	_ = z.Close()
	zipped := strings.Repeat(member.String(), 256) // gzip readers read several members one after the other
	var many strings.Builder
	many.WriteString("{")
	for i := range 20_000 {
		fmt.Fprintf(&many, `"a%d":1,`, i)
	}
	members := many.String()
	for _, path := range writes {
		for name, b := range map[string]struct {
			body   string
			status int
			header []string
		}{
			"deep arrays":     {strings.Repeat("[", 200<<10), 400, nil},
			"deep in field":   {`{"name":` + strings.Repeat("[", 100<<10) + strings.Repeat("]", 100<<10) + "}", 400, nil},
			"many members":    {members + `"z":1}`, 400, nil},
			"a huge exponent": {`{"name":1e999999999}`, 400, nil},
			"gzip":            {zipped[:min(len(zipped), 256<<10)], 415, []string{"Content-Encoding", "gzip"}},
			"too long":        {`{"name":"` + strings.Repeat("a", 256<<10) + `"}`, 413, nil},
		} {
			a := s.send(t, "POST", path, key, b.body, b.header...)
			suite.Holds(t, a.status == b.status && len(a.body) <= 64<<10, path, name, a.status, len(a.body), "bytes")
		}
		body := &endless{}
		req := suite.Must(http.NewRequest("POST", s.url+path, body))(t)
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("x-api-key", key)
		if res, err := http.DefaultClient.Do(req); err == nil {
			res.Body.Close()
			suite.Equal(t, res.StatusCode, 413, path, "endless body")
		}
		n := body.read.Load()
		suite.Holds(t, n <= 16<<20, path, "read", n, "bytes of an endless body")
	}
}

// TestAttackHeaderInjection sends raw requests with values that try to add headers, responses,
// or lines in the log.
func TestAttackHeaderInjection(t *testing.T) {
	for name, handler := range map[string]func(io.Writer) slog.Handler{
		"text": func(w io.Writer) slog.Handler { return slog.NewTextHandler(w, nil) },
		"json": func(w io.Writer) slog.Handler { return slog.NewJSONHandler(w, nil) },
	} {
		t.Run(name, func(t *testing.T) {
			var log suite.Log
			s := serveFew(t, Options{LimitAnonymous: 1000, LogRequests: true, Log: slog.New(handler(&log))})
			before := strings.Count(log.String(), "\n")
			requests := []string{
				"GET /api/categories HTTP/1.1\r\nX-Request-Id: a\r\n Set-Cookie: evil=1\r\n",
				"GET /api/categories HTTP/1.1\r\nX-Request-Id: a%0d%0aSet-Cookie: evil=1\r\n",
				"GET /api/entity/tool/x%0d%0aSet-Cookie:%20evil=1 HTTP/1.1\r\n",
				"GET /api/entity/tool/x%0alevel=ERROR%20msg=evil=1 HTTP/1.1\r\n",
				"GET /api/entity/tool/%1b%5b2J%e2%80%ae HTTP/1.1\r\n",
				"GET /api/entities?cursor=%0d%0aSet-Cookie:%20evil=1 HTTP/1.1\r\n",
				"GET /data/x%0d%0aSet-Cookie:%20evil=1/y HTTP/1.1\r\n",
				"GET /api/categories HTTP/1.1\r\nX-Forwarded-For: 1.2.3.4\x0bSet-Cookie: evil=1\r\n",
			}
			for _, r := range requests {
				res, err := http.ReadResponse(bufio.NewReader(strings.NewReader(s.rawAll(t, r+"Host: x\r\nConnection: close\r\n\r\n"))), nil)
				suite.Holds(t, err == nil && len(res.Header.Values("Set-Cookie")) <= 0 &&
					res.StatusCode < 500, r, res, err)
			}
			lines := strings.Split(strings.TrimSpace(log.String()), "\n")[before:]
			if len(lines) > len(requests) {
				t.Errorf("%d log lines for %d requests:\n%s", len(lines), len(requests), strings.Join(lines, "\n"))
			}
			for _, line := range lines {
				suite.Holds(t, !strings.ContainsAny(line, "\x1b\r") &&
					!strings.HasPrefix(line, "level=ERROR"), line)
			}
		})
	}
}
