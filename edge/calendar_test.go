package edge

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"kindex/builder"
	"kindex/builder/suite"
	"kindex/edge/storage/storagetest"
	"kindex/exports"
	"kindex/exports/record"
)

// readCalendar returns the events of a calendar as day and summary, and the values of all
// properties by UID.
func (s *served) readCalendar(t *testing.T, path string) (list []string, events map[string]map[string]string) {
	t.Helper()
	a := s.ask(t, "GET", path)
	if a.status != 200 || a.header.Get("Content-Type") != "text/calendar; charset=utf-8" {
		t.Fatalf("%s: %d %s %.300s", path, a.status, a.header.Get("Content-Type"), a.body)
	}
	events = map[string]map[string]string{}
	var event map[string]string
	for line := range strings.SplitSeq(strings.ReplaceAll(string(a.body), "\r\n ", ""), "\r\n") {
		name, value, _ := strings.Cut(line, ":")
		switch {
		case line == "BEGIN:VEVENT":
			event = map[string]string{}
		case line == "END:VEVENT":
			if events[event["UID"]] != nil {
				t.Errorf("%s: UID %s occurs twice", path, event["UID"])
			}
			events[event["UID"]] = event
			list = append(list, event["DTSTART;VALUE=DATE"]+" "+event["SUMMARY"])
			event = nil
		case event != nil:
			event[name] = value
		}
	}
	return list, events
}

func writeEntity(t *testing.T, content, key, text string) {
	t.Helper()
	typ, slug, _ := strings.Cut(key, "/")
	if err := os.MkdirAll(filepath.Join(content, typ), 0o755); err != nil {
		t.Fatal(err)
	}
	writeFile(t, content, key+".yaml", fmt.Sprintf("name: %s\nprovider: Maker A\ncategory: alpha\ndescription: It is there for a while, and then it is not.\n%s", strings.ToUpper(slug), text))
}

const released = "signals: {lastRelease: {value: %s, date: 2026-10-30, source: 'https://example.org/releases'}}\n"

func serveCalendar(t *testing.T) *served {
	t.Helper()
	content := filepath.Join(t.TempDir(), "content")
	writeEntity(t, content, "model/old", "status: deprecated\nlifecycle: {deprecated: 2026-08-01, retires: 2027-01-31, replacedBy: model/new, source: 'https://example.org/end'}\n")
	writeEntity(t, content, "model/new", "signals: {released: {value: 2026-09-30, date: 2026-10-30}}\n")
	writeEntity(t, content, "model/gone", "status: withdrawn\nlifecycle: {retires: 2026-10-01}\n")
	writeEntity(t, content, "model/forgotten", "status: withdrawn\nlifecycle: {retires: 2025-10-01}\n")
	writeEntity(t, content, "model/month", "signals: {released: {value: 2026-09, date: 2026-10-30}}\n")
	writeEntity(t, content, "tool/both", "version: '1.0'\n"+fmt.Sprintf(released, "2026-09-01"))
	writeEntity(t, content, "tool/day", "version: '3'\n"+fmt.Sprintf(released, "2026-05-01"))
	writeEntity(t, content, "tool/version", "version: '5'\n")
	out := filepath.Join(t.TempDir(), "out")
	buildInto(t, content, out, 3)
	s := serveWith(t, Options{Dir: out, URL: "https://index.example.org", State: storagetest.SQLite(t)})
	s.content = content
	return s
}

