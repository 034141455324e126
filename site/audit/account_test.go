package audit_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"testing"
	"time"

	"kindex/builder/suite"
	"kindex/edge/edgetest"
	"kindex/edge/storage"
	"kindex/edge/submission"
)

// fill creates, for the signed-in account, everything that the panel can show: keys, a
// webhook with successful and failed deliveries, and submissions in every state. It
// stores their IDs in the website.
func (w *website) fill(t testing.TB, receiver *edgetest.Receiver, a attacker) {
	t.Helper()
	key := w.Key(t, "ann")
	w.key = key
	var hook, other struct{ ID string }
	w.post(t, key, "/api/webhooks", fmt.Sprintf(`{"url":%q,"events":["entity.created","entity.updated"]}`, receiver.URL+"/hook?a="+canary), &hook)
	name := "nightly sync"
	if a {
		name = cutTo(markup[7], 60)
	}
	w.post(t, key, "/api/developer/api-keys", fmt.Sprintf(`{"name":%q}`, name), &other)
	w.ids["WEBHOOK"], w.ids["KEY"], w.ids["RECEIVER"] = hook.ID, other.ID, receiver.URL
	for _, status := range []int{http.StatusNoContent, http.StatusInternalServerError} {
		receiver.Answer(status)
		w.post(t, key, "/api/webhooks/"+hook.ID+"/test", "", nil)
		select {
		case <-receiver.Came:
		case <-time.After(patience):
			t.Fatal("the webhook is not called")
		}
	}
	accounts, err := w.State.Accounts(t.Context())
	if err != nil || len(accounts) != 1 {
		t.Fatal(accounts, err)
	}
	for i, c := range []struct {
		to submission.Status
		submission.Change
	}{{}, {submission.Rejected, submission.Change{Reason: a.markup(0) + a.wild(0)}}, {submission.Accepted, submission.Change{PullRequest: submission.PullRequest{Number: 7, URL: a.address(1)}}}} {
		s := submission.Submission{ID: storage.NewID("sub_"), AccountID: accounts[0].ID, Type: "tool", Slug: fmt.Sprint("thing-", i),
			Name: a.markup(i), URL: a.address(i), YAML: "name: " + a.markup(i) + "\n"}
		suite.Check(t, w.State.Write(t.Context(), func(tx *storage.Tx) error { _, err := tx.CreateSubmission(s); return err }))
		w.ids["SUBMISSION"] = s.ID
		if c.to == "" {
			continue
		}
		if moved, err := w.State.MoveSubmission(t.Context(), s.ID, c.to, c.Change); err != nil || !moved {
			t.Fatal(moved, err)
		}
	}
}

// post sends JSON with a key, and decodes the response.
func (w *website) post(t testing.TB, key, path, body string, into any) {
	t.Helper()
	req := suite.Must(http.NewRequestWithContext(t.Context(), http.MethodPost, w.URL+path, bytes.NewReader([]byte(body))))(t)
	req.Header.Set("x-api-key", key)
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	res := suite.Must(client.Do(req))(t)
	defer res.Body.Close()
	if res.StatusCode >= 300 {
		var said bytes.Buffer
		_, _ = said.ReadFrom(res.Body)
		t.Fatalf("POST %s answers %d: %s", path, res.StatusCode, said.String())
	}
	if into != nil {
		suite.Check(t, json.NewDecoder(res.Body).Decode(into))
	}
}
