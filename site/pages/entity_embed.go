package pages

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"html"
	"slices"
	"strings"

	"kindex/exports/croissant"
	"kindex/exports/feed"
	"kindex/exports/history"
	"kindex/exports/kinds"
	"kindex/exports/record"
	"kindex/site"
	"kindex/site/badge"
	"kindex/site/siteurl"
	"kindex/site/textfmt"
)

// embedCode holds the code and links for embedding and citing an entity elsewhere.
type embedCode struct {
	Badge    string // URL of the image
	Markdown string // code that shows the badge; "" if the badge's absolute URL is unknown
	HTML     string
	Cite     string
	BibTeX   string
	Data     []link // other forms of the entity, with their media types
	Shows    []link // other badges, by what they show
	Hosted   bool   // the badge is on this site, so the site's pages may load it
}

type snippet struct{ Name, Text string }

func (r *request) embedCode(d *entityPage) *embedCode {
	u, here, image := &embedCode{}, r.Abs(d.Now), ""
	object, text, changes := r.to(d.Now+"entity.json"), r.to(d.Now+"entity.md"), r.to(d.Now+"history.json")
	if d.Scored() {
		u.Badge, u.Hosted = r.to(d.Now+badgeFile), true
		image = r.Abs(d.Now + badgeFile)
	}
	if r.served() {
		object = r.api("/api/entity/" + d.Key())
		text, changes = object+".md", object+"/changelog"
		if d.Scored() {
			path := "/badge/" + d.Key() + ".svg"
			u.Badge, u.Hosted = r.api(path), r.API == ""
			image = cmp.Or(r.API, r.Base) + path
			for _, kind := range badge.Kinds[1:] {
				if kind != "price" || r.kinds().Kind(d.Type).HasBlock(kinds.Offers) {
					u.Shows = append(u.Shows, link{Name: kind, To: u.Badge + "?show=" + kind})
				}
			}
		}
	}
	u.Data = []link{{"JSON", object, "application/json"}, {"Markdown", text, "text/markdown"}, {Name: "History (JSON)", To: changes}}
	if r.served() && d.Scored() {
		u.Data = slices.Insert(u.Data, 2, link{Name: "Score (JSON)", To: object + "/score"})
	}
	if image != "" {
		title, to := textfmt.Name(r.Build.Manifest.Title)+" score", cmp.Or(here, d.Now)
		u.Markdown = fmt.Sprintf("[![%s](%s)](%s)", site.Text(title), image, to)
		u.HTML = fmt.Sprintf(`<a href="%s"><img src="%s" alt="%s"></a>`, html.EscapeString(to), html.EscapeString(image), html.EscapeString(title))
	}
	u.addCitation(r, d, here)
	return u
}

// addCitation fills in the citations. The access date is the as-of day, because the build
// always shows the state on that day.
func (u *embedCode) addCitation(r *request, d *entityPage, address string) {
	m := r.Build.Manifest
	name, maker, title := textfmt.Name(d.Name), textfmt.Name(d.Provider), textfmt.Name(m.Title)
	var about []string
	switch {
	case d.Scores.Composite.Known():
		about = append(about, fmt.Sprintf("score %s of 100", d.Scores.Composite))
	case d.Scored():
		about = append(about, "no score")
	}
	if d.Standing != nil {
		about = append(about, standingWords(d.Standing))
	}
	standing := strings.Join(about, ", ")
	u.Cite = "“" + name
	if maker != "" && record.Fold(d.Provider) != record.Fold(d.Name) {
		u.Cite += " (" + maker + ")"
	}
	if u.Cite += "”. In: " + title + ", as of " + d.AsOf; standing != "" {
		u.Cite += "; " + standing
	}
	if u.Cite += ". Build " + m.ID + "."; address != "" {
		u.Cite += " " + address + " (accessed " + d.AsOf + ")."
	}
	u.BibTeX = fmt.Sprintf("@misc{%s-%s,\n", d.Type, d.Slug)
	for _, f := range [][2]string{{"title", "{" + croissant.EscapeTeX(name) + "}"}, {"author", "{" + croissant.EscapeTeX(maker) + "}"}, {"howpublished", croissant.EscapeTeX(title)}, {"year", d.AsOf[:4]}, {"url", address}, {"urldate", d.AsOf},
		{"note", croissant.EscapeTeX(strings.TrimPrefix(textfmt.Capitalize(standing)+"; build "+m.ID, "; "))}} {
		if f[1] != "" && f[1] != "{}" { // braces keep the letters of a name as they are
			u.BibTeX += fmt.Sprintf("  %s = {%s},\n", f[0], f[1])
		}
	}
	u.BibTeX += "}"
}

// entityFile responds with a file about the entity at an address, or redirects to the API, which has it at the given
// path. Only with former is it also at former addresses, and those of deleted entities.
func (r *request) entityFile(api string, former bool, write func(of *subject) ([]byte, string, error)) (*page, error) {
	of := r.subject(r.args["type"], r.args["slug"])
	switch {
	case of == nil, !former && (of.deleted || of.typ != r.args["type"] || of.slug != r.args["slug"]):
		return r.notFound(), nil
	case !r.Static:
		path, query, _ := strings.Cut(fmt.Sprintf(api, of.typ+"/"+of.slug), "?")
		return r.moved(path, query), nil
	}
	body, mediaType, err := write(of)
	return file(mediaType, body, 0), err
}

// entityChangesJSON renders the changes to an entity, newest first.
func (r *request) entityChangesJSON() (*page, error) {
	return r.entityFile("/api/entity/%s/changelog", false, func(of *subject) ([]byte, string, error) {
		changes := []json.RawMessage{}
		for _, i := range slices.Backward(of.changes) {
			changes = append(changes, r.Build.History().ChangeLine(int(i)))
		}
		body, err := json.Marshal(map[string]any{"data": changes, "count": len(changes), "build": r.Build.Manifest.ID})
		return append(body, '\n'), "application/json", err
	})
}

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
	return r.entityFile("/api/feed?"+entityFeed+"%s", true, func(of *subject) ([]byte, string, error) {
		m := r.Build.Manifest
		doc := &feed.Feed{Title: m.Title + ": " + of.typ + "/" + of.slug, Description: m.Description, Base: r.Base,
			Self: r.Abs(of.path() + feedFile), Updated: m.LastModified(), Words: r.words()}
		for _, i := range slices.Backward(of.changes[max(0, len(of.changes)-entityFeedLength):]) {
			doc.Changes = append(doc.Changes, r.Build.History().Change(int(i)))
		}
		var body bytes.Buffer
		err := doc.Write(&body, "rss")
		return body.Bytes(), feed.MediaType("rss"), err
	})
}

// entityBadge renders the score badge of an entity.
func (r *request) entityBadge() (*page, error) {
	return r.entityFile("/badge/%s.svg", true, func(of *subject) ([]byte, string, error) {
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
