package edge_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"kindex/builder/suite"
	"kindex/edge/submission"
	"kindex/site/sdk"
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
	got := first.header.Get("Location")
	suite.Holds(t, strings.HasSuffix(made.URL, got) && strings.HasSuffix(got, made.ID), "Location", got)
	again := send(201, all, "Idempotency-Key: s-1")
	suite.Holds(t, string(again.body) == string(first.body) && again.header.Get("Idempotency-Replayed") == "true", "the repeated request")
	const small = `{"type":"model","name":"NAME","description":"Is small.","category":"ml-frameworks","url":"https://NAME.example/"}`
	send(422, strings.ReplaceAll(small, "NAME", "other"), "Idempotency-Key: s-1")
	c.send(t, request{op: "submitEntity", verb: "POST", target: "/api/submit", status: 400, key: owner, body: strings.ReplaceAll(small, "NAME", "x"),
		fault: "Idempotency-Key", header: []string{"Idempotency-Key: a b"}})
	send(409, all, "Idempotency-Key: s-2") // which another body may use then
	send(409, `{"type":"tool","slug":"pytorch","name":"x","description":"x","category":"ml-frameworks","url":"https://x.example/"}`)
	for _, body := range []string{`{}`, `{"type":"tool"}`, `{"type":null,"name":5}`, strings.Replace(all, "ml-frameworks", "ml-framework", 1),
		strings.Replace(all, `"tool"`, `"thing"`, 1), strings.Replace(all, `"tags"`, `"tag"`, 1), strings.Replace(all, `"https://contract.example/"`, `"ftp://x"`, 1)} {
		send(400, body)
	}
	for _, name := range []string{"one", "two", "three"} {
		send(201, strings.ReplaceAll(small, "NAME", "contract-"+name), map[bool][]string{true: {"Idempotency-Key: s-2"}}[name == "one"]...)
	}
	suite.Done(c.state.MoveSubmission(t.Context(), made.ID, submission.InReview, submission.Change{Branch: "b", PullRequest: submission.PullRequest{Number: 7, URL: "https://forge.example/7"}}))(t)

	var one struct {
		Status      string
		PullRequest struct{ Number int }
		Fields      map[string]any
	}
	path := "/api/submissions/" + made.ID
	c.send(t, request{op: "getSubmission", target: path, status: 200, key: owner, header: []string{"X-Request-Id: mine"}}).decode(t, &one)
	suite.Holds(t, one.Status == "in-review" && one.PullRequest.Number == 7 &&
		one.Fields["version"] == "1.10" && len(one.Fields) == 16, one)
	c.send(t, request{op: "getSubmission", target: path, status: 404, key: other, fault: "id"})
	for _, id := range []string{"sub_aaaaaaaaaaaaaaaaaaaa", "x", "%00", strings.Repeat("a", 300)} {
		c.send(t, request{op: "getSubmission", target: "/api/submissions/" + id, status: 404, key: owner, fault: "id"})
	}
	suite.Done(c.state.MoveSubmission(t.Context(), made.ID, submission.Rejected, submission.Change{Reason: "No."}))(t)
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
	suite.Require(t, page.Count == 5 && len(page.Data) == 2 && page.NextCursor != nil, page)
	read("?limit=1000&cursor="+*page.NextCursor).decode(t, &page)
	suite.Holds(t, page.Count == 5 && len(page.Data) == 3 && page.NextCursor == nil, page)
	read("?status=rejected&status=in-review").decode(t, &page)
	suite.Equal(t, page.Count, 1)
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
		suite.Equal(t, len(withdraw(204, made["withdrawn-0"].ID, "").body), 0)
	}
	withdraw(404, "sub_aaaaaaaaaaaaaaaaaaaa", "id")
	suite.Done(c.state.MoveSubmission(t.Context(), made["withdrawn-1"].ID, submission.Rejected, submission.Change{Reason: "No."}))(t)
	withdraw(409, made["withdrawn-1"].ID, "")
	var one struct{ Status string }
	c.send(t, request{op: "getSubmission", target: "/api/submissions/" + made["withdrawn-0"].ID, status: 200, key: owner}).decode(t, &one)
	suite.Equal(t, one.Status, "withdrawn")
}

