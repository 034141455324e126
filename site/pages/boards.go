package pages

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"kindex/exports/board"
	"kindex/exports/leaderboard"
	"kindex/exports/record"
	"kindex/exports/score"
	"kindex/exports/view"
	"kindex/site/siteurl"
	"kindex/site/textfmt"
)

// boardsPath is the path of the first page about leaderboards, which lists the boards.
const boardsPath = "/leaderboards/"

// boardPath returns the path of the leaderboard of a category or a board.
func boardPath(slug string) string { return boardsPath + slug + "/" }

// ranking is a requested leaderboard: of a category, or a board of boards.yaml.
type ranking struct {
	*request
	slug, typ, by string
	day           string       // "" for today
	own           *board.Board // nil for that of a category
	asOf          time.Time
	from          *view.View
	ordinals      []uint32 // best first
	scores        []record.Score
	former        *leaderboard.PreviousBoard
	figures       board.Span
}

// boards renders a leaderboard.
func (r *request) boards() (*page, error) {
	b := &ranking{request: r, slug: r.arg("category"), typ: r.choice("type"), by: r.choice("by"), own: r.ownBoard(r.arg("category")), asOf: r.AsOf, from: r.Build.View}
	if b.slug == view.AllBoard { // ranks compare what is alike; only the API has this board
		return &page{location: boardsPath}, nil
	}
	if p := b.read(); p != nil {
		return p, nil
	}
	if err := b.rank(); err != nil {
		return nil, err
	}
	if b.own != nil && len(b.ordinals) < board.MinEntries {
		return b.unpublished(), nil
	}
	l := b.list()
	if !b.turn(l) {
		return b.notFound(), nil
	}
	if r.Static && b.day != "" && l.Next != "" {
		l.Next, l.Rest = "", true
	}
	p := r.listPage(l, l.Text, "")
	p.NoIndex, p.Section, p.Title = b.day != "", boardsPath, l.Heading
	if b.own == nil {
		p.Description = fmt.Sprintf("%s, ranked by %s as of %s.", l.Heading, scoreWord(b.by), textfmt.Day(b.today()))
		if b.by != "composite" {
			p.Title += " by " + strings.ToLower(scoreWord(b.by))
		}
	}
	if b.day != "" {
		p.Title += ", " + textfmt.Day(b.day)
	}
	return p, nil
}

// rank reads who is on the leaderboard, and who was a week earlier.
func (b *ranking) rank() (err error) {
	if b.day != "" {
		past, err := b.Build.History().Day(b.day)
		if err != nil {
			return err
		}
		b.from = past.View
	}
	if b.own == nil {
		set := b.from.Board(b.slug, b.typ, b.by)
		b.ordinals, _, _ = b.from.Page(set, view.Sort{Key: b.by, Desc: true}, nil, 0, int(set.GetCardinality()))
		b.former, err = b.Boards.PreviousBoard(b.day, b.slug, b.typ, b.by)
		return err
	}
	r := b.Own.Now(b.own)
	if b.day != "" {
		if r, err = b.Own.At(b.own, b.from); err != nil {
			return err
		}
	}
	b.from, b.figures = r.Catalogue, r.FiguresOf()
	for _, e := range r.Entries {
		b.ordinals, b.scores = append(b.ordinals, e.Ordinal), append(b.scores, e.Score)
	}
	b.former, err = b.Own.Previous(b.own, b.day, board.ScoreName)
	return err
}

// list returns the page without its rows.
func (b *ranking) list() *listing {
	l := &listing{Crumbs: []option{{Name: "Boards", To: boardsPath}}, Heading: b.heading(), Day: b.day, Ranked: true, Pick: b.day == "", What: "entities",
		ordered: b.ordinals, Columns: append([]*column{{Name: "name", Title: "Name"}}, b.columns()...)}
	if b.day != "" {
		l.Today = b.presentPath()
	}
	if b.former.Known() {
		l.Since = b.former.Day()
	}
	if b.own != nil {
		l.What = b.plural(b.own.Type)
		l.Text, l.Until = b.own.Description, until(b.figures, b.today())
		l.Notes = append(l.Notes, strings.TrimSpace(b.own.Needs.Sentence()+" "+figuresFrom(b.figures)))
		l.SortNote = "Each score, from 0 to 100, links to its explanation."
		l.Chart = b.scatter()
	} else {
		for _, c := range b.Site.Categories {
			if c.Slug == b.slug {
				l.Text = string(c.Description)
			}
		}
		l.Empty = "Nothing is ranked here: no entity of this kind has enough data for a score."
		if b.day != "" {
			l.Empty = "Nothing was ranked here on " + textfmt.Day(b.day) + ": no entity of this kind had enough data for a score."
		}
		b.addMenus(l)
	}
	b.addDays(l)
	moved := leaderboard.Movements(b.former.Ranks(b.from, b.ordinals))
	places := make(map[uint32]int, len(b.ordinals))
	for i, o := range b.ordinals {
		places[o] = i
	}
	l.at = func(o uint32) item { return b.item(o, places[o], moved[places[o]]) }
	return l
}

