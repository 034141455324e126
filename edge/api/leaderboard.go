package api

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"kindex/edge/query"
	"kindex/edge/web"
	"kindex/exports/board"
	"kindex/exports/didyoumean"
	"kindex/exports/history"
	"kindex/exports/jsonenc"
	"kindex/exports/record"
	"kindex/exports/view"
)

// describeBoard returns what is said of a board of boards.yaml.
func describeBoard(b *board.Board, r *board.Ranking) []member {
	return []member{{"slug", b.Slug}, {"title", b.Title}, {"description", b.Description}, {"type", b.Type},
		{"needs", jsonenc.OptionalString(b.Needs.Sentence())}, {"figuresOf", r.FiguresOf()}}
}

// Boards handles GET /api/boards.
func (a *API) Boards(c *web.Call) (*web.Reply, error) {
	l := newList(c)
	for _, b := range c.Served.Own.Published() {
		r := c.Served.Own.Now(b)
		l.body = projection(listed).append(l.next(), nil, append(describeBoard(b, r), member{"count", len(r.Entries)})...)
	}
	return l.reply(l.items, nil), nil
}

// rankingAt returns the ranking of a board at the end of the day of a catalogue. It returns a problem if
// the board has too few entries to be published.
func rankingAt(c *web.Call, b *board.Board, catalogue *view.View) (*board.Ranking, error) {
	r, when := c.Served.Own.Now(b), "has"
	if catalogue.Day != "" {
		r, when = c.Served.Own.At(b, catalogue), "had on "+catalogue.Day
	}
	if !r.Published() {
		return nil, web.NewProblem("unpublished-board", fmt.Sprintf("The board %q is not published: it %s %d ranked entities, and a board needs %d.",
			b.Slug, when, len(r.Entries), board.MinEntries))
	}
	return r, nil
}

// Leaderboard handles GET /api/leaderboard/:category.
func (a *API) Leaderboard(c *web.Call) (*web.Reply, error) {
	name := c.Param("category")
	if now, renamed := c.Served.Build.Preferred("category", name); renamed {
		u := url.URL{Path: "/api/leaderboard/" + now, RawQuery: c.Request.URL.RawQuery}
		return &web.Reply{Location: u.String()}, nil
	}
	l := openList(c)
	own, scores := c.Served.Own.Find(name), record.ScoreNames
	if own != nil {
		scores = append([]string{board.ScoreName}, scores...)
	} else if err := checkBoard(c, name, l.day); err != nil {
		return nil, err
	}
	by, typ := c.Query.OneOf("by", scores[0], scores), c.Query.OneOf("type", "", c.Served.Build.Kinds().Names())
	if own != nil {
		return l.ownBoard(own, typ, by)
	}
	previous, err := c.Served.Own.PreviousBoard(l.day, name, typ, by)
	if err != nil {
		return nil, err
	}
	set := l.catalogue.Board(name, typ, by)
	page, next, before := l.sorted(set, l.catalogue.Order(view.Sort{Key: by, Desc: true}))
	return l.leaderboard(int(set.GetCardinality()), page, next, before, previous, nil), nil
}

// ownBoard returns a page of a board of boards.yaml.
func (l *list) ownBoard(b *board.Board, typ, by string) (*web.Reply, error) {
	if typ != "" && typ != b.Type {
		return nil, &query.Error{Param: "type", Message: fmt.Sprintf("the board %s ranks entities of the type %s", b.Slug, b.Type), Suggestion: b.Type}
	}
	r, err := rankingAt(l.Call, b, l.catalogue)
	if err != nil {
		return nil, err
	}
	l.catalogue = r.Catalogue
	previous, err := l.Served.Own.Previous(b, l.day, by)
	if err != nil {
		return nil, err
	}
	set, order := r.By(by)
	page, next, before := l.sorted(set, order)
	return l.leaderboard(int(set.GetCardinality()), page, next, before, previous, r, describeBoard(b, r)...), nil
}

// leaderboard completes a page of a leaderboard, which r is if it is one of boards.yaml.
func (l *list) leaderboard(count int, page []uint32, next *query.Cursor, before int, previous *board.PreviousBoard, r *board.Ranking, members ...member) *web.Reply {
	ranks := previous.Ranks(l.catalogue, page)
	for i, o := range page {
		rank := before + i + 1
		more := []member{{"rank", rank}, {"previousRank", nil}, {"delta", nil}} // delta is the number of places gained
		if ranks[i] > 0 {
			more[1].value, more[2].value = ranks[i], ranks[i]-rank
		}
		if r != nil {
			_, score, _ := r.Find(o)
			more = append(more, member{"boardScore", score})
		}
		l.addRecord(o, more...)
	}
	comparedTo := jsonenc.OptionalString("") // null if the build has no snapshot for that day
	if previous.Known() {
		comparedTo = jsonenc.OptionalString(previous.Day())
	}
	return l.reply(count, next, append([]member{{"comparedTo", comparedTo}}, members...)...)
}

