package edge_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"kindex/builder/suite"
	"kindex/edge/apikey"
	"kindex/edge/storage"
	"kindex/edge/webhook"
	"kindex/exports/record"
)

// testKeys creates, lists, uses and revokes keys, using only the API.
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
	if _, err := apikey.Parse(made.Key); err != nil || made.Name != "one" {
		t.Errorf("%+v: %v", made, err)
	}
	// Keys created in the same millisecond can be listed in either order.
	l := list(owner)
	i := slices.IndexFunc(l.Data, func(k struct{ ID, Name, Masked, CreatedAt, LastUsedAt string }) bool { return k.ID == made.ID })
	suite.Holds(t, len(l.Data) == 2 && i >= 0 && l.Data[i].Masked == made.Key[:7]+"…"+made.Key[37:] &&
		l.Data[i].LastUsedAt == "" && l.Data[1-i].LastUsedAt != "", l)
	create(409, `{"name":"one"}`, "Idempotency-Key: a-1").says(t, made.ID).lacks(t, made.Key[3:35])
	create(422, `{"name":"two"}`, "Idempotency-Key: a-1")
	c.send(t, request{op: "createApiKey", verb: "POST", target: path, status: 400, key: owner, body: `{"name":"x"}`, fault: "Idempotency-Key", header: []string{"Idempotency-Key: a b"}})
	for _, body := range []string{`{}`, `{"name":""}`, `{"name":null}`, `{"name":5}`, `{"name":"` + strings.Repeat("x", 65) + `"}`, `{"nmae":"x"}`, `{"name":"x","id":"key_aaaaaaaaaaaaaaaaaaaa"}`} {
		create(400, body)
	}
	create(400, `{"name":" x"}`)
	for _, fields := range []string{`"scopes":[]`, `"scopes":["reed"]`, `"scopes":["read","read"]`, `"scopes":"read"`, `"scopes":null`, `"scopes":[1]`,
		`"expiresAt":"2020-01-01T00:00:00Z"`, `"expiresAt":"2100-01-01T00:00:00Z"`, `"expiresAt":"tomorrow"`, `"expiresAt":"0001-01-01T00:00:00Z"`, `"expiresAt":"9999-12-31T23:59:59Z"`, `"expiresAt":"2030-01-01"`, `"expiresAt":5`} {
		create(400, `{"name":"x",`+fields+`}`)
	}
	until := time.Now().UTC().Add(48 * time.Hour).Truncate(time.Second)
	var limited struct {
		Scopes    []string
		ExpiresAt *time.Time
	}
	create(201, `{"name":"limited","scopes":["keys","read"],"expiresAt":"`+until.In(time.FixedZone("", 7200)).Format(time.RFC3339)+`"}`).decode(t, &limited)
	suite.Holds(t, slices.Equal(limited.Scopes, []string{"read", "keys"}) && limited.ExpiresAt != nil &&
		limited.ExpiresAt.Equal(until), limited)
	create(201, `{"name":"more","expiresAt":null}`).decode(t, &limited)
	suite.Holds(t, slices.Equal(limited.Scopes, []string{"read", "submit", "webhooks"}) &&
		limited.ExpiresAt == nil, limited)
	create(201, `{"name":"more"}`)
	create(409, `{"name":"a sixth"}`)

	for _, id := range []string{made.ID, made.ID + "x", "key_aaaaaaaaaaaaaaaaaaaa", made.Key, "%00", strings.Repeat("a", 300)} {
		revoke(other, 404, "?id="+id, "")
	}
	revoke(other, 400, "?id=%F0", "")
	revoke(owner, 404, "?id="+made.Key, "").lacks(t, made.Key[3:35])
	revoke(owner, 404, "?id="+made.ID[:23]+"1", "").says(t, `"suggestion":"`+made.ID)
	c.send(t, request{op: "revokeApiKey", verb: "DELETE", target: path + "?id=", status: 400, key: owner, fault: "id"})
	c.send(t, request{op: "revokeApiKey", verb: "DELETE", target: path, status: 400, key: owner, fault: "id", beyond: true})
	revoke(owner, 400, "", `{}`)
	revoke(owner, 400, "", `{"id":5}`)
	revoke(owner, 400, "?id="+made.ID, `{"id":"key_aaaaaaaaaaaaaaaaaaaa"}`)
	suite.Equal(t, len(list(owner).Data), apikey.MaxActive)
	revoke(made.Key, 403, "?id=key_aaaaaaaaaaaaaaaaaaaa", "")
	revoke(made.Key, 204, "?id="+made.ID, "")
	revoke(owner, 404, "?id="+made.ID, "")
	c.send(t, request{op: "listApiKeys", target: path, status: 401, key: made.Key})
	create(201, `{"name":"again"}`)

	// Revoke the key that authenticates the request.
	revoke(other, 204, "", `{"id":"`+list(other).Data[0].ID+`"}`)
	c.send(t, request{op: "listApiKeys", target: path, status: 401, key: other})
}

