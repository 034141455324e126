package edge

import (
	"html"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"kindex/builder/suite"
	"kindex/edge/apikey"
	"kindex/edge/console"
	"kindex/edge/openapi"
	"kindex/edge/storage"
)

// TestPanelScopes: a key has the chosen scopes, and the list of keys shows them. If none is
// chosen, no key is created.
func TestPanelScopes(t *testing.T) {
	suite.InTest(t)
	p := servePanel(t)
	ann := p.signIn(t, "ann")
	if page := ann.open("/developer/"); strings.Count(page, " checked>") != len(apikey.AllScopes) || !strings.Contains(page, "<span>read, submit, webhooks, keys</span> <span>never expires</span>") {
		t.Errorf("%s", page)
	}
	page := ann.wantStatus(ann.submit("/developer/keys/", "name", "x", "expires", "90"), http.StatusBadRequest)
	if got := field(t, faultText, page); got != "Choose at least one." || !strings.Contains(page, `<option value="90" selected>`) || strings.Contains(page, " checked>") {
		t.Errorf("%q: %s", got, page)
	}
	for _, fields := range [][]string{{"scopes", "write"}, {"scopes", "read", "expires", "1000000"}, {"scopes", "read", "expires", "x"}, {"scopes", "read", "scopes", "read"}} {
		ann.wantStatus(ann.submit("/developer/keys/", append(fields, "name", "x")...), http.StatusBadRequest)
	}
	made := ann.wantStatus(ann.submit("/developer/keys/", "name", "reader", "scopes", "read", "expires", "30"), http.StatusOK)
	key := keyText.FindString(made)
	if a := p.ask(t, "GET", keysPath, "x-api-key", key); a.status != http.StatusForbidden {
		t.Errorf("%d %s", a.status, a.body)
	}
	if page := ann.open("/developer/"); !strings.Contains(page, "<span>read</span> <span>expires <time") {
		t.Errorf("%s", page)
	}
	list, err := p.state.Keys(t.Context(), ann.account.ID)
	if err != nil || len(list) != 2 {
		t.Fatalf("%+v %v", list, err)
	}
	forgetScopes(t, p.served, list[0].ID)
	if page := ann.open("/developer/"); !strings.Contains(page, "created before scopes existed; has all scopes") {
		t.Errorf("%s", page)
	}
}

var olderEntries = regexp.MustCompile(`<a rel="next" href="([^"]*)"`)

// wholeLog returns all pages of a user's audit log.
func wholeLog(t *testing.T, user *person) string {
	t.Helper()
	all, path := "", console.PanelLog
	for range 6 {
		page := user.open(path)
		all += page
		m := olderEntries.FindStringSubmatch(page)
		if m == nil {
			return all
		}
		path = html.UnescapeString(m[1])
	}
	t.Fatal("endless pages")
	return ""
}

// TestEveryActionHasAText: every action in the audit log has its own title in the panel, and is
// described in the API description.
func TestEveryActionHasAText(t *testing.T) {
	suite.InTest(t)
	p := servePanel(t)
	ann := p.signIn(t, "ann")
	for _, action := range storage.Actions {
		if !strings.Contains(string(openapi.YAML), string(action)) {
			t.Errorf("%s is not described", action)
		}
		if err := p.state.Write(t.Context(), func(tx *storage.Tx) error {
			return tx.Audit(storage.AuditEntry{AccountID: ann.account.ID, Action: action})
		}); err != nil {
			t.Fatal(err)
		}
	}
	titles := map[string]bool{}
	for _, m := range regexp.MustCompile(`<h3>([^<]+)</h3>`).FindAllStringSubmatch(wholeLog(t, ann), -1) {
		titles[m[1]] = true
	}
	if len(titles) != len(storage.Actions) {
		t.Errorf("%d actions have the titles %v", len(storage.Actions), titles)
	}
}

// TestPanelAuditLog reads the account's own audit log page by page.
func TestPanelAuditLog(t *testing.T) {
	suite.InTest(t)
	p := servePanel(t)
	ann, eve := p.signIn(t, "ann"), p.signIn(t, "eve")
	made := ann.wantStatus(ann.submit("/developer/keys/", "name", `<b>"laptop"`, "scopes", "read"), http.StatusOK)
	page := ann.open(console.PanelLog)
	for _, want := range []string{"<h3>Key created</h3>", "<h3>Signed in</h3>", "<h3>Account created</h3>", "on this website", "from 127.0.0.1", "&lt;b&gt;"} {
		if !strings.Contains(page, want) {
			t.Errorf("no %s in %s", want, page)
		}
	}
	if strings.Contains(page, keyText.FindString(made)) || strings.Contains(page, "<b>") {
		t.Errorf("%s", page)
	}
	for range 2 * console.EntriesPerPage {
		if err := p.state.Write(t.Context(), func(tx *storage.Tx) error {
			return tx.Audit(storage.AuditEntry{AccountID: ann.account.ID, Action: storage.WebhookRotated, Target: "wh_of_ann"})
		}); err != nil {
			t.Fatal(err)
		}
	}
	entries := strings.Count(wholeLog(t, ann), `<li class="card">`)
	if _, count, err := p.state.AuditLog(t.Context(), ann.account.ID, 0, 1); err != nil || entries != count {
		t.Errorf("%d entries of %d: %v", entries, count, err)
	}
	if page := eve.open(console.PanelLog); strings.Contains(page, "wh_of_ann") {
		t.Errorf("%s", page)
	}
	for _, odd := range []string{"x", "-1", "99999999999999999999", "1'"} {
		if page := ann.open(console.PanelLog + "?before=" + odd); strings.Count(page, `<li class="card">`) != console.EntriesPerPage {
			t.Errorf("before=%s: %s", odd, page)
		}
	}
}
