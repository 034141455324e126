package pages

import (
	"fmt"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"kindex/exports/board"
	"kindex/exports/leaderboard"
	"kindex/exports/record"
	"kindex/exports/score"
	"kindex/site/siteurl"
	"kindex/site/textfmt"
)

// ownBoardPage is a page of a board of boards.yaml.
type ownBoardPage struct {
	*boardView
	Board   *board.Board
	Needs   string // in words, "" if nothing else is needed
	Figures board.Span
	Until   string // the day of the newest figure, if that is old
	Columns []boardColumn
	Rows    []ownBoardRow
	Total   int
	First   int
	Last    int
	Before  string // the earlier day with which ranks are compared, or "" if unknown

	Days       []option
	Today      string // path of today's board, or "" if this page shows it
	Prev, Next string
}

// boardColumn is a dimension of a board's formula.
type boardColumn struct{ Name, Note string }

// ownBoardRow is a row of a board.
type ownBoardRow struct {
	row
	To    string // path of the entity's page, or "" if it no longer has one
	Why   string // path of the explanation of the score, "" for an earlier day
	Moved boardDelta
	Cells []record.Score // by column
	Price string         // of a million tokens, and whose it is, on a board with a highest price
}

// ownBoards returns the published boards of boards.yaml, in their order.
func (s *Site) ownBoards() []*board.Board {
	if s.Own == nil {
		return nil
	}
	return s.Own.Published()
}

// ownBoard returns a board by its slug, published or not, or nil.
func (s *Site) ownBoard(slug string) *board.Board {
	if s.Own == nil {
		return nil
	}
	return s.Own.Find(slug)
}

// boardsPath is the path of the first page about leaderboards, which lists the boards.
const boardsPath = "/leaderboards/"

// boardPath returns the path of the leaderboard of a category or a board.
func boardPath(slug string) string { return "/leaderboards/" + slug + "/" }

// explanationID returns the id of the place where the page of an entity explains its score on a
// board.
func explanationID(b *board.Board) string { return "board-" + b.Slug }

// ownBoardsPaths yields the paths of the boards on a static site, which has no boards of
// earlier days.
func ownBoardsPaths(s *Site) iter.Seq[string] {
	return func(yield func(string) bool) {
		list := s.ownBoards()
		if !yield(boardsPath) {
			return
		}
		for _, b := range list {
			r := s.Own.Now(b)
			for n := range (len(r.Entries) + boardRows - 1) / boardRows {
				path := boardPath(b.Slug)
				if n > 0 {
					path += fmt.Sprintf("page-%d/", n+1)
				}
				if !yield(path) {
					return
				}
			}
		}
	}
}

// showOwnBoard renders a board of boards.yaml.
func (b *boardView) showOwnBoard(own *board.Board) (*page, error) {
	if b.choice("type") != "" || b.choice("by") != "" {
		return b.missing("Page not found", "This board has one order.", []suggestion{{Path: boardPath(own.Slug), Name: textfmt.Name(own.Title)}}), nil
	}
	if p := b.readDay(); p != nil {
		return p, nil
	}
	r, at, err := b.ownRanking(own)
	if err != nil {
		return nil, err
	}
	if !r.Published() {
		return b.unpublished(len(r.Entries)), nil
	}
	pages := (len(r.Entries) + boardRows - 1) / boardRows
	if p := b.readPage(pages, textfmt.Name(own.Title)); p != nil {
		return p, nil
	}
	d := &ownBoardPage{boardView: b, Board: own, Needs: own.Needs.Sentence(), Figures: r.FiguresOf(), Total: len(r.Entries), Columns: columnsOf(own.TypeFormula())}
	d.Until = until(d.Figures, b.asOf())
	if err := d.fill(r, at, pages); err != nil {
		return nil, err
	}
	p := &page{Template: "board", Title: own.Title, Data: d, Scripts: []string{"boards.js"}, NoIndex: b.Day != "", Section: "/leaderboards/",
		Description: own.Description}
	if b.Day != "" {
		p.Title += ", " + textfmt.Day(b.Day)
	}
	return p, nil
}

