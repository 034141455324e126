package edge

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"kindex/builder"
	"kindex/builder/suite"
	"kindex/edge/seal"
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
			suite.Holds(t, events[event["UID"]] == nil, path, "UID", event["UID"], "occurs twice")
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
	_, slug, _ := strings.Cut(key, "/")
	suite.Write(t, content, map[string]string{key + ".yaml": fmt.Sprintf("name: %s\nprovider: Maker A\ncategory: alpha\ndescription: It is there for a while, and then it is not.\n%s", strings.ToUpper(slug), text)})
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
	suite.Check(t, err)
}

func TestCalendar(t *testing.T) {
	suite.InTest(t)
	s := serveCalendar(t)
	want := func(path string, want ...string) map[string]map[string]string {
		t.Helper()
		list, events := s.readCalendar(t, path)
		suite.Equal(t, list, want, path)
		return events
	}
	before := want("/api/calendar", "20260801 OLD is deprecated", "20260901 BOTH 1.0 is released", "20260930 NEW is released", "20261001 GONE retires", "20270131 OLD retires")
	old := before["urn:kindex:retirement:model/old"]
	suite.Holds(t, old["DESCRIPTION"] == `model/old\nSuccessor: NEW (model/new)\nSource: https://example.org/end` &&
		old["URL"] == "https://index.example.org/model/old/" && old["DTSTAMP"] == "20261101T000000Z" &&
		old["CATEGORIES"] == "Retirement", old)
	// The second build records two releases of one tool, one of them without a day, and changes
	// the day and the version of others.
	writeEntity(t, s.content, "tool/both", "version: '1.1'\n"+fmt.Sprintf(released, "2026-10-02"))
	writeEntity(t, s.content, "tool/day", "version: '3'\n"+fmt.Sprintf(released, "2026-10-03"))
	writeEntity(t, s.content, "tool/version", "version: '6'\n")
	writeEntity(t, s.content, "tool/late", "version: '9'\n")
	s.rebuild(t)
	after := want("/api/calendar?type=tool", "20260901 BOTH 1.0 is released", "20261002 BOTH 1.1 is released", "20261003 New release of DAY", "20261101 VERSION 6 is released")
	d := after["urn:kindex:release:tool/version/version/6"]["DESCRIPTION"]
	suite.Holds(t, d == `tool/version\nThe release date is unknown\; the version was recorded on this day.`, d)
	suite.Holds(t, after["urn:kindex:release:tool/both/version/1.0"] != nil &&
		before["urn:kindex:release:tool/both/version/1.0"] != nil, "the UID depends on the build")
	want("/api/calendar?entity=tool/both", "20260901 BOTH 1.0 is released", "20261002 BOTH 1.1 is released")
	want("/api/calendar?entity=tool/day", "20260501 DAY 3 is released", "20261003 New release of DAY")
	want("/api/calendar?entity=model/forgotten&entity=model/month&entity=model/gone&entity=model/gone", "20251001 FORGOTTEN retires", "20261001 GONE retires")
	want("/api/calendar?category=alpha&entity=tool/version", "20261101 VERSION 6 is released")
	want("/api/calendar?provider=maker+a&type=model", "20260801 OLD is deprecated", "20260930 NEW is released", "20261001 GONE retires", "20270131 OLD retires")
	want("/api/calendar?provider=Nobody")
	want("/api/calendar?entity=model/new&type=tool")
	// Subscriptions survive a rename and a deletion.
	suite.Check(t, os.Remove(filepath.Join(s.content, "model", "gone.yaml")))
	suite.Check(t, os.Remove(filepath.Join(s.content, "model", "new.yaml")))
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
	s.ApplyEdits([]exports.Edit{edit("model/old", &record.Lifecycle{Retires: "2027-02-28"}, ""), edit("tool/both", nil, "2026-10-31"),
		edit("tool/added", nil, "2026-10-30"), {Type: "model", Slug: "gone"}})
	list, _ := s.readCalendar(t, "/api/calendar")
	suite.Equal(t, list, []string{"20260901 BOTH 1.0 is released", "20260930 NEW is released", "20261030 ADDED 2 is released", "20261031 BOTH 2 is released", "20270228 OLD retires"})
	s.ApplyEdits(nil)
	if list, _ = s.readCalendar(t, "/api/calendar?entity=model/old"); len(list) != 2 || list[1] != "20270131 OLD retires" {
		t.Errorf("%q", list)
	}
}

// TestRetiring follows a notice from the content to the webhook, while the clock moves on and the edge restarts.
// Package webhook tests when a notice is due.
func TestRetiring(t *testing.T) {
	suite.InTest(t)
	clock := newClock("2026-11-02T01:00:00Z")
	content, out, target := filepath.Join(t.TempDir(), "content"), filepath.Join(t.TempDir(), "out"), t.TempDir()+"/kindex.db"
	writeEntity(t, content, "model/a", "lifecycle: {retires: 2026-12-10, replacedBy: model/b}\n")
	writeEntity(t, content, "model/b", "")
	writeEntity(t, content, "model/past", "lifecycle: {retires: 2026-11-08}\n") // its notices are late in the first build
	buildInto(t, content, out, 3)
	h := serveHooked(t, target, func(o *Options) {
		o.Dir, o.Now, o.WebhookPoll, o.OperatorKeys = out, clock.now, 5*time.Millisecond, parsedKeys(t, seal.Generate())
		o.State = storagetest.OpenAt(t, target, clock.now)
	})
	stop := work(t, h.Server)
	secret, _ := h.newKey(t, "ada")
	suite.Eventually(t, "the first check", func() bool { c, err := h.state.Announced(t.Context()); return err == nil && c.Noticed })
	h.send(t, "POST", "/api/webhooks", secret.Reveal(), `{"url":"`+h.receiver.URL+`/","events":["entity.retiring"]}`, 201, nil)
	clock.advance(8 * 24 * time.Hour)
	suite.Eventually(t, "the notice", func() bool { n, _, _ := h.received(); return n > 0 })
	stop()
	again := serveWith(t, h.options)
	defer work(t, again.Server)()
	before := clock.reads.Load()
	suite.Eventually(t, "several checks", func() bool { return clock.reads.Load() > before+20 })
	_, last, body := h.received()
	suite.ContainsAll(t, string(body), `"event":"entity.retiring"`, `"slug":"a"`, `"retires":"2026-12-10"`, `"daysLeft":30`, `"replacedBy":"model/b"`, `"changes":[]`)
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, r := range h.came { // moving the clock ends a worker's lease, and another worker may repeat the attempt
		suite.Equal(t, r.Header.Get("webhook-id"), last.Header.Get("webhook-id"), "the notice")
	}
}
