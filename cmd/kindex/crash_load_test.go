package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"kindex/builder/suite"
	"kindex/edge/apikey"
	"kindex/edge/storage"
	"kindex/edge/submission"
)

// makeKeys creates and revokes keys as fast as the server answers.
func (c *crashing) makeKeys(ctx context.Context) {
	for ctx.Err() == nil {
		status, body := c.ask(http.MethodPost, "/api/developer/api-keys", c.owner, `{"name":"more"}`)
		var k struct{ ID, Key string }
		if status == http.StatusCreated && json.Unmarshal(body, &k) == nil {
			c.lock(func() { c.made[k.ID] = k.Key })
		} else if status != 0 && status != http.StatusConflict {
			c.t.Errorf("creating a key: %d %s", status, body)
			return
		}
		var ids []string
		c.lock(func() {
			for id := range c.made {
				ids = append(ids, id)
			}
		})
		if len(ids) < 2 {
			continue
		}
		id := ids[0]
		c.lock(func() { c.unsure[id] = true })
		if status, body := c.ask(http.MethodDelete, "/api/developer/api-keys?id="+id, c.owner, ""); status == http.StatusNoContent {
			c.lock(func() { delete(c.made, id); delete(c.unsure, id) })
		} else if status != 0 {
			c.t.Errorf("revoking %s: %d %s", id, status, body)
			return
		}
	}
}

func (c *crashing) lock(do func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	do()
}

// checkKeys compares the keys that exist with those that the server promised. It revokes
// keys that exist although their creation was never answered.
func (c *crashing) checkKeys() {
	c.t.Helper()
	status, body := c.ask(http.MethodGet, "/api/developer/api-keys", c.owner, "")
	var list struct{ Data []struct{ ID, Name string } }
	if err := json.Unmarshal(body, &list); err != nil || status != http.StatusOK || len(list.Data) > apikey.MaxActive {
		c.t.Fatalf("the keys: %d %s", status, body)
	}
	there := map[string]bool{}
	for _, k := range list.Data {
		if there[k.ID] = true; k.Name == "more" && c.made[k.ID] == "" {
			if status, body := c.ask(http.MethodDelete, "/api/developer/api-keys?id="+k.ID, c.owner, ""); status != http.StatusNoContent {
				c.t.Fatalf("revoking an unconfirmed key: %d %s", status, body)
			}
		}
	}
	for id, key := range c.made {
		switch {
		case !there[id] && !c.unsure[id]:
			c.t.Fatalf("kill %d: the key %s was promised but is gone", c.kills, id)
		case !there[id]:
			delete(c.made, id)
		default:
			if status, body := c.ask(http.MethodGet, "/api/categories", key, ""); status != http.StatusOK {
				c.t.Fatalf("kill %d: the key %s does not work: %d %s", c.kills, id, status, body)
			}
		}
		delete(c.unsure, id)
	}
}

// crashSubmission returns the body of a submission request, which is different for each
// name.
func crashSubmission(name string) string {
	return fmt.Sprintf(`{"type":"tool","name":%q,"description":"Keeps what it was given, whatever happens.","category":"kind-1","url":"https://example.org/%s"}`, name, name)
}

func (c *crashing) submit(ctx context.Context) {
	for ctx.Err() == nil {
		a := attempted{name: "Thing " + storage.NewID("")}
		c.lock(func() {
			if writer := c.attempts / submission.MaxOpen; writer < len(c.writers) {
				a.key = c.writers[writer]
			}
			c.attempts++
		})
		if a.key == "" {
			return // enough submissions
		}
		status, body := c.send(a)
		switch status {
		case http.StatusCreated:
			c.lock(func() { c.submissions[a.name] = promised{idOf(body), a.key} })
		case 0:
			c.lock(func() { c.unanswered = append(c.unanswered, a) })
			return
		default:
			c.t.Errorf("submitting: %d %s", status, body)
			return
		}
	}
}

// send sends a submission with an Idempotency-Key derived from its name.
func (c *crashing) send(a attempted) (status int, body []byte) {
	return c.ask(http.MethodPost, "/api/submit", a.key, crashSubmission(strings.ReplaceAll(a.name, " ", "-")), a.name[6:])
}

func idOf(body []byte) string {
	var o struct{ ID string }
	_ = json.Unmarshal(body, &o) // on failure, the id is ""
	return o.ID
}

// submitAgain repeats unanswered submissions with the same Idempotency-Key. Afterwards,
// each submission must exist exactly once, whether or not the first attempt was stored.
func (c *crashing) submitAgain() {
	c.t.Helper()
	for _, a := range c.unanswered {
		status, body := c.send(a)
		if status != http.StatusCreated {
			c.t.Fatalf("kill %d: sent again: %d %s", c.kills, status, body)
		}
		c.submissions[a.name] = promised{idOf(body), a.key}
	}
	c.unanswered = nil
}

// count sends counted requests.
func (c *crashing) count(ctx context.Context) {
	for ctx.Err() == nil {
		c.lock(func() { c.sent++ })
		c.ask(http.MethodGet, "/api/categories", c.counted, "")
	}
}

// countSome sends some counted requests one at a time.
func (c *crashing) countSome() {
	c.t.Helper()
	for range 20 {
		if status, _ := c.ask(http.MethodGet, "/api/categories", c.counted, ""); status != http.StatusOK {
			c.t.Errorf("counted request: status %d", status)
		}
	}
	c.sent, c.before = c.sent+20, c.before+20
}

// stored returns how many counted requests have reached the store.
func (c *crashing) stored() (used int) {
	c.t.Helper()
	driver := "sqlite"
	if storage.IsPostgreSQL(c.target) {
		driver = "pgx"
	}
	db, err := sql.Open(driver, c.target)
	if err == nil {
		err = db.QueryRowContext(c.t.Context(), "SELECT COALESCE(SUM(c.used), 0) FROM counters c JOIN accounts a ON c.subject LIKE '%' || a.id WHERE a.name = 'counted'").Scan(&used)
		err = errors.Join(err, db.Close())
	}
	suite.Check(c.t, err)
	return used
}

// checkCounter reads the counter, which must not have decreased and must not exceed the
// number of requests sent. The tests of package ratelimit check how soon the server writes.
func (c *crashing) checkCounter() {
	c.t.Helper()
	req := suite.Must(http.NewRequest(http.MethodGet, c.base+"/api/openapi", nil))(c.t)
	req.Header.Set("x-api-key", c.counted)
	res := suite.Must(crashClient.Do(req))(c.t)
	res.Body.Close()
	left := suite.Must(strconv.Atoi(res.Header.Get("X-RateLimit-Remaining")))(c.t)
	used := crashLimit - left
	if used < c.before || used > c.sent {
		c.t.Errorf("kill %d: %d requests are counted, want %d to %d", c.kills, used, c.before, c.sent)
	}
	c.before = used
}
