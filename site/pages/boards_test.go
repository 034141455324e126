package pages_test

import (
	"context"
	"encoding/json"
	"fmt"
	"html"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"kindex/builder/suite"
	"kindex/edge"
	"kindex/edge/edgetest"
	"kindex/exports"
	"kindex/exports/kinds"
	"kindex/exports/record"
	"kindex/exports/view"
	"kindex/site/pages"
)

// shownRow is a row of a leaderboard as shown on a page.
type shownRow struct {
	Key    string
	Rank   int
	Moved  string // the movement in words, or "" if the page has no column for it
	Scores map[string]record.Score
	To     string // the URL that the entity's name links to
}

// rowsOf returns the rows of a leaderboard on a page, each starting with its key.
func rowsOf(body string) (list [][2]string) {
	for _, row := range strings.Split(body, `<tr data-key="`)[1:] {
		key, rest, _ := strings.Cut(row, `">`)
		rest, _, _ = strings.Cut(rest, "</tr>")
		list = append(list, [2]string{html.UnescapeString(key), rest})
	}
	return list
}

// between returns the text between two markers, or "" if a marker is missing.
func between(text, before, after string) string {
	_, text, _ = strings.Cut(text, before)
	text, _, found := strings.Cut(text, after)
	if !found {
		return ""
	}
	return text
}

// htmlAt requests a page that must exist.
func htmlAt(t testing.TB, s *pages.Site, path string) string {
	t.Helper()
	a, err := s.Get(pages.Request{Path: path})
	if err != nil || a.Status != http.StatusOK {
		t.Fatalf("%s: %v, %+v", path, err, a)
	}
	return string(a.Body)
}

// shownBoard reads all pages of a leaderboard, starting with one of them.
func shownBoard(t testing.TB, s *pages.Site, path string) (list []shownRow) {
	t.Helper()
	for path != "" {
		body := htmlAt(t, s, path)
		for _, m := range rowsOf(body) {
			r := shownRow{Key: m[0], Scores: map[string]record.Score{}, To: between(m[1], `class="b-name"><a href="`, `"`)}
			r.Rank, _ = strconv.Atoi(between(m[1], `<td class="b-rank num">`, "<"))
			if move := between(m[1], `<td class="b-move `, "</td>"); move != "" {
				r.Moved = between(move, `<span class="unseen">`, "<")
			}
			for _, c := range strings.Split(m[1], `data-score="`)[1:] {
				name, _, _ := strings.Cut(c, `"`)
				r.Scores[name] = record.Score{}
				if n, err := strconv.Atoi(between(c, `data-value="`, `"`)); err != nil {
					t.Fatal(err)
				} else if n >= 0 {
					r.Scores[name] = record.ScoreOf(float64(n) / 10)
				}
			}
			list = append(list, r)
		}
		path = between(body, `<a rel="next" href="`, `"`)
	}
	return list
}

// wantBoard returns the expected rows of a leaderboard, calculated from a catalogue.
func wantBoard(t testing.TB, from *view.View, category, typ, by string) (list []shownRow) {
	t.Helper()
	set := from.Board(category, typ, by)
	records, _, _ := from.Page(set, view.Sort{Key: by, Desc: true}, nil, 0, int(set.GetCardinality()))
	for i, o := range records {
		typ, slug := from.Key(o)
		r := shownRow{Key: typ + "/" + slug, Rank: i + 1, Scores: map[string]record.Score{}}
		for _, name := range record.ScoreNames {
			r.Scores[name] = from.Entity(o).Scores.Get(name)
		}
		list = append(list, r)
	}
	return list
}

func viewOf(t testing.TB, b *exports.Build, day string) *view.View {
	t.Helper()
	past := suite.Must(b.History().Day(day))(t)
	return past.View
}

// sameRows compares the rows of a leaderboard. Scores for which the page has no column
// must be unknown.
func sameRows(shown, want []shownRow) bool {
	return slices.EqualFunc(shown, want, func(x, y shownRow) bool {
		scores := maps.Clone(y.Scores)
		maps.DeleteFunc(scores, func(name string, s record.Score) bool { _, ok := x.Scores[name]; return !ok && !s.Known() })
		return x.Key == y.Key && x.Rank == y.Rank && maps.Equal(x.Scores, scores)
	})
}

