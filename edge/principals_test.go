package edge_test

import (
	"net/http"
	"strings"
	"testing"

	"kindex/builder/suite"
	"kindex/edge/apikey"
	"kindex/edge/storage"
)

// testCallers calls every operation with invalid keys, after the limit has been reached, and, if
// the operation requires a key, without one.
func testCallers(t *testing.T, c *contract) {
	for _, id := range c.sortedIDs() {
		op := c.operations[id]
		if !strings.HasPrefix(op.path, "/api/") {
			continue
		}
		target, body := op.plainTarget(t), ""
		if id == "resolveBatch" {
			body = `{"ids":["pypi:torch"]}`
		}
		t.Run(id, func(t *testing.T) {
			for _, header := range []string{"x-api-key: kx_nonsense", "x-api-key: ", "Authorization: Bearer " + c.key} {
				c.send(t, request{op: id, verb: op.method, target: target, status: 401, header: []string{header}})
			}
			c.send(t, request{op: id, verb: op.method, target: target, status: 403, key: c.suspended})
			c.send(t, request{op: id, verb: op.method, target: target, status: 403, header: []string{"Host: strangers.example"}})
			c.send(t, request{op: id, verb: op.method, target: target, status: 503, base: c.away, key: c.key})
			if id == "revokeLeakedKey" {
				return // the operation takes no key and has its own limit
			}
			if !op.own() {
				c.send(t, request{op: id, verb: op.method, target: target, status: 200, base: c.away, body: body})
			}
			if op.metered() {
				c.send(t, request{op: id, verb: op.method, target: target, status: 429, base: c.spent})
			}
			if op.Responses.Status(http.StatusForbidden).Value.Headers["WWW-Authenticate"] != nil {
				lacking := c.onlyKeys
				if strings.HasPrefix(op.path, "/api/developer/") {
					lacking = c.onlyRead
				}
				if id == "revokeApiKey" {
					target += "?id=key_aaaaaaaaaaaaaaaaaaaa"
				}
				c.send(t, request{op: id, verb: op.method, target: target, status: 403, key: lacking})
				target, _, _ = strings.Cut(target, "?id=")
			} else if op.metered() {
				t.Errorf("the response to a key that lacks a scope is not described")
			}
			if op.own() {
				c.testOwnOperation(t, op, target)
			}
		})
	}
}

// allow returns the described methods of the operation's path, as in the header Allow.
func (op *operation) allow() string {
	var list []string
	for _, verb := range []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodDelete} {
		if op.item.GetOperation(verb) != nil || verb == http.MethodHead && op.item.Get != nil {
			list = append(list, verb)
		}
	}
	return strings.Join(append(list, http.MethodOptions), ", ")
}

// testOwnOperation calls an operation that writes data or that belongs to an account. None of its
// calls has an effect.
func (c *contract) testOwnOperation(t *testing.T, op *operation, target string) {
	t.Helper()
	id := op.OperationID
	c.send(t, request{op: id, verb: op.method, target: target, status: 401})
	c.send(t, request{op: id, verb: op.method, target: target, status: 503, closed: true, key: c.key})
	path, _, _ := strings.Cut(target, "?")
	c.send(t, request{op: id, verb: op.method, target: path + "?noSuchThing=1", status: 400, key: c.key})
	c.send(t, request{op: id, verb: op.method, target: path + "?a=%zz", status: 400, key: c.key})
	refused := c.send(t, request{op: id, verb: http.MethodPatch, target: target, status: 405, key: c.key})
	suite.Equal(t, refused.header.Get("Allow"), op.allow(), "Allow")
	if op.RequestBody == nil {
		return
	}
	for body, status := range map[string]int{
		`{"a":1,"a":2}`: 400, `[]`: 400, `{`: 400, `{} {}`: 400, `{"x":"\u0000"}`: 400, strings.Repeat("[", 40): 400,
		`{"noSuchField":1}`: 400, `{"x":"` + strings.Repeat("a", 256<<10) + `"}`: 413,
	} {
		c.send(t, request{op: id, verb: op.method, target: target, status: status, key: c.key, body: body})
	}
	for _, header := range []string{"Content-Type: text/plain", "Content-Encoding: gzip"} {
		c.send(t, request{op: id, verb: op.method, target: target, status: 415, key: c.key, body: "{}", header: []string{header}})
	}
}

// newKey creates a key for an account with the given scopes, all by default. It creates and suspends the account.
func (c *contract) newKey(t *testing.T, account string, suspended bool, scopes ...apikey.Scope) string {
	t.Helper()
	secret := apikey.Generate()
	suite.Check(t, c.state.Write(t.Context(), func(tx *storage.Tx) error {
		a, err := tx.EnsureAccount(account)
		if err == nil && len(scopes) > 0 {
			_, err = tx.CreateLimitedKey(a.ID, apikey.Grant{Name: "limited", Scopes: apikey.ScopesOf(scopes...)}, secret)
		} else if err == nil {
			_, err = tx.CreateKey(a.ID, "first", secret)
		}
		if err == nil && suspended {
			err = tx.Suspend(a.ID)
		}
		return err
	}))
	return secret.Reveal()
}
