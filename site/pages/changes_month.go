package pages

import (
	"fmt"
	"time"

	"kindex/exports/news"
	"kindex/exports/record"
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
	news.List[*record.Change]
}

// monthPath returns the path of the page of a month, or "" without a month.
func monthPath(name string) string {
	if name == "" {
		return ""
	}
	return "/changes/" + name + "/"
}

// monthTitle returns the name of a month, such as November 2026.
func monthTitle(name string) string {
	t, _ := time.Parse("2006-01", name) // the names of a log are valid
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
		return r.missing("No such month", "", near(name, r.News.Months(), func(n string) link {
			return link{To: monthPath(n), Name: "Changes in " + monthTitle(n)}
		})...), nil
	}
	title := "Changes in " + monthTitle(name)
	d := &monthPage{m, title, []monthSection{
		{"added", "New entries", "", m.Added},
		{"releases", "Releases", "", m.Releases},
		{"prices", "Price changes", fmt.Sprintf("%d up, %d down; the largest first.", m.Counts.PricesUp, m.Counts.PricesDown), m.Prices},
		{"announced", "Retirements and deprecations announced", "", m.Announced},
		{"ranked", "Newly ranked", "They got their first score.", m.Ranked},
	}, monthPath(string(m.Previous)), monthPath(string(m.Next))}
	return &page{Template: "month", Title: title, Data: d, Section: "/changes/", Description: "What was added, released and announced in " + monthTitle(name) + "."}, nil
}

// monthOptions returns links to the newest months.
func (s *Site) monthOptions(most int) (list []option) {
	names := s.News.Months()
	for _, name := range names[:min(most, len(names))] {
		list = append(list, option{Name: monthTitle(name), To: monthPath(name)})
	}
	return list
}