// testLeakedKeys reports leaked keys without sending a key, even after the daily limit has been
// reached.
func testLeakedKeys(t *testing.T, c *contract) {
	const op, path = "revokeLeakedKey", "/api/developer/api-keys/revoke"
	owner := c.newKey(t, "careless", false)
	report := func(status int, body string, header ...string) *answer {
		t.Helper()
		return c.send(t, request{op: op, verb: "POST", target: path, status: status, body: body, header: header})
	}
	quoted := func(key string) string { return `{"key":"` + key + `"}` }
	report(204, quoted(owner), "X-Request-Id: mine").wantHeader(t, "Cache-Control", "no-store")
	c.send(t, request{op: "listApiKeys", target: "/api/developer/api-keys", status: 401, key: owner})
	report(204, quoted(owner)) // again
	report(404, quoted(apikey.Generate().Reveal()))
	report(204, quoted(c.newKey(t, "suspended too", true)))
	mistyped := owner[:40] + "x"
	if mistyped == owner {
		mistyped = owner[:40] + "y"
	}
	for _, body := range []string{`{}`, `{"key":""}`, `{"key":null}`, `{"key":5}`, quoted(owner[:40]), quoted(mistyped), `{"key":"` + owner + `","id":"x"}`, `[]`} {
		report(400, body).lacks(t, owner[3:30])
	}
	c.send(t, request{op: op, verb: "POST", target: path + "?key=x", status: 400, body: quoted(owner)})
	report(413, `{"key":"`+strings.Repeat("a", 256<<10)+`"}`)
	report(415, quoted(owner), "Content-Type: text/plain")
	c.send(t, request{op: op, verb: "PATCH", target: path, status: 405}).wantHeader(t, "Allow", "POST, OPTIONS")
	c.send(t, request{op: op, verb: "POST", target: path, status: 503, base: c.away, body: quoted(owner)})
	c.send(t, request{op: op, verb: "POST", target: path, status: 503, closed: true, body: quoted(owner)})
	// The daily limit on this server is used up.
	for i := range 61 {
		status := 404
		if i == 60 {
			status = 429
		}
		c.send(t, request{op: op, verb: "POST", target: path, status: status, base: c.spent, body: quoted(owner)})
	}
}

// testResolveBatch resolves identifiers in a batch.
func testResolveBatch(t *testing.T, c *contract) {
	const op, path, two = "resolveBatch", "/api/resolve", `{"ids":["pkg:pypi/torch@2.1.0?os=x","nothing","pypi:pytorch","tool/gpt-neo"]}`
	send := func(status int, body string, header ...string) *answer {
		t.Helper()
		return c.send(t, request{op: op, verb: "POST", target: path, status: status, body: body, header: header})
	}
	send(200, two, "X-Request-Id: mine").wantHeader(t, "Cache-Control", "no-store")
	c.send(t, request{op: op, verb: "POST", target: path, status: 200, body: two, key: c.key})
	for _, body := range []string{`{}`, `{"ids":[]}`, `{"ids":["a",5]}`, `{"ids":["` + strings.Repeat("a", 1001) + `"]}`, `[]`} {
		send(400, body)
	}
	c.send(t, request{op: op, verb: "POST", target: path + "?id=x", status: 400, body: two})
	send(413, `{"ids":["`+strings.Repeat("a", 256<<10)+`"]}`)
	send(415, two, "Content-Type: text/plain")
	c.send(t, request{op: op, verb: "PATCH", target: path, status: 405}).
		wantHeader(t, "Allow", "GET, HEAD, POST, OPTIONS")
	c.send(t, request{op: op, verb: "POST", target: path, status: 503, closed: true, body: two})
}

