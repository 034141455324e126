package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"kindex/builder/suite"
)

// fetch reads JSON from a server.
func fetch(t *testing.T, url string, v any) {
	t.Helper()
	if err := json.Unmarshal([]byte(fetchText(t, url)), v); err != nil {
		t.Fatalf("%s: %v", url, err)
	}
}

func fetchText(t *testing.T, url string) string {
	t.Helper()
	status, body, err := get(url)
	if err != nil || status != http.StatusOK {
		t.Fatalf("%s: status %d, %.300s, %v", url, status, body, err)
	}
	return body
}

// TestPastOfCollection checks the whole collection on several days: movement, trending and
// time travel must match builds of those days. In the snapshots of two of these days, a
// fifth of the projects lose their downloads, which return in the next snapshot.
func TestPastOfCollection(t *testing.T) {
	vanish := map[string]bool{"2021-08-19": true, "2022-01-13": true} // the next snapshots are 7 and 28 days later
	r := wholeReplay(t, func(date string, header []string, rows [][]string) {
		id, downloads := slices.Index(header, "github_id"), slices.Index(header, "monthly_downloads")
		for i := range rows {
			if vanish[date] && len(rows[i][id])%5 == 0 {
				rows[i][downloads] = ""
			}
		}
	})
	returned := r.returnedDownloads()
	if len(returned) == 0 {
		t.Error("missing downloads return in no snapshot: the case is not tested")
	}
	at := []int{3, 7, slices.IndexFunc(r.list, func(s snapshot) bool { return s.date == "2021-08-26" }), len(r.list) - 2}
	for i := range returned {
		at = append(at, i)
	}
	slices.Sort(at)
	for _, i := range slices.Compact(at) {
		t.Run(r.list[i].date, func(t *testing.T) { r.comparePast(t, i, returned[i]) })
	}
}

// TestPastOfExtract does the same with the extract in testdata, in which a project's
// downloads disappear and return.
func TestPastOfExtract(t *testing.T) {
	suite.InTest(t)
	r := extractReplay(t)
	returned := r.returnedDownloads()
	if len(returned) == 0 {
		t.Error("missing downloads return in no snapshot: the case is not tested")
	}
	for i := range r.list {
		if !suite.Soaking() && returned[i] == nil {
			continue
		}
		t.Run(r.list[i].date, func(t *testing.T) { r.comparePast(t, i, returned[i]) })
	}
}

// returnedDownloads lists the projects whose downloads disappeared and returned, keyed by
// the index of the snapshot in which they returned.
func (r *replay) returnedDownloads() map[int][]string {
	found := map[int][]string{}
	had := map[string]bool{}
	var before map[string]told
	for i := range r.list {
		now := r.list[i].states(r.clash)
		for slug, s := range now {
			old, there := before[slug]
			if s["signals.downloads"] != "" {
				if there && old["signals.downloads"] == "" && had[slug] {
					found[i] = append(found[i], slug)
				}
				had[slug] = true
			}
		}
		before = now
	}
	return found
}

// lastOn returns the index of the latest snapshot taken on or before a day, or -1.
func (r *replay) lastOn(day string) int {
	n := -1
	for i := range r.list {
		if r.list[i].date <= day {
			n = i
		}
	}
	return n
}

func daysBefore(day string, n int) string {
	t, err := time.Parse(time.DateOnly, day)
	if err != nil {
		panic(err)
	}
	return t.AddDate(0, 0, -n).Format(time.DateOnly)
}

// ranked is an entity on a leaderboard or in the trending list.
type ranked struct {
	Slug                string
	Scores              struct{ Composite *float64 }
	Rank                int
	PreviousRank, Delta *int
	Trend               struct {
		Score, PreviousScore *float64
		Gain                 float64
		Rank, PreviousRank   *int
		Changes              int
	}
}

// all reads every page of a collection.
func all(t *testing.T, url string) (list []ranked) {
	t.Helper()
	for next := ""; ; {
		var page struct {
			Data       []ranked
			NextCursor *string
		}
		fetch(t, url+next, &page)
		if list = append(list, page.Data...); page.NextCursor == nil {
			return list
		}
		next = "&cursor=" + *page.NextCursor
	}
}

