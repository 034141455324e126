package edge

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"kindex/builder/suite"
	"kindex/exports/store"
)

// serveWeeks serves an index with two weeks of movers. On the first page of the feed, 198 changes
// lie between them.
func serveWeeks(t *testing.T) (*served, *Repository) {
	t.Helper()
	r := NewRepository(t)
	tools := func(from, to, stars int, more string) (files []string) {
		for i := from; i < to; i++ {
			files = append(files, fmt.Sprintf("tool/n%d.yaml", i), sheet(fmt.Sprint("Tool ", i), greek[i%3], 10+100*(i*7%30)+stars, more))
		}
		return files
	}
	r.Commit("2026-08-03T08:00:00Z", "Begin", tools(0, 150, 0, "")...)
	r.Commit("2026-08-12T08:00:00Z", "Movers of week 33", tools(0, 60, 500, "version: first\n")...)
	r.Commit("2026-08-17T00:00:00Z", "The first second of week 34", append(tools(0, 60, 500, "version: second\n"), tools(60, 100, 0, "version: second\n")...)...)
	r.Commit("2026-08-26T08:00:00Z", "Movers of week 35", tools(0, 98, 1500, "version: third\n")...)
	return serveRepository(t, r, "2026-09-01"), r
}

// checkFeedWithWeeks checks that a feed leads through all changes and weeks, each once, in every
// format. The weeks are given by their names and ends, newest first.
func (s *served) checkFeedWithWeeks(t *testing.T, weeks [][2]string) {
	t.Helper()
	changes := s.changes(t, "/api/changelog?")
	first := changes[len(changes)-1].ID
	var want []string
	rest := weeks
	for _, c := range changes {
		if len(rest) > 0 && c.Timestamp < rest[0][1] {
			want = append(want, "urn:kindex:week:"+rest[0][0]+"-"+first)
			rest = rest[1:]
		}
		want = append(want, "urn:kindex:change:"+c.ID)
	}
	for _, format := range []string{"rss", "atom", "json"} {
		got, pages := s.through(t, format, "/api/feed?format="+format)
		if !slices.Equal(got, want) || pages != (len(want)+199)/200 {
			t.Errorf("%s: %d items on %d pages, want %d", format, len(got), pages, len(want))
		}
	}
	file, err := os.ReadFile(filepath.Join(store.BuildsDir(s.out), s.buildID(), "feed.json"))
	if err != nil {
		t.Fatal(err)
	}
	var doc struct{ Items []struct{ ID string } }
	unpack(t, file, &doc)
	var ids []string
	for _, i := range doc.Items {
		ids = append(ids, i.ID)
	}
	if !slices.Equal(ids, want[:200]) {
		t.Errorf("the file has %d items, want the newest 200", len(ids))
	}
}

// TestFeedHasWeeks places an item at the end of a page and, after one more change, at the start of
// the next one.
func TestFeedHasWeeks(t *testing.T) {
	suite.InTest(t)
	s, r := serveWeeks(t)
	weeks := [][2]string{{"2026-W35", "2026-08-31T00:00:00Z"}, {"2026-W33", "2026-08-17T00:00:00Z"}}
	s.checkFeedWithWeeks(t, weeks)
	if d := s.readFeed(t, "json", "/api/feed?format=json"); !strings.HasPrefix(d.ids[199], "urn:kindex:week:2026-W33-") ||
		d.links[199] != s.url+"/changes/?since=2026-08-10&until=2026-08-16" {
		t.Errorf("the last item of the first page is %s with the link %s", d.ids[199], d.links[199])
	}
	old := s.ask(t, "GET", "/api/feed?format=json").body
	r.Commit("2026-09-01T12:00:00Z", "Another tool", "tool/other.yaml", sheet("Other", "beta", 4))
	buildDay(t, r, s.out, "2026-09-02")
	if err := s.Reload(); err != nil {
		t.Fatal(err)
	}
	s.checkFeedWithWeeks(t, weeks)
	if d := s.readFeed(t, "json", "/api/feed?format=json&page=2"); !strings.HasPrefix(d.ids[0], "urn:kindex:week:2026-W33-") {
		t.Errorf("the first item of the second page is %s", d.ids[0])
	}
	item := weekItem(t, old)
	if now := s.ask(t, "GET", "/api/feed?format=json").body; weekItem(t, now) != item || !strings.Contains(item, `Largest growth in stars`) {
		t.Errorf("the item was\n%s\nnow it is\n%s", item, weekItem(t, now))
	}
	for _, query := range []string{"type=tool", "type=tool&type=model", "category=alpha", "entity=tool/n1"} {
		for _, format := range []string{"rss", "atom", "json"} {
			for _, id := range s.readFeed(t, format, "/api/feed?format="+format+"&"+query).ids {
				if !strings.HasPrefix(id, "urn:kindex:change:") {
					t.Errorf("%s as %s has %s", query, format, id)
				}
			}
		}
	}
}

// weekItem returns the item of week 35 in a JSON Feed, byte for byte.
func weekItem(t *testing.T, feed []byte) string {
	t.Helper()
	_, rest, ok := strings.Cut(string(feed), `"id": "urn:kindex:week:2026-W35-`)
	item, _, end := strings.Cut(rest, "\n    }")
	if !ok || !end {
		t.Fatalf("no week 35 in %.500s", feed)
	}
	return item
}
