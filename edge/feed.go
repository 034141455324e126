package edge

import (
	"bytes"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/RoaringBitmap/roaring/v2"

	"kindex/edge/query"
	"kindex/exports"
	"kindex/exports/didyoumean"
	"kindex/exports/feed"
)

// feedPage is how many changes a document of a feed holds.
const feedPage = 200

// GET /api/feed
func (s *Server) feed(c *call) (*reply, error) {
	format, err := c.query.OneOf("format", feed.Formats[0], feed.Formats)
	if err != nil {
		return nil, err
	}
	set, err := c.feedChanges()
	if err != nil {
		return nil, err
	}
	pages := max(1, (int(set.GetCardinality())+feedPage-1)/feedPage)
	page, err := c.query.Int("page", 1, 1, pages)
	if err != nil {
		return nil, err
	}
	doc, err := c.feedDocument(set, page, pages)
	if err != nil {
		return nil, err
	}
	var body bytes.Buffer
	if err := doc.Write(&body, format); err != nil {
		return nil, err
	}
	return &reply{mediaType: feed.MediaType(format), body: body.Bytes()}, nil
}

// feedChanges are the changes that a feed is about.
func (c *call) feedChanges() (*roaring.Bitmap, error) {
	f, err := c.changeFilter()
	if err != nil {
		return nil, err
	}
	set := c.view.build.Archive().SelectChanges(f)
	key, err := c.query.Text("entity")
	if err != nil || key == "" {
		return set, err
	}
	list, err := c.changesOfKey(key)
	if err != nil {
		return nil, err
	}
	set.And(roaring.BitmapOf(list...))
	return set, nil
}

// changesOfKey are the changes of the entity that type/slug means. Who subscribed
// to it under another slug goes on reading.
func (c *call) changesOfKey(key string) ([]uint32, error) {
	typ, slug, _ := strings.Cut(key, "/")
	b := c.view.build
	a := b.Archive()
	if o, _, ok := b.Find(typ, slug); ok {
		if v, ok := a.NewestOf(o); ok {
			return a.EntityChanges(v), nil
		}
		return nil, nil
	}
	if last, ok := a.Last(typ, slug); ok {
		return a.EntityChanges(last), nil
	}
	wrong := &query.Error{Param: "entity", Message: fmt.Sprintf("%q is no entity: use type/slug, such as tool/pytorch", shorten(key))}
	if !slices.Contains(exports.Types, typ) {
		typ = didyoumean.Name(typ, exports.Types)
	}
	near, err := c.view.nearSlugs(typ, slug)
	if err != nil {
		return nil, err
	}
	if len(near) > 0 {
		wrong.Suggestion = typ + "/" + near[0]
	}
	return nil, wrong
}

// feedDocument is one page of a feed (RFC 5005 section 3).
func (c *call) feedDocument(set *roaring.Bitmap, page, pages int) (*feed.Feed, error) {
	b := c.view.build
	base := c.base()
	at := func(n int) string {
		q := c.request.URL.Query()
		if q.Set("page", strconv.Itoa(n)); n == 1 {
			q.Del("page")
		}
		u := url.URL{Path: c.request.URL.Path, RawQuery: q.Encode()}
		return base + u.String()
	}
	doc := &feed.Feed{Title: c.feedTitle(), Description: b.Manifest.Description, Base: base, Self: at(page),
		First: at(1), Last: at(pages), Updated: b.Manifest.LastModified(), Titles: c.view.titles}
	if page > 1 {
		doc.Previous = at(page - 1)
	}
	if page < pages {
		doc.Next = at(page + 1)
	}
	places, _ := newestFirst(set, (page-1)*feedPage, feedPage)
	for _, i := range places {
		change, err := b.Archive().Change(i)
		if err != nil {
			return nil, err
		}
		doc.Changes = append(doc.Changes, change)
	}
	if len(doc.Changes) > 0 {
		doc.Updated = doc.Changes[0].Timestamp
	}
	return doc, nil
}

// feedTitle names the index, and what a feed is narrowed to.
func (c *call) feedTitle() string {
	title := c.view.build.Manifest.Title
	var narrowed []string
	for _, name := range []string{"entity", "type", "category"} {
		narrowed = append(narrowed, c.query.Values(name)...)
	}
	if len(narrowed) == 0 {
		return title
	}
	return title + ": " + strings.Join(narrowed, ", ")
}

// base is the address under which clients reach the service, without a slash at
// its end: as the operator says, else as the content says, else as this client
// has reached it. A client of HTTP/1.0 need not say that; then it is "".
func (c *call) base() string {
	if said := c.publicAddress(); said != "" {
		return said
	}
	if c.request.Host == "" {
		return ""
	}
	u := url.URL{Scheme: "http", Host: c.request.Host}
	if c.request.TLS != nil {
		u.Scheme = "https"
	}
	return u.String()
}

// publicAddress is the address of the service that the operator, or else the content,
// has said, without a slash at its end; "" where neither has.
func (c *call) publicAddress() string {
	said := c.server.options.URL
	if said == "" && c.view != nil {
		said = string(c.view.build.Manifest.URL)
	}
	return strings.TrimSuffix(said, "/")
}
