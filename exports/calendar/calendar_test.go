package calendar_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"kindex/builder/suite"
	"kindex/exports/calendar"
)

// site is the folder whose node_modules contain third-party parsers.
const site = "../../site"

var asOf = time.Date(2026, 11, 23, 12, 30, 0, 0, time.UTC)

// sample contains every kind of event, with names that need escaping and folding.
func sample() *calendar.Calendar {
	return &calendar.Calendar{
		Title: "An index; of tools, and\nmodels", Description: `What a \n day brings`, Base: "https://index.example.org",
		Self: "https://index.example.org/api/calendar?entity=tool/pytorch&entity=model/" + strings.Repeat("x", 60), AsOf: asOf,
		Events: []calendar.Event{
			{Kind: calendar.Release, Type: "tool", Slug: "pytorch", Name: "PyTorch", Day: "2026-10-15", Version: "2.9.0; rc,1 \\", Source: "https://example.org/a;b,c"},
			{Kind: calendar.Release, Type: "tool", Slug: "pytorch", Name: "PyTorch", Day: "2026-11-01", Version: "2.9.1", Recorded: true},
			{Kind: calendar.Release, Type: "tool", Slug: "pytorch", Name: "PyTorch", Day: "2026-11-12"},
			{Kind: calendar.Release, Type: "model", Slug: "m", Name: strings.Repeat("😀é𝄞", 40), Day: "2026-11-20", First: true},
			{Kind: calendar.Deprecation, Type: "model", Slug: "old", Name: "Old: \"quoted\" <b>", Day: "2026-02-28",
				Successor: "New, and\r\nimproved", SuccessorKey: "model/new", Source: "https://example.org/" + strings.Repeat("long-", 40)},
			{Kind: calendar.Retirement, Type: "model", Slug: "old", Name: "Old\u202e\x00\tone", Day: "2028-02-29"},
		},
	}
}

func write(t *testing.T, c *calendar.Calendar) []byte {
	t.Helper()
	var b bytes.Buffer
	suite.Check(t, c.Write(&b))
	return b.Bytes()
}

// event is an event as a parser returns it.
type event struct {
	UID, Day, Summary, Description, URL string
	Days                                int
	Categories                          []string
	Stamp                               time.Time
	Free                                bool
}

// want holds the events of sample.
var want = []event{
	{UID: "urn:kindex:release:tool/pytorch/version/2.9.0%3B%20rc%2C1%20%5C", Day: "2026-10-15", Summary: `PyTorch 2.9.0; rc,1 \ is released`,
		Description: "tool/pytorch\nSource: https://example.org/a;b,c", URL: "https://index.example.org/tool/pytorch/", Categories: []string{"Release"}},
	{UID: "urn:kindex:release:tool/pytorch/version/2.9.1", Day: "2026-11-01", Summary: "PyTorch 2.9.1 is released",
		Description: "tool/pytorch\nThe release date is unknown; the version was recorded on this day.", URL: "https://index.example.org/tool/pytorch/", Categories: []string{"Release"}},
	{UID: "urn:kindex:release:tool/pytorch/day/2026-11-12", Day: "2026-11-12", Summary: "New release of PyTorch",
		Description: "tool/pytorch", URL: "https://index.example.org/tool/pytorch/", Categories: []string{"Release"}},
	{UID: "urn:kindex:release:model/m", Day: "2026-11-20", Summary: strings.Repeat("😀é𝄞", 40) + " is released",
		Description: "model/m", URL: "https://index.example.org/model/m/", Categories: []string{"Release"}},
	{UID: "urn:kindex:deprecation:model/old", Day: "2026-02-28", Summary: `Old: "quoted" <b> is deprecated`,
		Description: "model/old\nSuccessor: New, and improved (model/new)\nSource: https://example.org/" + strings.Repeat("long-", 40), URL: "https://index.example.org/model/old/", Categories: []string{"Deprecation"}},
	{UID: "urn:kindex:retirement:model/old", Day: "2028-02-29", Summary: "Old one retires",
		Description: "model/old", URL: "https://index.example.org/model/old/", Categories: []string{"Retirement"}},
}

// TestReadByOthers compares what third-party parsers read with the calendar that was written.
func TestReadByOthers(t *testing.T) {
	suite.InTest(t)
	suite.NodeModules(t, "ical.js", "node-ical")
	path := filepath.Join(t.TempDir(), "calendar.ics")
	c := sample()
	suite.Check(t, os.WriteFile(path, write(t, c), 0o644))
	for _, zone := range []string{"UTC", "America/Los_Angeles", "Pacific/Auckland"} {
		cmd := exec.Command("node", "testdata/read.mjs", site, path)
		cmd.Env = append(os.Environ(), "TZ="+zone)
		cmd.Stderr = os.Stderr
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("node: %v", err)
		}
		var found []struct {
			Name, Refresh, Source string
			Events                []event
		}
		suite.Check(t, json.Unmarshal(out, &found))
		if found[0].Refresh != "PT12H" || found[0].Source != c.Self {
			t.Errorf("ical.js: refresh %q, source %q", found[0].Refresh, found[0].Source)
		}
		suite.Equal(t, found[1].Name, "An index; of tools, and models", "node-ical: name")
		for i, parser := range []string{"ical.js", "node-ical"} {
			if len(found[i].Events) != len(want) {
				t.Fatalf("%s: %d events of %d", parser, len(found[i].Events), len(want))
			}
			for j, e := range want {
				e.Days, e.Stamp, e.Free = 1, asOf, true
				if got := found[i].Events[j]; !reflect.DeepEqual(got, e) {
					t.Errorf("%s in %s:\n%+v, want\n%+v", parser, zone, got, e)
				}
			}
		}
	}
}

