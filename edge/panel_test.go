package edge

import (
	"fmt"
	"html"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"kindex/builder/suite"
	"kindex/edge/apikey"
	"kindex/edge/console"
	"kindex/edge/storage"
	"kindex/edge/submission"
	"kindex/edge/webhook"
)

// TestPanelKeys: a key is created, shown once, used and counted, and stops working as soon as it
// is revoked.
func TestPanelKeys(t *testing.T) {
	suite.InTest(t)
	p := sharedPanel(t)
	ann := p.signIn(t, "ann")
	if page := ann.open("/developer/"); strings.Contains(page, ann.key) || !strings.Contains(page, "first key") || !strings.Contains(page, "0 of 100 requests used") {
		t.Errorf("%s", page)
	}
	once := field(t, onceField, ann.open("/developer/"))
	form := []string{"name", "laptop", "once", once, "scopes", "read", "scopes", "keys", "expires", "30"}
	made := ann.submit("/developer/keys/", form...)
	key := keyText.FindString(ann.wantStatus(made, http.StatusOK))
	suite.Require(t, key != "" && made.header.Get("Cache-Control") == "no-store" &&
		!strings.Contains(fmt.Sprint(made.header), key), made.header)
	// Reloading neither shows the key again nor creates another one.
	ann.wantRedirect(ann.submit("/developer/keys/", form...), "/developer/")
	ann.wantRedirect(ann.send(http.MethodGet, "/developer/keys/", nil), "/developer/")
	if ids := p.keysNow(t, ann); len(ids) != 2 || strings.Contains(ann.open("/developer/"), key) {
		t.Fatalf("keys %q", ids)
	}
	for range 3 {
		if got := p.use(t, key); got != http.StatusOK {
			t.Fatalf("new key: %d", got)
		}
	}
	page := ann.open("/developer/")
	if !strings.Contains(page, "3 of 100 requests used") || !strings.Contains(page, `<strong class="num">97</strong> are left`) || strings.Count(page, "never used") != 1 {
		t.Errorf("after three requests: %s", page)
	}
	id := p.keysNow(t, ann)[1]
	suite.Contains(t, ann.open("/developer/keys/"+id+"/revoke/"), "laptop")
	suite.Equal(t, p.use(t, key), http.StatusOK)
	ann.wantRedirect(ann.submit("/developer/keys/"+id+"/revoke/"), "/developer/")
	suite.Equal(t, p.use(t, key), http.StatusUnauthorized, "revoked key")
	ann.wantStatus(ann.submit("/developer/keys/"+id+"/revoke/"), http.StatusNotFound)
	suite.Lacks(t, p.log.String(), key, "the log contains the key")
	suite.Lacks(t, p.log.String(), key[10:30], "the log contains the key")
}

// TestPanelKeyFaults: an invalid form is shown again with its errors, and the limits are
// enforced.
func TestPanelKeyFaults(t *testing.T) {
	suite.InTest(t)
	p := sharedPanel(t)
	ann := p.signIn(t, "ann")
	for name, want := range map[string]string{
		"":                       "The name is empty; use a name of 1 to 64 characters.",
		strings.Repeat("n", 65):  "The name has 65 characters; use at most 64.",
		"line\nbreak<script>x()": "The name contains the character U+000A; use letters, digits, punctuation and plain spaces.",
	} {
		page := ann.wantStatus(ann.submit("/developer/keys/", "scopes", "read", "name", name, "once", "x"+name), http.StatusBadRequest)
		suite.Equal(t, field(t, faultText, page), want, name)
		suite.Holds(t, (name == "" || strings.Contains(page, strings.Split(html.EscapeString(name), "\n")[0])) &&
			!strings.Contains(page, "<script>x"), name, "is missing, or not escaped", page)
	}
	for i := range apikey.MaxActive - 1 {
		ann.wantStatus(ann.submit("/developer/keys/", "scopes", "read", "name", "same", "once", fmt.Sprint(i)), http.StatusOK)
	}
	page := ann.wantStatus(ann.submit("/developer/keys/", "scopes", "read", "name", "one more", "once", "more"), http.StatusConflict)
	suite.Contains(t, field(t, faultText, page), "at most 5 active API keys; revoke one first", "sixth key")
	suite.Equal(t, len(p.keysNow(t, ann)), apikey.MaxActive, "sixth key")
	suite.Lacks(t, ann.open("/developer/"), `action="/developer/keys/"`, "the page offers a sixth key")
}

// TestPanelUse: the page shows how many requests are left, and the quota that the operator has set.
func TestPanelUse(t *testing.T) {
	p := servePanel(t, func(o *Options) { o.LimitKey = 2 })
	ann := p.signIn(t, "ann")
	for i, want := range []string{"0 of 2 requests used", "1 of 2", "No requests are left until"} {
		suite.Contains(t, ann.open("/developer/"), want, "after", i, "requests")
		p.use(t, ann.key)
	}
	suite.Check(t, p.state.Write(t.Context(), func(tx *storage.Tx) error { return tx.SetQuota(ann.account.ID, 7000, time.Hour) }))
	page := ann.open("/developer/")
	suite.Holds(t, strings.Contains(page, "0 of 7,000 requests used") && strings.Contains(page, "Used in 1 hour") && strings.Contains(page, "the operator set for you"), "with a quota", page)
}

