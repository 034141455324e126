// Package api handles requests under /api and requests for build files. Each resource has its
// own file.
package api

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/RoaringBitmap/roaring/v2"

	"kindex/edge/account"
	"kindex/edge/live"
	"kindex/edge/query"
	"kindex/edge/storage"
	"kindex/edge/web"
	"kindex/exports/jsonenc"
	"kindex/exports/view"
)

// API handles requests under /api and requests for build files. It is safe for concurrent use.
type API struct {
	accounts  *account.Service
	state     *storage.State
	oldBuilds *live.OldBuilds
	described atomic.Pointer[description] // of the declarations last asked for
}

// New returns an API.
func New(oldBuilds *live.OldBuilds, state *storage.State, accounts *account.Service) *API {
	return &API{oldBuilds: oldBuilds, state: state, accounts: accounts}
}

// list is the response to a request for a collection. Handlers read the parameters that lists have in
// common with openList, append the items, and complete the response with reply.
type list struct {
	*web.Call
	catalogue *view.View
	day       string // of the catalogue, or "" for the present
	page      query.Page
	scope     string // what a cursor is valid for, see query.Params.Page
	private   bool   // of one account: the response is not from a build and must not be cached
	paged     bool
	body      []byte
	items     int
}

// newList returns a list of everything there is.
func newList(c *web.Call) *list {
	return &list{Call: c, catalogue: c.Served.Build.View, body: []byte(`{"data":[`)}
}

// openList reads the parameters at, limit, offset and cursor, as far as the route has them. Cursors are
// valid for all other parameters of the request, or for the given scope.
func openList(c *web.Call, scope ...string) *list {
	l := newList(c)
	l.paged, l.scope = true, strings.Join(scope, "")
	if l.scope == "" {
		l.scope = c.Request.URL.Path + "?" + c.Query.Canonical("limit", "offset", "cursor")
	}
	l.page = c.Query.Page(l.scope)
	if l.day = atParam(c); l.day == "" {
		return l
	}
	past, err := c.Served.Build.History().Day(l.day)
	if err != nil {
		c.Query.Fail(err)
		return l
	}
	l.catalogue = past.View
	return l
}

// next starts the next item and returns the buffer to append it to.
func (l *list) next() []byte {
	if l.items > 0 {
		l.body = append(l.body, ',')
	}
	l.items++
	return l.body
}

func (l *list) add(v any) { l.body = web.AppendJSON(l.next(), v) }

// addRecord adds a record as lists show it, with further members.
func (l *list) addRecord(ordinal uint32, more ...member) {
	l.body = projection(listed).append(l.next(), l.catalogue.Record(ordinal), more...)
}

// member is a member of a response or of an item. Its value is encoded as JSON, unless it is json.RawMessage.
type member struct {
	name  string
	value any
}

// append appends the member to an object that lacks its closing brace.
func (m member) append(dst []byte) []byte {
	dst = jsonenc.AppendMember(dst, m.name)
	if raw, ok := m.value.(json.RawMessage); ok {
		return append(dst, raw...)
	}
	return web.AppendJSON(dst, m.value)
}

// reply completes the response. count is the number of items on all pages, and next the cursor of the
// next page, or nil if there is none.
func (l *list) reply(count int, next *query.Cursor, members ...member) *web.Reply {
	b := strconv.AppendInt(append(l.body, `],"count":`...), int64(count), 10)
	if l.day != "" {
		members = append(members, member{"asOf", l.day})
	}
	r := &web.Reply{MediaType: web.JSONType}
	if l.paged {
		var cursor *string
		if next != nil {
			text := next.String(l.scope)
			cursor = &text
			u := url.URL{Path: l.Request.URL.Path}
			r.Header = http.Header{"Link": {"<" + u.EscapedPath() + "?" + l.Query.WithCursor(text) + `>; rel="next"`}}
		}
		members = append(members, member{"nextCursor", cursor})
	}
	if l.private {
		r.Status = http.StatusOK
	} else {
		members = append(members, member{"build", l.Served.ID()})
	}
	for _, m := range members {
		b = m.append(b)
	}
	r.Body = append(b, "}\n"...)
	return r
}

// position returns the cursor for the page after an item of a list with its own order.
func position(kind, value, id string) *query.Cursor {
	return &query.Cursor{Position: view.Position{Value: value, Type: kind, Slug: id}}
}

// errCursor is the error for a cursor that does not fit a list.
var errCursor = &query.Error{Param: "cursor", Message: "does not match this list and its order; start again without a cursor"}

// after returns the position in the cursor of a list with its own order, or nil if there is none.
func (l *list) after(kind string) *view.Position {
	switch p := l.page.Cursor; {
	case p == nil:
	case p.Type != kind:
		l.Query.Fail(errCursor)
	default:
		return &p.Position
	}
	return nil
}

// selected returns the records that the filters of a request select.
func (l *list) selected() *roaring.Bitmap {
	return l.catalogue.Select(l.Query.Filter(categoriesAt(l.Call, l.day), l.Served.Build))
}

// sorted returns a page of a set of records, the cursor of the next page, and the number of records
// before the page.
func (l *list) sorted(set *roaring.Bitmap, by *view.Order) (ordinals []uint32, next *query.Cursor, before int) {
	var after *view.Position
	if before = l.page.Offset; l.page.Cursor != nil {
		after = &l.page.Cursor.Position
		before = by.CountUntil(set, *after)
	}
	ordinals, more, ok := by.Page(set, after, l.page.Offset, l.page.Limit)
	if !ok {
		l.Query.Fail(errCursor)
		return nil, nil, 0
	}
	if more {
		next = &query.Cursor{Position: by.PositionOf(ordinals[len(ordinals)-1])}
	}
	return ordinals, next, before
}

// first returns the items that fit on the page.
func first[T any](l *list, all []T) []T { return all[:min(l.page.Limit, len(all))] }

// addPage adds the items that fit on the page. If there are more, it returns the cursor of the next page,
// which the last item determines.
func addPage[T any](l *list, all []T, item func(T) any, cursor func(T) *query.Cursor) *query.Cursor {
	page := first(l, all)
	for _, x := range page {
		l.add(item(x))
	}
	if len(all) == len(page) {
		return nil
	}
	return cursor(page[len(page)-1])
}

// privateList returns a list of everything that an account has of one kind.
func privateList[T any](c *web.Call, all []T, item func(T) any) *web.Reply {
	l := newList(c)
	l.private = true
	for _, x := range all {
		l.add(item(x))
	}
	return l.reply(len(all), nil)
}

// itself is for lists whose items are encoded as they are.
func itself[T any](x T) any { return x }

// each returns what of returns for each element of a list. It never returns nil, which would be null in JSON.
func each[T, U any](list []T, of func(T) U) []U {
	all := make([]U, len(list))
	for i, x := range list {
		all[i] = of(x)
	}
	return all
}
