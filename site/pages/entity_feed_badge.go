package pages

import (
	"bytes"
	"slices"

	"kindex/exports/feed"
	"kindex/exports/history"
	"kindex/exports/record"
	"kindex/site/badge"
	"kindex/site/siteurl"
)

// Programs load two files about an entity repeatedly: the feed of its changes and its badge.
// If there is an API, it serves the feed and the badge. A static site has both as files, at
// every address that the entity has ever had, because a static site cannot redirect feed
// readers or image requests.

// The names of these files, which are in the folder of the entity's page.
const (
	feedFile  = "feed.xml"
	badgeFile = "badge.svg"
)

// entityFeedLength is the number of changes in a feed, the same as on a page of the API's
// feed.
const entityFeedLength = 200

// subject is the entity at an address. It may have moved or been deleted.
type subject struct {
	typ, slug string // its present key, or the key that it had when it was deleted
	ordinal   uint32
	deleted   bool
	last      record.Version // that deleted it
	changes   []uint32       // oldest first
}

// path returns the path of its page.
func (x *subject) path() string { return siteurl.Entity(x.typ, x.slug) }

// subject returns the entity that has or had an address, or nil if there is none.
func (s *Site) subject(typ, slug string) *subject {
	o, _, ok := s.Build.Find(typ, slug)
	if !ok {
		now, standing := s.Build.ResolveRemoved(typ, slug)
		switch standing {
		case history.Exists:
			o, _, ok = s.Build.Find(now.Type, now.Slug)
		case history.Gone:
			last, _ := s.Build.History().Last(typ, slug)
			return &subject{typ: typ, slug: slug, deleted: true, last: now, changes: s.Build.History().EntityChanges(last)}
		}
	}
	if !ok {
		return nil
	}
	typ, slug = s.Build.Key(o)
	return &subject{typ: typ, slug: slug, ordinal: o, changes: s.changesOf(o)}
}

// entityFeed renders the feed of changes to an entity, as RSS.
func (r *request) entityFeed() (*page, error) {
	of := r.subject(r.arg("type"), r.arg("slug"))
	if of == nil {
		return r.notFound(), nil
	}
	return r.fileOr(entityFeedPath(of.typ, of.slug), func() ([]byte, string, error) {
		m := r.Build.Manifest
		doc := &feed.Feed{Title: m.Title + ": " + of.typ + "/" + of.slug, Description: m.Description, Base: r.Base,
			Self: r.absolute(of.path() + feedFile), Updated: m.LastModified(), Words: r.words()}
		for _, i := range slices.Backward(of.changes[max(0, len(of.changes)-entityFeedLength):]) {
			change, err := r.Build.History().Change(int(i))
			if err != nil {
				return nil, "", err
			}
			doc.Changes = append(doc.Changes, change)
		}
		if len(doc.Changes) > 0 {
			doc.Updated = doc.Changes[0].Timestamp
		}
		var body bytes.Buffer
		err := doc.Write(&body, "rss")
		return body.Bytes(), feed.MediaType("rss"), err
	})
}

// entityBadge renders the score badge of an entity.
func (r *request) entityBadge() (*page, error) {
	of := r.subject(r.arg("type"), r.arg("slug"))
	if of == nil {
		return r.notFound(), nil
	}
	return r.fileOr("/badge/"+of.typ+"/"+of.slug+".svg", func() ([]byte, string, error) {
		show := badge.Kinds[0]
		message, colour := badge.Deleted()
		if !of.deleted {
			var err error
			if message, colour, err = badge.Describe(r.Build, r.Own, r.categoryTitle, of.ordinal, show); err != nil {
				return nil, "", err
			}
		}
		return badge.SVG(badge.DefaultLabel(r.Build.Manifest, show), message, colour), "image/svg+xml", nil
	})
}
