package pages

import (
	"time"

	"kindex/exports/board"
	"kindex/exports/kinds"
	"kindex/exports/record"
	"kindex/site/textfmt"
)

// comparable reports whether the composite scores of a kind compare the same figures.
func (s *Site) comparable(typ string) bool {
	return board.Comparable(s.Formula, typ, "composite")
}

// explanationID returns the id of the place where the page of an entity explains its score on a
// board.
func explanationID(b *board.Board) string { return "board-" + b.Slug }

// entityBoard is the explanation of an entity's score on a board.
type entityBoard struct {
	*scoreExplanation
	ID      string // of its place on the page
	Board   *board.Board
	Rank    int
	Of      int
	Sources []string // of the benchmark results
}

// Path returns the path of the board.
func (b entityBoard) Path() string { return boardPath(b.Board.Slug) }

// entityBoards explains the scores of a record on all published boards that it is on.
func (s *Site) entityBoards(o uint32, e *record.Entity) (list []entityBoard) {
	for _, b := range s.Own.Published() {
		r := s.Own.Now(b)
		rank, _, ok := r.Find(o)
		if !ok {
			continue
		}
		x := b.Explain(e, s.AsOf)
		d := s.explain(e.Type, x.Explanation)
		d.OnBoard = true
		list = append(list, entityBoard{d, explanationID(b), b, rank, len(r.Entries), x.Board.Sources})
	}
	return list
}

// boardTop is a board and its best entities.
type boardTop struct {
	*board.Board
	Figures board.Span
	Until   string // the day of the newest figure, if that is old
	Count   int
	Rows    []item
	Path    string
}

// boardsHome lists the boards by type, and the categories.
func (r *request) boardsHome() (*page, error) {
	return &page{Template: "boards", Title: "Boards", Description: "Entries compared for one purpose, each board by one formula.", Data: r}, nil
}

// TopsOf returns the best entities of the boards of a type.
func (r *request) TopsOf(typ string) (list []boardTop) {
	for _, b := range r.Own.Published() {
		if b.Type == typ {
			list = append(list, r.boardTop(b, 3))
		}
	}
	return list
}

// boardTop reads the best entities of a board.
func (s *Site) boardTop(b *board.Board, most int) boardTop {
	r := s.Own.Now(b)
	top := boardTop{Board: b, Path: boardPath(b.Slug), Figures: r.FiguresOf(), Count: len(r.Entries)}
	top.Until = until(top.Figures, s.AsOf.UTC().Format(time.DateOnly))
	for i, entry := range r.Entries[:min(most, len(r.Entries))] {
		top.Rows = append(top.Rows, item{Entity: s.Build.Entity(entry.Ordinal), Rank: i + 1, Shown: entry.Score})
	}
	return top
}

// staleBoard is the number of days after which the figures of a board are called old.
const staleBoard = 120

// until returns the day of the newest figure on a board if that is old on a day, or else "".
func until(figures board.Span, asOf string) string {
	newest := string(figures.Newest)
	if days, ok := record.DaysApart(newest, asOf); !ok || days <= staleBoard {
		return ""
	}
	return newest
}

// figuresFrom says when the figures of a board were measured.
func figuresFrom(x board.Span) string {
	switch {
	case x.Newest == "":
		return "The figures have no dates."
	case x.Oldest == x.Newest:
		return "Figures from " + textfmt.Day(string(x.Newest)) + "."
	}
	return "Figures from " + textfmt.Day(string(x.Oldest)) + " to " + textfmt.Day(string(x.Newest)) + "."
}

// qualityAndPrice leads to the first board whose entities have prices. Its page draws scores against
// prices: scores of different boards cannot be compared.
func (r *request) qualityAndPrice() (*page, error) {
	for _, b := range r.Own.Published() {
		if r.kinds().Kind(b.Type).HasBlock(kinds.Offers) {
			return &page{location: boardPath(b.Slug)}, nil
		}
	}
	return &page{location: boardsPath}, nil
}
