package pages

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"kindex/exports/board"
	"kindex/exports/calendar"
	"kindex/exports/history"
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
		if b := first(r.Own.Published(), func(b *board.Board) bool { return b.Type == t }); b != nil {
			h.Boards = append(h.Boards, r.boardTop(b, homeLeaders))
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
	dormant := func(k *kinds.Kind) int {
		return int(s.Build.Select(only("type", k.Name, "maintenance", record.Dormant)).GetCardinality())
	}
	grows := func(name string) bool { x := s.kinds().Signal(name); return x != nil && x.Grows }
	kept := slices.DeleteFunc(s.kinds().With(kinds.Maintenance), func(k *kinds.Kind) bool { return dormant(k) == 0 || !slices.ContainsFunc(kindColumns(k), grows) })
	if len(kept) > 0 {
		k := slices.MaxFunc(kept, func(a, b *kinds.Kind) int { return dormant(a) - dormant(b) })
		many, by := s.plural(k.Name), first(kindColumns(k), grows)
		list = s.ask(list, k, "Which "+many+" are no longer maintained?", "maintenance="+record.Dormant+"&sort="+by, func(n int, c cell) string {
			return ": " + c.Text + " " + kinds.InSentence(s.label(by)) + ", the most of " + textfmt.Plural(n, strings.ToLower(k.Title), many)
		})
	}
	if e := first(n.Retiring, func(e retirement) bool { return !e.Past }); e.Slug != "" {
		list = append(list, link{Name: "What retires next?", Note: textfmt.Name(e.Name) + ": " + textfmt.Day(e.Day), To: siteurl.Entity(e.Type, e.Slug)})
	}
	return list
}

