package api

import (
	"net/url"
	"strconv"

	"github.com/RoaringBitmap/roaring/v2"

	"kindex/edge/live"
	"kindex/edge/query"
	"kindex/edge/web"
	"kindex/exports/view"
)

// collection assembles the body of a collection from records that were encoded
// at build time.
type collection struct {
	body  []byte
	items int
}

func newCollection(c *web.Call) *collection {
	return &collection{body: append(c.Buffer(), `{"data":[`...)}
}

// next starts the next item and returns the buffer to append the item to.
func (l *collection) next() []byte {
	if l.items > 0 {
		l.body = append(l.body, ',')
	}
	l.items++
	return l.body
}

// end completes the body. It adds the members in extra, which are encoded as JSON.
func (l *collection) end(v *live.ServedBuild, count int, extra ...string) *web.Reply {
	l.body = append(l.body, `],"count":`...)
	l.body = strconv.AppendInt(l.body, int64(count), 10)
	for _, e := range extra {
		l.body = append(append(l.body, ','), e...)
	}
	l.body = append(l.body, `,"build":"`...)
	l.body = append(append(l.body, v.ID()...), '"', '}', '\n')
	return &web.Reply{MediaType: web.JSONType, Body: l.body}
}

// linkNext adds a link to the next page of a collection.
func linkNext(c *web.Call, r *web.Reply, next string) {
	if next == "" {
		return
	}
	u := url.URL{Path: c.Request.URL.Path}
	r.Header = map[string][]string{"Link": {"<" + u.EscapedPath() + "?" + c.Query.WithCursor(next) + `>; rel="next"`}}
}

func nextCursor(next string) string {
	if next == "" {
		return `"nextCursor":null`
	}
	return `"nextCursor":"` + next + `"`
}

// cursorScope returns the part of the request that a cursor is valid for: the path and all
// parameters except the paging parameters.
func cursorScope(c *web.Call) string {
	return c.Request.URL.Path + "?" + c.Query.Canonical("limit", "offset", "cursor")
}

// readPage reads the paging parameters of a request.
func readPage(c *web.Call) (query.Page, error) {
	return c.Query.Page(func() string { return cursorScope(c) }, query.MaxLimit)
}

// selection is the result of reading a request's filters, fields and paging parameters.
type selection struct {
	catalogue *view.View
	asOf      string // the day of the catalogue, or "" for the present
	set       *roaring.Bitmap
	project   *projection
	page      query.Page
}

// readSelection reads a request's filters, fields and paging parameters. They apply to the
// records as of the given day, or to the current records if day is "".
func readSelection(c *web.Call, day string) (*selection, error) {
	s := &selection{asOf: day}
	var err error
	if s.catalogue, err = catalogueAt(c, day); err != nil {
		return nil, err
	}
	f, err := c.Query.Filter(categoriesAt(c, day), c.Served.Build)
	if err != nil {
		return nil, err
	}
	if s.project, err = readProjection(c); err != nil {
		return nil, err
	}
	if s.page, err = readPage(c); err != nil {
		return nil, err
	}
	s.set = s.catalogue.Select(f)
	return s, err
}

// Entities handles GET /api/entities.
func (a *API) Entities(c *web.Call) (*web.Reply, error) {
	sort, err := c.Query.Sort()
	if err != nil {
		return nil, err
	}
	day, err := atParam(c)
	if err != nil {
		return nil, err
	}
	sel, err := readSelection(c, day)
	if err != nil {
		return nil, err
	}
	page, next, err := orderedPage(c, sel, sort)
	if err != nil {
		return nil, err
	}
	list := newCollection(c)
	for _, o := range page {
		list.body = sel.project.append(list.next(), sel.catalogue.Record(o))
	}
	return pagedReply(c, list, sel, next), nil
}

// orderedPage returns one page of a sorted selection and the cursor of the next page, or "" if
// there is none.
func orderedPage(c *web.Call, sel *selection, sort view.Sort) (ordinals []uint32, next string, err error) {
	page := sel.page
	var after *view.Position
	if page.Cursor != nil {
		after = &page.Cursor.Position
	}
	ordinals, more, ok := sel.catalogue.Page(sel.set, sort, after, page.Offset, page.Limit)
	if !ok {
		return nil, "", &query.Error{Param: "cursor", Message: "does not match the sort order; start again without a cursor"}
	}
	if more {
		next = query.Cursor{Position: sel.catalogue.PositionOf(sort, ordinals[len(ordinals)-1])}.String(cursorScope(c))
	}
	return ordinals, next, nil
}

// pagedReply completes the response for one page of a selection, given the list of the page's
// records. It adds the members in extra.
func pagedReply(c *web.Call, list *collection, sel *selection, next string, extra ...string) *web.Reply {
	if sel.asOf != "" {
		extra = append(extra, `"asOf":"`+sel.asOf+`"`)
	}
	r := list.end(c.Served, int(sel.set.GetCardinality()), append(extra, nextCursor(next))...)
	linkNext(c, r, next)
	return r
}

// Categories handles GET /api/categories.
func (a *API) Categories(c *web.Call) (*web.Reply, error) {
	list := newCollection(c)
	for _, cat := range c.Served.Categories {
		list.body = web.AppendJSON(list.next(), cat)
	}
	return list.end(c.Served, len(c.Served.Categories)), nil
}
