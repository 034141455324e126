package pages

import (
	"net/url"
	"slices"
	"strings"

	"kindex/exports/board"
	"kindex/exports/feed"
	"kindex/exports/record"
	"kindex/exports/safetext"
	"kindex/exports/view"
	"kindex/site/siteurl"
	"kindex/site/textfmt"
)

// Limits of the home page.
const (
	homeLeaders = 5  // entities of each board
	homeNews    = 6  // releases, price changes, retirements and newly ranked, each
	homeClasses = 16 // only the largest categories
)

// homePage is the home page.
type homePage struct {
	Kinds      string // the plurals of the largest kinds, as in a sentence
	Questions  []question
	News       *homeNewsLists
	Boards     []homeBoard
	Categories []record.Category
	ChangesAll int
	Month      option // the present month
}

// question is what people come with, and where the answer is.
type question struct{ Text, Answer, To string }

// homeBoard is the top of a leaderboard of a type.
type homeBoard struct {
	Type  string
	Title string
	Path  string // of the leaderboard
	Rows  []row
}

func (r *request) home() (*page, error) {
	h := &homePage{ChangesAll: r.Build.History().Changes()}
	var plurals []string
	for _, t := range r.largest()[:min(2, len(r.largest()))] {
		plurals = append(plurals, r.plural(t))
	}
	if h.Kinds = textfmt.JoinAnd(plurals); len(plurals) == 0 {
		h.Kinds = "entries"
	}
	h.Categories = slices.SortedStableFunc(slices.Values(r.Categories), func(a, b record.Category) int { return b.Count - a.Count })
	h.Categories = h.Categories[:min(homeClasses, len(h.Categories))]
	for _, t := range r.types() {
		if i := slices.IndexFunc(r.ownBoards(), func(b *board.Board) bool { return b.Type == t }); i >= 0 {
			top := r.boardTop(r.ownBoards()[i], homeLeaders)
			h.Boards = append(h.Boards, homeBoard{t, top.Title, top.Path(), top.Rows})
		} else if r.comparable(t) {
			best, _, _ := r.Build.Page(r.Build.Board(view.AllBoard, t, "composite"), view.DefaultSort, nil, 0, homeLeaders)
			rows := r.rows(best)
			for i := range rows {
				rows[i].Rank = i + 1
			}
			h.Boards = append(h.Boards, homeBoard{t, "Leading " + r.plural(t), r.kindPath(t), rows})
		}
	}
	var err error
	if h.News, err = r.news(); err != nil {
		return nil, err
	}
	h.Questions = h.News.Questions
	for _, o := range r.monthOptions(1) {
		h.Month = o
	}
	return &page{Template: "home", Description: r.Build.Manifest.Description, Data: h, LinkedData: r.dataset()}, nil
}

// findQuestions returns real questions with their answers in this build. What the index cannot answer is
// left out.
func (s *Site) findQuestions(n *homeNewsLists) (list []question) {
	for _, x := range []struct{ kind, text, query string }{
		{"model", "What is the cheapest vision model with 200k context?", "modality=image&minContext=200k&sort=input"},
		{"tool", "Which packages are no longer maintained?", "maintenance=dormant&sort=downloads"},
		{"model", "What is the best open language model for 24 GB of memory?", "category=language&openWeights=true&maxMemory=24+GB&sort=board"},
	} {
		k := s.kinds().Kind(x.kind)
		if k == nil {
			continue
		}
		query, err := url.ParseQuery(x.query)
		if err != nil {
			continue // never: they are constants
		}
		r := s.find(Request{Path: s.kindPath(x.kind), Query: query})
		f := r.filtersOf(k, true)
		by := r.column(query.Get("sort"))
		at := func(o uint32) item {
			return item{Entity: s.Build.Entity(o), ordinal: o, offer: f.cheapest(s.Build.Entity(o))}
		}
		ordered := r.sorted(by, f.set, by.Down, at)
		if len(ordered) == 0 || f.Wrong {
			continue
		}
		it := at(ordered[0])
		c := by.cell(&it)
		if c.Text == "" {
			continue
		}
		q := question{Text: x.text, To: s.kindPath(x.kind) + "?" + x.query, Answer: textfmt.Name(it.Name)}
		switch by.Name {
		case "input":
			q.Answer += ": " + strings.ToLower(c.Text) + " a million tokens in"
		case "board":
			q.Answer += ": " + c.Text + ", " + textfmt.Name(c.Note)
		case "downloads":
			q.Answer = textfmt.Plural(len(ordered), s.plural(x.kind)[:len(s.plural(x.kind))-1], s.plural(x.kind)) + ", " + q.Answer + " the most used of them"
		}
		if s.Static { // it has no filters
			q.To = it.path()
		}
		list = append(list, q)
	}
	if i := slices.IndexFunc(n.Retiring, func(e newsEvent) bool { return !e.Past }); i >= 0 {
		e := n.Retiring[i]
		list = append(list, question{Text: "What retires next?", Answer: textfmt.Name(e.Name) + ": " + textfmt.Day(e.Day), To: e.Path()})
	}
	return list
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