// readPage reads the page number. It returns nil if the page exists and the URL is in canonical
// form.
func (b *boardView) readPage(pages int, name string) *page {
	v := b.choice("page")
	if v == "" {
		return nil
	}
	n, err := strconv.Atoi(v)
	switch {
	case err != nil || n < 1 || n > pages:
		return b.missing("Page not found", fmt.Sprintf("This leaderboard has %s.", textfmt.Plural(pages, "page", "pages")), []suggestion{{Path: b.with("page", ""), Name: name}})
	case n == 1 || strconv.Itoa(n) != v:
		return &page{location: b.with("page", pageNumber(n))}
	}
	b.Number = n
	return nil
}

// ownRanking returns the ranking of a board on the requested day, and the time of its scores.
func (b *boardView) ownRanking(own *board.Board) (*board.Ranking, time.Time, error) {
	if b.Day == "" {
		return b.Own.Now(own), b.AsOf, nil
	}
	at, err := time.Parse(time.DateOnly, b.Day)
	if err != nil {
		return nil, at, err
	}
	past, err := b.Build.History().Day(b.Day)
	if err != nil {
		return nil, at, err
	}
	r, err := b.Own.At(own, past.View)
	return r, at, err
}

func (b *boardView) unpublished(entries int) *page {
	text := fmt.Sprintf("It has %s, and a board needs %d.", textfmt.Plural(entries, "ranked entity", "ranked entities"), board.MinEntries)
	var list []suggestion
	if b.Day != "" {
		text = fmt.Sprintf("It had %s on %s, and a board needs %d.", textfmt.Plural(entries, "ranked entity", "ranked entities"), textfmt.Day(b.Day), board.MinEntries)
		list = append(list, suggestion{Path: b.with("at", ""), Name: "Today’s board"})
	}
	p := b.missing("Board not published", text, append(list, suggestion{Path: boardsPath, Name: "Leaderboards"}))
	p.Section = "/leaderboards/"
	return p
}

// columnsOf returns the dimensions of a formula, each with a sentence about its measures.
func columnsOf(f *score.TypeFormula) (list []boardColumn) {
	for _, name := range score.DimensionNames {
		d := f.Dimensions[name]
		if d == nil || len(d.Measures) == 0 {
			continue
		}
		var names []string
		for i := range d.Measures {
			n := d.Measures[i].Benchmark
			if n == "" {
				n = strings.ToLower(signalLabel(&d.Measures[i]))
			}
			if !slices.Contains(names, n) {
				names = append(names, n)
			}
		}
		const most = 3
		note := "From " + inWords(names[:min(most, len(names))], len(names)-most) + "."
		list = append(list, boardColumn{name, textfmt.Name(note)})
	}
	return list
}

// inWords lists names, and how many more there are.
func inWords(names []string, more int) string {
	if more > 0 {
		names = append(slices.Clone(names), strconv.Itoa(more)+" more")
	}
	text := names[0]
	for i, n := range names[1:] {
		if i == len(names)-2 {
			text += " and " + n
		} else {
			text += ", " + n
		}
	}
	return text
}

// fill reads the rows of the page.
func (d *ownBoardPage) fill(r *board.Ranking, at time.Time, pages int) error {
	from := (d.Number - 1) * boardRows
	to := min(from+boardRows, len(r.Entries))
	records := make([]uint32, 0, len(r.Entries))
	for _, e := range r.Entries {
		records = append(records, e.Ordinal)
	}
	former, err := d.Own.Previous(d.Board, d.Day, board.ScoreName)
	if err != nil {
		return err
	}
	if former.Known() {
		d.Before = former.Day()
	}
	moved := leaderboard.Movements(former.Ranks(r.Catalogue, records))
	for i := from; i < to; i++ {
		w := d.ownRow(r, records[i], at)
		w.Rank, w.BoardScore, w.Moved = i+1, r.Entries[i].Score, deltaOf(moved[i])
		d.Rows = append(d.Rows, w)
	}
	d.First, d.Last = from+1, to
	if d.Number > 1 {
		d.Prev = d.with("page", pageNumber(d.Number-1))
	}
	if d.Number < pages {
		d.Next = d.with("page", pageNumber(d.Number+1))
	}
	d.addOwnDays()
	return nil
}

