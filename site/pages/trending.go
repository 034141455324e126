package pages

import (
	"fmt"
	"slices"
	"strings"

	"kindex/exports/didyoumean"
	"kindex/exports/history"
	"kindex/exports/view"
	"kindex/site/textfmt"
)

const (
	trendingRows = 50
	latestRows   = 20 // if nothing is trending
)

// trendingPage shows the entities that gained the most.
type trendingPage struct {
	ByName  string // the display name of By
	Window  string
	Days    int
	Since   string // the day whose end the scores are compared with
	Young   bool   // the index has no history for that day
	Begins  string // the day of the first change, or "" if there is none
	Type    string
	Windows []option
	Types   []option
	By      string   // a signal, or "" for the score
	Figures []option // what to sort by; empty if there is no choice
	Rows    []trendingEntity
	Grown   []grownRow // with By
	Total   int
	Latest  []row  // the entities added last, if there are no rows
	Longer  string // path of a longer window, or "" if no longer window can show more
	Changes string
	News    *homeNewsLists // of all types; nil for one type or a figure
	Months  []option
}

// trendingWindows returns the page's time windows, starting with the default.
func (s *Site) trendingWindows() []string { return s.Build.History().Windows() }

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

// hasTrends reports whether an entity has gained points in the default window. Otherwise, the
// menu names the page after what it shows instead.
func (s *Site) hasTrends() bool {
	windows := s.trendingWindows()
	if len(windows) == 0 {
		return false
	}
	_, list := s.trendingIn(windows[0], 1)
	return len(list) > 0
}

// latest returns the entities that were added last, of one type or of all; the best of those
// that were added on the same day come first.
func (s *Site) latest(typ string, most int) []row {
	f := &view.Filter{Fields: map[string][][]string{}}
	if typ != "" {
		f.Fields["type"] = [][]string{{typ}}
	}
	set := s.Build.Select(f)
	list, _, _ := s.Build.Page(set, view.Sort{Key: "addedDate", Desc: true}, nil, 0, most)
	rows := s.rows(list)
	if len(rows) == 0 {
		return nil
	}
	// Not all entities of the oldest day may be in the list.
	oldest := rows[len(rows)-1].AddedDate
	newer := slices.IndexFunc(rows, func(w row) bool { return w.AddedDate == oldest })
	for _, o := range list[:newer] {
		set.Remove(o)
	}
	if f.AddedSince = oldest; oldest != "" {
		set.And(s.Build.Select(f))
	}
	list, _, _ = s.Build.Page(set, view.DefaultSort, nil, 0, most-newer)
	rows = append(rows[:newer:newer], s.rows(list)...)
	slices.SortStableFunc(rows, func(a, b row) int { return strings.Compare(b.AddedDate, a.AddedDate) })
	return rows
}

func windowDays(window string) (days int) {
	_, _ = fmt.Sscanf(window, "%dd", &days)
	return days
}

// trending shows the entities that gained the most.
func (r *request) trending() (*page, error) {
	windows := r.trendingWindows()
	if len(windows) == 0 {
		windows = []string{"7d"} // a build without a history
	}
	d := &trendingPage{Window: r.choice("window"), By: r.choice("by"), ByName: r.label(r.choice("by")), Type: r.choice("type"), Changes: "/changes/"}
	switch {
	case d.Window == "":
		d.Window = windows[0]
	case d.Window == windows[0]:
		return &page{location: r.with("window", "")}, nil
	case !slices.Contains(windows, d.Window):
		return r.missingWindow(windows), nil
	}
	if d.Type != "" && !slices.Contains(r.Build.Kinds().Names(), d.Type) {
		var list []suggestion
		for _, t := range didyoumean.Names(d.Type, r.Build.Kinds().Names(), maxNear) {
			list = append(list, suggestion{Path: r.with("type", t), Name: "Trending " + t + "s"})
		}
		return r.missing("Unknown type", fmt.Sprintf("Expected one of: %s.", strings.Join(r.Build.Kinds().Names(), ", ")), list), nil
	}
	d.Days = windowDays(d.Window)
	r.addGrowthChoices(d)
	fill := r.fillTrending
	if d.By != "" {
		if !slices.Contains(r.grownSignals(), d.By) {
			return r.missingGrowth(d.By), nil
		}
		fill = r.fillGrowth
	}
	if err := fill(d); err != nil {
		return nil, err
	}
	r.addTrendingChoices(d, windows)
	d.Months = r.monthOptions(2)
	if d.By == "" && d.Type == "" {
		var err error
		if d.News, err = r.news(); err != nil {
			return nil, err
		}
	}
	return &page{Template: "trending", Title: d.title(d.Window == windows[0]), Data: d, Section: "/trending/", Description: d.description()}, nil
}

