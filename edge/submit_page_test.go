package edge

import (
	"encoding/json"
	"fmt"
	"html"
	"maps"
	"net/http"
	"net/http/cookiejar"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"kindex/builder/content"
	"kindex/builder/content/yamlfmt"
	"kindex/builder/suite"
	"kindex/edge/auth"
	"kindex/edge/auth/authtest"
	"kindex/edge/console"
	"kindex/edge/ratelimit"
	"kindex/edge/storage/storagetest"
	"kindex/edge/submission"
	"kindex/exports/kinds"
	"kindex/site/form"
	"kindex/site/pages"
	"kindex/site/siteurl"
)

const repositoryPage = "https://github.com/example/index"

// serveForm serves a few entities in declared categories. If repository is set, the content
// names its repository.
func serveForm(t testing.TB, o Options, repository bool) *served {
	t.Helper()
	dir := prepare(t, fmt.Sprint("a form, repository ", repository), func(dir string) {
		content := filepath.Join(dir, "content")
		writeContent(t, content, 3, 0)
		writeFile(t, content, "categories.yaml", "categories:\n  - {slug: alpha, title: First things}\n  - {slug: beta, title: Second things}\n  - {slug: gamma, title: Third things}\n")
		index := "title: Test\n"
		if repository {
			index += "repository: " + repositoryPage + "\n"
		}
		writeFile(t, content, "index.yaml", index)
		buildInto(t, content, filepath.Join(dir, "out"), 3)
	})
	o.Dir, o.URL = filepath.Join(dir, "out"), ownURL
	if o.State == nil {
		o.State = storagetest.SQLite(t)
	}
	s := serveWith(t, o)
	s.content = filepath.Join(dir, "content")
	return s
}

// sharedForm is like serveForm, for tests that store nothing.
func sharedForm(t testing.TB, repository bool) *served {
	t.Helper()
	return share(t, fmt.Sprint("form ", repository), func(t testing.TB) *served { return serveForm(t, Options{}, repository) })
}

// serveSignedIn is like serveForm, but with a signed-in user. It also returns the user's cookie
// jar and key.
func serveSignedIn(t *testing.T) (s *served, jar http.CookieJar, key string) {
	t.Helper()
	hub := authtest.StartGitHub(t)
	s = serveForm(t, Options{SignIn: auth.Options{GitHub: auth.GitHub{Client: authtest.Client, Secret: authtest.ClientSecret, URL: hub.URL}}}, false)
	jar = suite.Must(cookiejar.New(nil))(t)
	page := visit(t, jar, http.MethodPost, s.url+"/signin/github", "Origin", s.url)
	if key = regexp.MustCompile(`kx_[0-9A-Za-z]{38}`).FindString(string(page.body)); key == "" {
		t.Fatalf("%d\n%s", page.status, page.body)
	}
	return s, jar, key
}

// fill sends a form in the same way as the page.
func (s *served) fill(t testing.TB, jar http.CookieJar, path, body string, header ...string) answer {
	t.Helper()
	return suite.Must(exchange(direct(jar), http.MethodPost, s.url+path, body,
		append([]string{"Content-Type", "application/x-www-form-urlencoded", "Origin", s.url, "Sec-Fetch-Site", "same-origin"}, header...)...))(t)
}

// check has a form checked in the same way as the page's script.
func (s *served) check(t testing.TB, input url.Values) (said form.Check) {
	t.Helper()
	a := s.fill(t, nil, siteurl.CheckSubmission, input.Encode(), "Accept", "application/json")
	if err := json.Unmarshal(a.body, &said); err != nil || a.status != http.StatusOK {
		t.Fatalf("%d %v: %s", a.status, err, a.body)
	}
	return said
}

// stored returns the number of submissions.
func (s *served) stored(t testing.TB) int {
	t.Helper()
	return suite.Must(s.state.CountSubmissions(t.Context(), submission.Query{}))(t)
}

// proposal returns a valid form in which the given values are replaced.
func proposal(other ...string) url.Values {
	v := url.Values{"type": {"tool"}, "name": {"Fine Tool"}, "description": {"Does it."}, "category": {"alpha"}, "url": {"https://fine.example/"}}
	for i := 0; i < len(other); i += 2 {
		if v.Set(other[i], other[i+1]); other[i+1] == "" {
			v.Del(other[i])
		}
	}
	return v
}

