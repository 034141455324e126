package pages

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/RoaringBitmap/roaring/v2"

	"kindex/exports/didyoumean"
	"kindex/exports/leaderboard"
	"kindex/exports/record"
	"kindex/exports/view"
	"kindex/site/textfmt"
)

const boardRows = 50 // rows per page of a leaderboard

// boardView is a requested leaderboard.
type boardView struct {
	*request
	Category string
	Type     string // "" for all types
	By       string
	Day      string // "" for today
	Number   int    // page number, from 1

	from *view.View
	set  *roaring.Bitmap
}

// boardPage is a page of a leaderboard.
type boardPage struct {
	*boardView
	Heading string
	About   string // description of the category
	Rows    []boardRow
	Total   int
	First   int
	Last    int
	Before  string // the earlier day with which ranks are compared, or "" if unknown

	Columns    []option // the scores
	Types      []option
	Categories []option
	Days       []option // latest first
	Today      string   // path of today's leaderboard, or "" if this page shows it
	Prev, Next string
	Rest       bool // the leaderboard has more rows, but a static site has no page for them
}

// boards renders a leaderboard.
func (r *request) boards() (*page, error) {
	b := &boardView{request: r, Category: r.arg("category"), Type: r.choice("type"), By: r.choice("by"), Number: 1}
	if b.Category == view.AllBoard { // ranks compare what is alike; only the API has this board
		return &page{location: boardsPath}, nil
	}
	if own := r.ownBoard(b.Category); own != nil {
		return b.showOwnBoard(own)
	}
	if p := b.read(); p != nil {
		return p, nil
	}
	if err := b.choose(); err != nil {
		return nil, err
	}
	d := &boardPage{boardView: b, Heading: b.heading(), About: b.about(), Total: int(b.set.GetCardinality())}
	if last := max(1, (d.Total+boardRows-1)/boardRows); b.Number > last {
		return r.missing("Page not found", fmt.Sprintf("This leaderboard has %s.", textfmt.Plural(last, "page", "pages")),
			[]suggestion{{Path: r.with("page", ""), Name: d.Heading}}), nil
	}
	if err := d.fill(); err != nil {
		return nil, err
	}
	d.addChoices()
	p := &page{Template: "leaderboard", Title: d.Heading, Data: d, Scripts: []string{"boards.js"}, NoIndex: b.Day != "", Section: "/leaderboards/"}
	p.Description = fmt.Sprintf("%s, ranked by %s as of %s.", d.Heading, scoreWord(b.By), textfmt.Day(b.asOf()))
	if b.By != "composite" {
		p.Title += " by " + strings.ToLower(scoreWord(b.By))
	}
	if b.Day != "" {
		p.Title += ", " + textfmt.Day(b.Day)
	}
	return p, nil
}

// read reads the choices in the URL. It returns nil if they identify a leaderboard and the
// URL is in canonical form, or else a redirect or an error page.
func (b *boardView) read() *page {
	if v := b.choice("type"); v != "" && !slices.Contains(record.Types, v) {
		return b.missingChoice("type", v, record.Types)
	}
	switch {
	case b.By == "":
		b.By = "composite"
	case !slices.Contains(record.ScoreNames, b.By):
		return b.missingChoice("by", b.By, record.ScoreNames)
	case b.By == "composite":
		return &page{location: b.with("by", "")}
	}
	if p := b.readDay(); p != nil {
		return p
	}
	if now, renamed := b.Build.Preferred("category", b.Category); renamed {
		return &page{location: b.address(now, b.choices)}
	}
	if known := b.knownCategories(); !slices.Contains(known, b.Category) {
		return b.missingCategory(known)
	}
	if v := b.choice("page"); v != "" {
		n, err := strconv.Atoi(v)
		switch {
		case err != nil || n < 1:
			return b.missing("Page not found", "", []suggestion{{Path: b.with("page", ""), Name: b.heading()}})
		case n == 1 || strconv.Itoa(n) != v:
			return &page{location: b.with("page", pageNumber(n))}
		}
		b.Number = n
	}
	return nil
}

// pageNumber returns a page number in the form used in URLs: "" for the first page.
func pageNumber(n int) string {
	if n <= 1 {
		return ""
	}
	return strconv.Itoa(n)
}

