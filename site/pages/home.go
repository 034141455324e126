package pages

import (
	"slices"

	"kindex/exports/board"
	"kindex/exports/feed"
	"kindex/exports/history"
	"kindex/exports/record"
	"kindex/exports/safetext"
	"kindex/exports/view"
	"kindex/site/siteurl"
)

// Limits of the home page.
const (
	homeLeaders  = 5 // entities of each type
	homeTrending = 5
	homeChanges  = 8
	homeNews     = 5    // releases, price changes and retirements, each
	homeSearched = 3000 // the newest changes other than of figures, among which those to show are searched
	homeClasses  = 16   // only the largest categories
)

// homePage is the home page.
type homePage struct {
	Boards     []homeBoard
	Trending   []trendingEntity
	Latest     []row  // the entities added last, if nothing is trending
	Since      string // the day that scores are compared with, or "" if there was no history yet
	News       *homeNewsLists
	Changes    []changeSummary
	Categories []record.Category
	ChangesAll int
	Month      option // the present month
}

// homeBoard is the top of a leaderboard of a type.
type homeBoard struct {
	Type  string
	Title string
	Path  string // of the leaderboard
	Rows  []row
}

func (r *request) home() (*page, error) {
	h := &homePage{ChangesAll: r.Build.History().Changes()}
	h.Categories = slices.SortedStableFunc(slices.Values(r.Categories), func(a, b record.Category) int { return b.Count - a.Count })
	h.Categories = h.Categories[:min(homeClasses, len(h.Categories))]
	own := r.ownBoards()
	for _, t := range r.types() {
		if i := slices.IndexFunc(own, func(b *board.Board) bool { return b.Type == t }); i >= 0 {
			top := r.boardTop(own[i], homeLeaders)
			h.Boards = append(h.Boards, homeBoard{t, own[i].Title, boardPath(own[i].Slug), top.Rows})
			continue
		}
		if r.Formula == nil || !board.Comparable(r.Formula, t, "composite") {
			continue // scores from different benchmarks
		}
		set := r.Build.Board(view.AllBoard, t, "composite")
		best, _, _ := r.Build.Page(set, view.DefaultSort, nil, 0, homeLeaders)
		rows := r.rows(best)
		for i := range rows {
			rows[i].Rank = i + 1
		}
		h.Boards = append(h.Boards, homeBoard{t, "Leading " + r.plural(t), r.kindPath(t), rows})
	}
	h.Since, h.Trending = r.trendingIn("7d", homeTrending)
	if len(h.Trending) == 0 {
		h.Latest = r.latest("", homeTrending)
	}
	var err error
	if h.News, err = r.news(); err != nil {
		return nil, err
	}
	h.Changes = h.News.Changes
	for _, o := range r.monthOptions(1) {
		h.Month = o
	}
	m := r.Build.Manifest
	return &page{Template: "home", Description: m.Description, Data: h, LinkedData: r.dataset()}, nil
}

// row is an entity in a list.
type row struct {
	*record.Entity
	Rank int // 0 if the entity has none
	// BoardScore is the score on a board, null in other lists.
	BoardScore record.Score
}

// Shown returns the score by which the entity is listed.
func (w row) Shown() record.Score {
	if w.BoardScore.Known() {
		return w.BoardScore
	}
	return w.Scores.Composite
}

// Path returns the path of the entity's page.
func (w row) Path() string { return siteurl.Entity(w.Type, w.Slug) }

// rows reads the given records as the rows of a list.
func (s *Site) rows(ordinals []uint32) []row {
	list := make([]row, 0, len(ordinals))
	for _, o := range ordinals {
		list = append(list, row{Entity: s.Build.Entity(o)})
	}
	return list
}

// trendingEntity is an entity whose score has risen.
type trendingEntity struct {
	row
	history.Trend
}

// Points returns the number of points by which the score has risen.
func (t trendingEntity) Points() float64 { return float64(t.Gain()) / 10 }

// trendingIn returns the entities that gained the most within a window, and the day whose
// end their scores are compared with.
func (s *Site) trendingIn(window string, most int) (since string, list []trendingEntity) {
	since, empty, trends := s.Build.History().Trends(window)
	if empty {
		return "", nil
	}
	for _, t := range trends[:min(most, len(trends))] {
		if t.Gain() == 0 {
			break // the entities are sorted by gain
		}
		e := s.Build.Entity(t.Ordinal)
		list = append(list, trendingEntity{row{Entity: e}, t})
	}
	return since, list
}

// changeSummary is a change as shown on pages.
type changeSummary struct {
	*record.Change
	feed.Summary
	Here bool // the entity has a page or a tombstone
}

// Path returns the path of the entity's page.
func (c changeSummary) Path() string { return siteurl.Entity(c.Type, c.Slug) }

// dataset describes the index for search engines (schema.org/Dataset).
func (r *request) dataset() any {
	m := r.Build.Manifest
	d := map[string]any{"@context": "https://schema.org", "@type": "Dataset", "name": m.Title, "description": safetext.OneLine(m.Description),
		"version": m.ID, "dateModified": m.LastModified().Format("2006-01-02")}
	if texts := licenseTexts(string(m.License)); len(texts) > 0 {
		d["license"] = texts
	}
	if r.Base != "" {
		d["url"] = r.Base + "/"
	}
	return d
}