// title returns the title of the page. Each window has a title of its own.
func (d *trendingPage) title(defaultWindow bool) string {
	of := ""
	if d.Type != "" {
		of = " " + d.Type + "s"
	}
	switch {
	case d.By != "":
		return fmt.Sprintf("Trending%s by %s, last %d days", of, d.ByName, d.Days)
	case len(d.Rows) > 0:
		return fmt.Sprintf("Trending%s, last %d days", of, d.Days)
	case of == "":
		of = " additions"
	}
	switch {
	case defaultWindow:
		return "Latest" + of
	case d.Young:
		return fmt.Sprintf("Latest%s, less than %d days of history", of, d.Days)
	}
	return fmt.Sprintf("Latest%s, nothing trending in %d days", of, d.Days)
}

// description says in one sentence what the page shows.
func (d *trendingPage) description() string {
	of, by := "tools and models", d.ByName
	if d.Type != "" {
		of = d.Type + "s"
	}
	none := fmt.Sprintf("no score has risen through changes in the last %d days", d.Days)
	if d.Young {
		none = fmt.Sprintf("the index has less than %d days of history", d.Days)
	}
	switch {
	case len(d.Grown) > 0:
		return fmt.Sprintf("%s: the %s whose figure grew the most in the last %d days.", by, of, d.Days)
	case d.By != "" && d.Young:
		return fmt.Sprintf("%s of %s: %s.", by, of, none)
	case d.By != "":
		return fmt.Sprintf("%s: no growth among the %s in the last %d days.", by, of, d.Days)
	case len(d.Rows) > 0:
		return fmt.Sprintf("The %s whose scores rose the most through changes in the last %d days.", of, d.Days)
	case len(d.Latest) > 0:
		return fmt.Sprintf("The most recently added %s; %s.", of, none)
	}
	return textfmt.Capitalize(none) + "."
}

func (r *request) missingWindow(windows []string) *page {
	var list []suggestion
	for i, w := range windows {
		if i == 0 {
			w = ""
		}
		list = append(list, suggestion{Path: r.with("window", w), Name: fmt.Sprintf("The last %d days", windowDays(windows[i]))})
	}
	return r.missing("Unknown time window", "Choose one of these:", list)
}

// isA reports whether an entity has a type; "" means any.
func (r *request) isA(typ string, ordinal uint32) bool {
	is, _ := r.Build.Key(ordinal)
	return typ == "" || is == typ
}

// fillTrending reads the rows or, if no score has risen, the latest additions.
func (r *request) fillTrending(d *trendingPage) (err error) {
	a := r.Build.History()
	since, young, trends := a.Trends(d.Window)
	d.Since, d.Young, d.Begins = since, young, a.FirstDay()
	trends = slices.DeleteFunc(trends, func(t history.Trend) bool { return !r.isA(d.Type, t.Ordinal) })
	if len(trends) == 0 || trends[0].Gain() == 0 { // they are sorted by gain
		d.Latest = r.latest(d.Type, latestRows)
		return err
	}
	d.Total = len(trends)
	for _, t := range trends[:min(trendingRows, len(trends))] {
		e := r.Build.Entity(t.Ordinal)
		d.Rows = append(d.Rows, trendingEntity{row{Entity: e}, t})
	}
	return nil
}

func (r *request) addTrendingChoices(d *trendingPage, windows []string) {
	for i, w := range windows {
		o := option{Name: fmt.Sprintf("%d days", windowDays(w)), Value: w, Chosen: w == d.Window, To: r.with("window", w)}
		if i == 0 {
			o.To = r.with("window", "")
		}
		if windowDays(w) > d.Days && d.Longer == "" && !d.Young { // without history a week ago, there is none a month ago either
			d.Longer = o.To
		}
		d.Windows = append(d.Windows, o)
	}
	if types := r.types(); len(types) > 1 {
		d.Types = append(d.Types, option{Name: "All", To: r.with("type", ""), Chosen: d.Type == ""})
		for _, t := range types {
			d.Types = append(d.Types, option{Name: textfmt.Capitalize(t) + "s", To: r.with("type", t), Chosen: d.Type == t})
		}
	}
}
