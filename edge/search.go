package edge

import (
	"fmt"
	"strings"

	"kindex/edge/query"
	"kindex/exports"
	"kindex/indexes"
)

// maxQuery is the longest text that is searched for, in bytes.
const maxQuery = 500

// facetValues is how many values of a facet are counted out.
const facetValues = 20

// searchText reads q.
func (c *call) searchText() (string, error) {
	q, err := c.query.Text("q")
	switch {
	case err != nil:
		return "", err
	case q == "":
		return "", &query.Error{Param: "q", Message: "is required: the words to search for"}
	case len(q) > maxQuery:
		return "", &query.Error{Param: "q", Message: fmt.Sprintf("has %d bytes, at most %d are allowed", len(q), maxQuery)}
	}
	return q, nil
}

// GET /api/search
func (s *Server) search(c *call) (*reply, error) {
	b := c.view.build
	text, err := c.searchText()
	if err != nil {
		return nil, err
	}
	facets, err := c.query.List("facets", exports.FilterFields)
	if err != nil {
		return nil, err
	}
	sel, err := c.selection()
	if err != nil {
		return nil, err
	}
	page := sel.page
	after, err := c.searchAfter(page.Cursor)
	if err != nil {
		return nil, err
	}
	res, err := c.view.index.Search(text, sel.set, after, page.Offset, page.Limit+1)
	if err != nil {
		return nil, err
	}
	more := len(res.Hits) > page.Limit
	hits := res.Hits[:min(page.Limit, len(res.Hits))]
	list := newCollection()
	for _, h := range hits {
		if list.body, err = appendHit(list.next(), b, sel.project, res, h); err != nil {
			return nil, err
		}
	}
	next := ""
	if more {
		last := hits[len(hits)-1]
		next = query.Cursor{Place: b.PlaceOf(exports.DefaultSort, last.Ordinal), Relevance: &last.Relevance}.String(c.scope())
	}
	extra := []string{nextCursor(next)}
	if len(facets) > 0 {
		counted := make(map[string][]exports.FacetCount, len(facets))
		for _, name := range facets {
			counted[name] = b.Facet(res.Matches, name, facetValues)
		}
		extra = append(extra, `"facets":`+string(appendJSON(nil, counted)))
	}
	r := list.end(c.view, int(res.Matches.GetCardinality()), extra...)
	c.pagination(r, next)
	return r, nil
}

// searchAfter turns a cursor into a place among the hits of this build.
func (c *call) searchAfter(cur *query.Cursor) (*indexes.After, error) {
	if cur == nil {
		return nil, nil
	}
	at, ok := c.view.build.StandingOf(cur.Place)
	if !ok || cur.Relevance == nil {
		return nil, &query.Error{Param: "cursor", Message: "does not belong to a search; begin again without one"}
	}
	return &indexes.After{Relevance: *cur.Relevance, Ordinal: at}, nil
}

// highlighted are the fields in which hits are marked.
var highlighted = []string{"name", "description", "provider"}

// appendHit appends a record with its relevance and highlights.
func appendHit(dst []byte, b *exports.Build, p *projection, res *indexes.Result, h indexes.Hit) ([]byte, error) {
	e, err := b.Entity(h.Ordinal)
	if err != nil {
		return nil, err
	}
	before := len(dst)
	dst = p.append(dst, b.Record(h.Ordinal))
	dst = dst[:len(dst)-1]
	if len(dst) > before+1 {
		dst = append(dst, ',')
	}
	dst = append(dst, `"relevance":`...)
	dst = exports.AppendNumber(dst, h.Relevance)
	dst = append(dst, `,"highlights":{`...)
	first := true
	for i, text := range [...]string{e.Name, e.Description, e.Provider} {
		dst, first = appendHighlight(dst, first, res, highlighted[i], text)
	}
	dst, _ = appendHighlight(dst, first, res, "tags", strings.Join(e.Tags, ", "))
	return append(dst, '}', '}'), nil
}

func appendHighlight(dst []byte, first bool, res *indexes.Result, field, text string) ([]byte, bool) {
	marked, found := res.Highlight(text)
	if !found {
		return dst, first
	}
	if !first {
		dst = append(dst, ',')
	}
	dst = append(append(append(dst, '"'), field...), '"', ':')
	return exports.AppendString(dst, marked), false
}

// GET /api/suggest
func (s *Server) suggest(c *call) (*reply, error) {
	b := c.view.build
	text, err := c.searchText()
	if err != nil {
		return nil, err
	}
	typ, err := c.query.OneOf("type", "", exports.Types)
	if err != nil {
		return nil, err
	}
	limit, err := c.query.Int("limit", 10, 1, 20)
	if err != nil {
		return nil, err
	}
	f := exports.Filter{Fields: map[string][][]string{}}
	if typ != "" {
		f.Fields["type"] = [][]string{{typ}}
	}
	within, err := b.Select(&f)
	if err != nil {
		return nil, err
	}
	found, total, err := c.view.index.Suggest(text, within, limit)
	if err != nil {
		return nil, err
	}
	list := newCollection()
	short := &projection{fields: map[string]bool{"type": true, "slug": true, "name": true}}
	for _, o := range found {
		list.body = short.append(list.next(), b.Record(o))
	}
	return list.end(c.view, total), nil
}
