package pages

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"kindex/exports/history"
	"kindex/site/textfmt"
)

const trendingRows = 50

// trendingPage shows the entities that gained the most.
type trendingPage struct {
	Days    int
	Since   string // the day whose end the scores are compared with
	Young   bool   // the index has no history for that day
	Begins  string // the day of the first change, or "" if there is none
	Type    string
	Windows []option
	Types   []option
	By      string   // a signal, or "" for the score
	ByName  string   // its display name
	Figures []option // what to sort by; empty if there is no choice
	Rows    []gainer
	Total   int
	Longer  string         // path of a longer window, or "" if no longer window can show more
	News    *homeNewsLists // of all types; nil for one type or a figure
	Months  []option
}

// gainer is an entity whose score or figure has risen.
type gainer struct {
	row
	Gain          string // "" if there is none
	Previous, Now string // "" if it had or has no score
	More          string // the number of changes, or the gain in percent
}

func windowDays(window string) (days int) {
	_, _ = fmt.Sscanf(window, "%dd", &days)
	return days
}

// trending shows the entities that gained the most.
func (r *request) trending() (*page, error) {
	windows, types := r.Build.History().Windows(), r.kinds().Names()
	if len(windows) == 0 {
		windows = []string{"7d"} // a build without a history
	}
	window := r.choice("window")
	d := &trendingPage{By: r.choice("by"), ByName: r.label(r.choice("by")), Type: r.choice("type")}
	switch {
	case window == "":
		window = windows[0]
	case window == windows[0]:
		return &page{location: r.with("window", "")}, nil
	case !slices.Contains(windows, window):
		return r.missing("Unknown time window", "", []suggestion{{Path: r.with("window", ""), Name: "The default window"}}), nil
	}
	if d.Type != "" && !slices.Contains(types, d.Type) {
		return r.missingChoice("type", d.Type, types), nil
	}
	figures := r.grownSignals()
	if d.By != "" && !slices.Contains(figures, d.By) {
		return r.missingChoice("by", d.By, figures), nil
	}
	d.Days = windowDays(window)
	r.fillTrending(d, window)
	r.addTrendingChoices(d, windows, window, figures)
	d.Months = r.monthOptions(2)
	if d.By == "" && d.Type == "" {
		var err error
		if d.News, err = r.news(); err != nil {
			return nil, err
		}
	}
	title, what, of := "Trending", "entries", "scores"
	if d.Type != "" {
		what = r.plural(d.Type)
		title += " " + what
	}
	if d.By != "" { // each window has a title of its own
		title, of = title+" by "+d.ByName, d.ByName
	}
	said := fmt.Sprintf("The %s whose %s rose the most in the last %d days.", what, of, d.Days)
	if len(d.Rows) == 0 {
		said = fmt.Sprintf("Nothing has risen among the %s of %s in the last %d days.", of, what, d.Days)
	}
	return &page{Template: "trending", Title: fmt.Sprintf("%s, last %d days", title, d.Days), Data: d, Section: "/trending/",
		Description: said}, nil
}

// missingChoice is the answer if there is no page with a value of a choice. It suggests similar values.
func (r *request) missingChoice(choice, value string, known []string) *page {
	similar := near(value, known, func(v string) suggestion { return suggestion{Path: r.with(choice, v), Name: r.label(v)} })
	list := append([]suggestion{{Path: r.with(choice, ""), Name: "All"}}, similar...)
	return r.missing("Page not found", fmt.Sprintf("Unknown “%s”; expected one of: %s.", textfmt.Name(value), strings.Join(known, ", ")), list)
}

// fillTrending reads the rows.
func (r *request) fillTrending(d *trendingPage, window string) {
	a := r.Build.History()
	add := func(ordinal uint32, g gainer) {
		if typ, _ := r.Build.Key(ordinal); d.Type != "" && typ != d.Type {
			return
		}
		if d.Total++; d.Total <= trendingRows {
			g.row = row{Entity: r.Build.Entity(ordinal)}
			d.Rows = append(d.Rows, g)
		}
	}
	since, young, trends := a.Trends(window)
	d.Since, d.Young, d.Begins = since, young, a.FirstDay()
	if d.By != "" {
		var grown []history.Growth
		d.Since, grown = a.Growth(window, d.By)
		for _, g := range grown {
			x := gainer{Gain: textfmt.Count(int(g.Gain())), Previous: textfmt.Count(int(g.Previous)), Now: textfmt.Count(int(g.Now))}
			if percent, ok := g.Percent(); ok {
				x.More = "+" + strconv.FormatFloat(percent, 'f', 1, 64) + "%"
			}
			add(g.Ordinal, x)
		}
		return
	}
	for _, t := range trends {
		x := gainer{Previous: t.Previous.String(), Now: t.Score.String(), More: strconv.Itoa(int(t.Changes))}
		if t.Gain() > 0 {
			x.Gain = fmt.Sprintf("%.1f", float64(t.Gain())/10)
		}
		add(t.Ordinal, x)
	}
	if len(d.Rows) == 0 || d.Rows[0].Gain == "" { // they are sorted by gain
		d.Rows = nil
	}
}

// addTrendingChoices adds the windows, the figures by which the page can be sorted, and the types.
func (r *request) addTrendingChoices(d *trendingPage, windows []string, window string, figures []string) {
	for i, w := range windows {
		o := option{Name: fmt.Sprintf("%d days", windowDays(w)), Value: w, Chosen: w == window, To: r.with("window", w)}
		if i == 0 {
			o.To = r.with("window", "")
		}
		if windowDays(w) > d.Days && d.Longer == "" && !d.Young { // without history a week ago, there is none a month ago either
			d.Longer = o.To
		}
		d.Windows = append(d.Windows, o)
	}
	choices := func(choice, none, chosen string, values []string) (list []option) {
		list = []option{{Name: none, To: r.with(choice, ""), Chosen: chosen == ""}}
		for _, v := range values {
			list = append(list, option{Name: r.label(v), To: r.with(choice, v), Chosen: chosen == v})
		}
		return list
	}
	if len(figures) > 0 {
		d.Figures = choices("by", "Score", d.By, figures)
	}
	if types := r.types(); len(types) > 1 {
		d.Types = choices("type", "All", d.Type, types)
		for i, t := range types {
			d.Types[i+1].Name = r.kinds().Kind(t).Plural
		}
	}
}

// grownSignals lists the signals that have grown in some window.
func (s *Site) grownSignals() (names []string) {
	for _, w := range s.Build.History().Windows() {
		names = append(names, s.Build.History().Growing(w)...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}
