package pages

import (
	"slices"
	"strconv"

	"kindex/exports/didyoumean"
	"kindex/exports/history"
	"kindex/exports/record"
	"kindex/site/siteurl"
	"kindex/site/textfmt"
)

// grownRow is an entity with a figure that has grown.
type grownRow struct {
	*record.Entity
	history.Growth
}

// Path returns the path of the entity's page.
func (g grownRow) Path() string { return siteurl.Entity(g.Type, g.Slug) }

// Gained returns the difference of the figures, as text.
func (g grownRow) Gained() string { return textfmt.Count(int(g.Gain())) }

// Figures returns the earlier and the latest figure, as text.
func (g grownRow) Figures() [2]string {
	return [2]string{textfmt.Count(int(g.Previous)), textfmt.Count(int(g.Now))}
}

// Percent returns the difference in percent of the earlier figure, or "" if that was 0.
func (g grownRow) Percent() string {
	percent, ok := g.Growth.Percent()
	if !ok {
		return ""
	}
	return strconv.FormatFloat(percent, 'f', 1, 64) + "%"
}

// grownSignals lists the signals that have grown in some window.
func (s *Site) grownSignals() (names []string) {
	a := s.Build.History()
	for _, w := range a.Windows() {
		for _, name := range a.Growing(w) {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return names
}

// missingGrowth is the answer if nothing has grown by the chosen name.
func (r *request) missingGrowth(by string) *page {
	names := r.grownSignals()
	list := []suggestion{{Path: r.with("by", ""), Name: "Trending by score"}}
	for _, name := range didyoumean.Names(by, names, maxNear) {
		list = append(list, suggestion{Path: r.with("by", name), Name: "Trending by " + r.label(name)})
	}
	return r.missing("Unknown figure", "Choose one of these:", list)
}

// fillGrowth reads the rows of entities whose figure has grown.
func (r *request) fillGrowth(d *trendingPage) error {
	since, grown := r.Build.History().Growth(d.Window, d.By)
	_, d.Young, _ = r.Build.History().Trends(d.Window)
	d.Since = since
	grown = slices.DeleteFunc(grown, func(g history.Growth) bool { return !r.isA(d.Type, g.Ordinal) })
	d.Total = len(grown)
	for _, g := range grown[:min(trendingRows, len(grown))] {
		e := r.Build.Entity(g.Ordinal)
		d.Grown = append(d.Grown, grownRow{e, g})
	}
	return nil
}

// addGrowthChoices adds the figures by which the page can be sorted. Without any, there is no
// choice.
func (r *request) addGrowthChoices(d *trendingPage) {
	names := r.grownSignals()
	if len(names) == 0 {
		return
	}
	d.Figures = []option{{Name: "Score", To: r.with("by", ""), Chosen: d.By == ""}}
	for _, name := range names {
		d.Figures = append(d.Figures, option{Name: r.label(name), To: r.with("by", name), Chosen: d.By == name})
	}
}
