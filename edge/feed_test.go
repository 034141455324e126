package edge

import (
	"encoding/xml"
	"fmt"
	"slices"
	"strings"
	"testing"

	"kindex/builder/suite"
)

// atomFeed is a page of a feed. Package feed tests that the three formats say the same.
type atomFeed struct {
	Links []struct {
		Rel  string `xml:"rel,attr"`
		Href string `xml:"href,attr"`
	} `xml:"link"`
	Entries []struct {
		ID   string `xml:"id"`
		Link struct {
			Href string `xml:"href,attr"`
		} `xml:"link"`
	} `xml:"entry"`
}

// readFeed reads a page of an Atom feed: the IDs of its entries, and the addresses of its links by relation.
func (s *served) readFeed(t *testing.T, path string) (page atomFeed, ids []string, links map[string]string) {
	t.Helper()
	a := s.ask(t, "GET", path).must(t, 200).wantHeader(t, "Content-Type", "application/atom+xml")
	suite.Check(t, xml.Unmarshal(a.body, &page))
	links = map[string]string{}
	for _, l := range page.Links {
		links[l.Rel] = l.Href
	}
	for _, e := range page.Entries {
		ids = append(ids, e.ID)
	}
	return page, ids, links
}

// through follows the links from page to page until the end of the feed.
func (s *served) through(t *testing.T, path string) (ids []string, pages int) {
	t.Helper()
	for address := s.url + path; address != ""; pages++ {
		rest, ours := strings.CutPrefix(address, s.url)
		suite.Require(t, ours, address, "links away from", s.url)
		_, more, links := s.readFeed(t, rest)
		suite.Holds(t, links["self"] == address && links["first"] == s.url+path && (links["previous"] != "") == (pages > 0), address, "links", links)
		suite.Holds(t, (address == links["last"]) == (links["next"] == ""), address, "links", links)
		ids, address = append(ids, more...), links["next"]
	}
	return ids, pages
}

// TestFeedLeadsThroughAllChanges: following the links of a feed yields all changes, with filters and without.
func TestFeedLeadsThroughAllChanges(t *testing.T) {
	suite.InTest(t)
	s := serveShared(t, 150)
	for query, pages := range map[string]int{"?": 2, "?type=model": 1, "?category=alpha&category=beta": 1, "?type=tool&type=model": 2, "?entity=tool%2Fn3": 1} {
		path := "/api/changelog" + query
		if strings.HasPrefix(query, "?entity") {
			path = "/api/entity/tool/n3/changelog"
		}
		var want []string
		for _, c := range s.changes(t, path) {
			want = append(want, "urn:kindex:change:"+c.ID)
		}
		parts := append(strings.Split(strings.TrimPrefix(query, "?"), "&"), "format=atom")
		slices.Sort(parts)
		got, n := s.through(t, "/api/feed?"+strings.TrimPrefix(strings.Join(parts, "&"), "&"))
		suite.Equal(t, n, pages, query, "pages")
		suite.Equal(t, got, want, query)
	}
}

// TestFeedOfAnEntity reads an entity's feed under each of its slugs.
func TestFeedOfAnEntity(t *testing.T) {
	suite.InTest(t)
	s := readHistory(t)
	for key, want := range map[string]int{"tool/left": 2, "tool/right": 2, "tool/gone": 2, "tool/back": 3, "tool/a": 1, "tool/b": 2, "tool/n8": 1} {
		page, ids, links := s.readFeed(t, "/api/feed?format=atom&entity="+key)
		suite.Equal(t, len(ids), want, key, "items")
		suite.Holds(t, strings.HasPrefix(links["self"], s.url+"/api/feed?entity=tool") &&
			strings.HasPrefix(page.Entries[0].Link.Href, s.url+"/tool/"), key, page)
	}
	_, ids, _ := s.readFeed(t, "/api/feed?entity=tool/right&format=atom&type=model")
	suite.Equal(t, len(ids), 0, "models of a tool")
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
	if got, pages := s.through(t, "/api/feed?format=atom"); !slices.Equal(got, want) || pages != 2 {
		t.Errorf("%d items on %d pages, want %d", len(got), pages, len(want))
	}
}