// clients returns requests for the client libraries.
func clients() []request {
	return slices.Concat(
		ok("getTypescriptSdk", "/api/sdk/typescript", ""),
		ok("getPythonSdk", "/api/sdk/python", ""),
		ok("getTypescriptSdkVersion", "/api/sdk/typescript/", "0.5.0.tgz"),
		ok("getPythonSdkVersion", "/api/sdk/python/", "kindex-0.5.0.tar.gz"),
		status(404, "getTypescriptSdkVersion", "file", "/api/sdk/typescript/0.5.tgz", "/api/sdk/typescript/kindex-0.5.0.tar.gz", "/api/sdk/typescript/..%2Fpython"),
		status(404, "getPythonSdkVersion", "file", "/api/sdk/python/kindex-0.0.0.tar.gz", "/api/sdk/python/"+strings.Repeat("x", 300)),
	)
}

// badges returns requests for badges.
func badges() []request {
	return slices.Concat(
		ok("getBadge", "/badge/", "tool/pytorch.svg", "model/o3.svg", "tool/theano.svg", "tool/pytorch.svg?show=rank&label=our%20place",
			"tool/keras.svg?show=trend", "model/o3.svg?show=rank", "tool/pytorch.svg?label=%3Cscript%3E%26%22'"),
		bad("getBadge", "/badge/tool/pytorch.svg", "show", "stars", ""),
		bad("getBadge", "/badge/tool/pytorch.svg", "label", "", "%20", strings.Repeat("x", 61)),
		beyond("getBadge", "/badge/tool/pytorch.svg", "label", "%00", "%ff", "%E2%80%AE"),
		status(301, "getBadge", "", "/badge/tool/mxnet.svg"),
		status(404, "getBadge", "slug", "/badge/tool/pytorhc.svg"),
		status(404, "getBadge", "type", "/badge/robot/pytorch.svg"),
		status(410, "getBadge", "slug", "/badge/tool/short-lived.svg"),
	)
}

// testBeyondJSON checks responses in formats other than JSON, which no schema can check.
func testBeyondJSON(t *testing.T, c *contract) {
	markdown := map[string]string{}
	for accept, want := range map[string]string{
		"text/markdown": "text/markdown", "text/markdown, */*;q=0.1": "text/markdown", "text/markdown;q=0.5, application/json": "application/json",
		"*/*": "application/json", "text/html": "application/json", "": "application/json", "application/json;q=0.1, text/markdown;q=0.2": "text/markdown",
		"text/*": "text/markdown", "text/markdown;q=0, */*": "application/json", "application/json;q=0, */*": "text/markdown", ";;,,=": "application/json",
	} {
		var header []string
		if accept != "" {
			header = []string{"Accept: " + accept}
		}
		a := c.send(t, request{op: "getEntity", target: "/api/entity/tool/pytorch", status: 200, header: header})
		if got, _, _ := strings.Cut(a.header.Get("Content-Type"), ";"); got != want {
			t.Errorf("Accept: %s: got %s", accept, got)
		}
		suite.Contains(t, strings.Join(a.header.Values("Vary"), ", ")+",", "Accept,", "Vary")
		markdown[want] = string(a.body)
	}
	a := c.send(t, request{op: "getEntity", target: "/api/entity/tool/pytorch.md", status: 200, header: []string{"Accept: application/json"}})
	if string(a.body) != markdown["text/markdown"] || !strings.HasPrefix(markdown["text/markdown"], "# PyTorch\n") {
		t.Errorf("the Markdown of PyTorch is\n%s\nand with Accept\n%s", a.body, markdown["text/markdown"])
	}
	to := c.send(t, request{op: "getEntity", target: "/api/entity/tool/mxnet.md", status: 301})
	suite.Equal(t, to.header.Get("Location"), "/api/entity/tool/incubator-mxnet.md", "an earlier slug with .md redirects to")
	if got := c.send(t, request{op: "getBadge", target: "/badge/tool/mxnet.svg?show=rank", status: 301}).header.Get("Location"); got != "/badge/tool/incubator-mxnet.svg?show=rank" {
		t.Errorf("an earlier slug of a badge redirects to %s", got)
	}
	checkCroissant(t, c)
	testLibraries(t, c)
}