// comparePast compares a build's responses about earlier days with the builds of those
// days.
func (r *replay) comparePast(t *testing.T, i int, returned []string) {
	r.t = t
	date := r.list[i].date
	now := r.build(r.checkout(i), date)
	board := all(t, now.URL+"/api/leaderboard/all?limit=100")
	for _, days := range []int{7, 30} {
		since := daysBefore(date, days)
		n := r.lastOn(since)
		var trending struct{ Data []ranked }
		fetch(t, fmt.Sprintf("%s/api/trending?window=%dd&limit=100", now.URL, days), &trending)
		if n < 0 {
			if len(trending.Data) > 0 {
				t.Errorf("%d days: nothing predates the window, but %s is trending", days, trending.Data[0].Slug)
			}
			continue
		}
		then := r.build(r.checkout(n), since)
		former := all(t, then.URL+"/api/leaderboard/all?limit=100")
		if days == 7 {
			compareMovement(t, board, former)
		}
		sameCatalogue(t, now.URL, then.URL, since)
		want := r.trends(i, n, days, board, former)
		if len(returned) > 0 {
			trending, most := 0, 0.0
			for _, w := range want {
				if slices.Contains(returned, w.Slug) {
					trending, most = trending+1, max(most, w.Trend.Gain)
				}
			}
			t.Logf("%d days: downloads of %d projects have returned; %d of them are trending and gain %.1f at most", days, len(returned), trending, most)
		}
		if got, wanted := jsonOf(trendsOf(trending.Data)), jsonOf(trendsOf(want[:min(100, len(want))])); got != wanted {
			t.Errorf("trending of %d days is\n%.3000s\nwant\n%.3000s", days, got, wanted)
		}
	}
}

// trendsOf returns the trending list as lines to compare.
func trendsOf(list []ranked) (lines []string) {
	for _, x := range list {
		lines = append(lines, x.Slug+" "+jsonOf(x.Trend))
	}
	return lines
}

func compareMovement(t *testing.T, board, former []ranked) {
	places := map[string]int{}
	for i, x := range former {
		places[x.Slug] = i + 1
	}
	for i, x := range board {
		was := places[x.Slug]
		switch {
		case x.Rank != i+1:
			t.Fatalf("rank of %s is %d, want %d", x.Slug, x.Rank, i+1)
		case was == 0 && (x.PreviousRank != nil || x.Delta != nil):
			t.Errorf("%s has a previous rank, but was not on the leaderboard", x.Slug)
		case was > 0 && (x.PreviousRank == nil || *x.PreviousRank != was || x.Delta == nil || *x.Delta != was-x.Rank):
			t.Errorf("%s was at %d: %s", x.Slug, was, jsonOf(x))
		}
	}
}

// sameCatalogue compares time travel to a day with the build of that day. It compares
// lists, a leaderboard and records.
func sameCatalogue(t *testing.T, now, then, day string) {
	for _, path := range []string{"/api/entities?limit=100&offset=40", "/api/entities?limit=50&sort=name&type=tool", "/api/entities?limit=100&tag=python&minScore=30",
		"/api/leaderboard/nlp?limit=100&by=adoption", "/api/entities?limit=100&sort=lastUpdated&order=asc"} {
		var a, b struct {
			Data  []map[string]any
			Count int
			AsOf  string
		}
		fetch(t, now+path+"&at="+day, &a)
		fetch(t, then+path, &b)
		for _, list := range [][]map[string]any{a.Data, b.Data} {
			for _, e := range list {
				delete(e, "previousRank")
				delete(e, "delta")
			}
		}
		if a.AsOf != day || a.Count != b.Count || jsonOf(a.Data) != jsonOf(b.Data) {
			t.Errorf("%s at %s (asOf %s): %d records\n%.1500s\nwant %d\n%.1500s", path, day, a.AsOf, a.Count, jsonOf(a.Data), b.Count, jsonOf(b.Data))
		}
		for _, e := range b.Data[:min(5, len(b.Data))] {
			var x, y map[string]any
			address := fmt.Sprintf("/api/entity/%s/%s", e["type"], e["slug"])
			fetch(t, now+address+"?at="+day, &x)
			fetch(t, then+address, &y)
			delete(x, "build")
			delete(y, "build")
			if jsonOf(x) != jsonOf(y) {
				t.Errorf("%s at %s is\n%s\nwant\n%s", address, day, jsonOf(x), jsonOf(y))
			}
		}
	}
}

