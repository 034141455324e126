package edge

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"kindex/builder/suite"
	"kindex/edge/apikey"
	"kindex/edge/storage/storagetest"
	"kindex/edge/web"
)

// newOverAPI creates a key with another key, in the same way as an owner who creates one for a
// program.
func (s *served) newOverAPI(t *testing.T, owner apikey.Secret, body string) (key, id string) {
	t.Helper()
	a, err := s.write("POST", keysPath, owner.Reveal(), body)
	suite.Require(t, err == nil && a.status == 201, body, err, a.status)
	var made struct{ Key, ID string }
	suite.Check(t, json.Unmarshal(a.body, &made))
	return made.Key, made.ID
}

// belongings returns everything that belongs to an account, as shown to its owner.
func (s *served) belongings(t *testing.T, owner apikey.Secret) string {
	t.Helper()
	var all strings.Builder
	for _, path := range []string{keysPath, "/api/webhooks", "/api/submissions"} {
		a := s.ask(t, "GET", path, "x-api-key", owner.Reveal()).must(t, 200)
		var list struct {
			Data []struct{ ID string }
		}
		suite.Check(t, json.Unmarshal(a.body, &list))
		fmt.Fprintln(&all, path, list)
	}
	return all.String()
}

// TestSecurityLeakedReadKey tries every method on every path with a key that has only the read
// scope. Everything that requires another scope is forbidden, as is every write, and nothing
// changes.
func TestSecurityLeakedReadKey(t *testing.T) {
	suite.InTest(t)
	s := serve(t, 3)
	owner, first := s.newKey(t, "ada")
	leaked, id := s.newOverAPI(t, owner, `{"name":"notebook","scopes":["read"]}`)
	s.send(t, "POST", "/api/webhooks", owner.Reveal(), `{"url":"https://8.8.8.8/","events":["entity.created"]}`).must(t, 201)
	before := s.belongings(t, owner)
	read, forbidden := 0, 0
	for _, path := range s.shared.Paths {
		target := strings.NewReplacer(":type/:slug", "tool/tool-0", ":category", "all", ":id", "wh_aaaaaaaaaaaaaaaaaaaa", ":delivery", "dlv_aaaaaaaaaaaaaaaaaaaa").Replace(path)
		for _, verb := range []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"} {
			at, body := target, ""
			switch {
			case path == keysPath && verb == "DELETE":
				at += "?id=" + first.ID
			case path == keysPath && verb == "POST":
				body = `{"name":"mine"}`
			case path == "/api/webhooks" && verb == "POST":
				body = `{"url":"https://8.8.4.4/","events":["entity.created"]}`
			case path == "/api/submit" && verb == "POST":
				body = `{"type":"tool","name":"Mine","description":"Mine.","category":"nlp","url":"https://example.org/"}`
			}
			stranger := s.ask(t, verb, at)
			a := suite.Must(s.write(verb, at, leaked, body))(t)
			isWrite := verb != "GET" && verb != "HEAD" && a.status != 405 && path != keysPath+"/revoke" && path != resolvePath
			switch {
			case stranger.status == 401 || isWrite:
				forbidden++
				if a.status != 403 || verb != "HEAD" && !strings.Contains(string(a.body), `"code":"insufficient-scope"`) ||
					!strings.Contains(a.header.Get("WWW-Authenticate"), `error="insufficient_scope"`) {
					t.Errorf("%s %s: %d %v %s", verb, at, a.status, a.header, a.body)
				}
			case a.status == 200:
				read++
			case a.status == 401 || a.status == 403 || a.status >= 500:
				t.Errorf("%s %s: %d %s", verb, at, a.status, a.body)
			}
		}
	}
	suite.Equal(t, s.belongings(t, owner), before)
	suite.Holds(t, read >= 20 && forbidden >= 15, "only", read, "addresses were readable", forbidden, "forbidden")
	// The key can revoke itself, but do nothing else.
	s.send(t, "DELETE", keysPath+"?id="+id, leaked, "").want(t, 204)
}

