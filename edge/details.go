package edge

import (
	"encoding/json"
	"fmt"

	"kindex/edge/query"
	"kindex/exports"
	"kindex/site"
)

// appendJSON appends a value of our own types, which always encode.
func appendJSON(dst []byte, v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("edge: %T does not encode: %v", v, err))
	}
	return append(dst, b...)
}

// GET /api/entity/:type/:slug/score
//
// The explanation is computed anew, by the function that the builder used: it
// would be the largest part of a build if every one were kept.
func (a *API) score(c *call) (*reply, error) {
	o, moved, err := findEntity(c, "/score")
	if err != nil || moved != nil {
		return moved, err
	}
	e, err := c.served.build.Entity(o)
	if err != nil {
		return nil, err
	}
	x := c.served.formula.Explain(e, c.served.asOf)
	return &reply{mediaType: jsonType, body: entityObject(c.served, nil, appendJSON(nil, x))}, nil
}

// mostSimilar is how many neighbours a build keeps.
const mostSimilar = 20

// GET /api/entity/:type/:slug/similar
func (a *API) similar(c *call) (*reply, error) {
	limit, err := c.query.Int("limit", 10, 1, mostSimilar)
	if err != nil {
		return nil, err
	}
	o, moved, err := findEntity(c, "/similar")
	if err != nil || moved != nil {
		return moved, err
	}
	b := c.served.build
	near := b.Similar(o)
	list := newCollection(c)
	for _, n := range near[:min(limit, len(near))] {
		record := b.Record(n.Ordinal)
		dst := append(list.next(), record[:len(record)-1]...)
		dst = append(dst, `,"similarity":`...)
		dst = exports.AppendNumber(dst, n.Similarity)
		dst = append(dst, `,"reasons":`...)
		reasons := []string{}
		for _, r := range n.Reasons.List() {
			reasons = append(reasons, site.Reason(b.Feature(r), c.served.titles))
		}
		list.body = append(appendJSON(dst, reasons), '}')
	}
	return list.end(c.served, len(near)), nil
}

// GET /api/leaderboard/:category
func (a *API) leaderboard(c *call) (*reply, error) {
	day, err := asOfDay(c)
	if err != nil {
		return nil, err
	}
	board, err := boardParam(c, c.param("category"), day)
	if err != nil {
		return nil, err
	}
	by, err := c.query.OneOf("by", "composite", exports.ScoreNames)
	if err != nil {
		return nil, err
	}
	typ, err := c.query.OneOf("type", "", exports.Types)
	if err != nil {
		return nil, err
	}
	sel := &selection{}
	if sel.page, err = c.query.Page(cursorScope(c), query.MaxLimit); err != nil {
		return nil, err
	}
	if sel.from, sel.asOf, err = recordsAt(c, day); err != nil {
		return nil, err
	}
	if sel.set, err = sel.from.Board(board, typ, by); err != nil {
		return nil, err
	}
	former, err := c.served.boards.Before(sel.asOf, board, typ, by)
	if err != nil {
		return nil, err
	}
	sort := exports.Sort{Key: by, Desc: true}
	page, next, err := orderedPage(c, sel, sort)
	if err != nil {
		return nil, err
	}
	before := sel.page.Offset
	if sel.page.Cursor != nil {
		before = sel.from.CountUntil(sel.set, sort, sel.page.Cursor.Place)
	}
	list := newCollection(c)
	previous := former.Ranks(sel.from, page)
	for i, o := range page {
		record := sel.from.Record(o)
		dst := append(list.next(), record[:len(record)-1]...)
		list.body = append(appendMovement(dst, before+i+1, previous[i]), '}')
	}
	return pagedReply(c, list, sel, next, comparedTo(former)), nil
}
