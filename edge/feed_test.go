package edge

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"slices"
	"strings"
	"testing"

	"kindex/builder/suite"
)

// document is a page of a feed in any format.
type document struct {
	ids, links []string
	rel        map[string]string // addresses of links, by relation
}

// readFeed reads a page of a feed with the standard library's parsers.
func (s *served) readFeed(t *testing.T, format, path string) document {
	t.Helper()
	a := s.ask(t, "GET", path)
	mediaType := map[string]string{"rss": "application/rss+xml", "atom": "application/atom+xml", "json": "application/feed+json"}[format]
	suite.Require(t, a.status == 200 &&
		a.header.Get("Content-Type") == mediaType, path, a.status, a.header.Get("Content-Type"))
	d := document{rel: map[string]string{}}
	type link struct {
		Rel  string `xml:"rel,attr"`
		Href string `xml:"href,attr"`
	}
	var links []link
	switch format {
	case "rss":
		var doc struct {
			Channel struct {
				Links []link `xml:"http://www.w3.org/2005/Atom link"`
				Items []struct {
					GUID string `xml:"guid"`
					Link string `xml:"link"`
				} `xml:"item"`
			} `xml:"channel"`
		}
		suite.Check(t, xml.Unmarshal(a.body, &doc))
		links = doc.Channel.Links
		for _, i := range doc.Channel.Items {
			d.ids, d.links = append(d.ids, i.GUID), append(d.links, i.Link)
		}
	case "atom":
		var doc struct {
			Links   []link `xml:"link"`
			Entries []struct {
				ID   string `xml:"id"`
				Link link   `xml:"link"`
			} `xml:"entry"`
		}
		suite.Check(t, xml.Unmarshal(a.body, &doc))
		links = doc.Links
		for _, e := range doc.Entries {
			d.ids, d.links = append(d.ids, e.ID), append(d.links, e.Link.Href)
		}
	case "json":
		var doc struct {
			FeedURL string `json:"feed_url"`
			NextURL string `json:"next_url"`
			Items   []struct{ ID, URL string }
		}
		suite.Check(t, json.Unmarshal(a.body, &doc))
		links = []link{{"self", doc.FeedURL}, {"next", doc.NextURL}}
		for _, i := range doc.Items {
			d.ids, d.links = append(d.ids, i.ID), append(d.links, i.URL)
		}
	}
	for _, l := range links {
		if l.Href != "" {
			d.rel[l.Rel] = l.Href
		}
	}
	return d
}

// through follows the links from page to page until the end of the feed.
func (s *served) through(t *testing.T, format, path string) (ids []string, pages int) {
	t.Helper()
	for address := s.url + path; address != ""; pages++ {
		rest, ours := strings.CutPrefix(address, s.url)
		suite.Require(t, ours, address, "links away from", s.url)
		d := s.readFeed(t, format, rest)
		if d.rel["self"] != address || format != "json" && (d.rel["first"] != s.url+path || pages > 0 && d.rel["previous"] == "") {
			t.Errorf("%s links %v", address, d.rel)
		}
		if address == d.rel["last"] && d.rel["next"] != "" {
			t.Errorf("%s is the last page, but %s follows", address, d.rel["next"])
		}
		ids, address = append(ids, d.ids...), d.rel["next"]
	}
	return ids, pages
}

// TestFeedLeadsThroughAllChanges: following the links of a feed yields all changes, in every
// format, with filters and without.
func TestFeedLeadsThroughAllChanges(t *testing.T) {
	suite.InTest(t)
	s := serve(t, 150)
	for query, pages := range map[string]int{"": 2, "&type=model": 1, "&category=alpha&category=beta": 1, "&type=tool&type=model": 2, "&entity=tool%2Fn3": 1} {
		filter := strings.TrimPrefix(query, "&")
		path := "/api/changelog?" + filter
		if strings.HasPrefix(filter, "entity") {
			path = "/api/entity/tool/n3/changelog"
		}
		var want []string
		for _, c := range s.changes(t, path) {
			want = append(want, "urn:kindex:change:"+c.ID)
		}
		for _, format := range []string{"rss", "atom", "json"} {
			address := "/api/feed?"
			for _, part := range slices.Sorted(strings.SplitSeq(strings.TrimPrefix(query+"&format="+format, "&"), "&")) {
				address += part + "&"
			}
			got, n := s.through(t, format, strings.TrimSuffix(address, "&"))
			suite.Equal(t, n, pages, format, query, "pages")
			suite.Equal(t, got, want, format, query)
		}
	}
}

