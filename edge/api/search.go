package api

import (
	"encoding/json"
	"fmt"

	"kindex/edge/live"
	"kindex/edge/query"
	"kindex/edge/web"
	"kindex/exports/jsonenc"
	"kindex/exports/view"
	"kindex/indexes"
)

// maxFacetValues is the maximum number of values listed for a facet.
const maxFacetValues = 20

// searchText reads the parameter q.
func searchText(c *web.Call) string {
	q := c.Query.Text("q")
	switch {
	case q == "":
		c.Query.Fail(&query.Error{Param: "q", Message: "is required: set it to the words to search for"})
	case len(q) > live.MaxQueryLen:
		c.Query.Fail(&query.Error{Param: "q", Message: fmt.Sprintf("has %d bytes; at most %d are allowed", len(q), live.MaxQueryLen)})
		return ""
	}
	return q
}

// Search handles GET /api/search.
func (a *API) Search(c *web.Call) (*web.Reply, error) {
	b := c.Served.Build
	text, facets, l := searchText(c), c.Query.List("facets", view.FilterFields(c.Served.Build.Kinds())), openList(c)
	set, project := l.selected(), readProjection(c)
	if c.Query.Err != nil {
		return nil, c.Query.Err
	}
	var after *indexes.After
	if p := l.page.Cursor; p != nil {
		at, ok := b.SortPositionOf(p.Position)
		if !ok || p.Relevance == nil {
			return nil, errCursor
		}
		after = &indexes.After{Relevance: *p.Relevance, SortPosition: at}
	}
	res := c.Served.Index.Search(text, set, after, l.page.Offset, l.page.Limit+1)
	hits := first(l, res.Hits)
	for _, h := range hits {
		e := b.Entity(h.Ordinal)
		dst := project.append(l.next(), b.Record(h.Ordinal))
		dst = withMembers(dst[:len(dst)-1], struct {
			Relevance float64 `json:"relevance"`
		}{h.Relevance})
		dst = append(dst[:len(dst)-1], `,"highlights":{`...)
		for i, hl := range res.Highlights(e) { // the most telling field first
			dst = append(jsonenc.AppendString(jsonenc.AppendComma(dst, i), hl.Field), ':')
			dst = jsonenc.AppendString(dst, hl.Text)
		}
		l.body = append(dst, '}', '}')
	}
	var next *query.Cursor
	if len(res.Hits) > len(hits) {
		last := hits[len(hits)-1]
		next = &query.Cursor{Position: b.Order(view.DefaultSort).PositionOf(last.Ordinal), Relevance: &last.Relevance}
	}
	members := []member{{"suggestions", suggestions(c.Served, text, res)}, {"dropped", append([]string{}, res.Dropped...)}}
	if len(facets) > 0 {
		members = append(members, member{"facets", b.Facets(res.Matches, facets, maxFacetValues)})
	}
	return l.reply(int(res.Matches.GetCardinality()), next, members...), nil
}

// maxSuggestions is the maximum number of names suggested if nothing is found.
const maxSuggestions = 5

// suggestionFields are the fields of a suggestion.
var suggestionFields = &projection{fields: map[string]bool{"type": true, "slug": true, "name": true}}

// suggestions returns suggestions for a search without results: what the same search
// finds without filters or, if that finds nothing either, the entities with the most similar
// names.
func suggestions(v *live.ServedBuild, text string, res *indexes.Result) []json.RawMessage {
	if !res.Matches.IsEmpty() {
		return []json.RawMessage{}
	}
	return suggestionFields.all(v, v.Index.Alternatives(text, v.Build.Select(&view.Filter{}), maxSuggestions))
}

// Suggest handles GET /api/suggest.
func (a *API) Suggest(c *web.Call) (*web.Reply, error) {
	b := c.Served.Build
	text, typ, limit := searchText(c), c.Query.OneOf("type", "", c.Served.Build.Kinds().Names()), c.Query.Int("limit", 10, 1, 20)
	if c.Query.Err != nil {
		return nil, c.Query.Err
	}
	f := view.Filter{Fields: map[string][][]string{}}
	if typ != "" {
		f.Fields["type"] = [][]string{{typ}}
	}
	within := b.Select(&f)
	found, total := c.Served.Index.Suggest(text, within, limit)
	l := newList(c)
	for _, o := range found {
		l.body = suggestionFields.append(l.next(), b.Record(o))
	}
	return l.reply(total, nil), nil
}
