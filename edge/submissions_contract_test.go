package edge_test

import (
	"fmt"
	"strings"
	"testing"

	"kindex/edge/submission"
)

// testSubmissions creates, lists, reads and withdraws submissions over the API. Only the
// reviewers' actions are applied directly to the database.
func testSubmissions(t *testing.T, c *contract) {
	owner, other := c.newKey(t, "submitter", false), c.newKey(t, "another submitter", false)
	send := func(status int, body string, header ...string) *answer {
		t.Helper()
		return c.send(t, request{op: "submitEntity", verb: "POST", target: "/api/submit", status: status, key: owner, body: body, header: header})
	}
	const all = `{"type":"tool","name":"Contract Tool","provider":"Makers","description":"Holds.","category":"ml-frameworks","version":1.10,"license":"MIT",
		"pricingModel":"open-source","url":"https://contract.example/","links":{"repository":"https://contract.example/r"},"tags":["python"],
		"capabilities":["gpu"],"status":"active","formerly":["contract-old"],"addedDate":"2026-11-01","lastUpdated":"2026-11-02",
		"signals":{"stars":{"value":1,"date":"2026-11-01","source":"https://contract.example/r"},"released":{"value":"2026-10"},
		"benchmarks":[{"name":"B","value":1.5,"date":"2026-10","source":"https://contract.example/b"}]}}`
	var made struct{ ID, URL string }
	first := send(201, all, "Idempotency-Key: s-1", "X-Request-Id: mine")
	first.decode(t, &made)
	if got := first.header.Get("Location"); !strings.HasSuffix(made.URL, got) || !strings.HasSuffix(got, made.ID) {
		t.Errorf("%s, Location: %s", first.body, got)
	}
	if again := send(201, all, "Idempotency-Key: s-1"); string(again.body) != string(first.body) || again.header.Get("Idempotency-Replayed") != "true" {
		t.Errorf("the repeated request got %s", again.body)
	}
	const small = `{"type":"model","name":"NAME","description":"Is small.","category":"ml-frameworks","url":"https://NAME.example/"}`
	send(422, strings.ReplaceAll(small, "NAME", "other"), "Idempotency-Key: s-1")
	c.send(t, request{op: "submitEntity", verb: "POST", target: "/api/submit", status: 400, key: owner, body: strings.ReplaceAll(small, "NAME", "x"),
		fault: "Idempotency-Key", header: []string{"Idempotency-Key: a b"}})
	send(409, all)
	send(409, `{"type":"tool","slug":"pytorch","name":"x","description":"x","category":"ml-frameworks","url":"https://x.example/"}`)
	for _, body := range []string{`{}`, `{"type":"tool"}`, `{"type":null,"name":5}`, strings.Replace(all, "ml-frameworks", "ml-framework", 1),
		strings.Replace(all, `"tool"`, `"thing"`, 1), strings.Replace(all, `"tags"`, `"tag"`, 1), strings.Replace(all, `"https://contract.example/"`, `"ftp://x"`, 1)} {
		send(400, body)
	}
	for _, name := range []string{"one", "two", "three"} {
		send(201, strings.ReplaceAll(small, "NAME", "contract-"+name))
	}
	if ok, err := c.state.MoveSubmission(t.Context(), made.ID, submission.InReview, submission.Change{Branch: "b", PullRequest: submission.PullRequest{Number: 7, URL: "https://forge.example/7"}}); !ok || err != nil {
		t.Fatal(ok, err)
	}

	var one struct {
		Status      string
		PullRequest struct{ Number int }
		Fields      map[string]any
	}
	path := "/api/submissions/" + made.ID
	c.send(t, request{op: "getSubmission", target: path, status: 200, key: owner, header: []string{"X-Request-Id: mine"}}).decode(t, &one)
	if one.Status != "in-review" || one.PullRequest.Number != 7 || one.Fields["version"] != "1.10" || len(one.Fields) != 16 {
		t.Errorf("%+v", one)
	}
	c.send(t, request{op: "getSubmission", target: path, status: 404, key: other, fault: "id"})
	for _, id := range []string{"sub_aaaaaaaaaaaaaaaaaaaa", "x", "%00", strings.Repeat("a", 300)} {
		c.send(t, request{op: "getSubmission", target: "/api/submissions/" + id, status: 404, key: owner, fault: "id"})
	}
	if ok, err := c.state.MoveSubmission(t.Context(), made.ID, submission.Rejected, submission.Change{Reason: "No."}); !ok || err != nil {
		t.Fatal(ok, err)
	}
	c.send(t, request{op: "getSubmission", target: path, status: 200, key: owner})
	send(201, all)
	testSubmissionList(t, c, owner)
	testWithdrawal(t, c, other)
}