// TestSecurityLeakedKeys: a key for a program, with the scopes that keys have by default, can neither create keys nor
// see or revoke its owner's keys. In a chain of keys, each created with the previous one, no key has a scope that the
// first one lacks. The tools for agents do not bypass the scopes.
func TestSecurityLeakedKeys(t *testing.T) {
	s := serveShared(t, 60)
	owner, first := s.newKey(t, "leaking")
	leaked, _ := s.newOverAPI(t, owner, `{"name":"build server"}`)
	deputy, _ := s.newOverAPI(t, owner, `{"name":"deputy","scopes":["read","keys"]}`)
	sender, _ := s.newOverAPI(t, owner, `{"name":"sender","scopes":["submit"]}`)
	before := s.belongings(t, owner)
	for _, r := range []struct{ method, path, body string }{
		{"POST", keysPath, `{"name":"mine"}`}, {"POST", keysPath, `{"name":"mine","scopes":["keys"]}`}, {"POST", keysPath, `{"name":"mine","scopes":["read"]}`},
		{"DELETE", keysPath + "?id=" + first.ID, ""}, {"DELETE", keysPath, `{"id":"` + first.ID + `"}`},
		{"GET", keysPath, ""}, {"HEAD", keysPath, ""}, {"GET", "/api/developer/audit", ""},
	} {
		for _, header := range [][]string{nil, {"Idempotency-Key", "one"}} {
			s.send(t, r.method, r.path, leaked, r.body, header...).want(t, 403)
		}
	}
	for body, want := range map[string]string{`{"name":"x"}`: "submit", `{"name":"x","scopes":["read","webhooks"]}`: "webhooks",
		`{"name":"x","scopes":["keys","submit"]}`: "submit"} {
		a := s.send(t, "POST", keysPath, deputy, body).want(t, 403)
		suite.Contains(t, a.header.Get("WWW-Authenticate"), `scope="`+want+`"`, body)
	}
	suite.Equal(t, s.belongings(t, owner), before)
	s.send(t, "POST", keysPath, deputy, `{"name":"x","scopes":["keys","read"]}`).want(t, 201)
	search := message("search", `{"query":"tool"}`)
	s.sendAs(t, search, "x-api-key", owner.Reveal()).want(t, 200).lacks(t, `"isError":true`)
	s.sendAs(t, search, "x-api-key", sender).says(t, `"isError":true`, "scope read")
}

// resolvePath takes its identifiers in a body, but is no write.
const resolvePath = "/api/resolve"

// TestRoutesNeedScopes: every route that counts towards the limit has a scope, except the one on
// which a key can revoke itself.
func TestRoutesNeedScopes(t *testing.T) {
	s := serveShared(t, 60)
	for _, r := range s.routeTable() {
		var want apikey.Scope
		switch {
		case r.cost < web.Metered, r.method == http.MethodDelete && r.path == keysPath:
			want = anyScope
		case strings.HasPrefix(r.path, "/api/developer/"):
			want = apikey.ScopeKeys
		case strings.HasPrefix(r.path, "/api/webhooks"):
			want = apikey.ScopeWebhooks
		case strings.HasPrefix(r.path, "/api/submi"):
			want = apikey.ScopeSubmit
		default:
			if want = apikey.ScopeRead; r.method != http.MethodGet && r.path != resolvePath {
				t.Errorf("%s %s is a write and needs only the read scope", r.method, r.path)
			}
		}
		suite.Equal(t, r.scope, want, r.method, r.path, "needs the scope")
		if strings.HasPrefix(r.path, "/api/") && r.cost == web.Unmetered {
			t.Errorf("%s %s is not counted", r.method, r.path)
		}
	}
}

// TestSecurityExpiredKey: a key stops working when it expires, even if it was used just before.
func TestSecurityExpiredKey(t *testing.T) {
	c := newClock("2026-11-21T12:00:00Z")
	s := serveFew(t, Options{State: storagetest.OpenAt(t, t.TempDir()+"/kindex.db", c.now), Now: c.now})
	owner, _ := s.newKey(t, "ada")
	key, _ := s.newOverAPI(t, owner, `{"name":"short","scopes":["read"],"expiresAt":"2026-11-21T13:00:00Z"}`)
	for _, step := range []struct {
		by     time.Duration
		status int
	}{{time.Hour - time.Millisecond, 200}, {time.Millisecond, 401}} {
		c.advance(step.by)
		if a := s.ask(t, "GET", "/api/categories", "x-api-key", key); a.status != step.status || a.status == 401 && !strings.Contains(string(a.body), "has expired") {
			t.Errorf("at %v: %d %s", c.now(), a.status, a.body)
		}
	}
	suite.Equal(t, strings.Count(string(s.ask(t, "GET", keysPath, "x-api-key", owner.Reveal()).body), `"masked"`), 1, "list")
}
