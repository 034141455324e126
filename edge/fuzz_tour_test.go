package edge_test

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

// tour performs sequences of requests that random requests rarely produce: it revokes a new key,
// reports one as leaked, and replays a failed delivery.
func (f *fuzz) tour(t *testing.T) {
	t.Helper()
	ask := func(operation, method, path, body string) (answer struct {
		ID, Key string
		Data    []struct{ ID, Status string }
	}) {
		t.Helper()
		r, err := http.NewRequest(method, f.edge.URL+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("x-api-key", f.key)
		r.Header.Set("Content-Type", "application/json")
		res, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		text, err := io.ReadAll(res.Body)
		if err == nil && len(text) > 0 {
			err = json.Unmarshal(text, &answer)
		}
		if err != nil || res.StatusCode >= 300 {
			t.Fatalf("%s: %d %s %v", path, res.StatusCode, text, err)
		}
		f.note(operation, res.StatusCode)
		return answer
	}
	f.keyID = ask("listApiKeys", "GET", "/api/developer/api-keys", "").Data[0].ID
	key := ask("createApiKey", "POST", "/api/developer/api-keys", `{"name":"tour"}`)
	ask("revokeApiKey", "DELETE", "/api/developer/api-keys?id="+key.ID, "")
	leaked := ask("createApiKey", "POST", "/api/developer/api-keys", `{"name":"leaked"}`)
	ask("revokeLeakedKey", "POST", "/api/developer/api-keys/revoke", `{"key":"`+leaked.Key+`"}`)
	f.refuseSignIn(t)
	hook := ask("createWebhook", "POST", "/api/webhooks", `{"url":"https://127.0.0.1:9/tour","events":["entity.created"]}`).ID
	ask("testWebhook", "POST", "/api/webhooks/"+hook+"/test", "")
	for end := time.Now().Add(hanging); ; time.Sleep(50 * time.Millisecond) {
		list := ask("listDeliveries", "GET", "/api/webhooks/"+hook+"/deliveries", "")
		if len(list.Data) > 0 && list.Data[0].Status != "pending" {
			ask("replayDelivery", "POST", "/api/webhooks/"+hook+"/deliveries/"+list.Data[0].ID+"/replay", "")
			return
		}
		if time.Now().After(end) {
			t.Fatalf("the test of the webhook was not delivered: %v", list)
		}
	}
}

// refuseSignIn starts a sign-in from another website, which mutations rarely do in a short run.
func (f *fuzz) refuseSignIn(t *testing.T) {
	t.Helper()
	r, err := http.NewRequest(http.MethodPost, f.edge.URL+"/signin/github", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Origin", "https://example.org")
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusForbidden {
		t.Errorf("a sign-in from another website: %d", res.StatusCode)
	}
	f.note("start to sign in", res.StatusCode)
}