// categoriesAt returns the categories that records can be in on a day: the current categories
// and, for a past day, all former ones as well.
func categoriesAt(c *web.Call, day string) []string {
	if day == "" {
		return c.Served.Slugs
	}
	return allCategories(c)
}

// boardNamesAt returns the names of the leaderboards on a day: all, the categories, and the
// published boards.
func boardNamesAt(c *web.Call, day string) []string {
	return slices.Concat([]string{view.AllBoard}, categoriesAt(c, day), each(c.Served.Own.Published(), func(b *board.Board) string { return b.Slug }))
}

func withFormer(c *web.Call, categories []string) []string {
	all := slices.Clone(categories)
	for _, category := range c.Served.Categories {
		all = append(all, category.Formerly...)
	}
	return all
}

// checkBoard returns a problem with a suggestion if a leaderboard does not exist on a day.
func checkBoard(c *web.Call, name, day string) error {
	if name == view.AllBoard || slices.Contains(categoriesAt(c, day), name) {
		return nil
	}
	known := boardNamesAt(c, day)
	what := "category"
	if len(c.Served.Own.Boards) > 0 {
		what = "category or board"
	}
	p := web.NewProblem("unknown-category", fmt.Sprintf("There is no %s %q; expected one of: %s.", what, web.Shorten(name), strings.Join(known, ", ")))
	return p.WithSuggestion(didyoumean.Name(name, known))
}

var windows = []string{"7d", "30d"}

// byScore is the value of the parameter by for gains in score; the others are signals.
const byScore = "score"

type trend struct {
	Score         record.Score `json:"score"`
	PreviousScore record.Score `json:"previousScore"`
	Gain          float64      `json:"gain"`
	Rank          *uint32      `json:"rank"`
	PreviousRank  *uint32      `json:"previousRank"`
	Changes       int          `json:"changes"`
}

type growth struct {
	Signal        string   `json:"signal"`
	Value         float64  `json:"value"`
	PreviousValue float64  `json:"previousValue"`
	Gain          float64  `json:"gain"`
	Percent       *float64 `json:"percent"`
}

// Trending handles GET /api/trending. Gains in score and growth of figures were calculated when the index was built; the
// handler only filters the records.
func (a *API) Trending(c *web.Call) (*web.Reply, error) {
	window, l := c.Query.OneOf("window", windows[0], windows), openList(c)
	by := c.Query.OneOf("by", byScore, append([]string{byScore}, c.Served.Build.Kinds().Growing()...))
	l.paged = false
	wanted := l.selected()
	moved := c.Served.Build.History().Window(window)
	inScore := make(map[uint32]*trend, len(moved.List))
	var order []uint32
	for _, t := range moved.List {
		if !wanted.Contains(t.Ordinal) {
			continue
		}
		order = append(order, t.Ordinal)
		inScore[t.Ordinal] = &trend{t.Score, t.Previous, float64(t.Gain()) / 10, rank(t.Rank), rank(t.PreviousRank), int(t.Changes)}
	}
	grown := map[uint32]*growth{}
	if by != byScore {
		order = nil
		for _, g := range moved.GrowthOf(by) {
			if wanted.Contains(g.Ordinal) {
				order = append(order, g.Ordinal)
				grown[g.Ordinal] = &growth{g.Signal, g.Now, g.Previous, g.Gain(), percentOf(g)}
			}
		}
	}
	for _, o := range first(l, order) {
		// The trend is null if the score has fallen or cannot be compared.
		l.addRecord(o, member{"trend", inScore[o]}, member{"growth", grown[o]})
	}
	return l.reply(len(order), nil, member{"window", window}, member{"since", moved.Since}, member{"by", by}), nil
}

// rank returns nil, which is encoded as null, for an entity that was not ranked.
func rank(n uint32) *uint32 {
	if n == 0 {
		return nil
	}
	return &n
}

// percentOf returns the gain in percent of the previous value, or nil if that was 0.
func percentOf(g history.Growth) *float64 {
	percent, ok := g.Percent()
	if !ok {
		return nil
	}
	return &percent
}