func boardPath(category, typ, by, at string) string {
	path := "/leaderboards/" + category + "/"
	for _, c := range [][2]string{{"type", typ}, {"by", strings.TrimPrefix(by, "composite")}, {"at", at}} {
		if c[1] != "" {
			path += c[0] + "-" + c[1] + "/"
		}
	}
	return path
}

func boardNames(s *pages.Site) []string {
	var names []string
	for _, c := range s.Categories {
		names = append(names, c.Slug)
	}
	return names
}

// TestBoards compares leaderboards with the build: those of each category by every score, and
// those of each type by the composite score.
func TestBoards(t *testing.T) {
	suite.InTest(t)
	t.Parallel()
	s := siteOf(t, pastBuild(t), pages.Options{})
	rows := 0
	for i, category := range boardNames(s) {
		if passedOver(i) && category != "ml-frameworks" {
			continue
		}
		for _, by := range record.ScoreNames {
			path := boardPath(category, "", by, "")
			got, want := shownBoard(t, s, path), wantBoard(t, s.Build.View, category, "", by)
			if !sameRows(got, want) {
				t.Errorf("%s shows\n%v\nwant %v", path, got, want)
			}
			rows += len(got)
		}
		for _, typ := range kinds.Default().Names() {
			path := boardPath(category, typ, "composite", "")
			if got, want := shownBoard(t, s, path), wantBoard(t, s.Build.View, category, typ, "composite"); !sameRows(got, want) {
				t.Errorf("%s shows\n%v\nwant %v", path, got, want)
			}
		}
	}
	if rows < 100 {
		t.Errorf("%d rows are no test", rows)
	}
	body := htmlAt(t, s, "/leaderboards/ml-frameworks/by-adoption/")
	if n := strings.Count(body, "aria-sort="); n != 1 || !strings.Contains(body, `data-score="adoption" aria-sort="descending"`) ||
		!strings.Contains(body, `<a href="/leaderboards/ml-frameworks/">Score</a>`) || !strings.Contains(body, `<a href="/leaderboards/ml-frameworks/by-quality/">Quality</a>`) {
		t.Errorf("the headings of a leaderboard by adoption: %d are sorted in %s", n, body)
	}
}

// TestPastBoards compares the leaderboards of every day that has a snapshot with that
// snapshot. It also checks that names link to the current entities.
func TestPastBoards(t *testing.T) {
	suite.InTest(t)
	t.Parallel()
	s := siteOf(t, pastBuild(t), pages.Options{})
	a := s.Build.History()
	seen := map[string]int{}
	for _, at := range a.Snapshots() {
		for i, category := range boardNames(s) {
			if passedOver(i) && category != "language" && category != "data-viz" { // entities of these were renamed
				continue
			}
			by := record.ScoreNames[i%len(record.ScoreNames)]
			if passedOver(i) {
				by = "composite"
			}
			path := boardPath(category, "", by, at)
			got, want := shownBoard(t, s, path), wantBoard(t, viewOf(t, s.Build, at), category, "", by)
			if !sameRows(got, want) {
				t.Errorf("%s shows\n%v\nwant %v", path, got, want)
			}
			for _, r := range got {
				seen[checkPresent(t, s, path, r)]++
			}
		}
		body := htmlAt(t, s, boardPath("ml-frameworks", "", "", at))
		if !strings.Contains(body, "<strong>As of ") || !strings.Contains(body, `<meta name="robots" content="noindex">`) || !strings.Contains(body, `<a href="/leaderboards/ml-frameworks/">Back to today</a>`) {
			t.Errorf("the leaderboard of %s does not say so", at)
		}
	}
	for _, what := range []string{"same", "renamed", "gone"} {
		if seen[what] == 0 {
			t.Errorf("no past entity is %s: %v", what, seen)
		}
	}
	if body := htmlAt(t, s, "/leaderboards/ml-frameworks/"); strings.Contains(body, "noindex") || strings.Contains(body, "past-note") {
		t.Error("today's leaderboard is shown as an earlier one")
	}
}