// TestPanelWebhooks: a webhook is created, its secret is shown once, it is tested, a failed
// delivery is replayed, and the webhook is deleted.
func TestPanelWebhooks(t *testing.T) {
	suite.InTest(t)
	p := servePanel(t, func(o *Options) { o.WebhookPoll = 20 * time.Millisecond })
	stop := work(t, p.Server)
	defer stop()
	ann := p.signIn(t, "ann")
	address := p.receiver.URL + `/hook?a=<b>&c="d"`
	form := []string{"url", " " + address + " ", "events", "entity.deleted", "events", "entity.created", "once", field(t, onceField, ann.open("/developer/webhooks/"))}
	made := ann.submit("/developer/webhooks/", form...)
	secret := secretText.FindString(html.UnescapeString(ann.wantStatus(made, http.StatusOK)))
	verify, err := standardwebhooks.NewWebhook(secret)
	suite.Require(t, err == nil, err)
	ann.wantRedirect(ann.submit("/developer/webhooks/", form...), "/developer/webhooks/")
	list := p.hooksNow(t, ann)
	suite.Require(t, len(list) == 1 &&
		slices.Equal(list[0].Events, []string{"entity.created", "entity.deleted"}), list)
	path := "/developer/webhooks/" + list[0].ID + "/"
	for _, at := range []string{"/developer/webhooks/", path, path + "delete/"} {
		page := ann.open(at)
		text := html.UnescapeString(page)
		suite.Holds(t, !strings.Contains(text, secret) && strings.Contains(text, address) && !strings.Contains(page, "<b>&"), at, page)
	}
	p.answer.Store(500)
	ann.wantRedirect(ann.submit(path+"test/"), path)
	suite.Eventually(t, "the test failed", func() bool { return strings.Contains(ann.open(path), "state-failed") })
	page := ann.open(path)
	suite.Contains(t, page, "responded with 500 in")
	suite.Lacks(t, page, " data-pending")
	p.answer.Store(204)
	delivery := regexp.MustCompile(`dlv_[a-z2-7]{20}`).FindString(page)
	ann.wantRedirect(ann.submit(path+"replay/", "delivery", delivery), path)
	suite.Eventually(t, "the replay arrived", func() bool { return strings.Contains(ann.open(path), "state-succeeded") })
	if _, last, body := p.received(); verify.Verify(body, last.Header) != nil || last.URL.RawQuery != `a=<b>&c="d"` {
		t.Errorf("%s", body)
	}
	ann.wantStatus(ann.submit(path+"replay/", "delivery", "dlv_"+strings.Repeat("a", 20)), http.StatusNotFound)
	ann.wantRedirect(ann.submit(path+"delete/"), "/developer/webhooks/")
	ann.wantStatus(ann.send(http.MethodGet, path, nil), http.StatusNotFound)
	suite.Equal(t, len(p.hooksNow(t, ann)), 0)
	suite.Lacks(t, p.log.String(), secret[6:])
}

// TestPanelWebhookFaults: each error is shown next to its field, and the form keeps what was
// entered.
func TestPanelWebhookFaults(t *testing.T) {
	suite.InTest(t)
	p := sharedPanel(t)
	ann := p.signIn(t, "ann")
	for address, want := range map[string]string{
		"http://example.org/":        "The address must start with https://.",
		"https://user@example.org/":  "The address must not contain a user name or password",
		"https://inside.example/<b>": "The address ",
	} {
		page := ann.wantStatus(ann.submit("/developer/webhooks/", "url", address, "events", "entity.updated"), http.StatusBadRequest)
		if got := html.UnescapeString(field(t, faultText, page)); !strings.HasPrefix(got, want) {
			t.Errorf("%q: %q, want %q", address, got, want)
		}
		if !strings.Contains(page, `value="`+html.EscapeString(address)+`"`) || !strings.Contains(page, `value="entity.updated" checked`) || strings.Contains(page, `value="entity.created" checked`) {
			t.Errorf("%q: the input is lost: %s", address, page)
		}
	}
	page := ann.wantStatus(ann.submit("/developer/webhooks/", "url", "https://example.org/"), http.StatusBadRequest)
	suite.Equal(t, field(t, faultText, page), "Choose at least one.", "without events")
	page = ann.wantStatus(ann.submit("/developer/webhooks/", "url", "https://example.org/", "events", "entity.made"), http.StatusBadRequest)
	suite.Contains(t, field(t, faultText, page), "entity.made, which is not an event", "unknown event")
	for i := range webhook.MaxPerAccount {
		ann.wantStatus(ann.submit("/developer/webhooks/", "url", fmt.Sprint("https://example.org/", i), "events", "entity.updated"), http.StatusOK)
	}
	page = ann.wantStatus(ann.submit("/developer/webhooks/", "url", "https://example.org/more", "events", "entity.updated"), http.StatusConflict)
	if got := field(t, faultText, page); got != "An account can have at most 10 webhooks; delete one first." {
		t.Errorf("eleventh webhook: %q", got)
	}
}

