package api

import (
	"net/url"
	"strconv"

	"kindex/edge/web"
	"kindex/exports/leaderboard"
	"kindex/exports/record"
	"kindex/exports/view"
)

// Leaderboard handles GET /api/leaderboard/:category.
func (a *API) Leaderboard(c *web.Call) (*web.Reply, error) {
	day, err := atParam(c)
	if err != nil {
		return nil, err
	}
	if now, renamed := c.Served.Build.Preferred("category", c.Param("category")); renamed {
		u := url.URL{Path: "/api/leaderboard/" + now, RawQuery: c.Request.URL.RawQuery}
		return &web.Reply{Location: u.String()}, nil
	}
	if own := c.Served.Own.Find(c.Param("category")); own != nil {
		return ownLeaderboard(c, own, day)
	}
	board, err := boardParam(c, c.Param("category"), day)
	if err != nil {
		return nil, err
	}
	by, err := c.Query.OneOf("by", "composite", record.ScoreNames)
	if err != nil {
		return nil, err
	}
	typ, err := c.Query.OneOf("type", "", record.Types)
	if err != nil {
		return nil, err
	}
	sel := &selection{asOf: day}
	if sel.page, err = readPage(c); err != nil {
		return nil, err
	}
	if sel.catalogue, err = catalogueAt(c, day); err != nil {
		return nil, err
	}
	sel.set = sel.catalogue.Board(board, typ, by)
	previousBoard, err := c.Served.Boards.PreviousBoard(day, board, typ, by)
	if err != nil {
		return nil, err
	}
	sort := view.Sort{Key: by, Desc: true}
	page, next, err := orderedPage(c, sel, sort)
	if err != nil {
		return nil, err
	}
	before := sel.page.Offset
	if sel.page.Cursor != nil {
		before = sel.catalogue.CountUntil(sel.set, sort, sel.page.Cursor.Position)
	}
	list := newCollection(c)
	previousRanks := previousBoard.Ranks(sel.catalogue, page)
	for i, o := range page {
		dst := openListed(list.next(), sel.catalogue.Record(o))
		list.body = append(appendRankDelta(dst, before+i+1, previousRanks[i]), '}')
	}
	return pagedReply(c, list, sel, next, comparedToMember(previousBoard)), nil
}

// comparedToMember returns the JSON member comparedTo, the day that a leaderboard is compared
// with. The day is null if the build has no snapshot for it.
func comparedToMember(f *leaderboard.PreviousBoard) string {
	if !f.Known() {
		return `"comparedTo":null`
	}
	return `"comparedTo":"` + f.Day() + `"`
}

// appendRankDelta appends the members rank, previousRank and delta to a record. delta is the
// number of places gained.
func appendRankDelta(dst []byte, rank, previous int) []byte {
	dst = append(dst, `,"rank":`...)
	dst = strconv.AppendInt(dst, int64(rank), 10)
	if previous == 0 {
		return append(dst, `,"previousRank":null,"delta":null`...)
	}
	dst = append(dst, `,"previousRank":`...)
	dst = strconv.AppendInt(dst, int64(previous), 10)
	dst = append(dst, `,"delta":`...)
	return strconv.AppendInt(dst, int64(previous-rank), 10)
}
