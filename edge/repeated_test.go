package edge

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"kindex/builder/safedial"
	"kindex/builder/suite"
	"kindex/edge/account"
)

// TestRegistrationIsRepeatedWithoutItsName repeats a webhook registration after its host name
// has stopped resolving.
func TestRegistrationIsRepeatedWithoutItsName(t *testing.T) {
	names := fixedNames{"hook.example": "8.8.8.8"}
	h := serveFew(t, Options{LimitKey: 100, Guard: safedial.New(safedial.Options{Resolver: names, Dial: noNetwork})})
	key, _ := h.keyOf(t, "account")
	const body = `{"url":"https://hook.example/","events":["entity.created"]}`
	made := h.send(t, "POST", "/api/webhooks", key, body, "Idempotency-Key", "one")
	var told account.CreatedWebhook
	if err := json.Unmarshal(made.body, &told); err != nil || made.status != http.StatusCreated {
		t.Fatalf("%d %s", made.status, made.body)
	}
	delete(names, "hook.example")
	for _, c := range []struct {
		key, body string
		status    int
		says      string
	}{
		{"one", body, http.StatusConflict, told.ID},
		{"one", strings.Replace(body, "created", "updated", 1), http.StatusUnprocessableEntity, "different body"},
		{"two", body, http.StatusBadRequest, "hook.example"},
	} {
		if a := h.send(t, "POST", "/api/webhooks", key, c.body, "Idempotency-Key", c.key); a.status != c.status || !strings.Contains(string(a.body), c.says) {
			t.Errorf("%s %s: %d %s", c.key, c.body, a.status, a.body)
		}
	}
}

// TestBodiesThatNobodyNeeds: the action that sends a test delivery takes no fields, and its
// errors say so.
func TestBodiesThatNobodyNeeds(t *testing.T) {
	suite.InTest(t)
	h := serveFew(t, Options{LimitKey: 100, Guard: safedial.New(safedial.Options{Resolver: fixedNames{"hook.example": "8.8.8.8"}, Dial: noNetwork})})
	key, _ := h.keyOf(t, "account")
	made := h.send(t, "POST", "/api/webhooks", key, `{"url":"https://hook.example/","events":["entity.created"]}`)
	path := strings.TrimPrefix(made.header.Get("Location"), h.url) + "/test"
	for body, status := range map[string]int{"": 202, "{}": 202, `{"event":"entity.created"}`: 400, "[]": 400, "{": 400,
		`{"x":"` + strings.Repeat("a", 256<<10) + `"}`: 413} {
		if a := h.send(t, "POST", path, key, body); a.status != status {
			t.Errorf("%s with %.40s: %d %s", path, body, a.status, a.body)
		}
	}
	if a := h.send(t, "POST", path, key, "{}", "Content-Type", "text/plain"); a.status != http.StatusUnsupportedMediaType {
		t.Errorf("as text: %d %s", a.status, a.body)
	}
}