// remarksAt returns the messages that a page shows next to a field, and the HTML tag of the field.
func remarksAt(t testing.TB, page, field string) (text, tag string) {
	t.Helper()
	id := regexp.QuoteMeta("f-" + strings.ReplaceAll(field, ".", "-"))
	m := regexp.MustCompile(`(?s)<ul class="remarks" id="` + id + `-says">(.*?)</ul>`).FindStringSubmatch(page)
	suite.Require(t, m != nil, "no place for messages at", field, page)
	tag = regexp.MustCompile(`<(?:input|select|textarea) [^>]*name="` + regexp.QuoteMeta(field) + `"[^>]*>`).FindString(page)
	return html.UnescapeString(m[1]), tag
}

// TestFormTellsAtTheField breaks the rules one at a time. Both on the page and in the response to
// its script, the error must be attached to the invalid field and to no other field.
func TestFormTellsAtTheField(t *testing.T) {
	suite.InTest(t)
	s := sharedForm(t, false)
	for _, c := range []struct{ field, value, says, use string }{
		{"type", "tol", "Type is not one of model, tool", "tool"},
		{"name", "", "Name is missing", ""},
		{"name", strings.Repeat("x", 201), "200", ""},
		{"name", "a\x00b", "control characters", ""},
		{"name", "a\ufffd", "U+FFFD", ""},
		{"slug", "Fine Tool!", "lower-case letters", "fine-tool"},
		{"category", "alpah", "is not in categories.yaml", "alpha"},
		{"description", strings.Repeat("x", 2001), "2000", ""},
		{"url", "javascript:alert(1)", "use a full URL", ""},
		{"url", "https://ann@fine.example/", "or user name", ""},
		{"pricingModel", "fremium", "is not one of open-source", "freemium"},
		{"tags", "good, Not Good", "use lower-case letters", "good, not-good"},
		{"tags", "a,a", "twice", ""},
		{"links.homepage", "example.org", "use a full URL", ""},
	} {
		t.Run(c.field+" "+c.value[:min(len(c.value), 20)], func(t *testing.T) {
			input := proposal(c.field, c.value)
			said := s.check(t, input)
			suite.Require(t, len(said.Problems) == 1 && !said.Complete && said.Pull == "", said)
			p := said.Problems[0]
			suite.Holds(t, p.Input == c.field && strings.Contains(p.Message, c.says) && p.Value == c.use, p)
			if strings.Contains(said.YAML, c.value) && c.value != "" && c.field != "name" {
				t.Errorf("the file contains the invalid value:\n%s", said.YAML)
			}
			a := s.fill(t, nil, siteurl.CheckSubmission, input.Encode())
			for _, f := range form.Fields(kinds.Default(), "") {
				text, tag := remarksAt(t, string(a.body), f.Name)
				if here := f.Name == c.field; here != strings.Contains(text, c.says) || here != strings.Contains(tag, `aria-invalid="true"`) ||
					!strings.Contains(tag, "f-"+strings.ReplaceAll(f.Name, ".", "-")+"-says") {
					t.Errorf("message at %s: %q; %s", f.Name, text, tag)
				}
				if f.Name == c.field && (c.use != "") != strings.Contains(text, `name="use" value="`+c.field+"="+c.use+`"`) {
					t.Errorf("no button for %q: %s", c.use, text)
				}
			}
			if c.use != "" { // apply the suggestion, as the button does
				input.Set("use", c.field+"="+c.use)
				if said = s.check(t, input); !said.Complete {
					t.Errorf("after applying the suggestion: %+v", said)
				}
			}
		})
	}
}

// TestFormTellsAll: all errors are reported at once, including warnings, duplicates and unknown
// fields.
func TestFormTellsAll(t *testing.T) {
	s := sharedForm(t, false)
	said := s.check(t, url.Values{"name": {"tool Number0"}, "license": {"BSD 3-Clause"}, "tags": {"ok"}, "signals.stars": {"7"}, "status": {"withdrawn"}, "categry": {"alpha"}})
	var at []string
	for _, p := range said.Problems {
		at = append(at, p.Field)
	}
	suite.Equal(t, strings.Join(at, " "), "categry signals.stars status category description type url", at)
	suite.Holds(t, len(said.Warnings) == 1 && said.Warnings[0].Value == "BSD-3-Clause" &&
		said.YAML == "name: tool Number0\nlicense: BSD 3-Clause\ntags: [ok]\n", said.Warnings, said.YAML)
	suite.Holds(t, len(said.Similar) != 0 && said.Similar[0].Path == "/tool/n0/" &&
		said.Similar[0].Note == "First things", said.Similar)
	for _, c := range []struct{ form, path string }{
		{proposal("slug", "n0").Encode(), "/tool/n0/"},
		{proposal("name", "Tool NUMBER0", "url", "http://www.example.org/tool/0").Encode(), "/tool/n0/"},
	} {
		v, _ := url.ParseQuery(c.form)
		if said := s.check(t, v); said.Taken == nil || said.Taken.Path != c.path || said.Complete {
			t.Errorf("%s: %+v", c.form, said)
		}
		s.fill(t, nil, siteurl.Submit, c.form).want(t, http.StatusConflict, `<a href="`+c.path+`">View it</a>`)
	}
	if said := s.check(t, url.Values{"name": {"a", "b"}}); said.Problems[0].Input != "name" || said.Problems[0].Message != "Name is given twice." {
		t.Errorf("%+v", said.Problems)
	}
}

