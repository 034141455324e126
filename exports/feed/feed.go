// Package feed writes changes as RSS, Atom and JSON feeds.
//
// The formats are RSS 2.0, Atom (RFC 4287) and JSON Feed 1.1, paged as in RFC 5005,
// section 3. Each change is one item. Its title is a sentence, and its content
// lists what changed. A refresh is one item, too, however many changes it has. Each completed week with movers is one item too, dated by its end.
//
// Names and values are untrusted. They are treated as text, never as markup:
// characters that XML 1.0 does not allow become U+FFFD in all formats, and any
// run of white space becomes one space.
package feed

import (
	"cmp"
	"fmt"
	"io"
	"net/url"
	"strings"
	"time"

	"kindex/exports/kinds"
	"kindex/exports/record"
	"kindex/exports/safetext"
)

// Formats lists the formats, starting with the default.
var Formats = []string{"rss", "atom", "json"}

// MediaType returns the media type of a format, or "" if the format is not in
// Formats.
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

// Feed is one page of changes, or a feed with all of them. Its methods do not modify it and
// may be called concurrently.
type Feed struct {
	Title, Description string

	// Base is the public URL of the index, such as https://index.example.org. If it is
	// "", items have no links.
	Base string
	// Self is the URL of this document, or "" if it has none.
	Self string
	// First, Last, Next and Previous are the URLs of other pages, or "" if there is
	// no such page. JSON Feed supports only Next.
	First, Last, Next, Previous string

	Updated time.Time // time of the newest item; if it is zero, Write uses that of the newest item
	Words   Words
	Changes []*record.Change // newest first
	// Refreshes describes those changes, by ID, that stand for all changes of a refresh.
	Refreshes map[string]*Refresh
	Weeks     []*record.Week // newest first; their items take their place among the changes
}

// Words names what changes are about.
type Words struct {
	Kinds      *kinds.Set
	Categories map[string]string // titles by slug
}

// Fixed and default values. RSS requires a URL for the index: indexURN is a valid URL,
// although it cannot be opened.
const (
	indexURN  = "urn:kindex:index"
	feedURN   = "urn:kindex:feed"
	changeURN = "urn:kindex:change:"
	weekURN   = "urn:kindex:week:"
	generator = "kindex"
	language  = "en" // language of the generated sentences
)

// Write writes the feed in one of the Formats. The output is deterministic. Write
// returns an error if the format is unknown, if a time cannot be represented in the
// formats, or if writing to w fails.
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
	return fmt.Errorf("feed: unknown format %q (expected one of: %s)", format, strings.Join(Formats, ", "))
}

// item is a change, or a week, in words, ready for any format.
type item struct {
	id        string // a permanent URN
	link      string // "" if there is none
	title     string // plain text
	content   string // HTML
	author    string // a name, or "" if there is none
	kind      string // the type of the entity, or "" for a week or a refresh
	published time.Time
}

func (f *Feed) items() ([]item, error) {
	if err := checkTime(f.Updated); err != nil {
		return nil, fmt.Errorf("feed: %w", err)
	}
	items := make([]item, 0, len(f.Changes)+len(f.Weeks))
	changes, weeks := f.Changes, f.Weeks
	for len(changes)+len(weeks) > 0 {
		var i item
		var err error
		if weekFirst(changes, weeks) {
			i, err = f.weekItem(weeks[0])
			weeks = weeks[1:]
		} else {
			i, err = f.changeItem(changes[0])
			changes = changes[1:]
		}
		if err != nil {
			return nil, err
		}
		items = append(items, i)
	}
	return items, nil
}

// weekFirst reports whether a week is the newest of the changes and weeks. A change at the end of
// a week belongs to the next one, and is newer.
func weekFirst(changes []*record.Change, weeks []*record.Week) bool {
	return len(weeks) > 0 && (len(changes) == 0 || changes[0].Timestamp.Before(weeks[0].End))
}

// Truncate keeps the newest n items.
func (f *Feed) Truncate(n int) {
	for len(f.Changes)+len(f.Weeks) > n {
		changes, weeks := len(f.Changes), len(f.Weeks)
		if weeks > 0 && (changes == 0 || !f.Changes[changes-1].Timestamp.Before(f.Weeks[weeks-1].End)) {
			f.Weeks = f.Weeks[:weeks-1]
		} else {
			f.Changes = f.Changes[:changes-1]
		}
	}
}

// Newest returns the time of the newest item, or the zero time if there is none.
func (f *Feed) Newest() (t time.Time) {
	for _, c := range f.Changes {
		if c.Timestamp.After(t) {
			t = c.Timestamp
		}
	}
	if len(f.Weeks) > 0 && f.Weeks[0].End.After(t) {
		t = f.Weeks[0].End
	}
	return t
}

// changeItem describes a change in words.
func (f *Feed) changeItem(c *record.Change) (item, error) {
	if err := checkTime(c.Timestamp); err != nil {
		return item{}, fmt.Errorf("feed: change %s to %s: %w", c.ID, c.Key(), err)
	}
	if r := f.Refreshes[c.ID]; r != nil {
		return f.refreshItem(c, r)
	}
	rows := changedRows(c, f.Words)
	lead, list := lines(c, rows)
	html, err := contentOf(lead, list, origin(c))
	if err != nil {
		return item{}, fmt.Errorf("feed: change %s to %s: %w", c.ID, c.Key(), err)
	}
	return item{
		id: changeURN + url.PathEscape(c.ID), link: f.entityLink(c.Type, c.Slug), title: sentence(c, rows), content: html,
		author: clean(c.Author), kind: clean(c.Type), published: truncateToSecond(c.Timestamp),
	}, nil
}

// entityLink returns the address of the entity's page on the website, or "" without a base.
func (f *Feed) entityLink(typ, slug string) string {
	base := f.base()
	if base == "" {
		return ""
	}
	return base + "/" + url.PathEscape(typ) + "/" + url.PathEscape(slug) + "/"
}

func (f *Feed) base() string { return strings.TrimRight(clean(f.Base), "/") }

func (f *Feed) title() string { return cmp.Or(clean(f.Title), generator) }

func (f *Feed) description() string {
	return cmp.Or(clean(f.Description), "Changes to "+f.title())
}

// updated returns Updated or, if that is not set, the time of the newest item.
func (f *Feed) updated() time.Time {
	t := f.Updated
	if t.IsZero() {
		t = f.Newest()
	}
	return truncateToSecond(t)
}

// relation is a link with its relation type, as defined in RFC 5005 and RFC 4287.
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
		return fmt.Errorf("year %d is out of range; feeds support the years 0 to 9999", year)
	}
	return nil
}

// clean turns s into one line that every format supports. The characters that XML
// 1.0 excludes (fifth edition, section 2.2) are all hidden characters.
func clean(s string) string {
	return safetext.Replace(strings.Join(strings.Fields(s), " "), "\ufffd")
}
