// Package feed tells changes to people: as RSS 2.0, Atom (RFC 4287) and JSON
// Feed 1.1, in pages as RFC 5005, section 3, describes them. Each change is one
// item with a sentence for a title and a list of what changed.
//
// Names and values are written by strangers. Here they are text, never markup:
// characters that XML 1.0 cannot hold become U+FFFD, in all formats alike, and
// any run of white space becomes one space.
package feed

import (
	"cmp"
	"fmt"
	"io"
	"net/url"
	"strings"
	"time"

	"kindex/exports/record"
	"kindex/exports/safetext"
)

// Formats lists the formats, the usual one first.
var Formats = []string{"rss", "atom", "json"}

// MediaType returns the media type of one of the Formats, "" of any other.
func MediaType(format string) string {
	switch format {
	case "rss":
		return "application/rss+xml"
	case "atom":
		return "application/atom+xml"
	case "json":
		return "application/feed+json"
	}
	return ""
}

// Feed is one page of changes, or all of them. Its methods do not change it and
// may be called concurrently.
type Feed struct {
	Title, Description string

	// Base is the public address of the index, such as
	// https://index.example.org. Where it is "" items have no links.
	Base string
	// Self is the address of this document, "" for none.
	Self string
	// First, Last, Next and Previous are the addresses of the pages beside
	// this one, "" for none. JSON Feed knows Next alone.
	First, Last, Next, Previous string

	Updated time.Time         // when the newest change was made, else the build
	Titles  map[string]string // of categories, by slug
	Changes []*record.Change  // newest first
}

// Names where nobody has given others. The first is no address that opens, but
// it is a valid one, and RSS demands an address of the index.
const (
	indexURN  = "urn:kindex:index"
	feedURN   = "urn:kindex:feed"
	changeURN = "urn:kindex:change:"
	generator = "kindex"
	language  = "en" // of the sentences that this package makes
)

// Write writes the feed in one of the Formats. The same feed is always written
// as the same bytes. It fails on another format, on a time beyond the year 9999,
// which the formats cannot say, and when w fails.
func (f *Feed) Write(w io.Writer, format string) error {
	items, err := f.items()
	if err != nil {
		return err
	}
	switch format {
	case "rss":
		return f.writeRSS(w, items)
	case "atom":
		return f.writeAtom(w, items)
	case "json":
		return f.writeJSON(w, items)
	}
	return fmt.Errorf("feed: format %q is not known; the formats are %s", format, strings.Join(Formats, ", "))
}

// item is a change in words, ready for any format.
type item struct {
	id        string // a URN that stays with the change
	link      string // "" for none
	title     string // plain text
	content   string // HTML
	author    string // a name, "" for none
	kind      string // the type of the entity
	published time.Time
}

func (f *Feed) items() ([]item, error) {
	if err := checkTime(f.Updated); err != nil {
		return nil, fmt.Errorf("feed: %w", err)
	}
	items := make([]item, 0, len(f.Changes))
	for _, c := range f.Changes {
		if err := checkTime(c.Timestamp); err != nil {
			return nil, fmt.Errorf("feed: change %s of %s: %w", c.ID, c.Key(), err)
		}
		rows := changedRows(c, f.Titles)
		html, err := content(c, rows)
		if err != nil {
			return nil, fmt.Errorf("feed: change %s of %s: %w", c.ID, c.Key(), err)
		}
		items = append(items, item{
			id: changeURN + url.PathEscape(c.ID), link: f.entityLink(c), title: sentence(c, rows), content: html,
			author: clean(c.Author), kind: clean(c.Type), published: truncateToSecond(c.Timestamp),
		})
	}
	return items, nil
}

func (f *Feed) entityLink(c *record.Change) string {
	base := f.base()
	if base == "" {
		return ""
	}
	return base + "/" + url.PathEscape(c.Type) + "/" + url.PathEscape(c.Slug) + "/" // its page on the website
}

func (f *Feed) base() string { return strings.TrimRight(clean(f.Base), "/") }

func (f *Feed) title() string { return cmp.Or(clean(f.Title), generator) }

func (f *Feed) description() string {
	return cmp.Or(clean(f.Description), "Changes of "+f.title())
}

// updated is the time of the newest change where the caller gave none.
func (f *Feed) updated() time.Time {
	t := f.Updated
	if t.IsZero() {
		for _, c := range f.Changes {
			if c.Timestamp.After(t) {
				t = c.Timestamp
			}
		}
	}
	return truncateToSecond(t)
}

// relation is an address with its meaning, which RFC 5005 and RFC 4287 name.
type relation struct{ rel, href string }

func (f *Feed) relations() []relation {
	var list []relation
	for _, r := range []relation{
		{"self", f.Self}, {"first", f.First}, {"previous", f.Previous}, {"next", f.Next}, {"last", f.Last},
	} {
		if r.href = clean(r.href); r.href != "" {
			list = append(list, r)
		}
	}
	return list
}

func truncateToSecond(t time.Time) time.Time { return t.UTC().Truncate(time.Second) }

func checkTime(t time.Time) error {
	if year := t.UTC().Year(); year < 0 || year > 9999 {
		return fmt.Errorf("its time is in the year %d; feeds can tell the years 0 to 9999", year)
	}
	return nil
}

// clean makes one line of s that every format can hold: characters that XML 1.0
// excludes (fifth edition, section 2.2) are among the hidden ones.
func clean(s string) string {
	return safetext.Replace(strings.Join(strings.Fields(s), " "), "\ufffd")
}