// checkPresent checks that a row of an earlier day links to the current entity.
func checkPresent(t *testing.T, s *pages.Site, path string, r shownRow) string {
	t.Helper()
	typ, slug, _ := strings.Cut(r.Key, "/")
	o, moved, ok := s.Build.Find(typ, slug)
	switch {
	case !ok && r.To == "":
		return "gone"
	case !ok:
		t.Errorf("%s: %s is gone, and links to %s", path, r.Key, r.To)
	case moved:
		nowType, nowSlug := s.Build.Key(o)
		if r.To != "/"+nowType+"/"+nowSlug+"/" {
			t.Errorf("%s: %s is %s/%s now, and links to %q", path, r.Key, nowType, nowSlug, r.To)
		}
		return "renamed"
	case r.To != "/"+r.Key+"/":
		t.Errorf("%s: %s links to %q", path, r.Key, r.To)
	}
	return "same"
}

// TestBoardMovement compares the movement that pages show with the previous ranks in the API, among the
// entities that had one.
func TestBoardMovement(t *testing.T) {
	suite.InTest(t)
	t.Parallel()
	e := edgetest.Start(t, edge.Options{Dir: pastBuild(t)})
	s := siteOf(t, e.Dir, pages.Options{})
	days := s.Build.History().Snapshots()
	between := suite.Must(time.Parse(time.DateOnly, days[len(days)-2]))(t).AddDate(0, 0, 1).Format(time.DateOnly)
	suite.Holds(t, !slices.Contains(days, between), between, "has a snapshot")
	seen := map[string]int{}
	for _, b := range []struct{ category, typ, by, at string }{
		{"ml-frameworks", "", "composite", ""}, {"language", "model", "composite", ""}, {"ml-frameworks", "", "adoption", ""}, {"data-viz", "", "composite", ""},
		{"ml-frameworks", "", "composite", days[len(days)-3]}, {"ml-frameworks", "tool", "freshness", days[len(days)-4]}, {"ml-frameworks", "", "composite", days[0]},
		{"ml-frameworks", "", "composite", between}, {"language", "model", "composite", between},
	} {
		path := boardPath(b.category, b.typ, b.by, b.at)
		shown := shownBoard(t, s, path)
		for i, want := range apiMoves(t, e, "/api/leaderboard/"+b.category,
			map[string]string{"limit": "100", "type": b.typ, "by": b.by, "at": b.at}) {
			if i >= len(shown) || shown[i].Moved != want {
				t.Fatalf("%s: place %d moved %q, want %q", path, i+1, shown[i].Moved, want)
			}
			word, _, _ := strings.Cut(want, " ")
			seen[word]++
		}
	}
	for _, w := range []string{"up", "down", "new", "unchanged", ""} {
		if seen[w] == 0 {
			t.Errorf("no row has moved %q: %v", w, seen)
		}
	}
}

// apiMoves returns the movement of the first hundred entities of a leaderboard in the words
// that pages use, or "" for each of them if the API has no day to compare with.
func apiMoves(t *testing.T, e *edgetest.Edge, path string, params map[string]string) (list []string) {
	t.Helper()
	query := url.Values{}
	for name, value := range params {
		if value != "" {
			query.Set(name, value)
		}
	}
	q := suite.Must(http.NewRequestWithContext(context.Background(), http.MethodGet, e.URL+path+"?"+query.Encode(), nil))(t)
	answer := suite.Must(http.DefaultClient.Do(q))(t)
	defer answer.Body.Close()
	var l struct {
		ComparedTo *string
		Data       []struct{ PreviousRank *int }
	}
	if err := json.NewDecoder(answer.Body).Decode(&l); err != nil || answer.StatusCode != http.StatusOK || len(l.Data) == 0 {
		t.Fatalf("%s: %v, %d, %d rows", q.URL, err, answer.StatusCode, len(l.Data))
	}
	var previous []*int
	for _, r := range l.Data {
		previous = append(previous, r.PreviousRank)
	}
	if l.ComparedTo == nil {
		return make([]string, len(previous))
	}
	return movement(previous)
}

// movement returns how far each entity of a board has moved among those that had a rank before.
func movement(previous []*int) (list []string) {
	var before []int
	for _, rank := range previous {
		if rank != nil {
			before = append(before, *rank)
		}
	}
	sorted, now := slices.Sorted(slices.Values(before)), 0
	for _, rank := range previous {
		if rank == nil {
			list = append(list, "new")
			continue
		}
		switch n := slices.Index(sorted, *rank) - now; {
		case n > 0:
			list = append(list, fmt.Sprint("up ", n))
		case n < 0:
			list = append(list, fmt.Sprint("down ", -n))
		default:
			list = append(list, "unchanged")
		}
		now++
	}
	return list
}

