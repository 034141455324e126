package api

import (
	"bytes"
	"fmt"
	"io"

	"kindex/edge/query"
	"kindex/edge/web"
	"kindex/exports/board"
	"kindex/exports/jsonenc"
	"kindex/exports/leaderboard"
	"kindex/exports/record"
	"kindex/exports/table"
	"kindex/exports/view"
)

// boardInfo describes a board of boards.yaml.
type boardInfo struct {
	Slug        string                 `json:"slug"`
	Title       string                 `json:"title"`
	Description string                 `json:"description"`
	Type        string                 `json:"type"`
	Needs       jsonenc.OptionalString `json:"needs"`
	FiguresOf   board.Span             `json:"figuresOf"`
}

func newBoardInfo(b *board.Board, r *board.Ranking) boardInfo {
	return boardInfo{b.Slug, b.Title, b.Description, b.Type, jsonenc.OptionalString(b.Needs.Sentence()), r.FiguresOf()}
}

// Boards handles GET /api/boards.
func (a *API) Boards(c *web.Call) (*web.Reply, error) {
	boards := c.Served.Own.Published()
	list := newCollection(c)
	for _, b := range boards {
		r := c.Served.Own.Now(b)
		list.body = web.AppendJSON(list.next(), struct {
			boardInfo
			Count int `json:"count"`
		}{newBoardInfo(b, r), len(r.Entries)})
	}
	return list.end(c.Served, len(boards)), nil
}

// rankingAt returns the ranking of a board at the end of a day, or the current one if day is "". It returns a problem if the board has too few entries to be published.
func rankingAt(c *web.Call, b *board.Board, day string) (r *board.Ranking, err error) {
	if day == "" {
		r = c.Served.Own.Now(b)
	} else {
		past, err := catalogueAt(c, day)
		if err != nil {
			return nil, err
		}
		if r, err = c.Served.Own.At(b, past); err != nil {
			return nil, err
		}
	}
	if err == nil && !r.Published() {
		when := "has"
		if day != "" {
			when = "had on " + day
		}
		return nil, web.NewProblem("unpublished-board", fmt.Sprintf("The board %q is not published: it %s %d ranked entities, and a board needs %d.",
			b.Slug, when, len(r.Entries), board.MinEntries))
	}
	return r, err
}

// ownLeaderboard handles GET /api/leaderboard/:category for a board of boards.yaml.
func ownLeaderboard(c *web.Call, b *board.Board, day string) (*web.Reply, error) {
	by, err := c.Query.OneOf("by", board.ScoreName, append([]string{board.ScoreName}, record.ScoreNames...))
	if err != nil {
		return nil, err
	}
	if typ, err := c.Query.OneOf("type", b.Type, record.Types); err != nil {
		return nil, err
	} else if typ != b.Type {
		return nil, &query.Error{Param: "type", Message: fmt.Sprintf("the board %s ranks %ss", b.Slug, b.Type), Suggestion: b.Type}
	}
	sel := &selection{}
	if sel.page, err = readPage(c); err != nil {
		return nil, err
	}
	ranking, err := rankingAt(c, b, day)
	if err != nil {
		return nil, err
	}
	sel.catalogue, sel.asOf = ranking.Catalogue, day
	sel.set = ranking.With(by)
	page, before, next, err := boardRows(c, sel, ranking, by)
	if err != nil {
		return nil, err
	}
	previousBoard, err := c.Served.Own.Previous(b, day, by)
	if err != nil {
		return nil, err
	}
	return boardReply(c, sel, b, ranking, page, before, next, previousBoard), nil
}

// boardRows returns the records on the requested page of a board, the number of those before
// them, and the cursor of the next page.
func boardRows(c *web.Call, sel *selection, r *board.Ranking, by string) (page []uint32, before int, next string, err error) {
	cursor := sel.page.Cursor
	if by != board.ScoreName {
		sort := view.Sort{Key: by, Desc: true}
		if page, next, err = orderedPage(c, sel, sort); cursor != nil {
			before = sel.catalogue.CountUntil(sel.set, sort, cursor.Position)
		}
		return page, before + sel.page.Offset, next, err
	}
	before = sel.page.Offset
	if cursor != nil {
		var ok bool
		if before, ok = r.After(cursor.Position); !ok {
			return nil, 0, "", &query.Error{Param: "cursor", Message: "does not match the sort order; start again without a cursor"}
		}
	}
	from := min(before, len(r.Entries))
	to := min(from+sel.page.Limit, len(r.Entries))
	for _, e := range r.Entries[from:to] {
		page = append(page, e.Ordinal)
	}
	if to < len(r.Entries) {
		next = query.Cursor{Position: r.PositionOf(to - 1)}.String(cursorScope(c))
	}
	return page, before, next, nil
}

// boardReply returns the reply with a page of a board.
func boardReply(c *web.Call, sel *selection, b *board.Board, r *board.Ranking, page []uint32, before int, next string, previous *leaderboard.PreviousBoard) *web.Reply {
	list := newCollection(c)
	previousRanks := previous.Ranks(sel.catalogue, page)
	for i, o := range page {
		dst := openListed(list.next(), sel.catalogue.Record(o))
		dst = appendRankDelta(dst, before+i+1, previousRanks[i])
		_, s, _ := r.Find(o)
		list.body = append(s.AppendJSON(append(dst, `,"boardScore":`...)), '}')
	}
	info := bytes.TrimSpace(web.AppendJSON(nil, newBoardInfo(b, r)))
	return pagedReply(c, list, sel, next, comparedToMember(previous), string(info[1:len(info)-1])) // its members
}

// exportBoard handles GET /api/export/leaderboard for a board of boards.yaml.
func exportBoard(c *web.Call, b *board.Board, day string, format table.Format) (*web.Reply, error) {
	r, err := rankingAt(c, b, day)
	if err != nil {
		return nil, err
	}
	name := "leaderboard-" + b.Slug
	if day != "" {
		name += "-" + day
	}
	name += format.Extension
	if day == "" && format.Name == "json" && c.Served.Build.OverlayID() == "" {
		return storedBoard(c, b.Slug, name)
	}
	return &web.Reply{MediaType: format.MediaType, Attachment: name, ETagSeed: c.Request.URL.Path + "?" + c.Query.Canonical(),
		Stream: func(w io.Writer) error {
			return writeRows(w, format.Name, table.BoardColumns, len(r.Entries), func(i int) (table.Row, error) {
				e := r.Catalogue.Entity(r.Entries[i].Ordinal)
				return table.BoardRow(e, i+1, r.Entries[i].Score), nil
			})
		}}, nil
}
