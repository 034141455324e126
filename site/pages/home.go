package pages

import (
	"net/url"
	"slices"
	"strings"
	"time"

	"kindex/exports/board"
	"kindex/exports/calendar"
	"kindex/exports/feed"
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

type homePage struct {
	Kinds      string // the plurals of the largest kinds, as in a sentence
	News       *homeNewsLists
	Boards     []boardTop
	Categories []record.Category
	Month      option // the present month
}

func (r *request) home() (*page, error) {
	h := &homePage{}
	plurals := each(r.largest()[:min(2, len(r.largest()))], r.plural)
	if h.Kinds = textfmt.JoinAnd(plurals); len(plurals) == 0 {
		h.Kinds = "entries"
	}
	h.Categories = slices.SortedStableFunc(slices.Values(r.Categories), func(a, b record.Category) int { return b.Count - a.Count })
	h.Categories = h.Categories[:min(homeClasses, len(h.Categories))]
	for _, t := range r.types() {
		if i := slices.IndexFunc(r.Own.Published(), func(b *board.Board) bool { return b.Type == t }); i >= 0 {
			h.Boards = append(h.Boards, r.boardTop(r.Own.Published()[i], homeLeaders))
		} else if r.Own.Comparable(t) {
			best, _, _ := r.Build.Page(r.Build.Board(view.AllBoard, t, "composite"), view.DefaultSort, nil, 0, homeLeaders)
			top := boardTop{Board: &board.Board{Type: t, Title: "Leading " + r.plural(t)}, Path: r.kindPath(t)}
			for i, o := range best {
				e := r.Build.Entity(o)
				top.Rows = append(top.Rows, item{Entity: e, Rank: i + 1, Shown: e.Scores.Composite})
			}
			h.Boards = append(h.Boards, top)
		}
	}
	h.News = r.news()
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
	var least *kinds.Kind // maintained: the kind with the most dormant entities
	var by string         // the first of its columns that grows
	most := 0
	for _, k := range s.kinds().Kinds {
		set := s.Build.Select(only("type", k.Name, "maintenance", record.Dormant))
		i := slices.IndexFunc(kindColumns(k), func(name string) bool { x := s.kinds().Signal(name); return x != nil && x.Grows })
		if n := int(set.GetCardinality()); n > most && i >= 0 && k.HasBlock(kinds.Maintenance) {
			most, least, by = n, k, kindColumns(k)[i]
		}
	}
	if k := least; k != nil {
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

// askMemory asks for the best entity that a computer can run: the memory that it needs follows from its size. Ranks
// compare what is alike, so it asks about the largest category.
func (s *Site) askMemory(list []link, k *kinds.Kind) []link {
	of := s.Build.Facet(s.Build.Select(only("type", k.Name)), "category", 1)
	i := slices.IndexFunc(s.kinds().Leaves(), func(f *kinds.Field) bool {
		return k.Has(f) && f.Filter && f.Type == kinds.Size && f.ComputedFrom != "" && strings.HasPrefix(f.Title, "Memory")
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

// ask adds a question that a list of a kind answers with its first entity, unless it has none.
func (s *Site) ask(list []link, k *kinds.Kind, text, query string, words func(n int, c cell) string) []link {
	asked, _ := url.ParseQuery(query) // is valid
	r := s.find(Request{Path: s.kindPath(k.Name), Query: asked})
	f, by := r.unfiltered([]*kinds.Kind{k}, false), s.column(asked.Get("sort"))
	f.read(r)
	ordered := s.sorted(by, f.set, by.Down, func(o uint32) item { return f.item(s, o) })
	if len(ordered) == 0 {
		return list
	}
	it := f.item(s, ordered[0])
	c := by.cell(&it)
	if c.Text == "" {
		return list
	}
	q := link{Name: text, To: s.kindPath(k.Name) + "?" + query, Note: textfmt.Name(it.Name) + words(len(ordered), c)}
	if s.Static {
		q.To = pathOf(it.Entity)
	}
	return append(list, q)
}

// dataset describes the index for search engines (schema.org/Dataset).
func (r *request) dataset() any {
	m := r.Build.Manifest
	d := map[string]any{"@context": "https://schema.org", "@type": "Dataset", "name": m.Title, "description": safetext.OneLine(m.Description),
		"version": m.ID, "dateModified": m.LastModified().Format("2006-01-02")}
	texts := each(strings.Split(string(m.License), " AND "), licenseText)
	if !slices.Contains(texts, "") { // no other expression, and no choice
		d["license"] = texts
	}
	if r.Base != "" {
		d["url"] = r.Base + "/"
	}
	return d
}

// homeNewsLists is what is new: by release, price and retirement, and the latest changes. It is found
// once for each build.
type homeNewsLists struct {
	Released  []calendar.Event // newest first
	Retiring  []retirement     // the next first; those of the last month after them
	Prices    []priceNews      // of the last two months, the largest differences of each first
	Ranked    []*record.Change // got their first score in the present month
	Questions []link           // with their answers
	Sourced   string           // of how many figures the source and the day are known: all, most or some of them, or ""
}

type retirement struct {
	calendar.Event
	Past bool // the day has passed
}

type priceNews struct {
	changeSummary
	Text string // such as input $2 → $1 at OpenAI
}

func (s *Site) priceNews(c *record.Change) priceNews {
	n := priceNews{changeSummary: s.changeSummary(c)}
	offer, name, _ := strings.Cut(strings.TrimPrefix(c.Fields[0].Field, "offers."), ".")
	provider, _, _ := strings.Cut(offer, "/")
	if i := slices.Index(record.PriceNames[:], name); i >= 0 && i < len(priceWords) && len(n.Lines) > 0 && n.Lines[0].Old != nil && n.Lines[0].New != nil {
		n.Text = priceWords[i] + " " + strings.TrimSuffix(n.Lines[0].Old.Text, " per million tokens") + " → " + strings.TrimSuffix(n.Lines[0].New.Text, " per million tokens") + " at " + s.providerName(provider)
	}
	return n
}

func (s *Site) findNews() *homeNewsLists {
	n := &homeNewsLists{}
	n.addEvents(calendar.Events(s.Build, s.AsOf, s.Build.Select(&view.Filter{})), s.AsOf)
	for i, name := range s.News.Months()[:min(2, len(s.News.Months()))] { // few prices change in the first days of a month
		m := s.News.Month(name)
		for _, c := range m.Prices.Data[:min(homeNews-len(n.Prices), len(m.Prices.Data))] {
			n.Prices = append(n.Prices, s.priceNews(c))
		}
		if i == 0 {
			n.Ranked = m.Ranked.Data[:min(homeNews, len(m.Ranked.Data))]
		}
	}
	n.Questions, n.Sourced = s.findQuestions(n), s.findSourced()
	return n
}

// findSourced finds of how many figures the source and the day are known.
func (s *Site) findSourced() string {
	all, sourced := 0, 0
	count := func(date, source string) {
		if all++; date != "" && source != "" {
			sourced++
		}
	}
	for _, e := range s.Build.All {
		for _, f := range e.Signals.Facts {
			count(f.Date, f.Source)
		}
		for _, b := range e.Signals.Benchmarks {
			count(b.Date, b.Source)
		}
	}
	switch {
	case sourced == 0:
		return ""
	case sourced == all:
		return "all"
	case 20*sourced >= 19*all:
		return "most"
	}
	return "some"
}

// addEvents adds the releases and retirements closest to a time; events are sorted by day.
func (n *homeNewsLists) addEvents(events []calendar.Event, asOf time.Time) {
	today := asOf.UTC().Format(time.DateOnly)
	lastMonth := asOf.UTC().AddDate(0, 0, -30).Format(time.DateOnly)
	shown := map[string]bool{} // entities whose newest release is shown
	for _, e := range slices.Backward(events) {
		key := e.Type + "/" + e.Slug
		if e.Kind == calendar.Release && !e.Recorded && e.Day <= today && !shown[key] && len(n.Released) < homeNews {
			shown[key] = true
			n.Released = append(n.Released, e)
		}
	}
	for _, e := range events {
		if e.Kind == calendar.Retirement && e.Day >= lastMonth {
			n.Retiring = append(n.Retiring, retirement{e, e.Day <= today})
		}
	}
	slices.SortStableFunc(n.Retiring, func(a, b retirement) int { return record.CompareBools(a.Past, b.Past) })
	n.Retiring = n.Retiring[:min(homeNews, len(n.Retiring))]
}

func (s *Site) changeSummary(c *record.Change) changeSummary {
	_, _, here := s.Build.Find(c.Type, c.Slug)
	if !here { // deleted entities have a tombstone
		_, here = s.Build.History().Last(c.Type, c.Slug)
	}
	return changeSummary{Change: c, Summary: feed.Summarize(c, s.words()), Here: here}
}