func testSubmissionList(t *testing.T, c *contract, owner string) {
	t.Helper()
	var page struct {
		Data       []struct{ ID string }
		Count      int
		NextCursor *string
	}
	read := func(query string) *answer {
		t.Helper()
		return c.send(t, request{op: "listSubmissions", target: "/api/submissions" + query, status: 200, key: owner, header: []string{"X-Request-Id: mine"}})
	}
	read("?limit=2").decode(t, &page)
	if page.Count != 5 || len(page.Data) != 2 || page.NextCursor == nil {
		t.Fatalf("%+v", page)
	}
	read("?limit=100&cursor="+*page.NextCursor).decode(t, &page)
	if page.Count != 5 || len(page.Data) != 3 || page.NextCursor != nil {
		t.Errorf("%+v", page)
	}
	read("?status=rejected&status=in-review").decode(t, &page)
	if page.Count != 1 {
		t.Errorf("%+v", page)
	}
	read("")
	for query, fault := range map[string]string{"?limit=0": "limit", "?limit=1001": "limit", "?status=": "status", "?status=lost": "status", "?cursor=": "cursor"} {
		c.send(t, request{op: "listSubmissions", target: "/api/submissions" + query, status: 400, key: owner, fault: fault})
	}
	c.send(t, request{op: "listSubmissions", target: "/api/submissions?cursor=sub_aaaaaaaaaaaaaaaaaaaa", status: 400, key: owner, fault: "cursor", beyond: true})
}

// testWithdrawal withdraws submissions in several statuses, and has an account exceed its limit.
func testWithdrawal(t *testing.T, c *contract, owner string) {
	t.Helper()
	made := map[string]struct{ ID string }{}
	for i := range submission.MaxOpen + 1 {
		status := 201
		if i == submission.MaxOpen {
			status = 409
		}
		name := fmt.Sprint("withdrawn-", i)
		var one struct{ ID string }
		c.send(t, request{op: "submitEntity", verb: "POST", target: "/api/submit", status: status, key: owner,
			body: fmt.Sprintf(`{"type":"model","name":%q,"description":"x","category":"ml-frameworks","url":"https://%s.example/"}`, name, name)}).decode(t, &one)
		made[name] = one
	}
	withdraw := func(status int, id, fault string) *answer {
		t.Helper()
		return c.send(t, request{op: "withdrawSubmission", verb: "DELETE", target: "/api/submissions/" + id, status: status, key: owner, fault: fault,
			header: []string{"X-Request-Id: mine"}})
	}
	for range 2 {
		if a := withdraw(204, made["withdrawn-0"].ID, ""); len(a.body) > 0 {
			t.Errorf("%s", a.body)
		}
	}
	withdraw(404, "sub_aaaaaaaaaaaaaaaaaaaa", "id")
	if ok, err := c.state.MoveSubmission(t.Context(), made["withdrawn-1"].ID, submission.Rejected, submission.Change{Reason: "No."}); !ok || err != nil {
		t.Fatal(ok, err)
	}
	withdraw(409, made["withdrawn-1"].ID, "")
	var one struct{ Status string }
	c.send(t, request{op: "getSubmission", target: "/api/submissions/" + made["withdrawn-0"].ID, status: 200, key: owner}).decode(t, &one)
	if one.Status != "withdrawn" {
		t.Errorf("%+v", one)
	}
}
