package pages

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"kindex/exports/board"
	"kindex/exports/record"
	"kindex/exports/score"
	"kindex/exports/view"
	"kindex/site/siteurl"
	"kindex/site/textfmt"
)

// boardsPath is the path of the first page about leaderboards, which lists the boards.
const boardsPath = "/leaderboards/"

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
	former        *board.PreviousBoard
	figures       board.Span
}

func (r *request) boards() (*page, error) {
	b := &ranking{request: r, slug: r.args["category"], typ: r.choices["type"], by: r.choices["by"], own: r.Own.Find(r.args["category"]), asOf: r.AsOf, from: r.Build.View}
	if b.slug == view.AllBoard { // ranks compare what is alike; only the API has this board
		return r.moved(boardsPath, ""), nil
	}
	if p := b.read(); p != nil {
		return p, nil
	}
	if err := b.rank(); err != nil {
		return nil, err
	}
	if b.own != nil && len(b.ordinals) < board.MinEntries {
		list, when := []link{{Name: "Leaderboards", To: boardsPath}}, "has"
		if b.day != "" {
			list, when = slices.Insert(list, 0, link{To: b.with("at", ""), Name: "Today’s board"}), "had on "+textfmt.Day(b.day)
		}
		text := fmt.Sprintf("It %s %s, and a board needs %d.", when, textfmt.Plural(len(b.ordinals), "ranked entity", "ranked entities"), board.MinEntries)
		return b.missing("Board not published", text, list...), nil
	}
	l := b.list()
	if !b.turn(l) {
		return b.notFound(), nil
	}
	if l.Rest = r.Static && b.day != "" && l.Next != ""; l.Rest {
		l.Next = ""
	}
	p := r.listPage(l, l.Text, "")
	p.NoIndex, p.Section, p.Title = b.day != "", boardsPath, l.Heading
	if b.own == nil {
		word := "score"
		if b.by != "composite" {
			word = b.by
			p.Title += " by " + word
		}
		p.Description = fmt.Sprintf("%s, ranked by %s as of %s.", l.Heading, word, textfmt.Day(b.today()))
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
		b.ordinals, _, _ = b.from.Page(b.from.Board(b.slug, b.typ, b.by), view.Sort{Key: b.by, Desc: true}, nil, 0, b.from.Len())
		b.former, err = b.Own.PreviousBoard(b.day, b.slug, b.typ, b.by)
		return err
	}
	r := b.Own.Now(b.own)
	if b.day != "" {
		r = b.Own.At(b.own, b.from)
	}
	b.from, b.ordinals, b.figures = r.Catalogue, r.Order(board.ScoreName), r.FiguresOf()
	b.former, err = b.Own.Previous(b.own, b.day, board.ScoreName)
	return err
}

// list returns the page without its rows.
func (b *ranking) list() *listing {
	l := &listing{Crumbs: []option{{Name: "Boards", To: boardsPath}}, Heading: b.boardTitle(b.slug), Day: b.day, Ranked: true, Pick: b.day == "", What: "entities",
		ordered: b.ordinals, Columns: append([]*column{b.column("name")}, b.columns()...)}
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
		if l.Heading += ": leaders"; b.typ != "" {
			l.Heading = b.boardTitle(b.slug) + ": leading " + b.plural(b.typ)
		}
		l.Text = string(first(b.Site.Categories, func(c record.Category) bool { return c.Slug == b.slug }).Description)
		l.Empty = "Nothing is ranked here: no entity of this kind has enough data for a score."
		if b.day != "" {
			l.Empty = "Nothing was ranked here on " + textfmt.Day(b.day) + ": no entity of this kind had enough data for a score."
		}
		b.addMenus(l)
	}
	b.addDays(l)
	moved := map[uint32]board.Movement{}
	for i, m := range board.Movements(b.former.Ranks(b.from, b.ordinals)) {
		moved[b.ordinals[i]] = m
	}
	l.at = func(o uint32) item { return b.item(o, moved[o]) }
	return l
}