// askMemory asks for the best entity that a computer can run: the memory that it needs follows from its size. Ranks
// compare what is alike, so it asks about the largest category.
func (s *Site) askMemory(list []link, k *kinds.Kind) []link {
	of := s.Build.Facet(s.Build.Select(only("type", k.Name)), "category", 1)
	memory := first(s.kinds().Leaves(), func(f *kinds.Field) bool {
		return k.Has(f) && f.Filter && f.Type == kinds.Size && f.ComputedFrom != "" && strings.HasPrefix(f.Title, "Memory")
	})
	if memory == nil || len(of) == 0 {
		return list
	}
	_, most := memory.Limits()
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
	events := calendar.Events(s.Build, s.AsOf, s.Build.Select(&view.Filter{})) // by day
	today, lastMonth := s.AsOf.UTC().Format(time.DateOnly), s.AsOf.UTC().AddDate(0, 0, -30).Format(time.DateOnly)
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

const trendingRows = 50

func windowDays(window string) (days int) {
	_, _ = fmt.Sscanf(window, "%dd", &days)
	return days
}

// trending lists the entities whose score or, if the path names one, whose figure gained the most.
func (r *request) trending() (*page, error) {
	windows, types, figures := r.Build.History().Windows(), r.kinds().Names(), r.grownSignals(r.choices["by"])
	if len(windows) == 0 {
		windows = []string{"7d"} // a build without a history
	}
	window, by, typ := r.choices["window"], r.choices["by"], r.choices["type"]
	switch {
	case window == windows[0]:
		return r.moved(r.with("window", ""), ""), nil
	case window != "" && !slices.Contains(windows, window):
		return r.missing("Unknown time window", "", link{To: r.with("window", ""), Name: "The default window"}), nil
	case typ != "" && !slices.Contains(types, typ):
		return r.missingChoice("type", typ, types), nil
	case by != "" && !slices.Contains(figures, by):
		return r.missingChoice("by", by, r.kinds().Growing()), nil
	}
	window = cmp.Or(window, windows[0])
	days := windowDays(window)
	l, what, of := &listing{Heading: "Trending", Months: r.monthOptions(2)}, "entries", "scores"
	if typ != "" {
		what = r.plural(typ)
		l.Heading += " " + what
	}
	if by != "" {
		of = r.kinds().InSentence(by)
		l.Heading += " by " + r.label(by)
	}
	young := r.gains(l, window)
	r.addTrendingMenus(l, windows, figures)
	if i := slices.Index(windows, window) + 1; i < len(windows) && !young { // without history a week ago, there is none a month ago either
		l.Longer = r.with("window", windows[i])
	}
	if by == "" && typ == "" {
		l.News = r.news()
	}
	if l.Text = fmt.Sprintf("The %s whose %s rose the most in the last %d days.", what, of, days); l.Total == 0 {
		among := " among the " + of + " of " + what
		if by == "" && r.Build.Manifest.Counts.Ranked == 0 {
			among = ""
		}
		l.Text, l.Notes = fmt.Sprintf("Nothing has risen%s in the last %d days.", among, days), nil
	}
	p := r.listPage(l, l.Text, "")
	p.Title, p.Section = fmt.Sprintf("%s, last %d days", l.Heading, days), "/trending/"
	return p, nil
}

// gains fills in the rows and what is said of them. It reports whether the history is shorter than the window.
func (r *request) gains(l *listing, window string) (young bool) {
	by, of := r.choices["by"], map[uint32][3]cell{} // the cells of the columns after the name
	moved := r.Build.History().Window(window)
	add := func(o uint32, cells [3]cell) {
		if typ, _ := r.Build.Key(o); len(l.ordered) < trendingRows && (r.choices["type"] == "" || r.choices["type"] == typ) {
			of[o], l.ordered = cells, append(l.ordered, o)
		}
	}
	course, more := "Score", "Changes"
	if by == "" {
		l.Notes = []string{"Both scores are by the present formula. Scores that moved because a figure appeared, vanished or was long out of date are left out."}
		for _, t := range moved.List {
			if len(l.ordered) > 0 || t.Gain() > 0 { // they are sorted by gain
				add(t.Ordinal, trendOf(&t))
			}
		}
	} else {
		l.Notes = []string{"A first figure does not count as growth, nor does growth across a gap in the figures, or between readings that are more than twice that long apart."}
		for _, g := range moved.GrowthOf(by) {
			add(g.Ordinal, growthOf(&g))
		}
		course, more = r.label(by), "Growth"
	}
	l.Columns = []*column{r.column("name"), {Name: "gain", Title: "Gain", Sorted: "descending", Place: "p1"},
		{Name: "course", Title: course, Place: "p2"}, {Name: "more", Title: more, Lesser: true}}
	for i, c := range l.Columns[1:] {
		c.Number, c.Down, c.cell = true, true, func(it *item) cell { return of[it.ordinal][i] }
	}
	l.at = func(o uint32) item { return item{Entity: r.Build.Entity(o), ordinal: o} }
	r.turn(l)
	l.What = "changed entities with the largest gains since " + textfmt.DayOrUnknown(moved.Since)
	if l.Empty = "No gains since " + textfmt.DayOrUnknown(moved.Since) + "."; moved.Empty {
		l.Empty = "Not enough history yet: this page compares the index with its state at the end of " + textfmt.DayOrUnknown(moved.Since) + "."
	}
	return moved.Empty
}

// trendOf shows how much a score rose.
func trendOf(t *history.Trend) [3]cell {
	gain, course := cell{Text: "±0"}, cell{Text: cmp.Or(t.Score.String(), "not ranked"), Raw: int64(t.Score.Tenths())}
	if t.Gain() > 0 {
		gain = cell{Text: fmt.Sprintf("+%.1f", float64(t.Gain())/10), Raw: int64(t.Gain())}
	}
	if t.Previous.Known() {
		course.Text = t.Previous.String() + " → " + course.Text
	}
	return [3]cell{gain, course, numberCell(float64(t.Changes), true)}
}

// growthOf shows how much a figure grew.
func growthOf(g *history.Growth) [3]cell {
	x := [3]cell{{Text: "+" + textfmt.Count(int(g.Gain())), Raw: int64(g.Gain())}, {Text: textfmt.Count(int(g.Previous)) + " → " + textfmt.Count(int(g.Now)), Raw: int64(g.Now)}}
	if percent, ok := g.Percent(); ok {
		x[2] = cell{Text: "+" + strconv.FormatFloat(percent, 'f', 1, 64) + "%", Raw: int64(10 * percent)}
	}
	return x
}

// addTrendingMenus adds the windows, the figures by which the page can be sorted, and the types.
func (r *request) addTrendingMenus(l *listing, windows, figures []string) {
	days := func(window string) string { return strconv.Itoa(windowDays(window)) + " days" }
	l.Menus = append(l.Menus, listMenu{Title: "Time window", Options: r.choose("window", days(windows[0]), windows[1:], days)})
	if len(figures) > 0 {
		l.Menus = append(l.Menus, listMenu{Title: "Figure", Options: r.choose("by", "Score", figures, r.label)})
	}
	if types := r.types(); len(types) > 1 {
		l.Menus = append(l.Menus, listMenu{Title: "Kind", Options: r.choose("type", "All", types, r.plurals)})
	}
}

// grownSignals lists the signals that have grown in some window, and one that can grow.
func (s *Site) grownSignals(one string) (names []string) {
	if slices.Contains(s.kinds().Growing(), one) {
		names = append(names, one)
	}
	for _, w := range s.Build.History().Windows() {
		for _, g := range s.Build.History().Window(w).Growth {
			names = append(names, g.Signal)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
