package pages_test

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"kindex/builder/suite"
	"kindex/edge"
	"kindex/edge/edgetest"
)

// answer is a complete response.
type answer struct {
	status int
	header http.Header
	body   string
}

// fetch sends a GET request without following redirects.
func fetch(t *testing.T, address string) answer {
	t.Helper()
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	res := suite.Must(client.Get(address))(t)
	defer res.Body.Close()
	body := suite.Must(io.ReadAll(res.Body))(t)
	return answer{res.StatusCode, res.Header, string(body)}
}

// entry has the fields of a record that the tests use.
type entry struct {
	Type, Slug, Name, Status string
	Scores                   struct{ Composite *float64 }
	Rank                     int
	PreviousRank, Delta      *int
}

// listed reads all pages of a list.
func listed(t *testing.T, address string) []entry {
	t.Helper()
	var list []entry
	for cursor := ""; ; {
		a := fetch(t, address+"&limit=100"+cursor)
		var page struct {
			Data       []entry
			NextCursor *string
		}
		if err := json.Unmarshal([]byte(a.body), &page); err != nil || a.status != 200 {
			t.Fatalf("%s: %d, %v: %s", address, a.status, err, a.body)
		}
		if list = append(list, page.Data...); page.NextCursor == nil {
			return list
		}
		cursor = "&cursor=" + *page.NextCursor
	}
}

// badgeText returns the text that a badge shows.
func badgeText(t *testing.T, a answer) string {
	t.Helper()
	var d struct {
		Title string `xml:"title"`
	}
	if err := xml.Unmarshal([]byte(a.body), &d); err != nil {
		t.Fatalf("%v in %s", err, a.body)
	}
	return d.Title
}

// place is what badges must say about the rank of an entity on its own board.
type place struct{ rank, trend string }

// placesOn adds the places on a board for the entities that have none yet.
func placesOn(t *testing.T, places map[string]place, address, title string) {
	t.Helper()
	board := listed(t, address)
	var previous []*int
	for _, x := range board {
		previous = append(previous, x.PreviousRank)
	}
	for i, trend := range movement(previous) {
		x := board[i]
		if strings.Contains(trend, " ") {
			trend += " in 7 days"
		}
		p := place{fmt.Sprintf("#%d of %d, %s", x.Rank, len(board), title), strings.Replace(trend, "unchanged", "steady", 1)}
		if _, placed := places[x.Type+"/"+x.Slug]; !placed && len(board) >= 8 {
			places[x.Type+"/"+x.Slug] = p
		}
	}
}

// TestBadgesTellTheTruth compares badges with the leaderboards.
func TestBadgesTellTheTruth(t *testing.T) {
	suite.InTest(t)
	t.Parallel()
	e := edgetest.Start(t, edge.Options{LimitAnonymous: 1000})
	places := map[string]place{}
	for _, what := range []string{"boards", "categories"} {
		var l struct {
			Data []struct{ Slug, Title string }
		}
		if err := json.Unmarshal([]byte(fetch(t, e.URL+"/api/"+what).body), &l); err != nil || len(l.Data) == 0 {
			t.Fatal(what, err)
		}
		for _, x := range l.Data {
			if what == "boards" {
				placesOn(t, places, e.URL+"/api/leaderboard/"+x.Slug+"?by=boardScore", x.Title)
			} else {
				placesOn(t, places, e.URL+"/api/leaderboard/"+x.Slug+"?type=tool", x.Title) // models are tested differently
			}
		}
	}
	all := listed(t, e.URL+"/api/leaderboard/all?by=composite")
	if len(all) < 100 || len(places) < 50 {
		t.Fatalf("the leaderboard has %d entries, and %d entities have a place", len(all), len(places))
	}
	moves := map[string]int{}
	for _, x := range all {
		address := e.URL + "/badge/" + x.Type + "/" + x.Slug + ".svg"
		if got, want := badgeText(t, fetch(t, address)), fmt.Sprintf("kindex score: %.1f", *x.Scores.Composite); got != want {
			t.Errorf("%s: %s, want %s", address, got, want)
		}
		want, placed := places[x.Type+"/"+x.Slug]
		if !placed {
			want = place{"not ranked", "not ranked"}
		}
		suite.Equal(t, badgeText(t, fetch(t, address+"?show=rank")), "kindex rank: "+want.rank, address, want.rank)
		suite.Equal(t, badgeText(t, fetch(t, address+"?show=trend&label=trend")), "trend: "+want.trend, address, want.trend)
		word, _, _ := strings.Cut(want.trend, " ")
		moves[word]++
	}
	if moves["steady"] == 0 || moves["not"] == 0 {
		t.Errorf("the leaderboards moved like %v: too little to see anything", moves)
	}
	every := listed(t, e.URL+"/api/entities?sort=composite")
	none := every[len(every)-1]
	if got := badgeText(t, fetch(t, e.URL+"/badge/"+none.Type+"/"+none.Slug+".svg?show=trend")); none.Scores.Composite != nil || got != "kindex trend: not ranked" {
		t.Errorf("%+v: %s", none, got)
	}
	gone := listed(t, e.URL+"/api/entities?status=withdrawn")[0]
	a := fetch(t, e.URL+"/badge/"+gone.Type+"/"+gone.Slug+".svg?show=rank")
	if got := badgeText(t, a); got != "kindex rank: withdrawn" || a.header.Get("X-RateLimit-Limit") != "" || a.header.Get("Content-Security-Policy") == "" {
		t.Errorf("%+v: %s with %v", gone, got, a.header)
	}
}

