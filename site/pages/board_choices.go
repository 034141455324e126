package pages

import (
	"fmt"
	"iter"
	"maps"
	"slices"
	"time"

	"kindex/exports/view"
	"kindex/site/textfmt"
)

// readDay reads the day from the URL. Like boardView.read, it returns nil if the day is
// valid, or else a redirect or an error page.
func (b *boardView) readDay() *page {
	want := b.choice("at")
	if want == "" {
		return nil
	}
	a := b.Build.History()
	days := a.Snapshots()
	if len(days) == 0 {
		return b.missingDay("This index has no history yet.", nil)
	}
	_, err := time.Parse(time.DateOnly, want)
	first, last := days[0], days[len(days)-1]
	if err != nil || want < first || want > a.LastDay() {
		kept := "from " + textfmt.Day(first) + " to " + textfmt.Day(last)
		if first == last {
			kept = "only for " + textfmt.Day(last)
		}
		return b.missingDay("Leaderboards are available "+kept+"; write the day as "+last+".", slices.Compact([]string{first, last}))
	}
	if day, _ := a.SnapshotDay(want); day != want {
		return &page{location: b.with("at", day)}
	}
	b.Day = want
	return nil
}

func (b *boardView) missingDay(text string, days []string) *page {
	list := []suggestion{{Path: b.with("at", ""), Name: "Today’s leaderboard"}}
	for _, d := range days {
		list = append(list, suggestion{Path: b.with("at", d), Name: "Leaderboard for " + textfmt.Day(d)})
	}
	p := b.missing("No leaderboard for that day", text, list)
	p.Section = "/leaderboards/"
	return p
}

// addChoices fills in the links to other leaderboards. A static site has leaderboards by
// composite score only, and leaderboards of earlier days only for all types together.
func (d *boardPage) addChoices() {
	d.Today = ""
	if d.Day != "" {
		d.Today = d.with("at", "")
	}
	for _, by := range d.columns() {
		o := option{Name: textfmt.Label(by), Value: by, Chosen: by == d.By}
		if !d.Static {
			o.To = d.with("by", map[bool]string{false: by}[by == "composite"])
		}
		d.Columns = append(d.Columns, o)
	}
	if types := d.types(); len(types) > 1 && (!d.Static || d.Day == "") {
		d.Types = append(d.Types, option{Name: "All", To: d.with("type", ""), Chosen: d.Type == ""})
		for _, t := range types {
			d.Types = append(d.Types, option{Name: textfmt.Capitalize(t) + "s", Value: t, To: d.with("type", t), Chosen: d.Type == t})
		}
	}
	d.addCategoryChoices()
	d.addDayChoices()
}

func (d *boardPage) addCategoryChoices() {
	choices := maps.Clone(d.choices)
	delete(choices, "page")
	listed := map[string]bool{} // knownCategories may return a category twice
	for _, slug := range d.knownCategories() {
		chosen := slug == d.Category
		if !chosen && d.Static && d.Day != "" && !slices.Contains(d.pastBoards()[slug], d.Day) {
			continue
		}
		if listed[slug] {
			continue
		}
		listed[slug] = true
		d.Categories = append(d.Categories, option{Name: d.boardTitle(slug), Value: slug, To: d.address(slug, choices), Chosen: chosen})
	}
}

// addDayChoices lists the days that have a snapshot. The snapshot for the as-of day is
// today's leaderboard.
func (d *boardPage) addDayChoices() {
	choices := maps.Clone(d.choices)
	delete(choices, "page")
	days := d.earlierDays()
	if d.Static {
		days = d.pastBoards()[d.Category]
		delete(choices, "type")
	}
	if len(days) == 0 {
		return
	}
	delete(choices, "at")
	today := d.with("at", "")
	d.Days = append(d.Days, option{Name: "Today", To: today, Chosen: d.Day == "" || d.Day == d.AsOf.UTC().Format(time.DateOnly)})
	for _, at := range slices.Backward(days) {
		choices["at"] = at
		d.Days = append(d.Days, option{Name: textfmt.Day(at), Value: at, To: d.address(d.Category, choices), Chosen: at == d.Day})
	}
}

// earlierDays returns the days before the as-of day that have snapshots, oldest first.
func (s *Site) earlierDays() []string {
	today := s.AsOf.UTC().Format(time.DateOnly)
	return slices.DeleteFunc(s.Build.History().Snapshots(), func(day string) bool { return day >= today })
}

// findPastBoards returns, by category, the earlier days on which a leaderboard had rows. A
// static site has pages for these days only.
func (s *Site) findPastBoards() map[string][]string {
	a, found := s.Build.History(), map[string][]string{}
	categories := s.changeCategories()
	for _, c := range s.Categories {
		categories = append(categories, c.Slug)
	}
	slices.Sort(categories)
	categories = slices.Compact(categories)
	for _, at := range s.earlierDays() {
		past, err := a.Day(at)
		if err != nil {
			continue // its pages say so
		}
		for _, c := range categories {
			if !past.View.Board(c, "", "composite").IsEmpty() {
				found[c] = append(found[c], at)
			}
		}
	}
	return found
}

// boardPaths yields the paths of a static site's leaderboards. For each category and type,
// these are the pages of today's leaderboard by composite score. For each category and
// earlier day, it is the first page of the leaderboard of all types.
func boardPaths(s *Site) iter.Seq[string] {
	return func(yield func(string) bool) {
		var categories []string
		if !yield(boardPath(view.AllBoard)) {
			return
		}
		for _, c := range s.Categories {
			categories = append(categories, c.Slug)
			for _, old := range c.Formerly {
				if !yield("/leaderboards/" + old + "/") {
					return
				}
			}
		}
		for _, c := range categories {
			for _, t := range append([]string{""}, s.types()...) {
				if !s.boardPagesOf(c, t, yield) {
					return
				}
			}
		}
		past := s.pastBoards()
		for _, c := range slices.Sorted(maps.Keys(past)) {
			for _, at := range past[c] {
				if !yield("/leaderboards/" + c + "/at-" + at + "/") {
					return
				}
			}
		}
	}
}

// boardPagesOf yields the pages of a leaderboard.
func (s *Site) boardPagesOf(category, typ string, yield func(string) bool) bool {
	path := "/leaderboards/" + category + "/"
	if typ != "" {
		path += "type-" + typ + "/"
	}
	set := s.Build.Board(category, typ, "composite")
	for n := range max(1, (int(set.GetCardinality())+boardRows-1)/boardRows) {
		to := path
		if n > 0 {
			to += fmt.Sprintf("page-%d/", n+1)
		}
		if !yield(to) {
			return false
		}
	}
	return true
}