// testAuditLog reads an audit log page by page.
func testAuditLog(t *testing.T, c *contract) {
	const op, path = "listAuditLog", "/api/developer/audit"
	owner, other := c.newKey(t, "audited", false), c.newKey(t, "not audited", false)
	for _, body := range []string{`{"name":"one"}`, `{"name":"two","scopes":["read"]}`} {
		c.send(t, request{op: "createApiKey", verb: "POST", target: "/api/developer/api-keys", status: 201, key: owner, body: body})
	}
	type page struct {
		Data []struct {
			ID, Action, Address, Target, Detail string
			Actor                               struct{ Kind, ID, Name string }
		}
		Count      int
		NextCursor string
	}
	var first, second page
	a := c.send(t, request{op: op, target: path + "?limit=1", status: 200, key: owner, header: []string{"X-Request-Id: mine"}})
	a.decode(t, &first)
	suite.Contains(t, a.header.Get("Link"), first.NextCursor, "Link")
	c.send(t, request{op: op, target: path + "?limit=100&cursor=" + first.NextCursor, status: 200, key: owner}).decode(t, &second)
	all := slices.Concat(first.Data, second.Data)
	suite.Require(t, len(all) == 4 && first.Count == 4 && second.NextCursor == "", first, second)
	if e := all[0]; e.Action != "key.created" || e.Actor.Kind != "key" || e.Actor.Name != "first" || e.Address != "127.0.0.1" || !strings.Contains(e.Detail, `"two", scopes read, never`) {
		t.Errorf("%+v", e)
	}
	// If an account uses another account's cursor, the page is from the caller's own log.
	c.send(t, request{op: op, target: path + "?cursor=" + first.NextCursor, status: 200, key: other}).decode(t, &second)
	for _, e := range second.Data {
		suite.Holds(t, e.Target != all[0].Target, "another account's log", e)
	}
	for param, values := range map[string][]string{"limit": {"0", "1001", "x", ""}, "cursor": {"", "a%20b"}} {
		for _, r := range bad(op, path, param, values...) {
			r.key = owner
			c.send(t, r)
		}
	}
	c.send(t, request{op: op, target: path + "?cursor=" + strings.Repeat("x", 9), status: 400, fault: "cursor", beyond: true, key: owner})
}

