package pages

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"kindex/exports/history"
	"kindex/site/textfmt"
)

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

// missingChoice is the answer if there is no page with a value of a choice. It suggests similar values.
func (r *request) missingChoice(choice, value string, known []string) *page {
	similar := near(value, known, func(v string) link { return link{To: r.with(choice, v), Name: r.label(v)} })
	list := append([]link{{Name: "All", To: r.with(choice, "")}}, similar...)
	text := fmt.Sprintf("Unknown “%s”", textfmt.Name(value))
	if len(known) > 0 {
		text += "; expected one of: " + strings.Join(known, ", ")
	}
	return r.missing("Page not found", text+".", list...)
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