// TestBoardAddresses checks that each leaderboard has a single address, and that other
// addresses redirect to it or lead to a helpful error page.
func TestBoardAddresses(t *testing.T) {
	suite.InTest(t)
	t.Parallel()
	s := siteOf(t, pastBuild(t), pages.Options{})
	first := s.Build.History().FirstDay()
	for path, want := range map[string]string{ // redirect target, or text on the 404 page
		"/leaderboards/all/":                                        "/leaderboards/",
		"/leaderboards/all/type-tool/by-adoption/":                  "/leaderboards/",
		"/leaderboards/ml-frameworks":                               "/leaderboards/ml-frameworks/",
		"/leaderboards/ml-frameworks/by-composite/":                 "/leaderboards/ml-frameworks/",
		"/leaderboards/ml-frameworks/type-tool/page-1/":             "404 Page not found",
		"/leaderboards/ml-frameworks/page-01/":                      "404 Page not found",
		"/leaderboards/ml-frameworks/page-9999/":                    "404 Page not found",
		"/leaderboards/ml-frameworks/page-x/":                       "404 Page not found",
		"/leaderboards/ml-frameworks/page-99999999999999999999/":    "404 Page not found",
		"/leaderboards/ml-frameworks/by-adption/":                   "404 /leaderboards/ml-frameworks/by-adoption/",
		"/leaderboards/ml-frameworks/type-tol/":                     "404 /leaderboards/ml-frameworks/type-tool/",
		"/leaderboards/deep-lerning/":                               "404 Category not found",
		"/leaderboards/data-vis/":                                   "404 /leaderboards/data-viz/",
		"/leaderboards/ml-frameworks/at-1999-01-01/":                "404 /leaderboards/ml-frameworks/at-" + first + "/",
		"/leaderboards/ml-frameworks/at-2999-01-01/":                "404 Leaderboards are available from",
		"/leaderboards/ml-frameworks/at-yesterday/":                 "404 Leaderboards are available from",
		"/leaderboards/ml-frameworks/at-2026-02-31/":                "404 Leaderboards are available from",
		"/leaderboards/ml-frameworks/at-" + first + "/by-adoption/": "404 There is nothing at this address",
	} {
		a := suite.Must(s.Get(pages.Request{Path: path}))(t)
		if says, missing := strings.CutPrefix(want, "404 "); missing {
			if a.Status != http.StatusNotFound || !strings.Contains(string(a.Body), says) {
				t.Errorf("%s: %d, without %q: %s", path, a.Status, says, a.Body)
			}
		} else if a.Status != http.StatusMovedPermanently || a.Location != want {
			t.Errorf("%s: %d to %s, want %s", path, a.Status, a.Location, want)
		}
	}
}

// TestStaticBoards checks that the leaderboards of a static site agree with the build.
func TestStaticBoards(t *testing.T) {
	suite.InTest(t)
	t.Parallel()
	s := siteOf(t, pastBuild(t), pages.Options{Static: true})
	past := 0
	for i, path := range pathsOf(t, s, leadsToBoards) {
		category, at, isPast := strings.Cut(strings.TrimPrefix(path, "/leaderboards/"), "/at-")
		if !isPast || passedOver(i) {
			continue
		}
		past++
		want := wantBoard(t, viewOf(t, s.Build, strings.TrimSuffix(at, "/")), category, "", "composite")
		if got := shownBoard(t, s, path); !sameRows(got, want[:min(100, len(want))]) {
			t.Errorf("%s shows\n%v\nwant %v", path, got, want)
		}
	}
	for _, category := range boardNames(s) {
		if got, want := shownBoard(t, s, boardPath(category, "", "", "")), wantBoard(t, s.Build.View, category, "", "composite"); !sameRows(got, want) {
			t.Errorf("%s shows\n%v\nwant %v", category, got, want)
		}
	}
	if past < suite.Pick(10, 100) {
		t.Errorf("%d pages of the past are no test", past)
	}
}