// TestFormWritesWhatTheAPIStores: the file shown on the page is the same as the one that POST
// /api/submit stores for the same fields, and kindex build accepts it.
func TestFormWritesWhatTheAPIStores(t *testing.T) {
	suite.InTest(t)
	s := serveForm(t, Options{}, true)
	secret, _ := s.newKey(t, "ada")
	around, err := content.OpenWorkspace(s.content)
	suite.Require(t, err == nil && around.Missing == nil, err, around.Missing)
	for i, text := range []string{"plain", "null", "1e3", "a: b", "- x", "#1", `"`, `\n`, "{a}", "%T", "é 🙂", "<b>&amp;", "2026-01-01", "~", "*a"} {
		address := fmt.Sprintf("https://x%d.example/?a=b&c=d#x", i)
		fields := map[string]any{"type": "tool", "name": fmt.Sprint(text, " ", i), "description": text, "category": "alpha", "url": address}
		input := url.Values{"type": {"tool"}, "name": {fmt.Sprint(text, " ", i)}, "description": {text}, "category": {"alpha"}, "url": {address}}
		if i%2 == 0 {
			maps.Copy(fields, map[string]any{"type": "model", "slug": fmt.Sprint("s-", i), "provider": text, "version": "1.10", "license": "MIT OR Apache-2.0", "pricingModel": "free",
				"tags": []string{"a", "2024"}, "capabilities": []string{"gpu"}, "links": map[string]string{"paper": address}})
			maps.Copy(input, url.Values{"type": {"model"}, "slug": {fmt.Sprint("s-", i)}, "provider": {text}, "version": {"1.10"}, "license": {"MIT OR Apache-2.0"}, "pricingModel": {"free"},
				"tags": {"a ,\n2024"}, "capabilities": {"gpu"}, "links.paper": {address}})
		}
		said := s.check(t, input)
		suite.Require(t, said.Complete && len(said.Problems) == 0, fields, said)
		body := suite.Must(json.Marshal(fields))(t)
		made := s.post(t, secret.Reveal(), string(body), http.StatusCreated)
		stored := suite.Must(s.state.Submission(t.Context(), made.ID))(t)
		suite.Require(t, stored.YAML == said.YAML &&
			stored.Key()+".yaml" == said.Path, stored.Key(), stored.YAML, "the page shows", said.Path, said.YAML)
		if _, problems := around.CheckFile(stored.Type, stored.Slug, []byte(said.YAML)); problems.HasErrors() {
			t.Fatalf("the content rejects\n%s", said.YAML)
		}
		if moved, err := s.state.MoveSubmission(t.Context(), made.ID, submission.Withdrawn, submission.Change{}); err != nil || !moved {
			t.Fatal(moved, err) // the number of open submissions is limited
		}
		pull, err := url.Parse(said.Pull)
		if err != nil || !strings.HasPrefix(said.Pull, repositoryPage+"/new/main/"+stored.Type+"?") || pull.Query().Get("value") != said.YAML || pull.Query().Get("filename") != stored.Slug+".yaml" {
			t.Fatalf("%v: %s", err, said.Pull)
		}
	}
}

