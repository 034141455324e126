package edge

import (
	"fmt"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"testing"

	"kindex/builder/suite"
	"kindex/edge/console"
	"kindex/edge/ratelimit"
	"kindex/edge/storage"
	"kindex/edge/submission"
)

// stock contains the IDs of an account's objects, as targets for attacks.
type stock struct{ key, hook, delivery, submission string }

// stocked gives an account a second key, a webhook with a delivery, and a submission.
func (p *panelled) stocked(t *testing.T, b *person) (s stock) {
	t.Helper()
	b.wantStatus(b.submit("/developer/keys/", "scopes", "read", "name", "second"), http.StatusOK)
	b.wantStatus(b.submit("/developer/webhooks/", "url", "https://example.org/", "events", "entity.updated"), http.StatusOK)
	s.key, s.hook, s.submission = p.keysNow(t, b)[1], p.hooksNow(t, b)[0].ID, storage.NewID("sub_")
	suite.Check(t, p.state.Write(t.Context(), func(tx *storage.Tx) error {
		d, err := tx.RequestTest(b.account.ID, s.hook)
		if err != nil {
			return err
		}
		s.delivery = d.ID
		_, err = tx.CreateSubmission(submission.Submission{ID: s.submission, AccountID: b.account.ID, Type: "tool", Slug: "thing", Name: "Thing",
			URL: "https://example.org/thing", YAML: "name: Thing\n"})
		return err
	}))
	return s
}

// in replaces the parameters in a path of the panel with the account's IDs.
func (s stock) in(path string) string {
	return strings.NewReplacer(":key", s.key, ":webhook", s.hook, ":submission", s.submission).Replace(path)
}

// form returns a form that would change something if it were accepted.
func (s stock) form(token string) url.Values {
	return url.Values{"token": {token}, "name": {"third"}, "url": {"https://example.org/other"}, "events": {"entity.updated"}, "delivery": {s.delivery}, "scopes": {"read"}}
}

// has returns a string that contains everything that the forms could have changed.
func (p *panelled) has(t *testing.T, b *person) string {
	t.Helper()
	var text strings.Builder
	fmt.Fprintln(&text, p.keysNow(t, b))
	for _, w := range p.hooksNow(t, b) {
		list, count, err := p.state.Deliveries(t.Context(), storage.DeliveryQuery{WebhookID: w.ID, Limit: 100})
		fmt.Fprintln(&text, w.ID, w.SealedSecret, count, len(list), err)
	}
	submissions, err := p.state.Submissions(t.Context(), submission.Query{AccountID: b.account.ID})
	for _, s := range submissions {
		fmt.Fprintln(&text, s.ID, s.Status, err)
	}
	return text.String()
}

// TestPanelForged sends every form of the panel in ways in which the panel's own pages never send
// it.
func TestPanelForged(t *testing.T) {
	suite.InTest(t)
	p := sharedPanel(t)
	ann, eve := p.signIn(t, "ann"), p.signIn(t, "eve")
	s := p.stocked(t, ann)
	own, others, before := ann.token(), eve.token(), p.has(t, ann)
	forms := 0
	for _, r := range console.PanelRoutes() {
		if r.Verb != http.MethodPost {
			continue
		}
		forms++
		for name, c := range map[string]struct {
			token  string
			header []string
		}{
			"no token":                 {"", nil},
			"token of another session": {others, nil},
			"foreign origin":           {own, []string{"Origin", "https://evil.example"}},
			"no origin":                {own, []string{"Origin", "null"}},
			"from elsewhere":           {own, []string{"Sec-Fetch-Site", "cross-site", "Origin", "https://evil.example"}},
			"as JSON":                  {own, []string{"Content-Type", "application/json"}},
		} {
			suite.Equal(t, ann.send(http.MethodPost, s.in(r.Path), s.form(c.token), c.header...).status, http.StatusForbidden, r.Path, name)
			suite.Equal(t, p.has(t, ann), before, r.Path, name)
		}
		if a := ann.send(http.MethodPost, s.in(r.Path)+"?token="+own, s.form("")); a.status != http.StatusForbidden || p.has(t, ann) != before {
			t.Errorf("%s, token in the address: %d", r.Path, a.status)
		}
		jar := suite.Must(cookiejar.New(nil))(t)
		stranger := &person{t: t, url: p.url, jar: jar}
		suite.Equal(t, stranger.send(http.MethodPost, s.in(r.Path), s.form(own)).status, http.StatusForbidden, r.Path, "signed out")
		suite.Equal(t, p.has(t, ann), before, r.Path, "signed out")
		suite.Equal(t, stranger.send(http.MethodPost, s.in(r.Path), s.form(own), "x-api-key", ann.key).status, http.StatusForbidden, r.Path, "with a key")
		suite.Equal(t, p.has(t, ann), before, r.Path, "with a key")
		// The same form, sent in the same way as its page sends it, does change something.
		if a := ann.send(http.MethodPost, s.in(r.Path), s.form(own)); a.status >= 400 || p.has(t, ann) == before {
			t.Errorf("%s: %d\n%s", r.Path, a.status, a.body)
		}
		before = p.has(t, ann)
	}
	suite.Equal(t, forms, 8, "forms")
}