// trends calculates which entities must be trending in snapshot i since snapshot n. A gain is the
// difference in score between two builds with the same as-of time, one of the records in snapshot
// i and one of those in snapshot n. A third build shows whether the difference comes from changes
// alone: it has the records in snapshot n with the signals of snapshot i, with the values of
// snapshot n for those that were never missing in between and not read more than twice the window
// before. If its score differs from that of snapshot n, the entity is left out.
func (r *replay) trends(i, n, days int, board, former []ranked) []ranked {
	t := r.t
	past := make([]map[string]told, i+1)
	for k := range past {
		past[k] = r.list[k].states(r.clash)
	}
	old, even := map[string]told{}, map[string]told{}
	present := map[string]bool{} // slug and field of the signals in even that are those of snapshot i
	for slug, now := range past[i] {
		was, there := past[n][slug]
		if !there {
			continue
		}
		old[slug], even[slug] = was, maps.Clone(was)
		maps.DeleteFunc(even[slug], func(field, _ string) bool { return strings.HasPrefix(field, "signals.") })
		for field, value := range now {
			if !strings.HasPrefix(field, "signals.") {
				continue
			}
			always := !slices.ContainsFunc(past[n:i], func(s map[string]told) bool { _, ok := s[slug][field]; return !ok })
			if even[slug][field] = was[field]; !always || r.list[n].date < daysBefore(r.list[i].date, 2*days) {
				even[slug][field], present[slug+" "+field] = value, true
			}
		}
	}
	scores := func(states map[string]told) map[string]*float64 {
		content := t.TempDir()
		writeStates(t, content, states, func(slug, field string) string {
			if present[slug+" "+field] {
				return r.list[i].date
			}
			return r.list[n].date
		})
		return composites(t, r.build(content, r.list[i].date).URL)
	}
	evened := scores(even)
	clear(present)
	before := scores(old)
	now, then := among(board, former), among(former, board)
	count := map[string]int{}
	for _, c := range r.changes {
		if c.date > r.list[n].date && c.date <= r.list[i].date {
			count[c.slug]++
		}
	}
	today := map[string]*float64{}
	for _, x := range board {
		today[x.Slug] = x.Scores.Composite
	}
	var want []ranked
	for slug := range past[i] {
		if count[slug] == 0 {
			continue
		}
		x := ranked{Slug: slug}
		x.Trend.Score, x.Trend.PreviousScore, x.Trend.Changes = today[slug], before[slug], count[slug]
		x.Trend.Rank, x.Trend.PreviousRank = now[slug], then[slug]
		comparable := true
		if today[slug] != nil && before[slug] != nil {
			x.Trend.Gain = math.Round(10*(*today[slug]-*before[slug])) / 10
			comparable = evened[slug] != nil && *evened[slug] == *before[slug]
		}
		if comparable && x.Trend.Gain >= 0 {
			want = append(want, x)
		}
	}
	slices.SortFunc(want, func(a, b ranked) int {
		return cmp.Or(cmp.Compare(b.Trend.Gain, a.Trend.Gain), cmp.Compare(b.Trend.Changes, a.Trend.Changes), cmp.Compare(a.Slug, b.Slug))
	})
	return want
}

// among returns the ranks on a leaderboard of the entities that are also on another one, counting
// only those.
func among(board, other []ranked) map[string]*int {
	ranks := map[string]*int{}
	for _, x := range board {
		if slices.ContainsFunc(other, func(o ranked) bool { return o.Slug == x.Slug }) {
			rank := len(ranks) + 1
			ranks[x.Slug] = &rank
		}
	}
	return ranks
}

func composites(t *testing.T, url string) map[string]*float64 {
	scores := map[string]*float64{}
	for _, x := range all(t, url+"/api/leaderboard/all?limit=100") {
		scores[x.Slug] = x.Scores.Composite
	}
	return scores
}
