package api

import (
	"bytes"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"github.com/RoaringBitmap/roaring/v2"

	"kindex/edge/query"
	"kindex/edge/web"
	"kindex/exports/calendar"
	"kindex/exports/didyoumean"
	"kindex/exports/feed"
	"kindex/exports/history"
	"kindex/exports/record"
)

const feedPageSize = 200

// Feed handles GET /api/feed.
func (a *API) Feed(c *web.Call) (*web.Reply, error) {
	format := c.Query.OneOf("format", feed.Formats[0], feed.Formats)
	set, figures, err := feedChanges(c)
	if err != nil {
		return nil, err
	}
	entries, weeks := c.Served.News.Entries(set), feedWeeks(c, figures)
	pages := max(1, (int(entries.GetCardinality())+len(weeks)+feedPageSize-1)/feedPageSize)
	page := c.Query.Int("page", 1, 1, pages)
	doc := feedDocument(c, set, entries, weeks, page, pages)
	var body bytes.Buffer
	err = doc.Write(&body, format)
	return &web.Reply{MediaType: feed.MediaType(format), Body: body.Bytes()}, err
}

func feedChanges(c *web.Call) (set *roaring.Bitmap, figures bool, err error) {
	set, figures = selectChanges(c)
	if key := c.Query.Text("entity"); key != "" {
		f, err := findKey(c, key)
		if err != nil {
			return nil, false, err
		}
		set.And(roaring.BitmapOf(f.changes(c)...))
	}
	return set, figures, nil
}

// findKey looks up the entity with the key type/slug, which an entity parameter names. Subscriptions under a
// former slug and to a deleted entity continue to work.
func findKey(c *web.Call, key string) (found, error) {
	typ, slug, _ := strings.Cut(key, "/")
	f := find(c, typ, slug)
	if f.known {
		return f, nil
	}
	unknown := &query.Error{Param: "entity", Message: fmt.Sprintf("%q is not an entity: use type/slug, such as tool/pytorch", web.Shorten(key))}
	if kinds := c.Served.Build.Kinds(); kinds.Kind(typ) == nil {
		typ = didyoumean.Name(typ, kinds.Names())
	}
	if similar := c.Served.SimilarSlugs(typ, web.Shorten(slug)); len(similar) > 0 {
		unknown.Suggestion = typ + "/" + similar[0]
	}
	return f, unknown
}

// feedWeeks returns the weeks in a feed. A feed that is narrowed down has none, because a week is
// about the figures of entities of all types and categories.
func feedWeeks(c *web.Call, figures bool) []*record.Week {
	if !figures || c.Query.Has("type") || c.Query.Has("category") || c.Query.Has("entity") {
		return nil
	}
	return c.Served.Build.History().Weeks()
}

// weeksOnPage returns the weeks among a page of items, newest first, and the number of weeks
// before the page. Weeks are only in feeds of all changes.
func weeksOnPage(a *history.Archive, entries *roaring.Bitmap, weeks []*record.Week, skip int) (on []*record.Week, before int) {
	for i, w := range weeks {
		older := entries.Clone()
		older.RemoveRange(uint64(a.ChangesSince(w.End)), uint64(a.Changes())) //nolint:gosec // a change at the end of the week is newer
		newer := int(entries.GetCardinality() - older.GetCardinality())
		switch at := newer + i; {
		case at < skip:
			before++
		case at < skip+feedPageSize:
			on = append(on, w)
		}
	}
	return on, before
}

// feedDocument returns one page of a feed (RFC 5005 section 3): entries, and what they stand for in set.
func feedDocument(c *web.Call, set, entries *roaring.Bitmap, weeks []*record.Week, page, pages int) *feed.Feed {
	b := c.Served.Build
	base := c.BaseURL()
	at := func(n int) string {
		q := c.Request.URL.Query()
		if q.Set("page", strconv.Itoa(n)); n == 1 {
			q.Del("page")
		}
		u := url.URL{Path: c.Request.URL.Path, RawQuery: q.Encode()}
		return base + u.String()
	}
	doc := &feed.Feed{Title: titleWith(c, "entity", "type", "category"), Description: b.Manifest.Description, Base: base, Self: at(page),
		First: at(1), Last: at(pages), Updated: b.Manifest.LastModified(), Words: feed.Words{Kinds: b.Kinds(), Categories: c.Served.Titles, Name: b.NameOf}, Refreshes: map[string]*feed.Refresh{}}
	if page > 1 {
		doc.Previous = at(page - 1)
	}
	if page < pages {
		doc.Next = at(page + 1)
	}
	skip := (page - 1) * feedPageSize
	on, before := weeksOnPage(b.History(), entries, weeks, skip)
	doc.Weeks = on
	indexes, _ := newestFirst(entries, skip-before, feedPageSize-len(on))
	for _, i := range indexes {
		change := b.History().Change(i)
		doc.Changes = append(doc.Changes, change)
		if refresh := c.Served.News.Refresh(i, set); refresh != nil {
			doc.Refreshes[change.ID] = refresh
		}
	}
	return doc
}

// titleWith returns the title of a document: the name of the index, followed by the values of
// the parameters that narrow it.
func titleWith(c *web.Call, params ...string) string {
	title, separator := c.Served.Build.Manifest.Title, ": "
	for _, name := range params {
		for _, value := range c.Query.Given[name] {
			title, separator = title+separator+value, ", "
		}
	}
	return title
}

const maxCalendarEntities = 50

// Calendar handles GET /api/calendar.
func (a *API) Calendar(c *web.Call) (*web.Reply, error) {
	events, err := calendarEvents(c)
	if err != nil {
		return nil, err
	}
	about := fmt.Sprintf("Releases of the last %d days, and deprecations and retirements of the past year and the future.", calendar.ReleaseDays)
	if c.Query.Has("entity") {
		about = "Releases, deprecations and retirements."
	}
	doc := &calendar.Calendar{Title: titleWith(c, "entity", "type", "category", "provider"), Description: about,
		Base: c.BaseURL(), Self: c.BaseURL() + c.Request.URL.RequestURI(), AsOf: c.Served.AsOf, Events: events}
	var body bytes.Buffer
	err = doc.Write(&body)
	return &web.Reply{MediaType: calendar.MediaType, Body: body.Bytes()}, err
}

func calendarEvents(c *web.Call) ([]calendar.Event, error) {
	b := c.Served.Build
	f := c.Query.Filter(c.Served.Slugs, b)
	f.Fields["status"] = each(record.Statuses, func(status string) []string { return []string{status} }) // a retirement stays when the entity is withdrawn
	set := b.Select(f)
	keys := c.Query.Given["entity"]
	if len(keys) == 0 {
		return calendar.Events(b, c.Served.AsOf, set), nil
	}
	if len(keys) > maxCalendarEntities {
		return nil, &query.Error{Param: "entity", Message: fmt.Sprintf("has %d values; at most %d are allowed", len(keys), maxCalendarEntities)}
	}
	var ordinals []uint32
	for _, key := range keys {
		f, err := findKey(c, key)
		if err != nil {
			return nil, err
		}
		if f.present && set.CheckedRemove(f.ordinal) { // each entity only once
			ordinals = append(ordinals, f.ordinal)
		}
	}
	return calendar.AllEvents(b, c.Served.AsOf, ordinals), nil
}