// checkPicture checks that an SVG is well-formed XML with a title and has no external
// references.
func checkPicture(t *testing.T, target string, a *answer) {
	t.Helper()
	dec := xml.NewDecoder(bytes.NewReader(a.body))
	title := false
	for {
		token, err := dec.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		suite.Require(t, err == nil, target, err, "in")
		e, _ := token.(xml.StartElement)
		title = title || e.Name.Local == "title"
		if slices.Contains([]string{"script", "image", "use", "foreignObject", "a"}, e.Name.Local) {
			t.Errorf("%s has the element %s", target, e.Name.Local)
		}
	}
	suite.Holds(t, title, target, "has no title")
}

// checkCroissant: the dataset's files are those in the manifest.
func checkCroissant(t *testing.T, c *contract) {
	t.Helper()
	var manifest struct {
		Files      []struct{ URL, SHA256 string }
		Repository struct{ URL, Branch, Path string }
	}
	c.send(t, request{op: "getManifest", target: "/api/export/manifest", status: 200}).decode(t, &manifest)
	if got := manifest.Repository; got.URL != "https://git.example.org/group/index" || got.Branch != "release/2" || got.Path != "content" {
		t.Errorf("the repository is %+v", got)
	}
	sums := map[string]string{}
	for _, f := range manifest.Files {
		sums[f.URL] = f.SHA256
	}
	var dataset struct {
		Version      string
		Distribution []struct{ ContentURL, SHA256 string }
	}
	a := c.send(t, request{op: "getCroissant", target: "/api/export/croissant", status: 200})
	a.decode(t, &dataset)
	if !strings.HasSuffix(dataset.Version, "+"+c.build) || len(dataset.Distribution) == 0 {
		t.Errorf("the dataset has version %q and %d files", dataset.Version, len(dataset.Distribution))
	}
	for _, f := range dataset.Distribution {
		path, of := strings.CutPrefix(f.ContentURL, c.url)
		suite.Holds(t, of && sums[path] != "" &&
			sums[path] == f.SHA256, f.ContentURL, "with", f.SHA256, "is not in the manifest")
	}
}

// testLibraries: the newest version of each library is the version in the description, and the
// address in Content-Location serves the same bytes.
func testLibraries(t *testing.T, c *contract) {
	for op, language := range map[string]string{"getTypescriptSdk": sdk.TypeScript, "getPythonSdk": sdk.Python} {
		newest := c.send(t, request{op: op, target: "/api/sdk/" + language, status: 200})
		if !strings.Contains(newest.header.Get("Content-Disposition"), "kindex-"+c.doc.Info.Version+".t") {
			t.Errorf("the newest version of %s is %s", language, newest.header.Get("Content-Disposition"))
		}
		lasting := c.send(t, request{op: op + "Version", target: newest.header.Get("Content-Location"), status: 200})
		suite.Equal(t, newest.body, lasting.body, newest.header.Get("Content-Location"))
		var p struct{ Suggestion string }
		wrong := c.send(t, request{op: op + "Version", target: newest.header.Get("Content-Location") + "x", status: 404})
		err := json.Unmarshal(wrong.body, &p)
		suite.Holds(t, err == nil && p.Suggestion == newest.header.Get("Content-Location"), "one extra letter")
	}
}
