package edge_test

import (
	"strings"
	"testing"
	"time"

	"kindex/edge/storage"
	"kindex/edge/webhook"
	"kindex/exports/record"
)

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
	create(409, good, "Idempotency-Key: w-1")
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
	err := c.state.Write(t.Context(), func(tx *storage.Tx) error {
		a, err := tx.EnsureAccount("contract")
		if err == nil {
			_, err = tx.CreateWebhook(webhook.Webhook{ID: "wh_4w7gzlmsonsl47lmi6s5", AccountID: a.ID, URL: "https://8.8.8.8/", Events: record.Events, SealedSecret: "none"})
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// deliverOne records the delivery of an event, and returns its ID.
func (c *contract) deliverOne(t *testing.T, hook string) (id string) {
	t.Helper()
	ctx := t.Context()
	at, err := c.state.Announced(ctx)
	if err != nil {
		t.Fatal(err)
	}
	at.Build = "contract"
	e := webhook.Event{ID: storage.NewID("evt_"), Name: "entity.updated", Payload: []byte("{}")}
	if moved, err := c.state.Announce(ctx, at, []webhook.Event{e}); err != nil || !moved {
		t.Fatal(moved, err)
	}
	leased, err := c.state.Lease(ctx, "contract", 100, time.Minute)
	if err != nil || len(leased) == 0 {
		t.Fatal(leased, err)
	}
	for _, one := range leased {
		w, d, err := c.state.Next(ctx, "contract", one)
		if err != nil {
			t.Fatal(err)
		}
		w.LastAttemptAt, w.LastSuccessAt, w.NextAt = time.Now(), time.Now(), time.Time{}
		d.Status, d.Attempts, d.LastAttemptAt, d.ResponseStatus = webhook.Succeeded, 1, time.Now(), 204
		if err := c.state.RecordAttempt(ctx, "contract", time.Minute, &w, &d); err != nil {
			t.Fatal(err)
		}
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
	test(202, "Idempotency-Key: t-1")
	test(202, "Idempotency-Key: t-1")
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
	c.send(t, request{op: "listDeliveries", target: log + "?limit=100&status=pending&cursor=" + page.NextCursor, status: 200, key: key})
	c.send(t, request{op: "replayDelivery", verb: "POST", target: log + "/" + page.Data[0].ID + "/replay", status: 409, key: key})
	for param, values := range map[string][]string{"limit": {"0", "1001", "x"}, "status": {"waiting", "Failed"}} {
		for _, r := range bad("listDeliveries", log, param, values...) {
			r.key = key
			c.send(t, r)
		}
	}
	c.send(t, request{op: "listDeliveries", target: log + "?cursor=" + strings.Repeat("x", 9), status: 400, fault: "cursor", beyond: true, key: key})
}