// TestFormOfNobody: for visitors who are not signed in, nothing is stored, and the page shows the alternatives:
// the repository, and the file to save or to send by mail, of which no character is lost.
func TestFormOfNobody(t *testing.T) {
	suite.InTest(t)
	for _, repository := range []bool{false, true} {
		s := serveForm(t, Options{Contact: "Ann Keeper <ann+index@keeper.example>"}, repository)
		input := proposal("description", "Does 100% & more: “all” of #1, a+b?")
		page := string(s.ask(t, http.MethodGet, siteurl.Submit).body)
		a := s.fill(t, nil, siteurl.Submit, input.Encode())
		text := html.UnescapeString(string(a.body))
		if a.status != http.StatusOK || !strings.Contains(text, "was not stored because you are not signed in") || !strings.Contains(text, "name: Fine Tool\n") ||
			!strings.Contains(text, "kindex validate content") || !strings.Contains(text, "content/tool/fine-tool.yaml") {
			t.Errorf("%d\n%s", a.status, text)
		}
		got := strings.Contains(text, `href="`+repositoryPage+"/new/main/tool?filename=fine-tool.yaml&value=")
		suite.Holds(t, got == repository, "link to the repository", got, text)
		for _, p := range []string{page, text} {
			suite.Holds(t, !strings.Contains(p, `name="token"`) && !strings.Contains(p, "Submit for review") &&
				!strings.Contains(p, "/signin"), "the page offers to submit", p)
		}
		suite.Equal(t, s.stored(t), 0, "are stored")
		said := s.check(t, input)
		saved, err := url.PathUnescape(strings.TrimPrefix(said.Save, "data:text/yaml;charset=utf-8,"))
		suite.Holds(t, err == nil && saved == said.YAML &&
			strings.Contains(saved, "a+b?"), err, "saved", saved, said.YAML)
		to, err := url.Parse(said.Mail)
		if err != nil || to.Scheme != "mailto" || to.Opaque != "ann+index@keeper.example" || to.Query().Get("body") != said.YAML || to.Query().Get("subject") != "tool/fine-tool.yaml" {
			t.Errorf("%v: the mail is %s", err, said.Mail)
		}
		suite.Contains(t, text, `href="`+said.Save+`"`, "the page does not offer the file")
		suite.Contains(t, text, `href="`+said.Mail+`"`, "the page does not offer the file")
		if said := s.check(t, proposal("description", strings.Repeat("long ", 390)+"end.")); len(said.Mail) > 400 || !strings.Contains(said.Save, "end.") {
			t.Errorf("a long file is in the URL of a mail: %s", said.Mail)
		}
		if said := s.check(t, proposal("name", "")); said.Save != "" || said.Mail != "" {
			t.Errorf("an incomplete form can be handed in: %+v", said)
		}
	}
}

// TestFormSubmits: what a signed-in user submits is stored once, for the user's account.
func TestFormSubmits(t *testing.T) {
	s, jar, key := serveSignedIn(t)
	page := visit(t, jar, http.MethodGet, s.url+siteurl.Submit)
	token := regexp.MustCompile(`name="token" value="([^"]+)"`).FindSubmatch(page.body)
	suite.Require(t, token != nil && strings.Contains(string(page.body), "Submit for review") &&
		page.header.Get("Cache-Control") == "no-store", page.header)
	input := proposal("token", string(token[1]), "description", "Does it.\r\nAnd more.")
	first := s.fill(t, jar, siteurl.Submit, input.Encode())
	id := regexp.MustCompile(`^/developer/submissions/(sub_[a-z2-7]{20})/$`).FindStringSubmatch(first.header.Get("Location"))
	suite.Require(t, first.status == http.StatusSeeOther && id != nil, first.status, first.header)
	s.fill(t, jar, siteurl.Submit, input.Encode()).want(t, http.StatusSeeOther).
		wantHeader(t, "Location", first.header.Get("Location"))
	list := s.own(t, key, "/api/submissions", http.StatusOK)
	suite.Holds(t, list.Count == 1 && list.Data[0].ID == id[1] && list.Data[0].Entity.Slug == "fine-tool" &&
		s.stored(t) == 1, list)
	stored, err := s.state.Submission(t.Context(), id[1])
	suite.Holds(t, err == nil && stored.YAML == s.check(t, input).YAML &&
		strings.Contains(stored.YAML, "description: Does it. And more.\n"), err, stored.YAML)
	input.Set("description", "Does something else.")
	s.fill(t, jar, siteurl.Submit, input.Encode()).
		want(t, http.StatusConflict, `href="/developer/submissions/`+id[1]+`/"`)
	s.fill(t, jar, siteurl.Submit, proposal("token", string(token[1]), "name", "").Encode()).want(t, http.StatusUnprocessableEntity)
	// Other visitors must not learn that the entity has been submitted.
	said := s.check(t, proposal())
	suite.Holds(t, said.Complete && said.Taken == nil, said)
	for i := range int(ratelimit.FormSubmit.Account) + 1 { // two of the four forms sent above were counted as submissions
		a := s.fill(t, jar, siteurl.Submit, proposal("token", string(token[1]), "name", fmt.Sprint("Tool ", i), "url", fmt.Sprintf("https://t%d.example/", i)).Encode())
		if a.status == http.StatusTooManyRequests {
			suite.Holds(t, i >= int(ratelimit.FormSubmit.Account)-5 &&
				strings.Contains(string(a.body), fmt.Sprintf(`value="Tool %d"`, i)), "refused after", i)
			return
		}
	}
	t.Error("an account may submit without limit")
}