// checkLines checks the form of the lines (RFC 5545, section 3.1) and returns the unfolded ones.
func checkLines(t *testing.T, doc []byte) []string {
	t.Helper()
	text, ok := strings.CutSuffix(string(doc), "\r\n")
	if !ok {
		t.Fatalf("%q does not end with a line break", doc)
	}
	var lines []string
	for line := range strings.SplitSeq(text, "\r\n") {
		if len(line) > 75 || line == "" || !utf8.ValidString(line) || strings.ContainsFunc(line, func(r rune) bool { return r < ' ' || r == 0x7f }) {
			t.Errorf("line %q", line)
		}
		if rest, ok := strings.CutPrefix(line, " "); ok && len(lines) > 0 {
			lines[len(lines)-1] += rest
		} else {
			lines = append(lines, line)
		}
	}
	return lines
}

// unescape undoes the escaping of texts (RFC 5545, section 3.3.11).
func unescape(t *testing.T, s string) string {
	t.Helper()
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == ';' || c == ',':
			t.Errorf("%q: %c is not escaped", s, c)
		case c != '\\':
			b.WriteByte(c)
		default:
			if i++; i == len(s) || !strings.Contains(`\;,n`, s[i:i+1]) {
				t.Fatalf("%q has an invalid escape", s)
			}
			b.WriteString(map[byte]string{'\\': `\`, ';': ";", ',': ",", 'n': "\n"}[s[i]])
		}
	}
	return b.String()
}

// FuzzTexts writes any texts into a calendar and reads them back with a plain reader.
func FuzzTexts(f *testing.F) {
	f.Add("PyTorch", "2.9.1", "https://example.org/")
	f.Add("a,b;c\\d\ne", "\\n", "x;y,z")
	for i := range 80 {
		f.Add(strings.Repeat("x", i)+"😀 <>", strings.Repeat("é,", i), strings.Repeat("𝄞;\\", i))
	}
	f.Add("\xff\xfe", "\u2028", "\r\nEND:VCALENDAR\r\n")
	f.Fuzz(func(t *testing.T, name, version, source string) {
		c := &calendar.Calendar{Title: name, Description: source, Base: "https://index.example.org", Self: "https://index.example.org/api/calendar", AsOf: asOf,
			Events: []calendar.Event{{Kind: calendar.Release, Type: "tool", Slug: "x", Name: name, Day: "2026-11-01", Version: version, Source: source}}}
		lines := checkLines(t, write(t, c))
		got := map[string]string{}
		for _, line := range lines {
			name, value, ok := strings.Cut(line, ":")
			if !ok {
				t.Fatalf("line %q", line)
			}
			got[name] = value
		}
		if len(lines) != 22 || got["BEGIN"] != "VEVENT" || got["END"] != "VCALENDAR" {
			t.Fatalf("%d lines: %q", len(lines), lines)
		}
		// Nothing is lost but hidden characters and the kind of white space.
		event := &c.Events[0]
		if summary := unescape(t, got["SUMMARY"]); version != "" && !strings.HasPrefix(words(summary), words(name+" "+version)) {
			t.Errorf("summary %q", summary)
		}
		if description := unescape(t, got["DESCRIPTION"]); source != "" && !strings.HasSuffix(words(description), words(source)) {
			t.Errorf("description %q", description)
		}
		if unescape(t, got["UID"]) != event.UID() || got["DTSTART;VALUE=DATE"] != "20261101" || got["DTSTAMP"] != "20261123T123000Z" {
			t.Errorf("%q", lines)
		}
	})
}

// words returns the ASCII letters, digits and punctuation of a text.
func words(s string) string {
	return strings.Map(func(r rune) rune {
		if r > ' ' && r < 0x7f {
			return r
		}
		return -1
	}, s)
}

func TestWithoutURL(t *testing.T) {
	c := sample()
	c.Base, c.Self = "", "/api/calendar"
	for _, line := range checkLines(t, write(t, c)) {
		if strings.HasPrefix(line, "URL:") || strings.HasPrefix(line, "SOURCE") {
			t.Errorf("%q", line)
		}
	}
	c.Events[0].Day = "2026-13-01"
	if err := c.Write(&bytes.Buffer{}); err == nil || !strings.Contains(err.Error(), "tool/pytorch") {
		t.Errorf("invalid day: %v", err)
	}
}
