package edge

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"

	"github.com/RoaringBitmap/roaring/v2"

	"kindex/edge/query"
	"kindex/exports"
)

const (
	jsonType    = "application/json"
	problemType = "application/problem+json"
)

// collection assembles the body of a collection from records that were encoded
// at build time.
type collection struct {
	body  []byte
	items int
}

func newCollection(c *call) *collection {
	return &collection{body: append(c.buffer(), `{"data":[`...)}
}

// next begins the next item and returns the buffer to append it to.
func (l *collection) next() []byte {
	if l.items > 0 {
		l.body = append(l.body, ',')
	}
	l.items++
	return l.body
}

// end completes the body. extra are further members, in JSON.
func (l *collection) end(v *view, count int, extra ...string) *reply {
	l.body = append(l.body, `],"count":`...)
	l.body = strconv.AppendInt(l.body, int64(count), 10)
	for _, e := range extra {
		l.body = append(append(l.body, ','), e...)
	}
	l.body = append(l.body, `,"build":"`...)
	l.body = append(append(l.body, v.id()...), '"', '}', '\n')
	return &reply{mediaType: jsonType, body: l.body}
}

// object completes a record or another object with the build that it is from.
func entityObject(v *view, dst, record []byte) []byte {
	dst = append(dst, record[:len(record)-1]...)
	dst = append(append(append(dst, `,"build":"`...), v.id()...), '"', '}', '\n')
	return dst
}

// pagination adds the place of the next page to a collection.
func linkNext(c *call, r *reply, next string) {
	if next == "" {
		return
	}
	q := c.request.URL.Query()
	q.Del("offset")
	q.Set("cursor", next)
	u := url.URL{Path: c.request.URL.Path, RawQuery: q.Encode()}
	r.header = map[string][]string{"Link": {fmt.Sprintf("<%s>; rel=\"next\"", u.String())}}
}

func nextCursor(next string) string {
	if next == "" {
		return `"nextCursor":null`
	}
	return `"nextCursor":"` + next + `"`
}

// scope is what a cursor is bound to: the address and all parameters but those
// of paging.
func cursorScope(c *call) string {
	return c.request.URL.Path + "?" + c.query.Canonical("limit", "offset", "cursor")
}

// selection is what a request for records asks for.
type selection struct {
	from    exports.Catalogue
	asOf    string // the day of the catalogue, "" for the present
	set     *roaring.Bitmap
	project *projection
	page    query.Page
}

// selection reads the filters, fields and paging of a request for the records of
// a day, "" for the present.
func readSelection(c *call, day string) (*selection, error) {
	s := &selection{}
	var err error
	if s.from, s.asOf, err = recordsAt(c, day); err != nil {
		return nil, err
	}
	f, err := c.query.Filter(categoriesAt(c, day))
	if err != nil {
		return nil, err
	}
	if s.project, err = readProjection(c); err != nil {
		return nil, err
	}
	if s.page, err = c.query.Page(cursorScope(c), query.MaxLimit); err != nil {
		return nil, err
	}
	s.set, err = s.from.Select(f)
	return s, err
}

// GET /api/entities
func (a *API) entities(c *call) (*reply, error) {
	sort, err := c.query.Sort()
	if err != nil {
		return nil, err
	}
	day, err := asOfDay(c)
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
		list.body = sel.project.append(list.next(), sel.from.Record(o))
	}
	return pagedReply(c, list, sel, next), nil
}

// ordered returns the page of a selection in an order, and the cursor of the
// page behind it, "" for none.
func orderedPage(c *call, sel *selection, sort exports.Sort) (ordinals []uint32, next string, err error) {
	page := sel.page
	var after *exports.Place
	if page.Cursor != nil {
		after = &page.Cursor.Place
	}
	ordinals, more, ok := sel.from.Page(sel.set, sort, after, page.Offset, page.Limit)
	if !ok {
		return nil, "", &query.Error{Param: "cursor", Message: "does not fit the sort order; begin again without one"}
	}
	if more {
		next = query.Cursor{Place: sel.from.PlaceOf(sort, ordinals[len(ordinals)-1])}.String(cursorScope(c))
	}
	return ordinals, next, nil
}

