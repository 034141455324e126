package edge

import (
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"kindex/builder/suite"
)

// TestFeedForAClientWithoutHost: HTTP/1.0 allows requests without a host. The links in the feed
// must then have no host, rather than an empty one as in "http:/api/feed".
func TestFeedForAClientWithoutHost(t *testing.T) {
	suite.InTest(t)
	s := serveShared(t, 150)
	for _, format := range []string{"rss", "atom", "json"} {
		r := httptest.NewRequest("GET", "/api/feed?format="+format, nil)
		r.Host = ""
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		if body := w.Body.String(); w.Code != 200 || strings.Contains(body, "http:/api") || strings.Contains(body, `"http:"`) ||
			!strings.Contains(body, `"/api/feed?format=`+format) {
			t.Errorf("%s: %d %.900s", format, w.Code, body)
		}
	}
}

// TestRenamedCategory renames a category: addresses under its old slug redirect, filters accept
// the slug, and earlier days and changes are found under the new one.
func TestRenamedCategory(t *testing.T) {
	suite.InTest(t)
	s, r := serveHistory(t, "2026-11-01")
	const before = "2026-10-25"
	past := s.list(t, "/api/leaderboard/alpha?at="+before)
	ranks := s.list(t, "/api/leaderboard/alpha")
	changes := s.list(t, "/api/changelog?category=alpha").Count
	suite.Require(t, past.Count != 0 && ranks.Count != 0 && changes != 0, "the category is empty")
	moved := []string{"categories.yaml", "categories:\n  - {slug: first, formerly: [alpha], title: The first}\n  - {slug: beta, title: Beta}\n  - {slug: gamma, title: Gamma}\n"}
	for _, data := range s.list(t, "/api/entities?category=alpha&status=active&status=withdrawn&limit=100").Data {
		var e struct{ Type, Slug, Name string }
		suite.Check(t, json.Unmarshal(data, &e))
		path := e.Type + "/" + e.Slug + ".yaml"
		moved = append(moved, path, strings.Replace(r.Read(path), "category: alpha\n", "category: first\n", 1))
	}
	r.Commit("2026-11-01T06:00:00Z", "A better word", moved...)
	s.publishDay(t, r, "2026-11-01")
	for path, to := range map[string]string{
		"/api/leaderboard/alpha":                           "/api/leaderboard/first",
		"/api/leaderboard/alpha?limit=3&type=tool":         "/api/leaderboard/first?limit=3&type=tool",
		"/api/leaderboard/alpha?at=" + before:              "/api/leaderboard/first?at=" + before,
		"/categories/alpha/":                               "/categories/first/",
		"/categories/alpha/type-tool/page-2/":              "/categories/first/type-tool/page-2/",
		"/leaderboards/alpha/":                             "/leaderboards/first/",
		"/leaderboards/alpha/type-tool/at-" + before + "/": "/leaderboards/first/type-tool/at-" + before + "/",
		"/changes/category-alpha/":                         "/changes/category-first/",
		"/changes/event-updated/category-alpha/":           "/changes/event-updated/category-first/",
	} {
		s.ask(t, "GET", path).want(t, 301).wantHeader(t, "Location", to)
	}
	for _, path := range []string{"/api/entities?category=%s", "/api/search?q=heaps&category=%s", "/api/trending?category=%s&window=30d",
		"/api/changelog?category=%s", "/api/entities?at=" + before + "&category=%s"} {
		old, now := fmt.Sprintf(path, "alpha"), fmt.Sprintf(path, "first")
		if a, b := s.list(t, old), s.list(t, now); a.Count != b.Count || !slices.EqualFunc(a.Data, b.Data, sameRecord) {
			t.Errorf("%s: %d records, but %s has %d", old, a.Count, now, b.Count)
		} else if a.Count == 0 {
			t.Errorf("%s is empty", old)
		}
	}
	for _, path := range []string{"/api/export/leaderboard?format=csv&category=%s", "/api/export/signals?format=csv&category=%s"} {
		a, b := s.ask(t, "GET", fmt.Sprintf(path, "alpha")), s.ask(t, "GET", fmt.Sprintf(path, "first"))
		suite.Holds(t, a.status == 200 && string(a.body) == string(b.body) && len(a.body) >= 200)
	}
	s.ask(t, "GET", "/search/?q=heaps&category=alpha").want(t, 200, "The first")
	now := s.list(t, "/api/leaderboard/first?at="+before)
	if !slices.EqualFunc(now.Data, past.Data, sameRecord) {
		t.Error("the leaderboard of the earlier day differs under the new slug")
	}
	for i, data := range s.list(t, "/api/leaderboard/first").Data {
		var was, is struct{ PreviousRank, Delta *int }
		suite.Check(t, json.Unmarshal(ranks.Data[i], &was))
		suite.Check(t, json.Unmarshal(data, &is))
		suite.Holds(t, (was.PreviousRank == nil) == (is.PreviousRank == nil) &&
			(was.PreviousRank == nil || *was.PreviousRank == *is.PreviousRank), "rank", i+1, "the previous rank was lost", data)
	}
	// The renaming itself is a change of each entity.
	suite.Equal(t, s.list(t, "/api/changelog?category=first").Count, changes+len(moved)/2-1, "changes")
	var list struct {
		Data []struct {
			Slug     string
			Formerly []string
		}
	}
	suite.Check(t, json.Unmarshal(s.ask(t, "GET", "/api/categories").body, &list))
	suite.Equal(t, fmt.Sprint(list.Data), "[{beta []} {first [alpha]} {gamma []}]", "categories")
	body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"leaderboard","arguments":{"category":"alpha","limit":1}}}`
	s.sendAs(t, body).want(t, 200, `"count":14,`).lacks(t, "isError")
	key, _ := s.keyOf(t, "ada")
	draft := s.send(t, "POST", "/api/submit", key, `{"type":"tool","name":"New","description":"New.","url":"https://new.example/","category":"alpha"}`)
	suite.Holds(t, draft.status == 201, "submission", draft.status)
}

// TestRedirectsStayHere requests addresses that contain another host in disguise. Every redirect
// must stay on this service, and no header may contain a line break.
func TestRedirectsStayHere(t *testing.T) {
	s := serveFew(t, Options{URL: "https://index.example.org"})
	for _, host := range []string{"evil.example", "evil.example/", "evil.example/%2e%2e", "evil.example%2f", "evil.example%0d%0aX-Evil:%201"} {
		for _, path := range []string{"//" + host, "/%2f" + host, "/%5c" + host, "/%5c%5c" + host, "///" + host, "/.//" + host, "/tool//" + host, "/tool/..//" + host,
			"/" + host, "/tool/n1//" + host, "/docs/api//" + host, "/submit//" + host, "/submit/check//" + host, "/leaderboard//" + host, "/search?q=//" + host,
			"/compare?e=//" + host, "/developer//" + host, "/signin?next=//" + host, "/data//" + host, "/api//" + host, "/api/entity/tool//" + host,
			"/badge/tool/%2f" + host, "/sitemap.xml//" + host, "/.well-known//" + host, "/leaderboards/%0A%23" + host + "/by-composite/", "/trending/window-7d/type-%3F%0D%0AX-Evil:%201" + host + "/"} {
			all := s.rawAll(t, "GET "+path+" HTTP/1.1\r\nHost: index.example.org\r\nConnection: close\r\n\r\n")
			suite.Require(t, strings.HasPrefix(all, "HTTP/1.1 "), path, all)
			head, _, _ := strings.Cut(all, "\r\n\r\n")
			for line := range strings.SplitSeq(head, "\r\n") {
				name, value, _ := strings.Cut(line, ": ")
				suite.Holds(t, !strings.EqualFold(name, "X-Evil"), path, "the response has the header", line)
				if !strings.EqualFold(name, "Location") {
					continue
				}
				i := strings.IndexFunc(value, func(c rune) bool { return c <= ' ' || c >= 0x7f || c == '#' })
				suite.Holds(t, i < 0, path, "redirects to", value)
				u, err := url.Parse(strings.ReplaceAll(value, `\`, "/"))
				suite.Holds(t, err == nil && (u.Host == "" || u.Host == "index.example.org") &&
					(u.Scheme == "" || u.Scheme == "https"), path, "redirects to", value)
			}
		}
	}
}
