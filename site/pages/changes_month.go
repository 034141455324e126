package pages

import (
	"fmt"
	"iter"
	"strconv"
	"time"

	"kindex/exports/didyoumean"
	"kindex/exports/news"
	"kindex/site/siteurl"
	"kindex/site/textfmt"
)

// monthPage sums up the changes of a month.
type monthPage struct {
	*news.Month
	Title      string
	Sections   []monthSection
	Prev, Next string // paths of other months
	All        string // path of all changes of the month, or "" on a static site
}

// monthSection is one of a month's lists.
type monthSection struct {
	ID, Title string
	Note      string
	Count     int
	Rows      []monthRow
}

// monthRow says what happened to an entity.
type monthRow struct {
	news.Entity
	Text string
}

// Path returns the path of the entity's page.
func (m monthRow) Path() string { return siteurl.Entity(m.Type, m.Slug) }

func monthPath(name string) string { return "/changes/" + name + "/" }

// monthTitle returns the name of a month, such as November 2026.
func monthTitle(name string) string {
	t, err := time.Parse("2006-01", name)
	if err != nil {
		return name
	}
	return t.Format("January 2006")
}

// month sums up a month.
func (r *request) month() (*page, error) {
	name, known := r.arg("month"), r.News.Months()
	m, err := r.News.Month(name)
	if err != nil {
		return nil, err
	}
	if m == nil {
		var near []suggestion
		for _, n := range append(didyoumean.Names(name, known, 1), known[:min(1, len(known))]...) {
			near = append(near, suggestion{Path: monthPath(n), Name: "Changes in " + monthTitle(n)})
		}
		return r.missing("No such month", "", near), nil
	}
	d := &monthPage{Month: m, Title: "Changes in " + monthTitle(name)}
	if m.Previous != "" {
		d.Prev = monthPath(string(m.Previous))
	}
	if m.Next != "" {
		d.Next = monthPath(string(m.Next))
	}
	if !r.Static {
		d.All = "/changes/?since=" + m.Since + "&until=" + m.Until
	}
	addMonth(d, "added", "New entries", "", m.Added, func(e news.Entity) monthRow { return monthRow{Entity: e} })
	addMonth(d, "releases", "Releases", "", m.Releases, func(x news.Release) monthRow { return monthRow{x.Entity, string(x.Version)} })
	addMonth(d, "prices", "Price changes", fmt.Sprintf("%d up, %d down; the largest first.", m.Counts.PricesUp, m.Counts.PricesDown), m.Prices, changedPriceRow)
	addMonth(d, "announced", "Retirements and deprecations announced", "", m.Announced, announcedRow)
	addMonth(d, "ranked", "Newly ranked", "They got their first score.", m.Ranked, func(x news.Ranked) monthRow {
		return monthRow{x.Entity, "score " + strconv.FormatFloat(x.Score, 'f', 1, 64)}
	})
	addMonth(d, "movers", "Largest gains in score", "In a week that ended in the month, by the rules of the trending list.", m.Movers, func(x news.Mover) monthRow {
		return monthRow{x.Entity, "score " + x.Previous.String() + " → " + x.Score.String()}
	})
	return &page{Template: "month", Title: d.Title, Data: d, Section: "/changes/",
		Description: fmt.Sprintf("%s: %s, %s and %s.", monthTitle(name), textfmt.Plural(m.Added.Count, "new entry", "new entries"),
			textfmt.Plural(m.Releases.Count, "release", "releases"), textfmt.Plural(m.Prices.Count, "price change", "price changes"))}, nil
}

// addMonth adds a list to the page, unless it is empty.
func addMonth[T any](d *monthPage, id, title, note string, list news.List[T], row func(T) monthRow) {
	if list.Count == 0 {
		return
	}
	s := monthSection{ID: id, Title: title, Note: note, Count: list.Count}
	for _, x := range list.Data {
		s.Rows = append(s.Rows, row(x))
	}
	d.Sections = append(d.Sections, s)
}

func changedPriceRow(p news.PriceChange) monthRow {
	text := fmt.Sprintf("%s of %s: $%s → $%s", p.Term, p.Offer, strconv.FormatFloat(p.Old, 'f', -1, 64), strconv.FormatFloat(p.New, 'f', -1, 64))
	if p.Percent != nil {
		text += fmt.Sprintf(" (%+.1f%%)", *p.Percent)
	}
	return monthRow{p.Entity, text}
}

func announcedRow(a news.Announcement) monthRow {
	text := a.Event
	if a.Effective != "" {
		text += " on " + textfmt.Day(string(a.Effective))
	}
	return monthRow{a.Entity, text}
}

// monthOptions returns links to the newest months.
func (s *Site) monthOptions(most int) (list []option) {
	names := s.News.Months()
	for _, name := range names[:min(most, len(names))] {
		list = append(list, option{Name: monthTitle(name), To: monthPath(name)})
	}
	return list
}

// monthPaths yields the pages of all months.
func monthPaths(s *Site) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, name := range s.News.Months() {
			if !yield(monthPath(name)) {
				return
			}
		}
	}
}
