package edge_test

import (
	"slices"
	"strings"
	"testing"

	"kindex/edge/keys"
)

// testKeys goes through the life of keys, over the interface alone.
func testKeys(t *testing.T, c *contract) {
	const path = "/api/developer/api-keys"
	owner, other := c.newKey(t, "owner", false), c.newKey(t, "other", false)
	create := func(status int, body string, header ...string) *answer {
		t.Helper()
		return c.send(t, request{op: "createApiKey", verb: "POST", target: path, status: status, key: owner, body: body, header: header})
	}
	revoke := func(key string, status int, query, body string) *answer {
		t.Helper()
		return c.send(t, request{op: "revokeApiKey", verb: "DELETE", target: path + query, status: status, key: key, body: body, header: []string{"X-Request-Id: mine"}})
	}
	list := func(key string) (l struct {
		Data []struct{ ID, Name, Masked, CreatedAt, LastUsedAt string }
	}) {
		t.Helper()
		c.send(t, request{op: "listApiKeys", target: path, status: 200, key: key, header: []string{"X-Request-Id: mine"}}).decode(t, &l)
		return l
	}
	var made struct{ ID, Name, Key string }
	create(201, `{"name":"one"}`, "Idempotency-Key: a-1", "X-Request-Id: mine").decode(t, &made)
	if _, err := keys.Parse(made.Key); err != nil || made.Name != "one" {
		t.Errorf("%+v: %v", made, err)
	}
	// Keys of the same millisecond stand in either order.
	l := list(made.Key)
	i := slices.IndexFunc(l.Data, func(k struct{ ID, Name, Masked, CreatedAt, LastUsedAt string }) bool { return k.ID == made.ID })
	if len(l.Data) != 2 || i < 0 || l.Data[i].Masked != made.Key[:7]+"…"+made.Key[37:] || l.Data[i].LastUsedAt == "" {
		t.Errorf("%+v", l)
	}
	again := create(409, `{"name":"one"}`, "Idempotency-Key: a-1")
	if !strings.Contains(string(again.body), made.ID) || strings.Contains(string(again.body), made.Key[3:35]) {
		t.Errorf("a repeat is answered with %s", again.body)
	}
	create(422, `{"name":"two"}`, "Idempotency-Key: a-1")
	c.send(t, request{op: "createApiKey", verb: "POST", target: path, status: 400, key: owner, body: `{"name":"x"}`, fault: "Idempotency-Key", header: []string{"Idempotency-Key: a b"}})
	for _, body := range []string{`{}`, `{"name":""}`, `{"name":null}`, `{"name":5}`, `{"name":"` + strings.Repeat("x", 65) + `"}`, `{"nmae":"x"}`, `{"name":"x","id":"key_aaaaaaaaaaaaaaaaaaaa"}`} {
		create(400, body)
	}
	create(400, `{"name":" x"}`)
	for range keys.MaxActive - 2 {
		create(201, `{"name":"more"}`)
	}
	create(409, `{"name":"a sixth"}`)

	for _, id := range []string{made.ID, made.ID + "x", "key_aaaaaaaaaaaaaaaaaaaa", made.Key, "%00", "%F0", strings.Repeat("a", 300)} {
		revoke(other, 404, "?id="+id, "")
	}
	if a := revoke(owner, 404, "?id="+made.Key, ""); strings.Contains(string(a.body), made.Key[3:35]) {
		t.Errorf("the key is repeated: %s", a.body)
	}
	if a := revoke(owner, 404, "?id="+made.ID[:23]+"1", ""); !strings.Contains(string(a.body), `"suggestion":"`+made.ID) {
		t.Errorf("no suggestion: %s", a.body)
	}
	c.send(t, request{op: "revokeApiKey", verb: "DELETE", target: path + "?id=", status: 400, key: owner, fault: "id"})
	c.send(t, request{op: "revokeApiKey", verb: "DELETE", target: path, status: 400, key: owner, fault: "id", beyond: true})
	revoke(owner, 400, "", `{}`)
	revoke(owner, 400, "", `{"id":5}`)
	revoke(owner, 400, "?id="+made.ID, `{"id":"key_aaaaaaaaaaaaaaaaaaaa"}`)
	if l := list(owner); len(l.Data) != keys.MaxActive {
		t.Errorf("%+v", l)
	}
	revoke(owner, 204, "?id="+made.ID, "")
	revoke(owner, 404, "?id="+made.ID, "")
	c.send(t, request{op: "listApiKeys", target: path, status: 401, key: made.Key})
	create(201, `{"name":"again"}`)

	// The very key that asks.
	revoke(other, 204, "", `{"id":"`+list(other).Data[0].ID+`"}`)
	c.send(t, request{op: "listApiKeys", target: path, status: 401, key: other})
}