func (b *ranking) item(o uint32, moved board.Movement) item {
	e := b.from.Entity(o)
	it := item{Entity: e, ordinal: o, moved: deltaOf(moved), scores: b.scoresOf(e), offer: &record.Offer{}}
	it.offer.Prices[record.InputPrice], it.offer.Prices[record.OutputPrice] = e.Price.Input, e.Price.Output
	switch it.to = pathOf(e); {
	case b.day != "": // its present page, if it still has one
		a := b.Build.History()
		v, _ := a.At(e.Type, e.Slug, b.from.Day)
		now := a.Version(a.Newest(v))
		_, former, ok := b.Build.Find(now.Type, now.Slug)
		if it.to = siteurl.Entity(now.Type, now.Slug); now.Deleted || !ok || former {
			it.to = "-"
		}
	case b.own != nil && b.own.Formula != nil:
		it.why = it.to + "#board-" + b.own.Slug
	case b.own != nil:
		it.why = it.to + "#score"
	}
	return it
}

func (b *ranking) scoresOf(e *record.Entity) record.Scores {
	if b.own == nil {
		return e.Scores
	}
	return b.own.Scores(e, b.asOf)
}

// columns returns the scores of the leaderboard and, on a board, figures of the kind.
func (b *ranking) columns() (list []*column) {
	typ := b.typ
	if b.own != nil {
		typ = b.own.Type
	}
	for _, name := range b.scoreNames() {
		c := &column{Name: name, Title: b.scoreLabel(typ, name), Number: true, Score: b.own == nil || name == b.by, Lesser: name != b.by,
			cell: func(it *item) cell { return scoreCell(it.scores.Get(name), name == "composite") }}
		switch {
		case name == b.by:
			c.Sorted, c.Place = "descending", "p1"
		case b.own != nil:
			c.Unit = b.measuredBy(b.own.TypeFormula().Dimensions[name])
		case !b.Static:
			c.To = b.with("by", map[bool]string{false: name}[name == "composite"])
		}
		list = append(list, c)
	}
	if b.own == nil {
		return list
	}
	scores, names := len(list), b.columnNames(b.kinds().Kind(typ))
	if scores == 1 { // what the score says comes first
		names = append(b.signalsOf(b.own.TypeFormula()), names...)
	}
	for i, name := range names {
		if name != "board" && len(list) < 6 && !slices.Contains(names[:i], name) {
			c := b.column(name)
			c.Lesser = len(list) > 3
			list = append(list, c)
		}
	}
	place(list[scores:], "p2")
	return list
}

// scoreNames returns the names of the scores that the leaderboard shows. Scores of a category on an
// earlier day may come from a different formula.
func (b *ranking) scoreNames() []string {
	if b.own != nil {
		list := slices.DeleteFunc(slices.Clone(record.ScoreNames), func(name string) bool {
			d := b.own.TypeFormula().Dimensions[name]
			return name != "composite" && (d == nil || len(d.Measures) == 0)
		})
		if len(list) == 2 {
			return list[:1] // the only dimension is the score
		}
		return list
	}
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

func (s *Site) signalsOf(f *score.TypeFormula) (list []string) {
	for _, dimension := range score.DimensionNames {
		d := cmp.Or(f.Dimensions[dimension], &score.Dimension{})
		for _, m := range d.Measures {
			for _, name := range append([]string{m.Signal}, m.Sum...) {
				if s.kinds().Signal(name) != nil && !slices.Contains(list, name) {
					list = append(list, name)
				}
			}
		}
	}
	return list
}

func (s *Site) measuredBy(d *score.Dimension) string {
	var names []string
	for i := range d.Measures {
		if n := measureName(&d.Measures[i], s.kinds().InSentence); !slices.Contains(names, n) {
			names = append(names, n)
		}
	}
	if more := len(names) - 3; more > 0 {
		names = append(names[:3:3], strconv.Itoa(more)+" more")
	}
	return textfmt.Name("From " + textfmt.JoinAnd(names) + ".")
}

// boardTitle returns the title of a board, or of the leaderboard of a category.
func (s *Site) boardTitle(slug string) string {
	if own := s.Own.Find(slug); own != nil {
		return own.Title
	}
	return textfmt.Name(s.categoryTitle(slug))
}

func (b *ranking) today() string { return b.asOf.UTC().Format(time.DateOnly) }
