package edge

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"kindex/builder/suite"
)

// TestAttackReadingForNothing tries to read the index for free: it sends conditions that match
// anything, to get 304 responses.
func TestAttackReadingForNothing(t *testing.T) {
	s := serveFew(t, Options{LimitAnonymous: 40})
	const tier, future = "anonymous", "Fri, 01 Jan 2100 00:00:00 GMT"
	left := 40
	for _, path := range []string{"/api/entities?limit=1", "/api/search?q=heaps&limit=1", "/api/changelog?limit=1", "/api/leaderboard/all?limit=1", "/api/export/entities", "/api/export/entities?type=tool"} {
		for _, method := range []string{"GET", "HEAD"} {
			for _, header := range [][]string{{"If-None-Match", "*"}, {"If-None-Match", ` * `}, {"If-Modified-Since", future}} {
				left--
				a := s.expect(t, -1, left, tier, method, path, header...)
				if link := a.header.Get("Link"); a.status == 304 && link != "" {
					t.Errorf("%s %s with %s: a 304 with Link: %s", method, path, header, link)
				}
			}
		}
	}
}

// TestFreeUnchangedAreBounded requests unchanged resources. Up to ten times the limit, these
// requests are free; then they count towards the limit, and once it has been reached, they are
// refused.
func TestFreeUnchangedAreBounded(t *testing.T) {
	suite.InTest(t)
	c := newClock("2026-11-21T12:00:00Z")
	s := serveFew(t, Options{LimitAnonymous: 3, LimitKey: 2, Now: c.now})
	key, _ := s.keyOf(t, "account")
	const path = "/api/export/entities?type=tool"
	for _, caller := range []struct {
		tier   string
		limit  int
		header []string
	}{{"anonymous", 3, nil}, {"authenticated", 2, []string{"x-api-key", key}}} {
		tag := s.expect(t, 200, caller.limit-1, caller.tier, "GET", path, caller.header...).header.Get("Etag")
		asks := append([]string{"If-None-Match", tag}, caller.header...)
		for range 10 * caller.limit {
			s.expect(t, 304, caller.limit-1, caller.tier, "GET", path, asks...)
		}
		for left := caller.limit - 2; left >= 0; left-- {
			s.expect(t, 304, left, caller.tier, "GET", path, asks...)
		}
		s.expect(t, 429, 0, caller.tier, "GET", path, asks...)
	}
	c.advance(24 * time.Hour)
	s.expect(t, 200, 2, "anonymous", "GET", path)
}

// TestAttackRepeatedValues repeats filter values. The work must not grow with the number of
// repetitions.
func TestAttackRepeatedValues(t *testing.T) {
	suite.WithoutRace(t)
	s := serveShared(t, 60)
	for _, path := range []string{
		"/api/entities?" + strings.Repeat("tag=search&", 700), "/api/entities?tag=" + strings.Repeat("search,", 700) + "fast",
		"/api/entities?" + strings.Repeat("provider=Maker+1&", 60), "/api/entities?fields=" + strings.Repeat("slug,", 60) + "name",
		"/api/search?q=heaps&facets=" + strings.Repeat("tag,", 60) + "type", "/api/changelog?" + strings.Repeat("field=version&", 60),
		"/api/entities?license=" + strings.Repeat("M", 3000), "/api/entities?" + strings.Repeat("license=M&", 1000),
	} {
		s.ask(t, "GET", path).want(t, 400, "at most")
	}
	// Within the limits, repeated values are looked up only once.
	one, _ := s.costOf(requestOf("GET", "/api/entities?limit=1&tag=search", "", nil), 10)
	fifty, status := s.costOf(requestOf("GET", "/api/entities?limit=1"+strings.Repeat("&tag=search", 50), "", nil), 10)
	suite.Holds(t, status == 200 &&
		fifty <= one+20_000, status, "a value takes", one, "bytes, the same one fifty times", fifty)
	for _, path := range []string{"/api/entities?tag=search&tag=search", "/api/entities?tag=search,search", "/api/entities?tag=search,tag-1&tag=tag-1,search"} {
		want := strings.NewReplacer("tag=search&tag=search", "tag=search", "search,search", "search", "&tag=tag-1,search", "").Replace(path)
		if got, want := s.ask(t, "GET", path), s.ask(t, "GET", want); got.status != 200 || stripCursor(got.body) != stripCursor(want.body) {
			t.Errorf("%s: %d %s\nwant %s", path, got.status, got.body, want.body)
		}
	}
}

// stripCursor returns a body without its cursor, which is valid only for the exact query that
// was sent.
func stripCursor(body []byte) string {
	text := string(body)
	if at := strings.Index(text, `"nextCursor":`); at >= 0 {
		return text[:at]
	}
	return text
}

// TestAttackManyRanges requests many ranges of a file, and the same range many times. The
// response to a request of 15 KB would be fifty times as large. Ranges that together exceed the file are
// answered with the file.
func TestAttackManyRanges(t *testing.T) {
	suite.InTest(t)
	s := serveShared(t, 400)
	id := s.buildID()
	var many []string
	for i := range 2000 {
		many = append(many, fmt.Sprint(2*i, "-", 2*i))
	}
	for _, path := range []string{"/data/" + id + "/entities.jsonl", "/api/export/entities?format=jsonl", "/api/sdk/python"} {
		size := len(s.ask(t, "GET", path).body)
		for ranges, status := range map[string]int{
			strings.Join(many, ","):                     416,
			strings.Join(many[:11], ","):                416,
			strings.Repeat("0-0,", 9) + "0-0":           206,
			"0-99,50-60":                                206,
			fmt.Sprintf("0-9,%d-", size-5) + ",-5":      206,
			"0-,0-":                                     200, // more than the file
			"0-," + strings.Repeat(" ", 9000) + "-1":    200,
			"0-0," + strings.Repeat(",", 2000) + "9-9":  416,
			"99999999999999999999-,0-1":                 -1,
			fmt.Sprintf("%d-,%d-", size, size) + ",1-2": 206,
		} {
			a := s.ask(t, "GET", path, "Range", "bytes="+ranges)
			suite.Holds(t, (status < 0 || a.status == status) && (status >= 0 || a.status != 200) &&
				len(a.body) <= 2*size, path, "with", ranges, a.status)
			if a.status == 416 && (len(a.body) > 1000 || a.header.Get("Content-Range") == "" && status == 416) {
				t.Errorf("%s with %.60s: %d bytes, Content-Range %q", path, ranges, len(a.body), a.header.Get("Content-Range"))
			}
		}
	}
}
