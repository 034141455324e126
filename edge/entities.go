package edge

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/RoaringBitmap/roaring/v2"

	"kindex/edge/query"
	"kindex/exports"
	"kindex/exports/didyoumean"
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

func (c *call) newCollection() *collection {
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
func (v *view) object(dst, record []byte) []byte {
	dst = append(dst, record[:len(record)-1]...)
	dst = append(append(append(dst, `,"build":"`...), v.id()...), '"', '}', '\n')
	return dst
}

// pagination adds the place of the next page to a collection.
func (c *call) pagination(r *reply, next string) {
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
func (c *call) scope() string {
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
func (c *call) selection(day string) (*selection, error) {
	s := &selection{}
	var err error
	if s.from, s.asOf, err = c.catalogue(day); err != nil {
		return nil, err
	}
	f, err := c.query.Filter(c.categoriesAt(day))
	if err != nil {
		return nil, err
	}
	if s.project, err = c.projection(); err != nil {
		return nil, err
	}
	if s.page, err = c.query.Page(c.scope(), query.MaxLimit); err != nil {
		return nil, err
	}
	s.set, err = s.from.Select(f)
	return s, err
}

// GET /api/entities
func (s *Server) entities(c *call) (*reply, error) {
	sort, err := c.query.Sort()
	if err != nil {
		return nil, err
	}
	day, err := c.day()
	if err != nil {
		return nil, err
	}
	sel, err := c.selection(day)
	if err != nil {
		return nil, err
	}
	page, next, err := c.ordered(sel, sort)
	if err != nil {
		return nil, err
	}
	list := c.newCollection()
	for _, o := range page {
		list.body = sel.project.append(list.next(), sel.from.Record(o))
	}
	return c.paged(list, sel, next), nil
}

// ordered returns the page of a selection in an order, and the cursor of the
// page behind it, "" for none.
func (c *call) ordered(sel *selection, sort exports.Sort) (ordinals []uint32, next string, err error) {
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
		next = query.Cursor{Place: sel.from.PlaceOf(sort, ordinals[len(ordinals)-1])}.String(c.scope())
	}
	return ordinals, next, nil
}

// paged completes a list of one page of a selection. extra are further members.
func (c *call) paged(list *collection, sel *selection, next string, extra ...string) *reply {
	if sel.asOf != "" {
		extra = append(extra, `"asOf":"`+sel.asOf+`"`)
	}
	r := list.end(c.view, int(sel.set.GetCardinality()), append(extra, nextCursor(next))...)
	c.pagination(r, next)
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
func (c *call) projection() (*projection, error) {
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
func (s *Server) entity(c *call) (*reply, error) {
	c.writer.Header()["Vary"] = s.vary.accept
	suffix := c.cutSuffix(markdownSuffix)
	markdown := suffix != "" || prefersMarkdown(c.request.Header["Accept"])
	day, err := c.day()
	switch {
	case err != nil:
		return nil, err
	case day != "":
		return c.entityAt(day, markdown)
	}
	o, moved, err := c.find(suffix)
	if err != nil || moved != nil {
		return moved, err
	}
	if markdown {
		return c.page(o)
	}
	record := c.view.build.Record(o)
	return &reply{mediaType: jsonType, body: c.view.object(c.buffer(), record)}, nil
}

// find looks up the entity of the path. Where its slug has changed, moved
// redirects to the same resource at the new one.
func (c *call) find(resource string) (ordinal uint32, moved *reply, err error) {
	b, typ, slug := c.view.build, c.param("type"), c.param("slug")
	o, old, ok := b.Find(typ, slug)
	if !ok {
		moved, err := c.departed(resource)
		return 0, moved, err
	}
	if !old {
		return o, nil, nil
	}
	_, now := b.Key(o)
	return 0, c.redirect(typ, now, resource), nil
}

// unknownEntity names what was probably meant: the type, or the entities whose
// names are near.
func (c *call) unknownEntity(typ, slug string) error {
	if !slices.Contains(exports.Types, typ) {
		p := newProblem("unknown-entity", fmt.Sprintf("There is no type %q; known are %s.", shorten(typ), strings.Join(exports.Types, ", ")))
		return p.suggest(didyoumean.Name(typ, exports.Types))
	}
	p := newProblem("unknown-entity", fmt.Sprintf("There is no %s %q.", typ, shorten(slug)))
	near, err := c.view.nearSlugs(typ, slug)
	if err != nil {
		return err
	}
	if len(near) > 0 {
		p.Detail += " Near are: " + strings.Join(near, ", ") + "."
		p.suggest("/api/entity/" + typ + "/" + near[0])
	}
	return p
}

// nearSlugs lists the entities of a type that are most like a slug.
func (v *view) nearSlugs(typ, slug string) ([]string, error) {
	of := v.build.Bitmap("type", typ)
	if of == nil {
		return nil, nil
	}
	res, err := v.index.Search(shorten(slug), of, nil, 0, 3)
	if err != nil {
		return nil, err
	}
	var near []string
	for _, h := range res.Hits {
		_, slug := v.build.Key(h.Ordinal)
		near = append(near, slug)
	}
	return near, nil
}

// GET /api/categories
func (s *Server) categories(c *call) (*reply, error) {
	list := c.newCollection()
	for _, cat := range c.view.categories {
		list.body = appendJSON(list.next(), cat)
	}
	return list.end(c.view, len(c.view.categories)), nil
}