// testWebhooks creates, lists, changes and deletes webhooks over the API. The deliveries are
// recorded directly in the database, since nothing is sent in this test.
func testWebhooks(t *testing.T, c *contract) {
	const path, id = "/api/webhooks", "X-Request-Id: mine"
	owner, other := c.newKey(t, "hook owner", false), c.newKey(t, "hook other", false)
	create := func(status int, body string, header ...string) *answer {
		t.Helper()
		return c.send(t, request{op: "createWebhook", verb: "POST", target: path, status: status, key: owner, body: body, header: append(header, id)})
	}
	const good = `{"url":"https://8.8.8.8/hook?a=b","events":["entity.updated","entity.created"]}`
	var made struct{ ID, Secret string }
	create(201, good, "Idempotency-Key: w-1").decode(t, &made)
	create(409, good, "Idempotency-Key: w-1").says(t, made.ID).lacks(t, made.Secret)
	create(422, `{"url":"https://8.8.8.8/","events":["entity.created"]}`, "Idempotency-Key: w-1")
	c.send(t, request{op: "createWebhook", verb: "POST", target: path, status: 400, key: owner, body: good, fault: "Idempotency-Key", header: []string{"Idempotency-Key: a b"}})
	for _, body := range []string{`{}`, `{"url":"https://8.8.8.8/"}`, `{"url":"http://8.8.8.8/","events":["entity.created"]}`, `{"url":"https://8.8.8.8/","events":["entity.moved"]}`,
		`{"url":"https://8.8.8.8/","events":["entity.created","entity.created"]}`,
		`{"url":"https://8.8.8.8/","events":["entity.created"],"fields":["price"]}`, `{"url":"https://8.8.8.8/","events":["entity.created"],"fields":["url","url"]}`, `{"url":"https://10.0.0.1/","events":["entity.created"]}`} {
		create(400, body)
	}
	create(201, `{"url":"https://8.8.8.8/hook","events":["entity.updated"],"fields":["signals","lifecycle.retires"],"figures":false}`)
	for range webhook.MaxPerAccount - 2 {
		create(201, good)
	}
	create(409, good)
	c.send(t, request{op: "listWebhooks", target: path, status: 200, key: owner, header: []string{id}})
	c.send(t, request{op: "listWebhooks", target: path, status: 200, key: other})
	own := path + "/" + made.ID
	for _, r := range []request{{status: 200, header: []string{id, "Idempotency-Key: o-1"}}, {status: 409, header: []string{"Idempotency-Key: o-1"}},
		{status: 422, header: []string{"Idempotency-Key: o-1"}, body: "{}"}, {status: 400, fault: "Idempotency-Key", header: []string{"Idempotency-Key: a b"}}} {
		r.op, r.verb, r.target, r.key = "rotateWebhook", "POST", own+"/rotate", owner
		c.send(t, r)
	}
	delivery := c.deliverOne(t, made.ID)
	c.testDeliveries(t, owner, own, delivery)
	for _, r := range []request{{op: "getWebhook"}, {op: "deleteWebhook", verb: "DELETE"}, {op: "testWebhook", verb: "POST", target: "/test"}, {op: "rotateWebhook", verb: "POST", target: "/rotate"},
		{op: "listDeliveries", target: "/deliveries"}, {op: "replayDelivery", verb: "POST", target: "/deliveries/" + delivery + "/replay"}} {
		r.target, r.status, r.fault, r.key = own+r.target, 404, "id", other
		c.send(t, r)
	}
	c.send(t, request{op: "getWebhook", target: own, status: 200, key: owner, header: []string{id}})
	c.send(t, request{op: "deleteWebhook", verb: "DELETE", target: own, status: 204, key: owner, header: []string{id}})
	c.send(t, request{op: "getWebhook", target: own, status: 404, key: owner})
}

// exampleWebhook creates the webhook in the description's example.
func (c *contract) exampleWebhook(t *testing.T) {
	t.Helper()
	suite.Check(t, c.state.Write(t.Context(), func(tx *storage.Tx) error {
		a, err := tx.EnsureAccount("contract")
		if err == nil {
			_, err = tx.CreateWebhook(webhook.Webhook{ID: "wh_4w7gzlmsonsl47lmi6s5", AccountID: a.ID, URL: "https://8.8.8.8/", Events: record.Events, SealedSecret: "none"})
		}
		return err
	}))
}

// deliverOne records the delivery of an event, and returns its ID.
func (c *contract) deliverOne(t *testing.T, hook string) (id string) {
	t.Helper()
	ctx := t.Context()
	at := suite.Must(c.state.Announced(ctx))(t)
	at.Build = "contract"
	e := webhook.Event{ID: storage.NewID("evt_"), Name: "entity.updated", Payload: []byte("{}")}
	suite.Done(c.state.Announce(ctx, at, nil, []webhook.Event{e}))(t)
	leased, err := c.state.Lease(ctx, "contract", 100, time.Minute)
	suite.Require(t, err == nil && len(leased) != 0, leased, err)
	for _, one := range leased {
		w, d, err := c.state.Next(ctx, "contract", one)
		suite.Check(t, err)
		w.LastAttemptAt, w.LastSuccessAt, w.NextAt = time.Now(), time.Now(), time.Time{}
		d.Status, d.Attempts, d.LastAttemptAt, d.ResponseStatus = webhook.Succeeded, 1, time.Now(), 204
		suite.Check(t, c.state.RecordAttempt(ctx, "contract", time.Minute, &w, &d))
		if w.ID == hook {
			id = d.ID
		}
	}
	return id
}