func (s *served) rebuild(t *testing.T) {
	t.Helper()
	_, err := builder.Build(t.Context(), builder.Options{Content: s.content, Out: s.out, AsOf: testAsOf, Keep: 3, AllowShrink: true})
	if err == nil {
		err = s.Reload()
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestCalendar(t *testing.T) {
	suite.InTest(t)
	s := serveCalendar(t)
	want := func(path string, want ...string) map[string]map[string]string {
		t.Helper()
		list, events := s.readCalendar(t, path)
		if !slices.Equal(list, want) {
			t.Errorf("%s:\n%q, want\n%q", path, list, want)
		}
		return events
	}
	before := want("/api/calendar", "20260801 OLD is deprecated", "20260901 BOTH 1.0 is released", "20260930 NEW is released", "20261001 GONE retires", "20270131 OLD retires")
	old := before["urn:kindex:retirement:model/old"]
	if old["DESCRIPTION"] != `model/old\nSuccessor: NEW (model/new)\nSource: https://example.org/end` || old["URL"] != "https://index.example.org/model/old/" ||
		old["DTSTAMP"] != "20261101T000000Z" || old["CATEGORIES"] != "Retirement" {
		t.Errorf("%v", old)
	}
	// The second build records two releases of one tool, one of them without a day, and changes
	// the day and the version of others.
	writeEntity(t, s.content, "tool/both", "version: '1.1'\n"+fmt.Sprintf(released, "2026-10-02"))
	writeEntity(t, s.content, "tool/day", "version: '3'\n"+fmt.Sprintf(released, "2026-10-03"))
	writeEntity(t, s.content, "tool/version", "version: '6'\n")
	writeEntity(t, s.content, "tool/late", "version: '9'\n")
	s.rebuild(t)
	after := want("/api/calendar?type=tool", "20260901 BOTH 1.0 is released", "20261002 BOTH 1.1 is released", "20261003 New release of DAY", "20261101 VERSION 6 is released")
	if d := after["urn:kindex:release:tool/version/version/6"]["DESCRIPTION"]; d != `tool/version\nThe release date is unknown\; the version was recorded on this day.` {
		t.Error(d)
	}
	if after["urn:kindex:release:tool/both/version/1.0"] == nil || before["urn:kindex:release:tool/both/version/1.0"] == nil {
		t.Error("the UID depends on the build")
	}
	want("/api/calendar?entity=tool/both", "20260901 BOTH 1.0 is released", "20261002 BOTH 1.1 is released")
	want("/api/calendar?entity=tool/day", "20260501 DAY 3 is released", "20261003 New release of DAY")
	want("/api/calendar?entity=model/forgotten&entity=model/month&entity=model/gone&entity=model/gone", "20251001 FORGOTTEN retires", "20261001 GONE retires")
	want("/api/calendar?category=alpha&entity=tool/version", "20261101 VERSION 6 is released")
	want("/api/calendar?provider=maker+a&type=model", "20260801 OLD is deprecated", "20260930 NEW is released", "20261001 GONE retires", "20270131 OLD retires")
	want("/api/calendar?provider=Nobody")
	want("/api/calendar?entity=model/new&type=tool")
	// Subscriptions survive a rename and a deletion.
	if err := os.Remove(filepath.Join(s.content, "model", "gone.yaml")); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(s.content, "model", "new.yaml")); err != nil {
		t.Fatal(err)
	}
	writeEntity(t, s.content, "model/newer", "formerly: [new]\nsignals: {released: {value: 2026-09-30, date: 2026-10-30}}\n")
	writeEntity(t, s.content, "model/old", "lifecycle: {retires: 2027-01-31, replacedBy: model/newer}\n")
	s.rebuild(t)
	want("/api/calendar?entity=model/new&entity=model/gone", "20260930 NEWER is released")
}

// TestCalendarOfEdits checks that edits which have not been committed replace the facts of the
// build.
func TestCalendarOfEdits(t *testing.T) {
	suite.InTest(t)
	s := serveCalendar(t)
	edit := func(key string, lifecycle *record.Lifecycle, day string) exports.Edit {
		typ, slug, _ := strings.Cut(key, "/")
		e := &record.Entity{Type: typ, Slug: slug, Name: strings.ToUpper(slug), Category: "alpha", Status: record.Active, Version: "2", Lifecycle: lifecycle}
		if day != "" {
			e.Signals.Facts = []record.Fact{{Name: "lastRelease", Day: day}}
		}
		return exports.Edit{Type: typ, Slug: slug, Entity: e}
	}
	s.Preview([]exports.Edit{edit("model/old", &record.Lifecycle{Retires: "2027-02-28"}, ""), edit("tool/both", nil, "2026-10-31"),
		edit("tool/added", nil, "2026-10-30"), {Type: "model", Slug: "gone"}})
	list, _ := s.readCalendar(t, "/api/calendar")
	if want := []string{"20260901 BOTH 1.0 is released", "20260930 NEW is released", "20261030 ADDED 2 is released", "20261031 BOTH 2 is released", "20270228 OLD retires"}; !slices.Equal(list, want) {
		t.Errorf("%q, want %q", list, want)
	}
	s.Preview(nil)
	if list, _ = s.readCalendar(t, "/api/calendar?entity=model/old"); len(list) != 2 || list[1] != "20270131 OLD retires" {
		t.Errorf("%q", list)
	}
}

func TestCalendarRequests(t *testing.T) {
	s := serveFew(t, Options{URL: "https://index.example.org"})
	a := s.ask(t, "GET", "/api/calendar?type=tool")
	if b := s.ask(t, "GET", "/api/calendar?type=tool", "If-None-Match", a.header.Get("Etag")); b.status != 304 || a.header.Get("Etag") == "" {
		t.Errorf("%d for its own tag", b.status)
	}
	if b := s.ask(t, "HEAD", "/api/calendar?type=tool"); b.status != 200 || len(b.body) > 0 || b.header.Get("Etag") != a.header.Get("Etag") {
		t.Errorf("HEAD: %d", b.status)
	}
	for path, suggestion := range map[string]string{"?entty=tool/n1": "entity", "?entity=tool/nmuber1": "", "?entity=": "", "?entity=tool/": "",
		"?type=tol": "tool", "?category=alpa": "alpha", "?entity=tool/n1" + strings.Repeat("&entity=tool/n1", 50): "", "?at=2026-11-01": ""} {
		a := s.ask(t, "GET", "/api/calendar"+path)
		if a.status != 400 || suggestion != "" && !strings.Contains(string(a.body), `"suggestion":"`+suggestion+`"`) {
			t.Errorf("%.60s: %d %s", path, a.status, a.body)
		}
	}
}
