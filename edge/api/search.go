package api

import (
	"fmt"

	"kindex/edge/live"
	"kindex/edge/query"
	"kindex/edge/web"
	"kindex/exports/jsonenc"
	"kindex/exports/record"
	"kindex/exports/view"
	"kindex/indexes"
)

// maxFacetValues is the maximum number of values listed for a facet.
const maxFacetValues = 20

// searchText reads the parameter q.
func searchText(c *web.Call) (string, error) {
	q, err := c.Query.Text("q")
	switch {
	case err != nil:
		return "", err
	case q == "":
		return "", &query.Error{Param: "q", Message: "is required: set it to the words to search for"}
	case len(q) > live.MaxQueryLen:
		return "", &query.Error{Param: "q", Message: fmt.Sprintf("has %d bytes; at most %d are allowed", len(q), live.MaxQueryLen)}
	}
	return q, nil
}

// Search handles GET /api/search.
func (a *API) Search(c *web.Call) (*web.Reply, error) {
	b := c.Served.Build
	text, err := searchText(c)
	if err != nil {
		return nil, err
	}
	facets, err := c.Query.List("facets", view.FilterFields)
	if err != nil {
		return nil, err
	}
	sel, err := readSelection(c, "")
	if err != nil {
		return nil, err
	}
	page := sel.page
	after, err := searchAfter(c, page.Cursor)
	if err != nil {
		return nil, err
	}
	res := c.Served.Index.Search(text, sel.set, after, page.Offset, page.Limit+1)
	more := len(res.Hits) > page.Limit
	hits := res.Hits[:min(page.Limit, len(res.Hits))]
	list := newCollection(c)
	for _, h := range hits {
		list.body = appendHit(c.Served, list.next(), sel.project, res, h)
	}
	next := ""
	if more {
		last := hits[len(hits)-1]
		next = query.Cursor{Position: b.PositionOf(view.DefaultSort, last.Ordinal), Relevance: &last.Relevance}.String(cursorScope(c))
	}
	extra := []string{nextCursor(next), `"suggestions":` + string(suggestions(c.Served, text, res)),
		string(jsonenc.AppendStrings([]byte(`"dropped":`), res.Dropped))}
	if len(facets) > 0 {
		counted := b.Facets(res.Matches, facets, maxFacetValues)
		extra = append(extra, `"facets":`+string(web.AppendJSON(nil, counted)))
	}
	r := list.end(c.Served, int(res.Matches.GetCardinality()), extra...)
	linkNext(c, r, next)
	return r, nil
}

// searchAfter converts a cursor to a position among the hits in this build.
func searchAfter(c *web.Call, cur *query.Cursor) (*indexes.After, error) {
	if cur == nil {
		return nil, nil
	}
	position, ok := c.Served.Build.SortPositionOf(cur.Position)
	if !ok || cur.Relevance == nil {
		return nil, &query.Error{Param: "cursor", Message: "is not a valid search cursor; start again without a cursor"}
	}
	return &indexes.After{Relevance: *cur.Relevance, SortPosition: position}, nil
}

// appendHit appends a record with its relevance and highlights.
func appendHit(v *live.ServedBuild, dst []byte, p *projection, res *indexes.Result, h indexes.Hit) []byte {
	e := v.Build.Entity(h.Ordinal)
	before := len(dst)
	dst = p.append(dst, v.Build.Record(h.Ordinal))
	dst = dst[:len(dst)-1]
	if len(dst) > before+1 {
		dst = append(dst, ',')
	}
	dst = append(dst, `"relevance":`...)
	dst = jsonenc.AppendNumber(dst, h.Relevance)
	dst = append(dst, `,"highlights":{`...)
	for i, hl := range res.Highlights(e) {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(append(append(dst, '"'), hl.Field...), '"', ':')
		dst = jsonenc.AppendString(dst, hl.Text)
	}
	return append(dst, '}', '}')
}

// maxSuggestions is the maximum number of names suggested if nothing is found.
const maxSuggestions = 5

// suggestionFields are the fields of a suggestion.
var suggestionFields = &projection{fields: map[string]bool{"type": true, "slug": true, "name": true}}

// suggestions returns, as JSON, suggestions for a search without results: what the same search
// finds without filters or, if that finds nothing either, the entities with the most similar
// names.
func suggestions(v *live.ServedBuild, text string, res *indexes.Result) []byte {
	out := []byte{'['}
	if !res.Matches.IsEmpty() {
		return append(out, ']')
	}
	all := v.Build.Select(&view.Filter{})
	for i, o := range v.Index.Alternatives(text, all, maxSuggestions) {
		if i > 0 {
			out = append(out, ',')
		}
		out = suggestionFields.append(out, v.Build.Record(o))
	}
	return append(out, ']')
}

// Suggest handles GET /api/suggest.
func (a *API) Suggest(c *web.Call) (*web.Reply, error) {
	b := c.Served.Build
	text, err := searchText(c)
	if err != nil {
		return nil, err
	}
	typ, err := c.Query.OneOf("type", "", record.Types)
	if err != nil {
		return nil, err
	}
	limit, err := c.Query.Int("limit", 10, 1, 20)
	if err != nil {
		return nil, err
	}
	f := view.Filter{Fields: map[string][][]string{}}
	if typ != "" {
		f.Fields["type"] = [][]string{{typ}}
	}
	within := b.Select(&f)
	found, total := c.Served.Index.Suggest(text, within, limit)
	list := newCollection(c)
	for _, o := range found {
		list.body = suggestionFields.append(list.next(), b.Record(o))
	}
	return list.end(c.Served, total), nil
}