// TestPanelOfAnother requests another account's objects by their correct addresses. The response
// must be "not found", and nothing must change.
func TestPanelOfAnother(t *testing.T) {
	suite.InTest(t)
	p := sharedPanel(t)
	ann, eve := p.signIn(t, "ann"), p.signIn(t, "eve")
	s := p.stocked(t, ann)
	eve.wantStatus(eve.submit("/developer/webhooks/", "url", "https://example.org/", "events", "entity.updated"), http.StatusOK)
	own, before := p.hooksNow(t, eve)[0].ID, p.has(t, ann)
	for _, r := range console.PanelRoutes() {
		if !strings.Contains(r.Path, ":") {
			continue
		}
		theirs := eve.send(r.Verb, s.in(r.Path), s.form(eve.token()))
		none := stock{key: "key_" + strings.Repeat("a", 20), hook: "wh_" + strings.Repeat("a", 20), submission: "sub_" + strings.Repeat("a", 20)}
		nobodys := eve.send(r.Verb, none.in(r.Path), s.form(eve.token()))
		if theirs.status != http.StatusNotFound || nobodys.status != http.StatusNotFound || string(theirs.body) != string(nobodys.body) || p.has(t, ann) != before {
			t.Errorf("%s %s: %d, for a nonexistent object %d\n%s", r.Verb, r.Path, theirs.status, nobodys.status, theirs.body)
		}
	}
	// Replay another account's delivery through the caller's own webhook.
	a := eve.send(http.MethodPost, console.PanelWebhooks+own+"/replay/", s.form(eve.token()))
	suite.Holds(t, a.status == http.StatusNotFound && p.has(t, ann) == before, "replay of another's delivery", a.status)
	for _, odd := range []string{"wh_%00", "wh_" + strings.Repeat("x", 500), "%2e%2e", "'", "wh_é"} {
		eve.send(http.MethodGet, console.PanelWebhooks+odd+"/", nil).want(t, http.StatusNotFound)
	}
}

// TestPanelTooOften: the number of forms that an account can send is limited. Reading is not,
// and other accounts are not affected.
func TestPanelTooOften(t *testing.T) {
	suite.InTest(t)
	p := sharedPanel(t)
	ann, eve := p.signIn(t, "ann"), p.signIn(t, "eve")
	token := ann.token()
	for i := range int(ratelimit.PanelChange.Account) + 3 {
		a := ann.send(http.MethodPost, "/developer/keys/", url.Values{"token": {token}, "name": {""}})
		want := http.StatusBadRequest
		if i >= int(ratelimit.PanelChange.Account) {
			want = http.StatusTooManyRequests
		}
		if a.status != want || (a.header.Get("Retry-After") != "") != (i >= int(ratelimit.PanelChange.Account)) {
			t.Fatalf("form %d: %d, %v\n%s", i, a.status, a.header, a.body)
		}
	}
	ann.open("/developer/")
	eve.wantStatus(eve.submit("/developer/keys/", "scopes", "read", "name", "mine"), http.StatusOK)
	suite.Equal(t, len(p.keysNow(t, ann)), 1, "a key was created")
	// None of this counted towards the API limit.
	p.ask(t, http.MethodGet, "/api/categories", "x-api-key", ann.key).wantHeader(t, "X-RateLimit-Remaining", "99")
}

