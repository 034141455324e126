package edge

import (
	"encoding/json"
	"net/http/httptest"
	"strings"
	"testing"

	"kindex/builder/suite"
	"kindex/edge/web"
)

// TestSlugOfADeletedEntityIsReused requests an entity that was renamed and deleted, and whose last
// slug now belongs to a different entity. The deleted entity's former address must not redirect to
// the changelog of the new entity.
func TestSlugOfADeletedEntityIsReused(t *testing.T) {
	suite.InTest(t)
	s, r := serveHistory(t, "2026-11-01", Options{})
	r.Commit("2026-11-01T06:00:00Z", "No more", "tool/right.yaml", "")
	buildDay(t, r, s.out, "2026-11-01")
	if err := s.Reload(); err != nil {
		t.Fatal(err)
	}
	if a := s.ask(t, "GET", "/api/entity/tool/left/changelog"); a.status != 301 || a.header.Get("Location") != "/api/entity/tool/right/changelog" {
		t.Fatalf("before: %d %s", a.status, a.header.Get("Location"))
	}
	want := s.pages(t, "/api/entity/tool/right/changelog")
	r.Commit("2026-11-01T07:00:00Z", "Its slug is free", "tool/n1.yaml", "", "tool/right.yaml", sheet("Tool 1", "beta", 710, "version: third\nformerly: [n1]\n"))
	buildDay(t, r, s.out, "2026-11-01")
	if err := s.Reload(); err != nil {
		t.Fatal(err)
	}
	got := s.pages(t, "/api/entity/tool/left/changelog")
	if len(got) != len(want) || !sameRecord(got[0], want[0]) {
		t.Errorf("the changelog of left is %s, want %s", got, want)
	}
	if a := s.ask(t, "GET", "/api/entity/tool/n1/changelog"); a.status != 301 || a.header.Get("Location") != "/api/entity/tool/right/changelog" {
		t.Errorf("other entity: %d %s", a.status, a.header.Get("Location"))
	}
}

// TestFeedSuggestsEntitiesThatExist: if an entity is requested with the wrong type, the feed
// suggests an existing entity.
func TestFeedSuggestsEntitiesThatExist(t *testing.T) {
	s := serve(t, 10)
	for key, want := range map[string]string{"TOOL/n3": "tool/n3", "tools/n3": "tool/n3", "tool/N3": "tool/n3", "zebra/n3": ""} {
		var p web.Problem
		a := s.ask(t, "GET", "/api/feed?entity="+key)
		if err := json.Unmarshal(a.body, &p); err != nil || a.status != 400 {
			t.Fatalf("%s: %d %v", key, a.status, err)
		}
		got := ""
		if p.Suggestion != nil {
			got = *p.Suggestion
		}
		if got != want {
			t.Errorf("%s: suggested %q, want %q", key, got, want)
		}
	}
}

// TestFeedForAClientWithoutHost: HTTP/1.0 allows requests without a host. The links in the feed
// must then have no host, rather than an empty one as in "http:/api/feed".
func TestFeedForAClientWithoutHost(t *testing.T) {
	suite.InTest(t)
	s := serve(t, 150)
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

// TestTimeWithAPlusThatWasASpace: if a plus sign in a time was decoded as a space, the error
// suggests the time with a plus sign.
func TestTimeWithAPlusThatWasASpace(t *testing.T) {
	s := serve(t, 1)
	var p web.Problem
	a := s.ask(t, "GET", "/api/changelog?since=2026-10-10T14:00:00+02:00")
	if err := json.Unmarshal(a.body, &p); err != nil || a.status != 400 || p.Suggestion == nil || *p.Suggestion != "2026-10-10T12:00:00Z" {
		t.Errorf("%d %v %s", a.status, err, a.body)
	}
}
