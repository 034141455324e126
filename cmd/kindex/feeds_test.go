package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"kindex/builder/suite"
)

// TestFeedsOfCollection follows the feeds of the replayed history from the first page to
// the last, in every format, using a third-party parser. Every change must appear exactly
// once, newest first, and the movers of weeks among them.
func TestFeedsOfCollection(t *testing.T) { wholeReplay(t, nil).compareFeeds() }

// TestFeedsOfExtract does the same with the extract in testdata.
func TestFeedsOfExtract(t *testing.T) {
	suite.WithoutRace(t)
	extractReplay(t).compareFeeds()
}

// feedOut is a feed as returned by the third-party parser.
type feedOut struct {
	Links map[string]string
	Items []struct {
		ID, URL, Title string
		Content        string `json:"content_html"`
		Made           string `json:"date_published"`
	}
}

func (r *replay) compareFeeds() {
	t := r.t
	site := filepath.Dir(suite.NodeModules(t, "feedsmith"))
	server := r.build(filepath.Join(r.repo, "content"), r.list[len(r.list)-1].date)
	var changes []change
	fetch(t, server.URL+"/api/export/changelog", &changes)
	formats := []string{"rss", "atom", "json"}
	entries := feedEntries(changes)
	left, pages, weeks := len(entries), 0, 0
	next := map[string]string{}
	for _, f := range formats {
		next[f] = server.URL + "/api/feed?format=" + f
	}
	for next["rss"] != "" {
		pages++
		found := r.readFeeds(site, formats, next)
		rest := left
		for i, f := range formats {
			rest = left
			for k, item := range found[i].Items {
				if strings.HasPrefix(item.ID, "urn:kindex:week:") {
					if weeks++; !strings.HasPrefix(item.Title, "Movers of week ") || item.Content == "" || rest > 0 && entries[rest-1].Timestamp >= item.Made ||
						rest < len(entries) && entries[rest].Timestamp < item.Made[:len("2026-11-23T00:00:00")]+"Z" {
						t.Fatalf("page %d as %s, item %d is %+v", pages, f, k, item)
					}
					continue
				}
				if rest--; rest < 0 {
					t.Fatalf("page %d as %s has more items than there are entries", pages, f)
				}
				c := entries[rest]
				id, to, title := "urn:kindex:change:"+c.ID, "/tool/"+c.Entity.Slug+"/", strings.TrimSpace(c.Entity.Name)
				if c.first != "" {
					id, to, title = "urn:kindex:refresh:"+c.first, "/changes/refresh-"+c.first+"/", fmt.Sprintf(" of %d entries", c.members)
				}
				if item.ID != id || item.URL != server.URL+to || !strings.HasPrefix(item.Made, strings.TrimSuffix(c.Timestamp, "Z")) ||
					!strings.Contains(item.Title, title) || item.Content == "" {
					t.Fatalf("page %d as %s, item %d is %+v, want that of %+v", pages, f, k, item, c)
				}
			}
			if next[f] = found[i].Links["next"]; len(found[i].Items) != 200 && next[f] != "" || len(found[i].Items) != len(found[0].Items) {
				t.Fatalf("page %d as %s has %d items, want 200", pages, f, len(found[i].Items))
			}
		}
		left = rest
	}
	if left != 0 {
		t.Errorf("%d entries are missing from the pages", left)
	}
	t.Logf("%d changes and %d weeks on %d pages in %d formats", len(changes), weeks/len(formats), pages, len(formats))
}

// readFeeds fetches a page in every format and parses it.
func (r *replay) readFeeds(site string, formats []string, at map[string]string) []feedOut {
	t := r.t
	args := []string{filepath.Join("..", "..", "exports", "feed", "testdata", "read.mjs"), site}
	dir := t.TempDir()
	for _, f := range formats {
		if at[f] == "" {
			t.Fatalf("there is no next page as %s", f)
		}
		path := filepath.Join(dir, "feed."+f)
		if err := os.WriteFile(path, []byte(fetchText(t, at[f])), 0o644); err != nil {
			t.Fatal(err)
		}
		args = append(args, path)
	}
	cmd := exec.Command("node", args...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("node: %v", err)
	}
	var found []feedOut
	if err := json.Unmarshal(out, &found); err != nil || len(found) != len(formats) {
		t.Fatalf("%d feeds, %v", len(found), err)
	}
	return found
}

// feedEntry is a change that feeds have as an item, or the newest of the changes of a refresh.
type feedEntry struct {
	*change
	first   string // the ID of the oldest change of the refresh, or ""
	members int    // of the refresh
}

// feedEntries returns the entries of the changes of an index of tools, oldest first: those of a commit that
// change nothing but figures are one entry if there are two, and those that change nothing but these and how
// entities are described and found if there are twenty.
func feedEntries(changes []change) (entries []feedEntry) {
	kindOf := func(c *change) string {
		kind := "figures"
		for _, f := range c.Changes {
			group, _, _ := strings.Cut(f.Field, ".")
			switch {
			case c.Event != "entity.updated" || f.Field == "signals.archived":
				return ""
			case group == "signals" || group == "scores":
			case slices.Contains([]string{"description", "tags", "capabilities", "ids", "links"}, group):
				kind = "details"
			default:
				return ""
			}
		}
		return kind
	}
	for from := 0; from < len(changes); {
		to, of := from, map[string][]int{}
		for ; to < len(changes) && *changes[to].Commit == *changes[from].Commit; to++ {
			of[kindOf(&changes[to])] = append(of[kindOf(&changes[to])], to)
		}
		for i := from; i < to; i++ {
			kind := kindOf(&changes[i])
			members := of[kind]
			switch {
			case kind == "" || len(members) < map[string]int{"figures": 2, "details": 20}[kind]:
				entries = append(entries, feedEntry{change: &changes[i]})
			case i == members[len(members)-1]:
				entries = append(entries, feedEntry{&changes[i], changes[members[0]].ID, len(members)})
			}
		}
		from = to
	}
	return entries
}