// TestFormIsNotForged: nothing is stored if the form is sent by another site or belongs to
// another session, and what the user entered is kept.
func TestFormIsNotForged(t *testing.T) {
	s, jar, _ := serveSignedIn(t)
	page := visit(t, jar, http.MethodGet, s.url+siteurl.Submit)
	token := string(regexp.MustCompile(`name="token" value="([^"]+)"`).FindSubmatch(page.body)[1])
	for _, c := range []struct {
		token  string
		header []string
		kept   bool // the response keeps what was entered
	}{
		{"", nil, true},
		{token[1:], nil, true},
		{token, []string{"Origin", "", "Sec-Fetch-Site", ""}, true},
		{token, []string{"Origin", "https://evil.example", "Sec-Fetch-Site", "cross-site"}, false},
		{token, []string{"Origin", "null", "Sec-Fetch-Site", ""}, false},
		{token, []string{"Origin", "https://other.example", "Sec-Fetch-Site", "same-site"}, false},
	} {
		a := s.fill(t, jar, siteurl.Submit, proposal("token", c.token).Encode(), c.header...)
		if a.status != http.StatusForbidden || strings.Contains(string(a.body), `value="Fine Tool"`) != c.kept || s.stored(t) != 0 {
			t.Errorf("%q %v: %d\n%s", c.token, c.header, a.status, a.body)
		}
		suite.Holds(t, c.kept || !strings.Contains(string(a.body), token), c.header, "gets the token")
	}
	for _, path := range []string{siteurl.Submit, siteurl.CheckSubmission} {
		for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodOptions} {
			a := visit(t, jar, method, s.url+path, "Origin", "https://evil.example", "Access-Control-Request-Method", "POST")
			for name := range a.header {
				suite.Holds(t, !strings.HasPrefix(name, "Access-Control-"), method, path, name)
			}
		}
	}
	s.fill(t, nil, siteurl.CheckSubmission, proposal().Encode(), "Origin", "https://evil.example", "Sec-Fetch-Site", "cross-site", "Accept", "application/json").want(t, http.StatusForbidden)
}

// TestFormRefuses: forms of the wrong size or type are refused with an explanation.
func TestFormRefuses(t *testing.T) {
	suite.InTest(t)
	s := sharedForm(t, false)
	for _, c := range []struct {
		body   string
		header []string
		status int
		says   string
	}{
		{"name=" + strings.Repeat("x", console.MaxFormSize), nil, http.StatusRequestEntityTooLarge, "64 KiB"},
		{strings.Repeat("tags=a&", console.MaxFormValues) + "name=x", nil, http.StatusRequestEntityTooLarge, "too many fields"},
		{"name=%ff", nil, http.StatusBadRequest, "not valid UTF-8"},
		{"name=%zz", nil, http.StatusBadRequest, "not a valid form"},
		{`{"name":"x"}`, []string{"Content-Type", "application/json"}, http.StatusUnsupportedMediaType, "/api/submit"},
	} {
		for _, path := range []string{siteurl.Submit, siteurl.CheckSubmission} {
			a := s.fill(t, nil, path, c.body, c.header...)
			suite.Holds(t, a.status == c.status && strings.Contains(string(a.body), c.says) &&
				strings.HasPrefix(a.header.Get("Content-Type"), "text/html"), path, a.status)
			a = s.fill(t, nil, path, c.body, append([]string{"Accept", "application/json"}, c.header...)...)
			var told struct{ Detail string }
			err := json.Unmarshal(a.body, &told)
			suite.Holds(t, err == nil && a.status == c.status && strings.Contains(told.Detail, c.says), path, a.status)
		}
	}
	s.ask(t, http.MethodGet, siteurl.CheckSubmission).want(t, http.StatusMovedPermanently).
		wantHeader(t, "Location", siteurl.Submit)
}

