package pages

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"kindex/exports/board"
	"kindex/exports/kinds"
	"kindex/exports/record"
	"kindex/site/textfmt"
)

type boardDelta struct {
	Class string // up, down, new or same
	Sign  string
	Words string // for screen readers
}

func deltaOf(moved board.Movement) boardDelta {
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

// read reads the choices in the path. It returns nil if they identify a leaderboard and the path is in
// canonical form, or else a redirect or an error page.
func (b *ranking) read() *page {
	switch types := b.kinds().Names(); {
	case b.own != nil && b.by+b.typ != "": // a board has one order
		return b.notFound()
	case b.typ != "" && !slices.Contains(types, b.typ):
		return b.missingChoice("type", b.typ, types)
	case b.by != "" && !slices.Contains(record.ScoreNames, b.by):
		return b.missingChoice("by", b.by, record.ScoreNames)
	case b.by == "composite":
		return b.moved(b.with("by", ""), "")
	}
	b.by = cmp.Or(b.by, "composite")
	if p := b.readDay(); p != nil || b.own != nil {
		return p
	}
	if now, renamed := b.Build.Preferred("category", b.slug); renamed {
		return b.moved(b.route.path(map[string]string{"category": now}, b.choices), "")
	}
	known := b.knownCategories()
	if slices.Contains(known, b.slug) {
		return nil
	}
	known = append(known, each(b.Own.Published(), func(own *board.Board) string { return own.Slug })...)
	list := near(b.slug, known, func(slug string) link { return link{To: boardPath(slug), Name: b.boardTitle(slug)} })
	return b.missing("Category not found", fmt.Sprintf("There is no category “%s”.", textfmt.Name(b.slug)), list...)
}

// readDay reads the day from the path, like read.
func (b *ranking) readDay() *page {
	want, text, days := b.choices["at"], "This index has no history yet.", []string(nil)
	if want == "" {
		return nil
	}
	if first, last := b.Build.History().FirstDay(), b.Build.History().LastDay(); first != "" {
		at, err := time.Parse(time.DateOnly, want)
		if err == nil && want >= first && want <= last {
			b.day, b.asOf = want, at
			return nil
		}
		text = "Leaderboards are available " + daysBetween(first, last) + "; write the day as " + last + "."
		days = slices.Compact([]string{first, last})
	}
	others := each(days, func(d string) link { return link{To: b.with("at", d), Name: "Leaderboard for " + textfmt.Day(d)} })
	return b.missing("No leaderboard for that day", text, append([]link{{Name: "Today’s leaderboard", To: b.presentPath()}}, others...)...)
}

// knownCategories returns the categories that may have a board. For an earlier day, they include
// categories that no longer exist.
func (b *ranking) knownCategories() []string {
	known := each(b.Site.Categories, func(c record.Category) string { return c.Slug })
	if b.day == "" {
		return known
	}
	return append(known, slices.DeleteFunc(b.changeCategories(), func(c string) bool { return slices.Contains(known, c) })...)
}

// changeCategories returns the categories in which entities have been, under their present
// slugs if they still exist.
func (s *Site) changeCategories() (list []string) {
	for _, slug := range s.Build.History().ChangeValues("category") {
		if slug, _ = s.Build.Preferred("category", slug); !slices.Contains(list, slug) {
			list = append(list, slug)
		}
	}
	return list
}

// addMenus adds the choices of a leaderboard of a category. A static site has leaderboards by composite
// score only, and leaderboards of earlier days only for all types together.
func (b *ranking) addMenus(l *listing) {
	if types := b.types(); len(types) > 1 && (!b.Static || b.day == "") {
		l.Menus = append(l.Menus, listMenu{Title: "Kind", Options: b.choose("type", "All", types, b.plurals)})
	}
	m := listMenu{Title: "Category", Folded: true, Chosen: b.boardTitle(b.slug)}
	for _, slug := range b.knownCategories() {
		to := strings.Replace(b.with(), boardPath(b.slug), boardPath(slug), 1)
		m.Options = append(m.Options, option{Name: b.boardTitle(slug), To: to, Chosen: slug == b.slug})
	}
	l.Menus = append(l.Menus, m)
}

// addDays lists the days that have a snapshot, and the day of the page; the as-of day is today's board. A static
// site has the boards of the first ones only, and no boards of boards.yaml of earlier days.
func (b *ranking) addDays(l *listing) {
	typ, today := b.typ, b.AsOf.UTC().Format(time.DateOnly)
	days := slices.DeleteFunc(b.Build.History().Snapshots(), func(day string) bool { return day >= today }) // oldest first
	if i, known := slices.BinarySearch(days, b.day); !known && b.day != "" && b.day < today {
		days = slices.Insert(days, i, b.day)
	}
	if len(days) == 0 || b.Static && (b.own != nil || len(b.ordinals) == 0) {
		return
	}
	if b.Static {
		typ = ""
	}
	m := listMenu{Title: "Earlier days", Name: "days", Folded: true,
		Options: []option{{Name: "Today", To: b.presentPath(), Chosen: b.day == "" || b.day == today}}}
	for _, at := range slices.Backward(days) {
		m.Options = append(m.Options, option{Name: textfmt.Day(at), Value: at, To: b.with("type", typ, "at", at), Chosen: at == b.day})
	}
	l.Menus = append(l.Menus, m)
}

// presentPath returns the path of the same leaderboard today, or of all if the category no longer exists.
func (b *ranking) presentPath() string {
	if b.own == nil && b.titles[b.slug] == "" {
		return boardsPath
	}
	return b.with("at", "")
}

// entityBoard is the explanation of an entity's score on a board.
type entityBoard struct {
	*scoreExplanation
	Board   *board.Board
	Rank    int
	Of      int
	Sources []string // of the benchmark results
}

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
		list = append(list, entityBoard{d, b, rank, len(r.Entries), x.Board.Sources})
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
	if b := first(r.Own.Published(), func(b *board.Board) bool { return r.kinds().Kind(b.Type).HasBlock(kinds.Offers) }); b != nil {
		return r.moved(boardPath(b.Slug), ""), nil
	}
	return r.moved(boardsPath, ""), nil
}