// TestPanelLog reads a long log page by page; each delivery must appear exactly once.
func TestPanelLog(t *testing.T) {
	suite.InTest(t)
	p := sharedPanel(t)
	ann := p.signIn(t, "ann")
	ann.wantStatus(ann.submit("/developer/webhooks/", "url", "https://example.org/", "events", "entity.updated"), http.StatusOK)
	w := p.hooksNow(t, ann)[0]
	const all = 2*console.DeliveriesPerPage + 5
	suite.Check(t, p.state.Write(t.Context(), func(tx *storage.Tx) (err error) {
		for i := 0; i < all && err == nil; i++ {
			_, err = tx.RequestTest(w.AccountID, w.ID)
		}
		return err
	}))
	path := console.PanelWebhooks + w.ID + "/"
	list := regexp.MustCompile(`evt_[a-z2-7]{20}`).FindAllString(wholeLog(t, ann, path), -1)
	suite.Equal(t, len(slices.Compact(slices.Sorted(slices.Values(list)))), all, "distinct deliveries")
	suite.Equal(t, len(list), all, "deliveries")
	for _, odd := range []string{"x", "1-2-evt_a", "99999999999999999999-1-dlv_a", "'; DROP TABLE webhooks; --"} {
		page := ann.open(path + "?before=" + url.QueryEscape(odd))
		suite.Equal(t, strings.Count(page, `class="card delivery"`), console.DeliveriesPerPage, "before", odd)
		suite.Contains(t, page, fmt.Sprint(all, " in the last 30 days"), "before", odd)
	}
}

// TestPanelSubmissions: the panel shows the status of the account's own submissions only, page by page, and
// withdraws one. Package pages tests that no text in them becomes markup.
func TestPanelSubmissions(t *testing.T) {
	suite.InTest(t)
	p := sharedPanel(t)
	ann, eve := p.signIn(t, "ann"), p.signIn(t, "eve")
	ids := []string{}
	move := func(id string, to submission.Status, c submission.Change) {
		t.Helper()
		suite.Done(p.state.MoveSubmission(t.Context(), id, to, c))(t)
	}
	for i := range console.SubmissionsPerPage + 2 {
		s := submission.Submission{ID: storage.NewID("sub_"), AccountID: ann.account.ID, Type: "tool", Slug: fmt.Sprint("thing-", i),
			Name: fmt.Sprint("Thing ", i), URL: fmt.Sprint("https://example.org/", i), YAML: "name: Thing\n  indented: yes\n"}
		suite.Check(t, p.state.Write(t.Context(), func(tx *storage.Tx) error { _, err := tx.CreateSubmission(s); return err }))
		if i >= 3 { // the number of an account's open submissions is limited
			move(s.ID, submission.Withdrawn, submission.Change{})
		}
		ids = append(ids, s.ID)
	}
	move(ids[0], submission.Rejected, submission.Change{Reason: "It is there."})
	move(ids[1], submission.Accepted, submission.Change{PullRequest: submission.PullRequest{Number: 7, URL: "https://example.org/pull/7"}})
	first := ann.open("/developer/submissions/")
	if !strings.Contains(first, fmt.Sprintf("2 of %d open", submission.MaxOpen)) { // one is accepted, but not published
		t.Errorf("%s", first)
	}
	all := first + ann.open(field(t, olderEntries, first))
	for i, want := range []string{"It is there.", `href="https://example.org/pull/7"`, "/withdraw/\"", "It was withdrawn by you."} {
		if page := ann.open(console.PanelSubmissions + ids[i] + "/"); !strings.Contains(page, want) || !strings.Contains(page, "\n  indented: yes\n") {
			t.Errorf("no %s in %s", want, page)
		}
		eve.wantStatus(eve.send(http.MethodGet, console.PanelSubmissions+ids[i]+"/", nil), http.StatusNotFound)
	}
	for _, id := range ids {
		suite.Equal(t, strings.Count(all, console.PanelSubmissions+id+"/"), 1, id, "does not occur exactly once")
	}
	if page := eve.open("/developer/submissions/?before=" + ids[3]); strings.Contains(page, "Thing") || !strings.Contains(page, "No submissions yet") {
		t.Errorf("%s", page)
	}
	for range 2 { // submitting the form again changes nothing
		ann.wantStatus(ann.submit(console.PanelSubmissions+ids[2]+"/withdraw/"), http.StatusSeeOther)
	}
	if page := ann.open(console.PanelSubmissions + ids[2] + "/"); strings.Contains(page, "/withdraw/\"") || !strings.Contains(page, "It was withdrawn by you.") {
		t.Errorf("%s", page)
	}
}