// paged completes a list of one page of a selection. extra are further members.
func pagedReply(c *call, list *collection, sel *selection, next string, extra ...string) *reply {
	if sel.asOf != "" {
		extra = append(extra, `"asOf":"`+sel.asOf+`"`)
	}
	r := list.end(c.served, int(sel.set.GetCardinality()), append(extra, nextCursor(next))...)
	linkNext(c, r, next)
	return r
}

// projection narrows records to some of their members.
type projection struct {
	all    bool
	fields map[string]bool // members of the record
	scores map[string]bool // members of scores
}

// projection reads the fields parameter: members of the record, and names of
// scores for just those within scores.
func readProjection(c *call) (*projection, error) {
	if !c.query.Has("fields") {
		return &projection{all: true}, nil
	}
	names, err := c.query.List("fields", slices.Concat(exports.RecordFields, exports.ScoreNames))
	if err != nil {
		return nil, err
	}
	p := &projection{fields: map[string]bool{}, scores: map[string]bool{}}
	for _, n := range names {
		if slices.Contains(exports.ScoreNames, n) {
			p.scores[n] = true
		} else {
			p.fields[n] = true
		}
	}
	return p, nil
}

// append adds a record, narrowed, in the order of the record.
func (p *projection) append(dst, record []byte) []byte {
	if p.all {
		return append(dst, record...)
	}
	dst = append(dst, '{')
	first := true
	exports.Members(record, func(name string, value []byte) {
		keep := p.fields[name]
		if !keep && !(name == "scores" && len(p.scores) > 0) {
			return
		}
		if !first {
			dst = append(dst, ',')
		}
		first = false
		dst = append(append(append(dst, '"'), name...), '"', ':')
		if keep {
			dst = append(dst, value...)
			return
		}
		inner := projection{fields: p.scores}
		dst = inner.append(dst, value)
	})
	return append(dst, '}')
}

// GET /api/entity/:type/:slug
//
// It is JSON unless the client prefers Markdown, or asks for it with .md behind the
// slug.
func (a *API) entity(c *call) (*reply, error) {
	c.writer.Header()["Vary"] = c.shared.vary.accept
	suffix := cutSuffix(c, markdownSuffix)
	markdown := suffix != "" || prefersMarkdown(c.request.Header["Accept"])
	day, err := asOfDay(c)
	switch {
	case err != nil:
		return nil, err
	case day != "":
		return entityAt(c, day, markdown)
	}
	o, moved, err := findEntity(c, suffix)
	if err != nil || moved != nil {
		return moved, err
	}
	if markdown {
		return markdownPage(c, o)
	}
	record := c.served.build.Record(o)
	return &reply{mediaType: jsonType, body: entityObject(c.served, c.buffer(), record)}, nil
}

// find looks up the entity of the path. Where its slug has changed, moved
// redirects to the same resource at the new one.
func findEntity(c *call, resource string) (ordinal uint32, moved *reply, err error) {
	b, typ, slug := c.served.build, c.param("type"), c.param("slug")
	o, old, ok := b.Find(typ, slug)
	if !ok {
		moved, err := resolveRemoved(c, resource)
		return 0, moved, err
	}
	if !old {
		return o, nil, nil
	}
	_, now := b.Key(o)
	return 0, redirectTo(c, typ, now, resource), nil
}

// GET /api/categories
func (a *API) categories(c *call) (*reply, error) {
	list := newCollection(c)
	for _, cat := range c.served.categories {
		list.body = appendJSON(list.next(), cat)
	}
	return list.end(c.served, len(c.served.categories)), nil
}