// testDeliveries reads the delivery log and requests deliveries that are never sent.
func (c *contract) testDeliveries(t *testing.T, key, own, delivery string) {
	t.Helper()
	const id = "X-Request-Id: mine"
	test := func(status int, header ...string) {
		t.Helper()
		c.send(t, request{op: "testWebhook", verb: "POST", target: own + "/test", status: status, key: key, header: append(header, id)})
	}
	replay := own + "/deliveries/" + delivery + "/replay"
	c.send(t, request{op: "replayDelivery", verb: "POST", target: replay, status: 202, key: key, header: []string{id, "Idempotency-Key: r-1"}})
	c.send(t, request{op: "replayDelivery", verb: "POST", target: replay, status: 202, key: key, header: []string{id, "Idempotency-Key: r-1"}})
	c.send(t, request{op: "replayDelivery", verb: "POST", target: replay, status: 400, fault: "Idempotency-Key", key: key, header: []string{"Idempotency-Key: a b"}})
	c.send(t, request{op: "replayDelivery", verb: "POST", target: own + "/deliveries/dlv_aaaaaaaaaaaaaaaaaaaa/replay", status: 404, fault: "delivery", key: key})
	c.send(t, request{op: "replayDelivery", verb: "POST", target: own + "/deliveries/nonsense%00/replay", status: 404, fault: "delivery", key: key})
	c.send(t, request{op: "testWebhook", verb: "POST", target: own + "/test", status: 400, key: key, body: `{"event":"entity.created"}`}) // it takes no fields
	test(202, "Idempotency-Key: t-1")
	test(202, "Idempotency-Key: t-1")
	for op, target := range map[string]string{"testWebhook": own + "/test", "rotateWebhook": own + "/rotate", "replayDelivery": replay} {
		c.send(t, request{op: op, verb: "POST", target: target, status: 413, key: key, body: `{"a":"` + strings.Repeat("a", 256<<10) + `"}`})
		c.send(t, request{op: op, verb: "POST", target: target, status: 415, key: key, body: "{}", header: []string{"Content-Type: text/plain"}})
		if op != "rotateWebhook" {
			first := map[string]string{"testWebhook": "t-1", "replayDelivery": "r-1"}[op]
			c.send(t, request{op: op, verb: "POST", target: target, status: 422, key: key, body: "{}", header: []string{"Idempotency-Key: " + first}})
		}
	}
	c.send(t, request{op: "testWebhook", verb: "POST", target: own + "/test", status: 400, fault: "Idempotency-Key", key: key, header: []string{"Idempotency-Key: a b"}})
	for range 98 {
		test(202)
	}
	test(409)
	log := own + "/deliveries"
	var page struct {
		Data       []struct{ ID string }
		NextCursor string
	}
	c.send(t, request{op: "listDeliveries", target: log + "?limit=1&status=pending", status: 200, key: key, header: []string{id}}).decode(t, &page)
	c.send(t, request{op: "listDeliveries", target: log + "?limit=1000&status=pending&cursor=" + page.NextCursor, status: 200, key: key})
	c.send(t, request{op: "replayDelivery", verb: "POST", target: log + "/" + page.Data[0].ID + "/replay", status: 409, key: key})
	for param, values := range map[string][]string{"limit": {"0", "1001", "x"}, "status": {"waiting", ""}} {
		for _, r := range bad("listDeliveries", log, param, values...) {
			r.key = key
			c.send(t, r)
		}
	}
	c.send(t, request{op: "listDeliveries", target: log + "?cursor=" + strings.Repeat("x", 9), status: 400, fault: "cursor", beyond: true, key: key})
}
