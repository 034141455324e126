package pages

import (
	"fmt"
	"time"

	"kindex/exports/didyoumean"
	"kindex/exports/kinds"
	"kindex/exports/news"
	"kindex/exports/record"
	"kindex/site/textfmt"
)

// monthPage sums up the changes of a month.
type monthPage struct {
	*news.Month
	Title      string
	Sections   []monthSection
	Prev, Next string // paths of other months
}

// monthSection is one of a month's lists of changes.
type monthSection struct {
	ID, Title, Note string
	Count           int
	Rows            []changeSummary
}

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
	name := r.arg("month")
	m, err := r.News.Month(name)
	if err != nil {
		return nil, err
	}
	if m == nil {
		var near []link
		if n := didyoumean.Name(name, r.News.Months()); n != "" {
			near = append(near, link{To: monthPath(n), Name: "Changes in " + monthTitle(n)})
		}
		return r.missing("No such month", "", near...), nil
	}
	d := &monthPage{Month: m, Title: "Changes in " + monthTitle(name)}
	if m.Previous != "" {
		d.Prev = monthPath(string(m.Previous))
	}
	if m.Next != "" {
		d.Next = monthPath(string(m.Next))
	}
	for _, l := range []struct {
		id, title, note string
		news.List[*record.Change]
	}{
		{"added", "New entries", "", m.Added},
		{"releases", "Releases", "", m.Releases},
		{"prices", "Price changes", fmt.Sprintf("%d up, %d down; the largest first.", m.Counts.PricesUp, m.Counts.PricesDown), m.Prices},
		{"announced", "Retirements and deprecations announced", "", m.Announced},
		{"ranked", "Newly ranked", "They got their first score.", m.Ranked},
	} {
		s := monthSection{ID: l.id, Title: l.title, Note: l.note, Count: l.Count}
		for _, c := range l.Data {
			s.Rows = append(s.Rows, r.changeSummary(c))
		}
		d.Sections = append(d.Sections, s)
	}
	what := []string{"New entries", "releases"}
	if r.kinds().HasBlock(kinds.Offers) {
		what = append(what, "price changes")
	}
	if what = append(what, "retirements"); r.Build.Manifest.Counts.Ranked > 0 {
		what = append(what, "gains in score")
	}
	return &page{Template: "month", Title: d.Title, Data: d, Section: "/changes/",
		Description: textfmt.JoinAnd(what) + " in " + monthTitle(name) + "."}, nil
}

// monthOptions returns links to the newest months.
func (s *Site) monthOptions(most int) (list []option) {
	names := s.News.Months()
	for _, name := range names[:min(most, len(names))] {
		list = append(list, option{Name: monthTitle(name), To: monthPath(name)})
	}
	return list
}