// ownRow reads a row. The dimensions are those of the board's own formula.
func (d *ownBoardPage) ownRow(r *board.Ranking, ordinal uint32, at time.Time) (w ownBoardRow) {
	e := r.Catalogue.Entity(ordinal)
	w.row = row{Entity: e}
	w.To = siteurl.Entity(e.Type, e.Slug)
	if r.Catalogue.Day != "" {
		w.To = d.currentPath(r.Catalogue, ordinal)
	} else {
		w.Why = w.To + "#score"
		if d.Board.Formula != nil {
			w.Why = w.To + "#" + explanationID(d.Board)
		}
	}
	if d.Board.Where["maxPrice"] != nil && e.Price.Blended.Known() {
		w.Price = priceText(&e.Price) + " per million tokens, " + d.priceNote(e)
	}
	scores := d.Board.Scores(e, at)
	for _, c := range d.Columns {
		w.Cells = append(w.Cells, scores.Get(c.Name))
	}
	return w
}

// addOwnDays lists the days that have a snapshot. A static site has none of these pages.
func (d *ownBoardPage) addOwnDays() {
	if d.Day != "" {
		d.Today = d.with("at", "")
	}
	days := d.earlierDays()
	if d.Static || len(days) == 0 {
		return
	}
	choices := maps.Clone(d.choices)
	delete(choices, "page")
	delete(choices, "at")
	d.Days = append(d.Days, option{Name: "Today", To: d.address(d.Category, choices), Chosen: d.Day == "" || d.Day == d.AsOf.UTC().Format(time.DateOnly)})
	for _, at := range slices.Backward(days) {
		choices["at"] = at
		d.Days = append(d.Days, option{Name: textfmt.Day(at), Value: at, To: d.address(d.Category, choices), Chosen: at == d.Day})
	}
}

// entityBoard is the explanation of an entity's score on a board.
type entityBoard struct {
	*scoreExplanation
	ID      string // of its place on the page
	Board   *board.Board
	Rank    int
	Of      int
	Sources []string // of the benchmark results
}

// entityBoards explains the scores of a record on all published boards that it is on.
func (s *Site) entityBoards(o uint32, e *record.Entity) (list []entityBoard) {
	boards := s.ownBoards()
	for _, b := range boards {
		r := s.Own.Now(b)
		rank, _, ok := r.Find(o)
		if !ok {
			continue
		}
		x := b.Explain(e, s.AsOf)
		d := explain(x.Explanation)
		d.OnBoard = true
		list = append(list, entityBoard{d, explanationID(b), b, rank, len(r.Entries), x.Board.Sources})
	}
	return list
}

// boardsHomePage is the first page about leaderboards.
type boardsHomePage struct {
	Groups     []boardGroup
	Categories []record.Category
}

// boardGroup holds the boards of a type.
type boardGroup struct {
	Type   string
	Boards []boardTop
}

// boardTop is a board and its best entities.
type boardTop struct {
	*board.Board
	Needs   string
	Figures board.Span
	Until   string // the day of the newest figure, if that is old
	Count   int
	Rows    []row
}

// boardsHome lists the boards by type, and the categories.
func (r *request) boardsHome() (*page, error) {
	boards := r.ownBoards()
	d := &boardsHomePage{Categories: r.Categories}
	for _, t := range record.Types {
		g := boardGroup{Type: t}
		for _, b := range boards {
			if b.Type != t {
				continue
			}
			top := r.boardTop(b, 3)
			g.Boards = append(g.Boards, top)
		}
		if len(g.Boards) > 0 {
			d.Groups = append(d.Groups, g)
		}
	}
	return &page{Template: "boards", Title: "Leaderboards", Description: "Models and tools, each compared for one purpose by one formula.", Data: d, Section: "/leaderboards/"}, nil
}

// boardTop reads the best entities of a board.
func (s *Site) boardTop(b *board.Board, most int) boardTop {
	r := s.Own.Now(b)
	top := boardTop{Board: b, Needs: b.Needs.Sentence(), Figures: r.FiguresOf(), Count: len(r.Entries)}
	top.Until = until(top.Figures, s.AsOf.UTC().Format(time.DateOnly))
	for i, entry := range r.Entries[:min(most, len(r.Entries))] {
		e := s.Build.Entity(entry.Ordinal)
		top.Rows = append(top.Rows, row{Entity: e, Rank: i + 1, BoardScore: entry.Score})
	}
	return top
}

// Path returns the path of the board.
func (b entityBoard) Path() string { return boardPath(b.Board.Slug) }

// Path returns the path of the board.
func (b boardTop) Path() string { return boardPath(b.Slug) }

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
