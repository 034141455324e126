package feed_test

import (
	"strings"
	"testing"
	"time"

	"kindex/exports/feed"
	"kindex/exports/record"
)

// monday is the end of the week before the changes in news.
var monday = time.Date(2026, 10, 26, 0, 0, 0, 0, time.UTC)

// weeks returns the week of the changes in news and the one before, each with its expected title.
func weeks() (list []*record.Week, titles []string) {
	example := record.Mover{Type: "tool", Slug: "example", Name: "Example & Co."}
	hostile := record.Mover{Type: "model", Slug: "a-b/../?", Name: "A</li>]]> <script>alert(\"&amp;\")</script>\u0000\u2028" + strings.Repeat(" long", 60)}
	nameless := record.Mover{Type: "model", Slug: "nameless"}
	return []*record.Week{
			{ID: "2026-W44-0123456789abcdef01234567", End: monday.AddDate(0, 0, 7),
				Scores: []record.ScoreMove{
					{Mover: example, Previous: record.ScoreOf(71.2), Score: record.ScoreOf(90), PreviousRank: 12345, Rank: 2},
					{Mover: hostile, Previous: record.ScoreOf(0), Score: record.ScoreOf(100), Rank: 1}},
				Figures: []record.FigureMove{
					{Mover: nameless, Signal: "npmDownloads", Previous: 0, Value: 12345678},
					{Mover: example, Signal: "npmDownloads", Previous: 100, Value: 100.5},
					{Mover: record.Mover{Type: "tool", Slug: "x", Name: "X"}, Signal: "stars", Previous: 1, Value: 2}}},
			{ID: "2026-W43-0123456789abcdef01234567", End: monday,
				Figures: []record.FigureMove{{Mover: example, Signal: "stars", Previous: 80000, Value: 81000}}},
		}, []string{
			"Movers of week 44, 2026: Example & Co., A</li>]]> <script>alert(\"&amp;\")</scrip…, nameless and 1 more",
			"Movers of week 43, 2026: Example & Co.",
		}
}

// sampleOfAll returns a feed with all changes in news and both weeks.
func sampleOfAll() *feed.Feed {
	f := sample(newest()...)
	f.Weeks, _ = weeks()
	return f
}

// checkWeeks checks the items of both weeks, and returns the others.
func checkWeeks(t *testing.T, f *feed.Feed, items []newsOut) (changes []newsOut) {
	t.Helper()
	_, titles := weeks()
	links := []string{"since=2026-10-26&until=2026-11-01", "since=2026-10-19&until=2026-10-25"}
	for i, n := range []int{0, len(items) - 1} {
		w, got := f.Weeks[i], items[n]
		if got.ID != "urn:kindex:week:"+w.ID || got.Title != titles[i] || got.URL != "https://index.example.org/changes/?"+links[i] || !got.Made.Equal(w.End) ||
			len(got.Tags)+len(got.Authors) > 0 {
			t.Errorf("week %s: %+v, want the title %q", w.Name(), got, titles[i])
		}
		checkHTML(t, got.Content)
	}
	return items[1 : len(items)-1]
}

// TestWeeksAmongChanges merges weeks and changes, and limits the result.
func TestWeeksAmongChanges(t *testing.T) {
	var f feed.Feed
	for i, hours := range []int{200, 168, 167, 1, 0, -1, -400} {
		c := changeOf(i, nil, example())
		c.Timestamp = monday.Add(time.Duration(hours) * time.Hour)
		f.Changes = append(f.Changes, c)
	}
	f.Weeks, _ = weeks()
	want := []string{"c0", "c1", "W44", "c2", "c3", "c4", "W43", "c5", "c6"} // a change at the end of a week is in the next one
	for n := len(want); n > 0; n-- {
		f.Limit = n
		var got []string
		for _, i := range readJSON(t, write(t, &f, "json")).Items {
			if rest, ok := strings.CutPrefix(i.ID, "urn:kindex:week:2026-"); ok {
				got = append(got, rest[:3])
			} else {
				got = append(got, "c"+i.ID[len(i.ID)-1:])
			}
		}
		if strings.Join(got, " ") != strings.Join(want[:n], " ") {
			t.Errorf("the newest %d are %q, want %q", n, got, want[:n])
		}
	}
}

// TestWeekOfNoYear refuses a week whose year the formats cannot represent.
func TestWeekOfNoYear(t *testing.T) {
	f := sampleOfAll()
	f.Weeks[0].End = time.Date(10000, 1, 3, 0, 0, 0, 0, time.UTC)
	for _, format := range feed.Formats {
		if err := f.Write(new(strings.Builder), format); err == nil || !strings.Contains(err.Error(), "2026-W44") {
			t.Errorf("%s: the year 10000: %v", format, err)
		}
	}
}
