package api

import (
	"bytes"
	"fmt"
	"strings"

	"kindex/edge/query"
	"kindex/edge/web"
	"kindex/exports/calendar"
	"kindex/exports/record"
)

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
		return calendar.Events(b, c.Served.AsOf, set)
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
	return calendar.AllEvents(b, c.Served.AsOf, ordinals)
}