func (b *boardView) missingChoice(name, value string, known []string) *page {
	var list []suggestion
	for _, v := range didyoumean.Names(value, known, maxNear) {
		list = append(list, suggestion{Path: b.with(name, v), Name: textfmt.Label(v)})
	}
	words := map[string]string{"type": "entity type", "by": "score"}[name]
	return b.missing("Leaderboard not found", fmt.Sprintf("Unknown %s “%s”; expected one of: %s.", words, plainName(value), strings.Join(known, ", ")), list)
}

// plainName is textfmt.Name, for functions in which name is a parameter.
func plainName(s string) string { return textfmt.Name(s) }

// knownCategories returns the categories that may have a leaderboard. For an earlier
// day, they include categories that no longer exist.
func (b *boardView) knownCategories() []string {
	var known []string
	for _, c := range b.Site.Categories {
		known = append(known, c.Slug)
	}
	if b.Day != "" {
		known = append(known, b.changeCategories()...)
	}
	return known
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

func (b *boardView) missingCategory(known []string) *page {
	var list []suggestion
	for _, own := range b.ownBoards() {
		known = append(known, own.Slug)
	}
	for _, slug := range didyoumean.Names(b.Category, known, maxNear) {
		near := suggestion{Path: b.address(slug, b.choices), Name: b.boardTitle(slug)}
		if own := b.ownBoard(slug); own != nil {
			near = suggestion{Path: boardPath(slug), Name: textfmt.Name(own.Title)}
		}
		list = append(list, near)
	}
	p := b.missing("Category not found", fmt.Sprintf("There is no category “%s”.", textfmt.Name(b.Category)), list)
	p.Section = "/leaderboards/"
	return p
}

// choose selects the entities of the leaderboard.
func (b *boardView) choose() error {
	b.from = b.Build.View
	if b.Day != "" {
		past, err := b.Build.History().Day(b.Day)
		if err != nil {
			return err
		}
		b.from = past.View
	}
	b.set = b.from.Board(b.Category, b.Type, b.By)
	return nil
}

// fill reads the rows of the page.
func (d *boardPage) fill() error {
	sort, skip := view.Sort{Key: d.By, Desc: true}, (d.Number-1)*boardRows
	records, more, _ := d.from.Page(d.set, sort, nil, skip, boardRows)
	former, err := d.Boards.PreviousBoard(d.Day, d.Category, d.Type, d.By)
	if err != nil {
		return err
	}
	if former.Known() {
		d.Before = former.Day()
	}
	all, _, _ := d.from.Page(d.set, sort, nil, 0, d.Total)
	moved := leaderboard.Movements(former.Ranks(d.from, all))
	for i, o := range records {
		d.Rows = append(d.Rows, d.row(o, skip+i+1, moved[skip+i]))
	}
	d.First, d.Last = min(skip+1, d.Total), skip+len(records)
	if d.Number > 1 {
		d.Prev = d.with("page", pageNumber(d.Number-1))
	}
	if d.Rest = more && d.Static && d.Day != ""; more && !d.Rest {
		d.Next = d.with("page", pageNumber(d.Number+1))
	}
	return nil
}

// heading returns the heading of the leaderboard.
func (b *boardView) heading() string {
	what := "tools and models"
	if b.Type != "" {
		what = b.Type + "s"
	}
	return "Leading " + what + " in " + b.boardTitle(b.Category)
}

// about returns the description of the category.
func (b *boardView) about() string {
	for _, c := range b.Site.Categories {
		if c.Slug == b.Category {
			return string(c.Description)
		}
	}
	return ""
}

// CategoryName returns the title of the category.
func (b *boardView) CategoryName() string { return b.boardTitle(b.Category) }

func (s *Site) boardTitle(category string) string { return textfmt.Name(s.categoryTitle(category)) }

// asOf returns the day of the leaderboard.
func (b *boardView) asOf() string {
	if b.Day != "" {
		return b.Day
	}
	return b.AsOf.UTC().Format("2006-01-02")
}

// scoreWord returns the name of a score for use in a sentence.
func scoreWord(by string) string {
	if by == "composite" {
		return "score"
	}
	return by
}

// ScoreWord returns the name of the score that the leaderboard is ranked by.
func (b *boardView) ScoreWord() string { return scoreWord(b.By) }

// address returns the path of a leaderboard.
func (b *boardView) address(category string, choices map[string]string) string {
	return b.route.path(map[string]string{"category": category}, choices)
}
