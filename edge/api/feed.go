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

// feedPageSize is the number of items on one page of a feed.
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
	if err := doc.Write(&body, format); err != nil {
		return nil, err
	}
	return &web.Reply{MediaType: feed.MediaType(format), Body: body.Bytes()}, nil
}

// feedChanges returns the changes in a feed, and whether figures are among them.
func feedChanges(c *web.Call) (set *roaring.Bitmap, figures bool, err error) {
	set, figures = selectChanges(c)
	key := c.Query.Text("entity")
	if key == "" {
		return set, figures, nil
	}
	list, err := changesOfKey(c, key)
	if err != nil {
		return nil, false, err
	}
	set.And(roaring.BitmapOf(list...))
	return set, figures, nil
}

// changesOfKey returns the changes to the entity with the key type/slug. Subscriptions under a
// former slug continue to work.
func changesOfKey(c *web.Call, key string) ([]uint32, error) {
	typ, slug, _ := strings.Cut(key, "/")
	f := find(c, typ, slug)
	if !f.known {
		return nil, unknownKey(c, key)
	}
	return f.changes(c), nil
}

// unknownKey returns the error for an entity parameter that has never been the key of an entity.
func unknownKey(c *web.Call, key string) error {
	typ, slug, _ := strings.Cut(key, "/")
	paramErr := &query.Error{Param: "entity", Message: fmt.Sprintf("%q is not an entity: use type/slug, such as tool/pytorch", web.Shorten(key))}
	if c.Served.Build.Kinds().Kind(typ) == nil {
		typ = didyoumean.Name(typ, c.Served.Build.Kinds().Names())
	}
	if similar := c.Served.SimilarSlugs(typ, web.Shorten(slug)); len(similar) > 0 {
		paramErr.Suggestion = typ + "/" + similar[0]
	}
	return paramErr
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
	title := c.Served.Build.Manifest.Title
	var narrowed []string
	for _, name := range params {
		narrowed = append(narrowed, c.Query.Values(name)...)
	}
	if len(narrowed) == 0 {
		return title
	}
	return title + ": " + strings.Join(narrowed, ", ")
}

// maxCalendarEntities is the maximum number of entities that a calendar can name.
const maxCalendarEntities = 50

// Calendar handles GET /api/calendar.
func (a *API) Calendar(c *web.Call) (*web.Reply, error) {
	base := c.BaseURL()
	r := &web.Reply{MediaType: calendar.MediaType}
	events, err := calendarEvents(c)
	if err != nil {
		return nil, err
	}
	doc := &calendar.Calendar{Title: titleWith(c, "entity", "type", "category", "provider"), Description: calendarDescription(c),
		Base: base, Self: base + c.Request.URL.RequestURI(), AsOf: c.Served.AsOf, Events: events}
	var body bytes.Buffer
	if err := doc.Write(&body); err != nil {
		return nil, err
	}
	r.Body = body.Bytes()
	return r, nil
}

func calendarDescription(c *web.Call) string {
	if c.Query.Has("entity") {
		return "Releases, deprecations and retirements."
	}
	return fmt.Sprintf("Releases of the last %d days, and deprecations and retirements of the past year and the future.", calendar.ReleaseDays)
}

// calendarEvents returns the events of the entities that a request selects.
func calendarEvents(c *web.Call) ([]calendar.Event, error) {
	f := c.Query.Filter(c.Served.Slugs, c.Served.Build)
	f.Fields["status"] = nil // a retirement stays when the entity is withdrawn
	for _, status := range record.Statuses {
		f.Fields["status"] = append(f.Fields["status"], []string{status})
	}
	b := c.Served.Build
	set := b.Select(f)
	keys := c.Query.Values("entity")
	if len(keys) == 0 {
		return calendar.Events(b, c.Served.AsOf, set), nil
	}
	if len(keys) > maxCalendarEntities {
		return nil, &query.Error{Param: "entity", Message: fmt.Sprintf("has %d values; at most %d are allowed", len(keys), maxCalendarEntities)}
	}
	var ordinals []uint32
	for _, key := range keys {
		// Subscriptions under a former slug continue to work, and those of a deleted entity are empty.
		typ, slug, _ := strings.Cut(key, "/")
		switch f := find(c, typ, slug); {
		case !f.present && f.deleted(c, typ, slug) == nil:
			return nil, unknownKey(c, key)
		case f.present && set.CheckedRemove(f.ordinal): // each entity only once
			ordinals = append(ordinals, f.ordinal)
		}
	}
	return calendar.AllEvents(b, c.Served.AsOf, ordinals), nil
}
