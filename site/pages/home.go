package pages

import (
	"net/url"
	"slices"
	"strings"

	"kindex/exports/board"
	"kindex/exports/kinds"
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
	Questions  []link // with their answers
	News       *homeNewsLists
	Boards     []boardTop
	Categories []record.Category
	ChangesAll int
	Month      option // the present month
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
		if i := slices.IndexFunc(r.Own.Published(), func(b *board.Board) bool { return b.Type == t }); i >= 0 {
			h.Boards = append(h.Boards, r.boardTop(r.Own.Published()[i], homeLeaders))
		} else if r.comparable(t) {
			best, _, _ := r.Build.Page(r.Build.Board(view.AllBoard, t, "composite"), view.DefaultSort, nil, 0, homeLeaders)
			top := boardTop{Board: &board.Board{Type: t, Title: "Leading " + r.plural(t)}, Path: r.kindPath(t)}
			for i, o := range best {
				e := r.Build.Entity(o)
				top.Rows = append(top.Rows, item{Entity: e, Rank: i + 1, Shown: e.Scores.Composite})
			}
			h.Boards = append(h.Boards, top)
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

// findQuestions returns real questions with their answers in this build, about the kinds that declare what they
// need. What the index cannot answer is left out.
func (s *Site) findQuestions(n *homeNewsLists) (list []link) {
	for _, k := range s.kinds().Kinds {
		one := strings.ToLower(k.Title)
		if k.HasBlock(kinds.Offers) {
			what, query := one, "minContext=200k&sort=input"
			for _, leaf := range s.kinds().Leaves() {
				if leaf.Filter && k.Has(leaf) && slices.Contains(leaf.Choices(), "image") && what == one {
					what, query = "vision "+one, leaf.Query+"=image&"+query
				}
			}
			list = s.ask(list, k, "What is the cheapest "+what+" with 200k context?", query, func(_ int, c cell) string {
				return ": " + strings.ToLower(c.Text) + " a million tokens in"
			})
		}
		list = s.askMemory(list, k)
	}
	if k, by := s.leastMaintained(); k != nil {
		many := s.plural(k.Name)
		list = s.ask(list, k, "Which "+many+" are no longer maintained?", "maintenance="+record.Dormant+"&sort="+by, func(n int, c cell) string {
			return ": " + c.Text + " " + kinds.InSentence(s.label(by)) + ", the most of " + textfmt.Plural(n, strings.ToLower(k.Title), many)
		})
	}
	if i := slices.IndexFunc(n.Retiring, func(e retirement) bool { return !e.Past }); i >= 0 {
		e := n.Retiring[i]
		list = append(list, link{Name: "What retires next?", Note: textfmt.Name(e.Name) + ": " + textfmt.Day(e.Day), To: siteurl.Entity(e.Type, e.Slug)})
	}
	return list
}

// askMemory asks for the best entity that a computer can run. Ranks compare what is alike, so it asks about the
// largest category.
func (s *Site) askMemory(list []link, k *kinds.Kind) []link {
	of := s.Build.Facet(s.Build.Select(only("type", k.Name)), "category", 1)
	i := slices.IndexFunc(s.kinds().Leaves(), func(f *kinds.Field) bool {
		return k.Has(f) && f.Filter && f.Type == kinds.Size && strings.HasPrefix(f.Title, "Memory")
	})
	if i < 0 || len(of) == 0 {
		return list
	}
	_, most := s.kinds().Leaves()[i].Limits()
	what, query := strings.ToLower(k.Title), "category="+of[0].Value+"&"+most+"=24+GB&sort=board"
	for _, leaf := range s.kinds().Leaves() { // such as "Open weights": what is not open runs nowhere else
		if word, _, _ := strings.Cut(leaf.Title, " "); word == "Open" && leaf.Type == kinds.Boolean && leaf.Filter && k.Has(leaf) {
			what, query = "open "+what, leaf.Query+"=true&"+query
		}
	}
	text := "What is the best " + what + " for 24 GB of memory among " + kinds.InSentence(s.categoryTitle(of[0].Value)) + "?"
	return s.ask(list, k, text, query, func(_ int, c cell) string { return ": " + c.Text + ", " + textfmt.Name(c.Note) })
}

// leastMaintained returns the kind with the most dormant entities, and the first of its columns that grows; nil if
// there is none.
func (s *Site) leastMaintained() (least *kinds.Kind, by string) {
	most := 0
	for _, k := range s.kinds().Kinds {
		set := s.Build.Select(only("type", k.Name, "maintenance", record.Dormant))
		i := slices.IndexFunc(kindColumns(k), func(name string) bool { x := s.kinds().Signal(name); return x != nil && x.Grows })
		if n := int(set.GetCardinality()); n > most && i >= 0 && k.HasBlock(kinds.Maintenance) {
			most, least, by = n, k, kindColumns(k)[i]
		}
	}
	return least, by
}

// ask adds a question that a list of a kind answers with its first entity, unless it has none.
func (s *Site) ask(list []link, k *kinds.Kind, text, query string, words func(n int, c cell) string) []link {
	asked, err := url.ParseQuery(query)
	if err != nil {
		return list // never: the queries are constants
	}
	r := s.find(Request{Path: s.kindPath(k.Name), Query: asked})
	f, by := r.unfiltered([]*kinds.Kind{k}, false), s.column(asked.Get("sort"))
	f.read(r)
	at := func(o uint32) item {
		return item{Entity: s.Build.Entity(o), ordinal: o, offer: f.cheapest(s.Build.OffersOf(s.Build.Entity(o)))}
	}
	ordered := s.sorted(by, f.set, by.Down, at)
	if len(ordered) == 0 {
		return list
	}
	it := at(ordered[0])
	c := by.cell(&it)
	if c.Text == "" {
		return list
	}
	q := link{Name: text, To: s.kindPath(k.Name) + "?" + query, Note: textfmt.Name(it.Name) + words(len(ordered), c)}
	if s.Static {
		q.To = it.path()
	}
	return append(list, q)
}

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