// TestFormIsBounded: the number of forms per hour is limited for an address and for its network, a large form
// counts as several, and forms do not count towards the API limit.
func TestFormIsBounded(t *testing.T) {
	suite.InTest(t)
	clock := newClock("2026-11-01T10:00:00Z")
	s := serveForm(t, Options{Now: clock.now, LimitAnonymous: 3, TrustedProxies: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}, false)
	use := func(from string, n int64) { s.shared.Limits.Allow(ratelimit.FormCheck, netip.MustParseAddr(from), n) }
	ask := func(from, body string, want int) answer {
		t.Helper()
		a := s.fill(t, nil, siteurl.CheckSubmission, body, "Accept", "application/json", "X-Forwarded-For", from)
		suite.Holds(t, a.status == want &&
			a.header.Get("X-RateLimit-Remaining") == "", "from", from, a.status, a.header, want)
		return a
	}
	use("203.0.113.1", ratelimit.FormCheck.Address-1)
	ask("203.0.113.1", "name=x", http.StatusOK)
	ask("203.0.113.1", "name=x", http.StatusTooManyRequests).says(t, "hourly limit").
		wantHeader(t, "Retry-After", "3600")
	s.ask(t, http.MethodGet, "/api/categories", "X-Forwarded-For", "203.0.113.1").
		wantHeader(t, "X-RateLimit-Remaining", "2")
	large := "tags=" + strings.Repeat("A,", (console.MaxFormSize-10)/2)
	use("203.0.113.2", ratelimit.FormCheck.Address-int64(len(large)/console.BytesPerCheck))
	ask("203.0.113.2", large, http.StatusTooManyRequests)
	ask("203.0.113.2", "name=x", http.StatusOK)
	for i := range ratelimit.FormCheck.Network / ratelimit.FormCheck.Address {
		use(fmt.Sprintf("2001:db8:1:%x::1", i), ratelimit.FormCheck.Address)
	}
	ask("2001:db8:1:ffff::1", "name=x", http.StatusTooManyRequests)
	ask("2001:db8:2::1", "name=x", http.StatusOK)
	clock.advance(time.Hour)
	ask("203.0.113.1", "name=x", http.StatusOK)
}

// TestFormShowsWhateverIsSent: whatever was entered is shown as text and kept.
func TestFormShowsWhateverIsSent(t *testing.T) {
	s := sharedForm(t, true)
	for _, evil := range []string{`"><script>alert(1)</script>`, `'></textarea><svg onload=alert(1)><img src=x onerror=alert(1)>`, "</pre></code><b>{{.}}&lt;a\u202e\u2066b](x)", "javascript:alert(1)", "x\x00y"} {
		input := url.Values{evil: {evil}, "token": {evil}, "use": {"name=" + evil}}
		for _, f := range form.Fields(kinds.Default(), "") {
			input.Set(f.Name, evil)
		}
		for _, path := range []string{siteurl.CheckSubmission, siteurl.Submit} {
			a := s.fill(t, nil, path, input.Encode())
			page := string(a.body)
			for _, raw := range []string{"<script>", "<img", "<svg onload", "<b>", "<x>", `href="javascript:`, "onerror=alert(1)>", "{{"} {
				if strings.Contains(page, raw) && !(raw == "{{" && strings.Contains(evil, "{{")) {
					t.Errorf("%.30q appears on the page as %s", evil, raw)
				}
			}
			suite.Contains(t, html.UnescapeString(page), strings.ReplaceAll(evil, "\x00", "\ufffd"), evil, "is lost")
			csp := a.header.Get("Content-Security-Policy")
			suite.Holds(t, strings.Contains(csp, "default-src 'none'") &&
				strings.Contains(csp, "form-action 'self'") && !strings.Contains(csp, "unsafe"), "policy", csp)
			if regexp.MustCompile(`<[^>]* (style|on[a-z]+)=`).MatchString(regexp.MustCompile(`"[^"]*"`).ReplaceAllString(page, "")) {
				t.Errorf("%.30q: the page has inline styles or scripts", evil)
			}
		}
		a := s.fill(t, nil, siteurl.CheckSubmission, input.Encode(), "Accept", "application/json")
		if a.status != http.StatusOK || !json.Valid(a.body) || strings.Contains(string(a.body), "<") || a.header.Get("Content-Type") != "application/json; charset=utf-8" && a.header.Get("Content-Type") != "application/json" {
			t.Errorf("%.30q: %d %v %.300s", evil, a.status, a.header, a.body)
		}
	}
}

