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
	"slices"
	"strings"
	"time"

	"kindex/exports/kinds"
	"kindex/exports/record"
	"kindex/exports/safetext"
)

// Formats lists the formats, starting with the default.
var Formats = []string{"rss", "atom", "json"}

var mediaTypes = map[string]string{"rss": "application/rss+xml", "atom": "application/atom+xml", "json": "application/feed+json"}

// MediaType returns the media type of a format, or "" if the format is not in
// Formats.
func MediaType(format string) string { return mediaTypes[format] }

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

	Updated time.Time // if there are no items; otherwise, a feed was updated with the newest
	Words   Words
	Changes []*record.Change // newest first
	// Refreshes describes those changes, by ID, that stand for all changes of a refresh.
	Refreshes map[string]*Refresh
	Weeks     []*record.Week // newest first; their items take their place among the changes
	Limit     int            // the maximum number of items, the newest ones; 0 for all
}

// Words names what changes are about.
type Words struct {
	Kinds      *kinds.Set
	Categories map[string]string // titles by slug
	// Name returns the name of the entity with an address such as tool/pytorch, or "" if it is unknown; nil if all are.
	Name func(address string) string
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
	items, updated, err := f.items()
	if err != nil {
		return err
	}
	switch format {
	case "rss":
		return f.writeRSS(w, items, updated)
	case "atom":
		return f.writeAtom(w, items, updated)
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

func (f *Feed) items() (items []item, updated time.Time, err error) {
	if err := checkTime(f.Updated); err != nil {
		return nil, updated, fmt.Errorf("feed: %w", err)
	}
	for _, c := range f.Changes {
		i, err := f.changeItem(c)
		if err != nil {
			return nil, updated, fmt.Errorf("feed: change %s to %s: %w", c.ID, c.Key(), err)
		}
		items = append(items, i)
	}
	for _, w := range f.Weeks {
		i, err := f.weekItem(w)
		if err != nil {
			return nil, updated, fmt.Errorf("feed: week %s: %w", w.ID, err)
		}
		items = append(items, i)
	}
	// A change at the end of a week belongs to the next one, and stays before it.
	slices.SortStableFunc(items, func(a, b item) int { return b.published.Compare(a.published) })
	if f.Limit > 0 {
		items = items[:min(f.Limit, len(items))]
	}
	updated = truncateToSecond(f.Updated)
	if len(items) > 0 {
		updated = items[0].published
	}
	return items, updated, nil
}

func (f *Feed) changeItem(c *record.Change) (i item, err error) {
	if err := checkTime(c.Timestamp); err != nil {
		return i, err
	}
	i = item{id: changeURN + url.PathEscape(c.ID), link: f.entityLink(c.Type, c.Slug), author: clean(c.Author), kind: clean(c.Type),
		published: truncateToSecond(c.Timestamp)}
	s, from := Summarize(c, f.Words), origin(c)
	if r := f.Refreshes[c.ID]; r != nil {
		s, from = SummarizeRefresh(r, f.Words), more(r)+from
		i.id, i.kind = refreshURN+url.PathEscape(r.ID), ""
		if i.link != "" {
			i.link = f.base() + RefreshPath(r.ID)
		}
	}
	i.title = s.Title
	i.content, err = contentOf(s, from)
	return i, err
}

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
