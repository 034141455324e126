// Package calendar writes releases, deprecations and retirements of entities as an iCalendar
// document (RFC 5545, with the properties of RFC 7986 for subscribed calendars).
//
// Every event lasts all day. Its UID depends only on the entity's address and the kind of event,
// and for a release on its version or day, so that clients recognize it in every build.
//
// Names are untrusted. Each run of white space and hidden characters in them becomes a space.
package calendar

import (
	"fmt"
	"io"
	"net/url"
	"strings"
	"time"

	ics "github.com/arran4/golang-ical"

	"kindex/exports/safetext"
)

// MediaType is the media type of the document.
const MediaType = "text/calendar; charset=utf-8"

const refreshInterval = "PT12H"

// Kind is what happens to an entity on a day.
type Kind string

// The kinds of events.
const (
	Release     Kind = "release"
	Deprecation Kind = "deprecation"
	Retirement  Kind = "retirement"
)

// Event is an event in the life of an entity.
type Event struct {
	Kind             Kind
	Type, Slug, Name string
	Day              string // YYYY-MM-DD
	// Version is the released version, or "" if it is unknown.
	Version string
	// First is set if this is the entity's first release.
	First bool
	// Recorded is set if the release date is unknown, and Day is the day when the
	// version was recorded.
	Recorded bool
	// Successor is the name of the entity that replaces this one, or "" if there is none, and
	// SuccessorKey its type/slug.
	Successor, SuccessorKey string
	Source                  string // URL of the page that says so, or "" if unknown
}

// UID returns an identifier of the event that does not depend on the build.
func (e *Event) UID() string {
	uid := "urn:kindex:" + string(e.Kind) + ":" + url.PathEscape(e.Type) + "/" + url.PathEscape(e.Slug)
	switch {
	case e.Kind != Release || e.First:
		return uid
	case e.Version != "":
		return uid + "/version/" + url.PathEscape(e.Version)
	}
	return uid + "/day/" + e.Day
}

// Calendar is an iCalendar document.
type Calendar struct {
	Title, Description string
	// Base is the public URL of the index, such as https://index.example.org, and Self the URL
	// of the document. If Base is "", nothing has a URL.
	Base, Self string
	AsOf       time.Time // the time for which the events were read; the same for a whole build
	Events     []Event
}

// Write writes the document. The output is deterministic.
func (c *Calendar) Write(w io.Writer) error {
	doc := &ics.Calendar{}
	doc.SetVersion("2.0")
	doc.SetProductId("-//kindex//kindex//EN")
	doc.SetName(safetext.OneLine(c.Title)) // both NAME and X-WR-CALNAME
	description := safetext.OneLine(c.Description)
	doc.SetDescription(description)
	doc.SetXWRCalDesc(description)
	if c.Base != "" {
		doc.SetUrl(c.Base)
		setProperty(doc, "SOURCE", c.Self, ics.WithValue("URI"))
	}
	doc.SetRefreshInterval(refreshInterval) // with the parameter VALUE=DURATION
	doc.SetXPublishedTTL(refreshInterval)
	for i := range c.Events {
		if err := c.add(doc, &c.Events[i]); err != nil {
			return err
		}
	}
	return doc.SerializeTo(w, ics.WithNewLine("\r\n"))
}

func setProperty(doc *ics.Calendar, name, value string, parameter ics.PropertyParameter) {
	key, values := parameter.KeyValue()
	doc.CalendarProperties = append(doc.CalendarProperties, ics.CalendarProperty{BaseProperty: ics.BaseProperty{
		IANAToken: name, Value: value, ICalParameters: map[string][]string{key: values}}})
}

func (c *Calendar) add(doc *ics.Calendar, e *Event) error {
	day, err := time.Parse(time.DateOnly, e.Day)
	if err != nil {
		return fmt.Errorf("calendar: the %s of %s/%s: %w", e.Kind, e.Type, e.Slug, err)
	}
	v := doc.AddEvent(e.UID())
	v.SetDtStampTime(c.AsOf)
	v.SetAllDayStartAt(day)
	v.SetSummary(e.summary())
	v.SetDescription(e.description())
	if c.Base != "" {
		v.SetURL(strings.TrimRight(c.Base, "/") + "/" + url.PathEscape(e.Type) + "/" + url.PathEscape(e.Slug) + "/")
	}
	v.AddCategory(strings.ToUpper(string(e.Kind[:1])) + string(e.Kind[1:]))
	v.SetTimeTransparency(ics.TransparencyTransparent) // the day stays free
	return nil
}

func (e *Event) summary() string {
	name := safetext.OneLine(e.Name)
	switch {
	case e.Kind == Retirement:
		return name + " retires"
	case e.Kind == Deprecation:
		return name + " is deprecated"
	case e.First:
		return name + " is released"
	case e.Version != "":
		return name + " " + safetext.OneLine(e.Version) + " is released"
	}
	return "New release of " + name
}

// description says what the summary leaves out, one line for each fact.
func (e *Event) description() string {
	lines := []string{e.Type + "/" + e.Slug}
	if e.Recorded {
		lines = append(lines, "The release date is unknown; the version was recorded on this day.")
	}
	if e.Successor != "" {
		lines = append(lines, "Successor: "+safetext.OneLine(e.Successor)+" ("+e.SuccessorKey+")")
	}
	if e.Source != "" {
		lines = append(lines, "Source: "+safetext.OneLine(e.Source))
	}
	return strings.Join(lines, "\n")
}