// TestFormCorrects: for an existing entity, the form has its values and shows its file and where to
// edit it. Only what differs is sent.
func TestFormCorrects(t *testing.T) {
	for _, repository := range []bool{false, true} {
		s := sharedForm(t, repository)
		a := s.ask(t, http.MethodGet, siteurl.Submit+"?e=tool/n1")
		text := html.UnescapeString(string(a.body))
		m := regexp.MustCompile(`(?s)<code data-current[^>]*>(.*?)</code>`).FindStringSubmatch(text)
		suite.Require(t, a.status == http.StatusOK && m != nil &&
			strings.Contains(text, "content/tool/n1.yaml"), a.status, text)
		file := suite.Must(os.ReadFile(filepath.Join(s.content, "tool/n1.yaml")))(t)
		want, _ := content.ParseEntity(kinds.Default(), "", "tool", "n1", file)
		if got, _ := content.ParseEntity(kinds.Default(), "", "tool", "n1", []byte(m[1])); got == nil || !reflect.DeepEqual(got, want) {
			t.Errorf("the file is\n%s\nthe page shows\n%s", file, m[1])
		}
		if got := strings.Contains(text, `href="`+repositoryPage+`/edit/main/tool/n1.yaml"`); got != repository {
			t.Errorf("link to the editor: %v", got)
		}
		sent := sentBy(t, text)
		suite.Holds(t, sent.Get("name") == want.Name && sent.Get("amends") == "tool/n1" && !sent.Has("slug") &&
			!sent.Has("type"), "the form", sent)
		if said := s.check(t, sent); said.Complete || len(said.Problems) != 0 || said.Says != "Nothing has changed yet." {
			t.Errorf("an unchanged form: %+v", said)
		}
		for _, e := range []string{"tool/n11", "tool/", "nothing/n1", "tool/<script>"} {
			s.ask(t, http.MethodGet, siteurl.Submit+"?e="+url.QueryEscape(e)).want(t, http.StatusNotFound).lacks(t, "<script>")
			if e == "tool/" {
				continue
			}
			sent.Set("amends", e)
			s.fill(t, nil, siteurl.CheckSubmission, sent.Encode()).want(t, http.StatusNotFound, `value="`+want.Name+`"`).
				lacks(t, "<script>")
		}
	}
}

// sentBy returns what a browser sends for the form on a page.
func sentBy(t testing.TB, page string) url.Values {
	t.Helper()
	_, page, ok := strings.Cut(page, "data-propose")
	suite.Require(t, ok, "the page has no form")
	sent := url.Values{}
	for _, m := range regexp.MustCompile(`<input [^>]*name="([^"]*)" value="([^"]*)"`).FindAllStringSubmatch(page, -1) {
		sent.Set(m[1], html.UnescapeString(m[2]))
	}
	for _, m := range regexp.MustCompile(`(?s)<textarea [^>]*name="([^"]*)"[^>]*>(.*?)</textarea>`).FindAllStringSubmatch(page, -1) {
		sent.Set(m[1], html.UnescapeString(m[2]))
	}
	for _, m := range regexp.MustCompile(`(?s)<select [^>]*name="([^"]*)"[^>]*>(.*?)</select>`).FindAllStringSubmatch(page, -1) {
		chosen := regexp.MustCompile(`value="([^"]*)" selected`).FindStringSubmatch(m[2])
		if sent.Set(m[1], ""); chosen != nil {
			sent.Set(m[1], chosen[1])
		}
	}
	return sent
}

// TestFormSendsCorrection: what a signed-in user changes in the form becomes a submission with
// exactly these changes.
func TestFormSendsCorrection(t *testing.T) {
	s, jar, key := serveSignedIn(t)
	page := visit(t, jar, http.MethodGet, s.url+siteurl.Submit+"?e=tool/n1")
	sent := sentBy(t, string(page.body))
	for name, value := range map[string]string{"license": "", "tags": "new, words", "links.demo": "https://demo.example/",
		"figure": "stars", "figure.value": "8123", "figure.date": "2026-06-01"} {
		sent.Set(name, value)
	}
	said := s.check(t, sent)
	suite.Holds(t, len(said.Problems) == 1 && said.Problems[0].Input == "figure.source" &&
		!said.Complete, "without a source", said.Problems)
	sent.Set("figure", "")
	if said := s.check(t, sent); len(said.Problems) != 1 || said.Problems[0].Input != "figure" {
		t.Errorf("without a figure: %+v", said.Problems)
	}
	sent.Set("figure", "stars")
	sent.Set("figure.source", "https://stars.example/")
	said = s.check(t, sent)
	const changes = "# removed: license\nlinks:\n  demo: https://demo.example/\ntags: [new, words]\nsignals:\n  stars: {value: 8123, date: 2026-06-01, source: https://stars.example/}\n"
	suite.Holds(t, said.Complete && said.YAML == changes && said.Path == "tool/n1.yaml" &&
		len(said.Similar) == 0, said)
	a := s.fill(t, jar, siteurl.Submit, sent.Encode()).must(t, http.StatusSeeOther)
	list := s.own(t, key, "/api/submissions", 200)
	suite.Require(t, len(list.Data) == 1 && list.Data[0].Amends != nil, list)
	one := s.own(t, key, "/api/submissions/"+list.Data[0].ID, 200)
	want := map[string]any{"license": nil, "tags": []any{"new", "words"}, "links": map[string]any{"demo": "https://demo.example/"},
		"signals": map[string]any{"stars": map[string]any{"value": 8123.0, "date": "2026-06-01", "source": "https://stars.example/"}}}
	suite.Equal(t, one.Changes, want)
	shown := visit(t, jar, http.MethodGet, s.url+a.header.Get("Location"))
	text := html.UnescapeString(string(shown.body))
	suite.Holds(t, strings.Contains(text, "# removed: license\n") && strings.Contains(text, "What changes"), "the submission's page", text)
}

