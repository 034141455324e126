package edge

import (
	"encoding/json"
	"strings"
	"testing"

	"kindex/builder/safedial"
	"kindex/builder/suite"
)

// TestAttackWaitingTests requests tests of a webhook whose endpoint is never called. At most a
// hundred of them may be waiting.
func TestAttackWaitingTests(t *testing.T) {
	suite.InTest(t)
	receiver, err := safedial.ParseException("127.0.0.1:9")
	if err != nil {
		t.Fatal(err)
	}
	s := serveFew(t, Options{LimitKey: 1000, Guard: safedial.New(safedial.Options{Allow: []safedial.Exception{receiver}, Resolver: noNames{}, Dial: noNetwork})})
	key, _ := s.keyOf(t, "account")
	var hook struct{ ID string }
	if a := s.send(t, "POST", "/api/webhooks", key, `{"url":"https://127.0.0.1:9/hook","events":["entity.created"]}`); json.Unmarshal(a.body, &hook) != nil || a.status != 201 {
		t.Fatalf("%d %s", a.status, a.body)
	}
	waiting := 0
	for range 120 {
		a := s.send(t, "POST", "/api/webhooks/"+hook.ID+"/test", key, "")
		switch {
		case a.status < 300:
			waiting++
		case a.status != 409 || !strings.Contains(string(a.body), "too-many-waiting"):
			t.Fatalf("%d %s", a.status, a.body)
		}
	}
	if waiting != 100 {
		t.Errorf("%d tests are waiting, want 100", waiting)
	}
}