// TestBadgesWithoutHistory checks the badges of an index that has no history.
func TestBadgesWithoutHistory(t *testing.T) {
	suite.InTest(t)
	t.Parallel()
	content, out := t.TempDir(), t.TempDir()
	suite.CopyContent(t, content, "ml-frameworks")
	edgetest.Build(t, content, out) // outside a repository
	e := edgetest.Start(t, edge.Options{Dir: out})
	suite.Equal(t, badgeText(t, fetch(t, e.URL+"/badge/tool/pytorch.svg?show=trend")), "kindex trend: no history")
}

// follow requests the URLs in a document of the service. There must be a minimum number of
// them. /mcp accepts only POST.
func follow(t *testing.T, e *edgetest.Edge, doc string, least int) {
	t.Helper()
	links := regexp.MustCompile(`\]\(<([^>]*)>\)`).FindAllStringSubmatch(doc, -1)
	followed := 0
	for _, l := range links {
		address := strings.ReplaceAll(l[1], "&amp;", "&")
		path, own := strings.CutPrefix(address, e.URL)
		if !own { // identifiers and licences have pages elsewhere
			continue
		}
		followed++
		want := http.StatusOK
		if path == "/mcp" {
			want = http.StatusMethodNotAllowed
		}
		if a := fetch(t, address); a.status != want {
			t.Errorf("%s: %d %.200s", address, a.status, a.body)
		}
	}
	if followed < least {
		t.Errorf("followed only %d links", followed)
	}
}

// TestTextsForAgents renders every entity as Markdown, and follows the links of some of these
// pages and those of /llms.txt, whose form package site checks.
func TestTextsForAgents(t *testing.T) {
	suite.InTest(t)
	t.Parallel()
	e := edgetest.Start(t, edge.Options{LimitAnonymous: 10000})
	a := fetch(t, e.URL+"/llms.txt")
	if a.status != 200 || a.header.Get("Content-Type") != "text/plain; charset=utf-8" || a.header.Get("X-RateLimit-Limit") != "" {
		t.Errorf("%d %v", a.status, a.header)
	}
	suite.Equal(t, strings.Count(a.body, ".md>)"), 20, "entities lead")
	follow(t, e, a.body, 60)
	entities := append(listed(t, e.URL+"/api/entities?sort=name"), listed(t, e.URL+"/api/entities?status=withdrawn")...)
	if len(entities) < 200 {
		t.Fatalf("found %d entities", len(entities))
	}
	for i, x := range entities {
		a := fetch(t, e.URL+"/api/entity/"+x.Type+"/"+x.Slug+".md")
		if a.status != 200 || !strings.HasPrefix(a.body, "# ") || !strings.Contains(a.body, "\n## Score\n") || strings.Contains(a.body, "\n\n\n") {
			t.Errorf("%s/%s: %d %s", x.Type, x.Slug, a.status, a.body)
		}
		if i%100 == 0 {
			follow(t, e, a.body, 4)
		}
	}
	// The example changed two days ago.
	day := edgetest.Today().AddDate(0, 0, -5).Format("2006-01-02")
	then := fetch(t, e.URL+"/api/entity/tool/pytorch.md?at="+day)
	if !strings.Contains(then.body, "\n| Stars | 100 repository stars |") || !strings.Contains(then.body, " as of "+day) || strings.Contains(then.body, "signals.stars") || strings.Contains(then.body, ", rank ") {
		t.Errorf("on %s it was\n%s", day, then.body)
	}
	follow(t, e, then.body, 4)
	now := fetch(t, e.URL+"/api/entity/tool/pytorch.md")
	if strings.Contains(now.body, "\n| Stars | 100 repository stars |") || !strings.Contains(now.body, ": score 89.0 → 95.6") {
		t.Errorf("it is\n%s", now.body)
	}
}
