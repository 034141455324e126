package api

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"kindex/edge/live"
	"kindex/edge/query"
	"kindex/edge/web"
	"kindex/exports/jsonenc"
	"kindex/exports/resolve"
	"kindex/exports/view"
	"kindex/indexes"
)

const maxFacetValues = 20

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
		highlights := []byte{'{'}
		for _, hl := range res.Highlights(b.Entity(h.Ordinal)) { // the most telling field first
			highlights = jsonenc.AppendString(jsonenc.AppendMember(highlights, hl.Field), hl.Text)
		}
		l.body = project.append(l.next(), b.Record(h.Ordinal), member{"relevance", h.Relevance}, member{"highlights", json.RawMessage(append(highlights, '}'))})
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

const maxSuggestions = 5

var suggestionFields = only("type", "slug", "name")

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

// Limits for a batch of identifiers.
const (
	maxIDs        = 1000
	idsPerRequest = 100 // covered by one request of the quota
	// maxSuggestedFor is the number of identifiers without matches that get suggestions, which
	// cost far more than a lookup.
	maxSuggestedFor = 50
)

// Resolve handles GET /api/resolve.
func (a *API) Resolve(c *web.Call) (*web.Reply, error) {
	list := c.Query.Given["id"]
	if len(list) == 0 {
		return nil, &query.Error{Param: "id", Message: "is required: set it to an identifier such as pypi:torch"}
	}
	for _, id := range list {
		if problem := idProblem(id); problem != "" {
			return nil, &query.Error{Param: "id", Message: problem}
		}
	}
	return resolved(c, list), nil
}

// ResolveBatch handles POST /api/resolve. It changes nothing, but a batch would not fit into
// an address.
func (a *API) ResolveBatch(c *web.Call) (*web.Reply, error) {
	list, err := readIDs(c)
	if err != nil {
		return nil, err
	}
	if err := c.Charge(int64((len(list) - 1) / idsPerRequest)); err != nil {
		return nil, err
	}
	r := resolved(c, list)
	r.Status = http.StatusOK
	return r, nil
}

func readIDs(c *web.Call) ([]string, error) {
	c.SetDeadline()
	var body struct {
		IDs []json.RawMessage `json:"ids"`
	}
	if err := c.Decode(&body); err != nil {
		return nil, err
	}
	invalid := func(field, message string) ([]string, error) {
		return nil, web.InvalidBody([]web.FieldError{{Field: field, Message: message}})
	}
	switch n := len(body.IDs); {
	case n == 0:
		return invalid("ids", "is required: an array with at least one identifier")
	case n > maxIDs:
		return invalid("ids", fmt.Sprintf("has %d identifiers; at most %d are allowed", n, maxIDs))
	}
	list := make([]string, len(body.IDs))
	for i, raw := range body.IDs {
		problem := "must be a string"
		if raw[0] == '"' && json.Unmarshal(raw, &list[i]) == nil {
			problem = idProblem(list[i])
		}
		if problem != "" {
			return invalid(fmt.Sprintf("ids[%d]", i), problem)
		}
	}
	return list, nil
}

// idProblem says why a string cannot be an identifier, or returns "".
func idProblem(id string) string {
	switch {
	case strings.TrimSpace(id) == "":
		return "must not be empty"
	case len(id) > resolve.MaxLen:
		return fmt.Sprintf("has %d bytes; at most %d are allowed", len(id), resolve.MaxLen)
	case strings.ContainsRune(id, 0):
		return "contains a NUL character"
	}
	return ""
}

// resolved returns what identifiers refer to, in their order.
func resolved(c *web.Call, identifiers []string) *web.Reply {
	build := c.Served.Build
	l, unknown := newList(c), 0
	for _, id := range identifiers {
		r := resolve.Find(build, id)
		l.body = r.AppendJSON(l.next(), build, unknown < maxSuggestedFor)
		if len(r.Matches) == 0 {
			unknown++
		}
	}
	return l.reply(len(identifiers), nil)
}