// TestFormOpenedEarlier: while a form is open, a build changes the entity. What the visitor left
// alone is not sent, so it undoes nothing; what both changed is a problem, until the visitor has
// seen it.
func TestFormOpenedEarlier(t *testing.T) {
	s := sharedForm(t, false)
	opened := sentBy(t, string(s.ask(t, http.MethodGet, siteurl.Submit+"?e=tool/n1").body))
	now := opened.Get("license")
	suite.Require(t, now != "" && opened.Get("was.license") == now, "the form", opened)
	opened.Set("was.license", "Zlib") // as if the build had had another license then
	opened.Set("license", "Zlib")
	if said := s.check(t, opened); said.Complete || len(said.Problems) != 0 || said.Says != "Nothing has changed yet." {
		t.Errorf("what was left alone is sent: %+v", said)
	}
	opened.Set("tags", "words")
	if said := s.check(t, opened); !said.Complete || said.YAML != "tags: [words]\n" {
		t.Errorf("%+v", said)
	}
	opened.Set("license", now)
	if said := s.check(t, opened); !said.Complete || len(said.Problems) != 0 {
		t.Errorf("the same change: %+v", said)
	}
	opened.Set("license", "ISC")
	said := s.check(t, opened)
	suite.Holds(t, !said.Complete && len(said.Problems) == 1 && said.Problems[0].Input == "license" &&
		strings.Contains(said.Problems[0].Message, `has changed since you opened this form: it is now "`+now+`"`), said)
	a := s.fill(t, nil, siteurl.CheckSubmission, opened.Encode())
	again := sentBy(t, string(a.body))
	suite.Require(t, again.Get("license") == "ISC" &&
		again.Get("was.license") == now, a.status, "the form", again)
	if said := s.check(t, again); !said.Complete || len(said.Problems) != 0 {
		t.Errorf("sent again: %+v", said)
	}
	again.Set("was.nothing", "x")
	if said := s.check(t, again); said.Complete {
		t.Errorf("an unknown field was accepted: %+v", said)
	}
}

// TestContribute: on a site without a form, the page explains the alternative and has valid
// sample files to start with.
func TestContribute(t *testing.T) {
	for _, repository := range []bool{false, true} {
		s := sharedForm(t, repository)
		v := s.reloader.Current()
		site := pages.New(v.Source, pages.Options{Root: "/index/", Static: true, API: "https://api.example.org"})
		a, err := site.Get(pages.Request{Path: siteurl.Submit})
		suite.Require(t, err == nil && a.Status == http.StatusOK, a, err)
		text := html.UnescapeString(string(a.Body))
		if !strings.Contains(text, `href="https://api.example.org/submit/"`) || strings.Contains(text, "<form class=\"propose\"") ||
			strings.Contains(text, repositoryPage+"/new/main/tool?filename=new-tool.yaml&value=name") != repository {
			t.Errorf("with a repository %v:\n%s", repository, text)
		}
		files := regexp.MustCompile(`(?s)<code data-text>(.*?)</code>`).FindAllStringSubmatch(text, -1)
		around, err := content.OpenWorkspace(s.content)
		suite.Require(t, err == nil && len(files) == 2, files, err)
		for i, typ := range []string{"tool", "model"} {
			_, problems := around.CheckFile(typ, "new-"+typ, []byte(files[i][1]))
			suite.Equal(t, len(problems), 0, files[i][1])
			formatted := suite.Must(yamlfmt.Format(kinds.Default(), typ+"/x.yaml", []byte(files[i][1])))(t)
			suite.Holds(t, string(formatted) == files[i][1], "not in canonical form", formatted)
		}
	}
}