// TestFeedOfAnEntity reads an entity's feed before and after it is renamed and deleted.
func TestFeedOfAnEntity(t *testing.T) {
	suite.InTest(t)
	s, r := serveHistory(t, "2026-11-01", Options{URL: "https://index.example.org/"})
	for key, want := range map[string]int{"tool/left": 2, "tool/right": 2, "tool/gone": 2, "tool/back": 3, "tool/a": 1, "tool/b": 2, "tool/n8": 1} {
		d := s.readFeed(t, "rss", "/api/feed?entity="+key)
		suite.Equal(t, len(d.ids), want, key, "items")
		suite.Holds(t, strings.HasPrefix(d.rel["self"], "https://index.example.org/api/feed?entity=tool") &&
			strings.HasPrefix(d.links[0], "https://index.example.org/tool/"), key, d.rel, d.links)
	}
	if d := s.readFeed(t, "atom", "/api/feed?entity=tool/right&format=atom&type=model"); len(d.ids) != 0 {
		t.Errorf("models of a tool: %v", d.ids)
	}
	// A new build without changes to this entity leaves its feed unchanged, byte for byte.
	const path = "/api/feed?entity=tool/n9&format=atom"
	tag, build := s.ask(t, "GET", path).header.Get("Etag"), s.buildID()
	r.Commit("2026-11-01T06:00:00Z", "Another tool", "tool/n10.yaml", sheet("Tool 10", "beta", 4))
	s.publishDay(t, r, "2026-11-01")
	a := s.ask(t, "GET", path, "If-None-Match", tag)
	suite.Holds(t, a.status == 304 && a.header.Get("X-Build") != build, a.status, a.header.Get("X-Build"))
	s.ask(t, "GET", "/api/feed", "If-None-Match", tag).want(t, 200)
}

// TestFeedHasWeeks: a feed of more than a page leads through all changes and weeks, each once, the weeks before
// the changes of the week before.
func TestFeedHasWeeks(t *testing.T) {
	suite.InTest(t)
	r := NewRepository(t)
	for _, c := range []struct {
		at       string
		n, stars int
		version  string
	}{{"2026-08-03", 150, 0, "1"}, {"2026-08-12", 60, 500, "2"}, {"2026-08-26", 98, 1500, "3"}} {
		var files []string
		for i := range c.n {
			files = append(files, fmt.Sprintf("tool/n%d.yaml", i), sheet(fmt.Sprint("Tool ", i), greek[i%3], 10+100*(i*7%30)+c.stars, "version: "+c.version+"\n"))
		}
		r.Commit(c.at+"T08:00:00Z", "On "+c.at, files...)
	}
	s := serveRepository(t, r, "2026-09-01")
	var want []string
	weeks := [][2]string{{"2026-W35", "2026-08-31"}, {"2026-W33", "2026-08-17"}} // and their ends
	changes := s.changes(t, "/api/changelog?")
	for _, c := range changes {
		if len(weeks) > 0 && c.Timestamp < weeks[0][1] {
			want = append(want, "urn:kindex:week:"+weeks[0][0]+"-"+changes[len(changes)-1].ID)
			weeks = weeks[1:]
		}
		want = append(want, "urn:kindex:change:"+c.ID)
	}
	if got, pages := s.through(t, "json", "/api/feed?format=json"); !slices.Equal(got, want) || pages != 2 {
		t.Errorf("%d items on %d pages, want %d", len(got), pages, len(want))
	}
}