// item returns an entity on the leaderboard.
func (b *ranking) item(o uint32, place int, moved leaderboard.Movement) item {
	e := b.from.Entity(o)
	it := item{Entity: e, ordinal: o, moved: deltaOf(moved), scores: &e.Scores, offer: &record.Offer{}}
	it.offer.Prices[record.InputPrice], it.offer.Prices[record.OutputPrice] = e.Price.Input, e.Price.Output
	if it.to = siteurl.Entity(e.Type, e.Slug); b.day != "" {
		it.to = b.currentPath(b.from, o)
	}
	if b.own == nil {
		return it
	}
	scores := b.own.Scores(e, b.asOf)
	it.scores, it.score = &scores, b.scores[place]
	if b.day == "" {
		it.why = it.to + "#score"
		if b.own.Formula != nil {
			it.why = it.to + "#" + explanationID(b.own)
		}
	}
	return it
}

// columns returns the scores of the leaderboard, and figures of the kind.
func (b *ranking) columns() (list []*column) {
	if b.own == nil {
		for _, name := range b.scoreNames() {
			c := &column{Name: name, Title: b.scoreLabel(b.typ, name), Number: true, Down: true, Score: true, Lesser: name != b.by,
				cell: func(it *item) cell { return scoreCell(it.scores.Get(name), name == "composite") }}
			if name == b.by {
				c.Sorted, c.Place = "descending", "p1"
			} else if !b.Static {
				c.To = b.with("by", map[bool]string{false: name}[name == "composite"])
			}
			list = append(list, c)
		}
		return list
	}
	list = append(list, &column{Name: "composite", Title: "Score", Number: true, Down: true, Score: true, Sorted: "descending", Place: "p1",
		cell: func(it *item) cell { return scoreCell(it.score, true) }})
	dimensions := b.columnsOf(b.own.Type, b.own.TypeFormula())
	for _, c := range dimensions {
		if c.Lesser = true; len(dimensions) == 1 {
			break // it is the score
		}
		c.cell = func(it *item) cell { return scoreCell(it.scores.Get(c.Name), false) }
		list = append(list, c)
	}
	var own []*column
	for _, name := range kindColumns(b.kinds().Kind(b.own.Type)) {
		if name != "board" && len(list)+len(own) < 6 {
			c := b.column(name)
			c.Lesser = len(list)+len(own) > 3
			own = append(own, c)
		}
	}
	place(own, "p2")
	return append(list, own...)
}

// scoreNames returns the names of the scores that the leaderboard of a category shows. Scores on an
// earlier day may come from a different formula.
func (b *ranking) scoreNames() []string {
	types := b.types()
	if b.typ != "" {
		types = []string{b.typ}
	}
	names := b.Site.scores(types...)
	if b.day != "" || !slices.Contains(names, b.by) {
		return record.ScoreNames
	}
	return names
}

// columnsOf returns the dimensions of a formula, each with what it is measured by.
func (s *Site) columnsOf(typ string, f *score.TypeFormula) (list []*column) {
	for _, name := range score.DimensionNames {
		d := f.Dimensions[name]
		if d == nil || len(d.Measures) == 0 {
			continue
		}
		var names []string
		for i := range d.Measures {
			if n := cmp.Or(d.Measures[i].Benchmark, strings.ToLower(s.signalLabel(&d.Measures[i]))); !slices.Contains(names, n) {
				names = append(names, n)
			}
		}
		if more := len(names) - 3; more > 0 {
			names = append(names[:3:3], strconv.Itoa(more)+" more")
		}
		list = append(list, &column{Name: name, Title: s.scoreLabel(typ, name), Unit: textfmt.Name("From " + textfmt.JoinAnd(names) + "."), Number: true})
	}
	return list
}

// heading returns the heading of the leaderboard.
func (b *ranking) heading() string {
	if b.own != nil {
		return b.own.Title
	}
	if b.typ != "" {
		return b.boardTitle(b.slug) + ": leading " + b.plural(b.typ)
	}
	return b.boardTitle(b.slug) + ": leaders"
}

func (s *Site) boardTitle(category string) string { return textfmt.Name(s.categoryTitle(category)) }

// today returns the day of the leaderboard.
func (b *ranking) today() string { return b.asOf.UTC().Format(time.DateOnly) }

// scoreWord returns the name of a score for use in a sentence.
func scoreWord(by string) string {
	if by == "composite" {
		return "score"
	}
	return by
}

// boardDelta is the movement of an entity in a ranking.
type boardDelta struct {
	Class string // up, down, new or same
	Sign  string
	Words string // for screen readers
}

func deltaOf(moved leaderboard.Movement) boardDelta {
	switch n := moved.By; {
	case !moved.Known:
		return boardDelta{"new", "new", "new"}
	case n > 0:
		return boardDelta{"up", "▲" + textfmt.Count(n), "up " + strconv.Itoa(n)}
	case n < 0:
		return boardDelta{"down", "▼" + textfmt.Count(-n), "down " + strconv.Itoa(-n)}
	}
	return boardDelta{"same", "=", "unchanged"}
}