// TestPanelHeaders checks that every response of the panel has the headers that keep it
// private.
func TestPanelHeaders(t *testing.T) {
	suite.InTest(t)
	p := sharedPanel(t)
	ann := p.signIn(t, "ann")
	s := p.stocked(t, ann)
	jar := suite.Must(cookiejar.New(nil))(t)
	stranger := &person{t: t, url: p.url, jar: jar}
	check := func(what string, a answer) {
		t.Helper()
		csp := a.header.Get("Content-Security-Policy")
		suite.ContainsAll(t, csp, "default-src 'none'", "script-src 'self';", "style-src 'self';",
			"frame-ancestors 'none'", "form-action 'self'", "base-uri 'none'")
		for name, want := range map[string]string{"Cache-Control": "no-store", "Vary": "Cookie", "X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY",
			"Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Resource-Policy": "same-origin", "Referrer-Policy": "same-origin",
			"Access-Control-Allow-Origin": "", "Etag": "", "Content-Encoding": "", "X-RateLimit-Limit": "", "Set-Cookie": ""} {
			suite.Equal(t, a.header.Get(name), want, what, name)
		}
		if body := string(a.body); a.status != http.StatusMovedPermanently && a.status != http.StatusSeeOther && !strings.HasPrefix(body, "<!doctype html>") ||
			strings.Contains(body, "<style") || strings.Contains(body, " style=") || strings.Contains(body, "<script>") || strings.Contains(body, `rel="canonical"`) && strings.Contains(body, "Sign out") {
			t.Errorf("%s: %d\n%s", what, a.status, body)
		}
	}
	for _, who := range []*person{ann, stranger} {
		check("/developer", who.send(http.MethodGet, "/developer", nil))
		for _, r := range console.PanelRoutes() {
			form := url.Values{}
			if who == ann {
				form = s.form(ann.token())
			}
			what := fmt.Sprint(r.Verb, " ", r.Path, ", stranger ", who == stranger)
			a := who.send(r.Verb, s.in(r.Path), form, "Accept-Encoding", "gzip", "Origin", p.url)
			check(what, a)
			if who == ann && a.status >= 400 && !strings.Contains(r.Path, "revoke") {
				t.Errorf("%s: %d", what, a.status)
			}
			if r.Verb == http.MethodGet {
				head := who.send(http.MethodHead, s.in(r.Path), nil)
				if look := who.send(http.MethodGet, s.in(r.Path), nil); head.status != look.status || len(head.body) > 0 {
					t.Errorf("HEAD of %s: %d, %d bytes; GET: %d", what, head.status, len(head.body), look.status)
				}
			}
			if r.Path == "/developer/webhooks/:webhook/delete/" && r.Verb == http.MethodPost { // the webhook that most requests need has been deleted
				break
			}
		}
	}
	stranger.send(http.MethodGet, "/developer/", nil).
		want(t, http.StatusOK, `href="/signin"`, `<strong class="num">100</strong>`)
	stranger.wantRedirect(stranger.send(http.MethodGet, "/developer/webhooks/", nil), "/developer/")
}

// TestPanelStateGone: if the database is unreachable, the page says so, and the session is kept.
func TestPanelStateGone(t *testing.T) {
	suite.InTest(t)
	p := servePanel(t)
	ann := p.signIn(t, "ann")
	token := ann.token()
	suite.Check(t, p.state.Close())
	for _, r := range console.PanelRoutes() {
		a := ann.send(r.Verb, r.Path, url.Values{"token": {token}})
		suite.Holds(t, a.status == http.StatusServiceUnavailable && a.header.Get("Retry-After") != "" &&
			strings.HasPrefix(string(a.body), "<!doctype html>"), r.Verb, r.Path, a.status, a.header)
	}
}
