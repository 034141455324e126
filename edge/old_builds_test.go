package edge

import (
	"fmt"
	"net/http"
	"testing"

	"kindex/builder/suite"
	"kindex/edge/ratelimit"
	"kindex/edge/storage/storagetest"
)

// TestAttackMadeUpBuilds requests many builds that do not exist from one address: others still get
// files of the build before the current one.
func TestAttackMadeUpBuilds(t *testing.T) {
	s := serveFew(t, Options{})
	old := s.buildID()
	writeContent(t, s.content, 5, 1)
	s.publish(t)
	get := func(address, path string) int { return s.statusOf(from(address+":1", "GET", path, "")) }
	for i := range 2000 {
		if code := get("198.51.100.7", fmt.Sprintf("/data/20260101-%016x/entities.csv", i)); code != http.StatusNotFound {
			t.Fatalf("a build that does not exist: %d", code)
		}
	}
	suite.Equal(t, get("203.0.113.5", "/data/"+old+"/entities.csv"), http.StatusOK, "others get")
}

// TestPastDaysOneAtATime requests past days while another one is being calculated: what needs one that is not
// in memory gets a 503 with Retry-After, and everything else is answered.
func TestPastDaysOneAtATime(t *testing.T) {
	suite.InTest(t)
	s := serveWith(t, Options{Dir: costContent(t), State: storagetest.SQLite(t), LimitAnonymous: 1000})
	s.shared.Limits.PastGate = ratelimit.NewGate(ratelimit.GateOptions{Slots: 1}) // nobody waits
	own := s.published().Own.Published()[0].Slug
	get := func(path string, want int) {
		t.Helper()
		a := s.ask(t, "GET", path)
		if retry := a.header.Get("Retry-After") != ""; a.status != want || retry != (want == http.StatusServiceUnavailable) {
			t.Errorf("%s: %d, Retry-After %q, want %d", path, a.status, a.header.Get("Retry-After"), want)
		}
	}
	category := s.published().Categories[0].Slug
	past := []string{"/api/entities?at=", "/api/offers?at=", "/api/leaderboard/all?at=", "/api/leaderboard/" + own + "?at=", "/api/export/leaderboard?at="}
	leave, err := s.enterPast() // as a request does that calculates a day
	suite.Check(t, err)
	for _, path := range append(past, "/api/export/leaderboard?category="+own+"&at=") {
		get(path+"2026-11-05", http.StatusServiceUnavailable)
	}
	for _, name := range []string{category, own} {
		get("/leaderboards/"+name+"/at-2026-11-01/", http.StatusServiceUnavailable)
	}
	for _, path := range []string{"/api/entities", "/api/leaderboard/all", "/api/leaderboard/" + own, "/leaderboards/" + own + "/", "/leaderboards/" + category + "/"} {
		get(path, http.StatusOK)
	}
	leave()
	for _, path := range past {
		get(path+"2026-11-05", http.StatusOK)
	}
	leave = suite.Must(s.enterPast())(t)
	for _, path := range past {
		get(path+"2026-11-05", http.StatusOK) // it is in memory
		get(path+"2026-11-06", http.StatusServiceUnavailable)
	}
	leave()
	get("/leaderboards/"+category+"/at-2026-11-01/", http.StatusOK)
}
