package edge

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"kindex/builder/suite"
)

// receivedEvent is a change as a client decodes it.
type receivedEvent struct {
	place                int // position in the whole changelog; the oldest change is at position 0
	ID, Event, Timestamp string
	Entity               struct{ Type, Slug, Name string }
	Changes              []receivedField
	Commit, Author       string
	PullRequest          *int
}

type receivedField struct {
	Field    string
	Old, New any
}

// has reports whether a field, or a field nested in it, has changed.
func (c *receivedEvent) has(name string) bool {
	return slices.ContainsFunc(c.Changes, func(f receivedField) bool { return f.Field == name || strings.HasPrefix(f.Field, name+".") })
}

func (s *served) changes(t *testing.T, path string) (list []receivedEvent) {
	t.Helper()
	for _, record := range s.pages(t, path) {
		var c receivedEvent
		unpack(t, record, &c)
		list = append(list, c)
	}
	return list
}

// exported reads a JSONL export, oldest change first.
func (s *served) exported(t *testing.T, query string) (list []receivedEvent) {
	t.Helper()
	a := s.ask(t, "GET", "/api/export/changelog?format=jsonl"+query).must(t, 200)
	for line := range bytes.Lines(a.body) {
		c := receivedEvent{place: len(list)}
		unpack(t, line, &c)
		list = append(list, c)
	}
	return list
}

func idsOf(list []receivedEvent) []string {
	ids := []string{}
	for _, c := range list {
		ids = append(ids, c.ID)
	}
	return ids
}

// TestChangelogFilters compares the result of each filter with that of a linear search.
func TestChangelogFilters(t *testing.T) {
	suite.InTest(t)
	s := readHistory(t)
	all := s.exported(t, "")
	if ids := slices.Compact(slices.Sorted(slices.Values(idsOf(all)))); len(ids) != len(all) || len(all) < 60 {
		t.Fatalf("%d changes have %d ids", len(all), len(ids))
	}
	middle := all[50]
	found := 0
	for query, fits := range map[string]func(c receivedEvent) bool{
		"":                     func(receivedEvent) bool { return true },
		"event=entity.deleted": func(c receivedEvent) bool { return c.Event == "entity.deleted" },
		"event=entity.deleted&event=entity.updated": func(c receivedEvent) bool { return c.Event != "entity.created" },
		"type=model":                        func(c receivedEvent) bool { return c.Entity.Type == "model" },
		"field=slug":                        func(c receivedEvent) bool { return c.has("slug") },
		"field=signals":                     func(c receivedEvent) bool { return c.has("signals") },
		"field=scores&event=entity.updated": func(c receivedEvent) bool { return c.has("scores") && c.Event == "entity.updated" },
		"field=version&field=status":        func(c receivedEvent) bool { return c.has("version") || c.has("status") },
		"category=delta":                    func(c receivedEvent) bool { return c.Timestamp == "2026-10-10T12:00:00Z" && c.Entity.Slug == "n3" },
		"since=2026-10-25":                  func(c receivedEvent) bool { return c.Timestamp >= "2026-10-25" },
		"until=2026-10-24":                  func(c receivedEvent) bool { return c.Timestamp < "2026-10-25" },
		"since=2026-10-24T23:59:59Z&until=2026-10-24T23:59:59.5Z": func(c receivedEvent) bool { return c.Timestamp == "2026-10-24T23:59:59Z" },
		"since=2026-10-25T02:00:00%2B02:00":                       func(c receivedEvent) bool { return c.Timestamp >= "2026-10-25T00:00:00Z" },
		"until=2026-09-10T11:59:59Z":                              func(c receivedEvent) bool { return c.Timestamp < "2026-09-10T12" },
		"since=" + middle.ID:                                      func(c receivedEvent) bool { return c.place > middle.place },
		"until=" + middle.ID + "&type=tool":                       func(c receivedEvent) bool { return c.place <= middle.place && c.Entity.Type == "tool" },
	} {
		var want []receivedEvent
		for _, c := range slices.Backward(all) { // newest first
			if fits(c) {
				want = append(want, c)
			}
		}
		found += len(want)
		suite.Equal(t, idsOf(s.changes(t, "/api/changelog?"+query)), idsOf(want), query, "changes", len(want))
	}
	suite.Holds(t, found >= 300, "all filters together found", found)
	s.ask(t, "GET", "/api/changelog?since="+middle.ID+"&until="+all[middle.place-1].ID).must(t, 400)
	for query, since := range map[string]int{"&since=" + middle.ID: middle.place + 1, "&since=2026-08-02&type=tool": 45} {
		suite.Equal(t, idsOf(s.exported(t, query)), idsOf(all[since:]), "the export", query, "changes", len(all)-since)
	}
}

// TestChangelogTells checks the contents of individual changes.
func TestChangelogTells(t *testing.T) {
	suite.InTest(t)
	s := readHistory(t)
	for path, want := range map[string][]string{
		"/api/entity/tool/back/changelog":     {"created back", "deleted back", "created back"},
		"/api/entity/tool/gone/changelog":     {"deleted gone", "created gone"},
		"/api/entity/tool/b/changelog":        {"updated b: slug a → b", "created a"},
		"/api/entity/tool/a/changelog":        {"created a"},
		"/api/entity/tool/right/changelog":    {"updated right: slug left → right", "created left"},
		"/api/entity/tool/n5/changelog":       {"updated n5: version 2 → 3", "updated n5", "created n5"},
		"/api/entity/tool/n3/changelog":       {"updated n3: category delta → alpha", "updated n3: category alpha → delta", "created n3"},
		"/api/changelog?field=status":         {"updated n4: status active → withdrawn"},
		"/api/changelog?event=entity.deleted": {"deleted gone", "deleted back"},
	} {
		var got []string
		for _, c := range s.changes(t, path) {
			line := strings.TrimPrefix(c.Event, "entity.") + " " + c.Entity.Slug
			if c.Event == "entity.updated" && len(c.Changes) == 1 {
				line += fmt.Sprintf(": %s %v → %v", c.Changes[0].Field, c.Changes[0].Old, c.Changes[0].New)
			}
			got = append(got, line)
			suite.Holds(t, len(c.Commit) == 40 && c.Author == "Ada" && c.PullRequest == nil, path, c)
		}
		if strings.HasPrefix(path, "/api/changelog?field=status") {
			got = slices.DeleteFunc(got, func(l string) bool { return !strings.HasPrefix(l, "updated") })
		}
		suite.Equal(t, got, want, path)
	}
}
