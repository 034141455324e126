package pages

import (
	"cmp"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/RoaringBitmap/roaring/v2"

	"kindex/exports/feed"
	"kindex/exports/history"
	"kindex/exports/news"
	"kindex/exports/record"
	"kindex/site/siteurl"
	"kindex/site/textfmt"
)

const (
	changeRows   = 30
	changeMonths = 6 // that the page links to; each links to the one before
	// Limits for one change in a list; the entity's page shows it in full.
	maxLines = 12
	maxItems = 10
	maxOpen  = 3 // lines that are shown without expanding
)

type changesPage struct {
	Days []group[changeSummary]
	pager
	Months       []option // the newest months
	Filters      []listMenu
	Chosen       []option // each links to the page with that filter removed
	Action       string
	Since, Until string
	Presets      []option
	Wrong        string // an invalid day in the query
	Newest       string // the last day with changes, or "" if no day can be chosen
	Oldest       string
}

// changeSummary is a change as shown on pages, or the entry of a refresh.
type changeSummary struct {
	*record.Change
	feed.Summary
	Refresh *feed.Refresh // what it stands for, or nil
	Here    bool          // the entity has a page or a tombstone
	Address string        // URL of the commit, or "" if the repository is not on the web
	Pull    string        // URL of the pull request
	Short   string        // start of the commit's hash
	Then    string        // path of the entity as of the end of that day, or "" if there is none
}

func (s *Site) changeSummary(c *record.Change) changeSummary {
	_, _, here := s.Build.Find(c.Type, c.Slug)
	if !here { // deleted entities have a tombstone
		_, here = s.Build.History().Last(c.Type, c.Slug)
	}
	return changeSummary{Change: c, Summary: feed.Summarize(c, s.words()), Here: here}
}

// Path returns the path of the entity's page, or of the list of the refresh.
func (c changeSummary) Path() string {
	if c.Refresh != nil {
		return feed.RefreshPath(c.Refresh.ID)
	}
	return siteurl.Entity(c.Type, c.Slug)
}

// Shown returns the lines that the list of all changes shows.
func (c changeSummary) Shown() []feed.Line { return c.Lines[:min(maxLines, len(c.Lines))] }

// More returns the number of lines that are not shown.
func (c changeSummary) More() int {
	if c.Refresh != nil {
		return c.Refresh.Count - len(c.Shown())
	}
	return len(c.Lines) - len(c.Shown())
}

// Fold reports whether the lines are folded.
func (c changeSummary) Fold() bool { return len(c.Shown()) > maxOpen || c.Event != record.Updated }

// changeFilters lists the filters in the path of the page, in the order in which they occur in the path.
var changeFilters = []string{"event", "type", "category", "figures"}

// changeOptions returns the values of a filter.
func (s *Site) changeOptions(field string) []option {
	switch field {
	case "event":
		return []option{{Name: "Added", Value: "created"}, {Name: "Updated", Value: "updated"}, {Name: "Deleted", Value: "deleted"}}
	case "type":
		return each(s.Build.History().ChangeValues("type"), func(v string) option { return option{Name: textfmt.Capitalize(s.plural(v)), Value: v} })
	case "category":
		list := each(s.changeCategories(), func(v string) option { return option{Name: textfmt.Name(s.categoryTitle(v)), Value: v} })
		slices.SortStableFunc(list, func(a, b option) int { return strings.Compare(record.Fold(a.Name), record.Fold(b.Name)) })
		return list
	}
	return []option{{Name: "Without figures", Value: "false"}}
}

// addFilters reads the filters in the path and shows their values, or returns an error page if one is unknown. On
// a static site, choosing a filter replaces the current one, because there are no pages for combinations.
func (r *request) addFilters(d *changesPage, f *history.ChangeFilter) *page {
	for _, field := range changeFilters {
		v, shown, titles := r.choices[field], listMenu{Name: field, Options: r.changeOptions(field)}, map[string]string{}
		for i := range shown.Options {
			o := &shown.Options[i]
			titles[o.Value], o.Chosen = o.Name, o.Value == v
			switch {
			case o.Chosen:
				o.To = r.here(field, "")
			case r.Static:
				o.To = changesPath(field, o.Value)
			default:
				o.To = r.here(field, o.Value)
			}
		}
		if len(shown.Options) > 1 || field == "figures" {
			d.Filters = append(d.Filters, shown)
		}
		switch {
		case v == "":
			continue
		case titles[v] == "" && !(field == "category" && r.titles[v] != "") && !(field == "type" && r.kinds().Kind(v) != nil):
			return r.missing("No matching changes", "", near(v, slices.Sorted(maps.Keys(titles)), func(v string) link {
				return link{Name: "Changes: " + titles[v], To: r.here(field, v)}
			})...)
		case field == "event":
			f.Event = []string{"entity." + v}
		case field == "type":
			f.Type = []string{v}
		case field == "category":
			f.Category = []string{v}
		}
		d.Chosen = append(d.Chosen, option{Name: cmp.Or(titles[v], textfmt.Name(r.categoryTitle(v))), To: r.here(field, "")})
	}
	return nil
}

// changes lists all changes, or those that match the filters.
func (r *request) changes() (*page, error) {
	if now, renamed := r.Build.Preferred("category", r.choices["category"]); renamed {
		return r.moved(r.with("category", now), ""), nil
	}
	d := &changesPage{Action: r.route.path(nil, r.choices), Months: r.monthOptions(changeMonths)}
	f := history.ChangeFilter{To: r.Build.History().Changes()}
	r.setDates(d, &f)
	if p := r.addFilters(d, &f); p != nil {
		return p, nil
	}
	set := r.Build.History().SelectChanges(f)
	if r.choices["figures"] != "" {
		set.AndNot(r.News.Figures())
	}
	set, entries, known := r.entries(d, set)
	if !known {
		return r.missing("No such refresh", "", link{To: "/changes/", Name: "All changes"}), nil
	}
	var from int
	var ok bool
	if d.pager, from, ok = r.pageOf(int(entries.GetCardinality()), changeRows); !ok {
		return r.notFound(), nil
	}
	r.fillChanges(d, set, entries, from)
	p := &page{Template: "changes", Title: "Changes", Data: d, NoIndex: d.Since+d.Until+d.Wrong != "",
		Description: "Additions, updates and deletions, field by field, with commits and pull requests."}
	for _, o := range d.Chosen {
		p.Title += ": " + o.Name
	}
	feed := url.Values{}
	for _, field := range changeFilters[1:] { // feeds contain all events
		if v := r.choices[field]; v != "" {
			feed.Set(field, v)
		}
	}
	p.Feed = feed.Encode()
	return p, nil
}

// entries returns the entries of a set of changes or, on the page of a refresh, its changes, each of
// which is an entry.
func (r *request) entries(d *changesPage, all *roaring.Bitmap) (set, entries *roaring.Bitmap, known bool) {
	id := r.choices["refresh"]
	if id == "" {
		return all, r.News.Entries(all), true
	}
	members, known := r.News.Members(id)
	if !known {
		return nil, nil, false
	}
	at := r.Build.History().ChangeTime(int(members.Minimum()))
	d.Chosen = slices.Insert(d.Chosen, 0, option{Name: "One commit, " + at.Format("2 January 2006, 15:04:05"), To: r.here("refresh", "")})
	all.And(members)
	return all, all, true
}

// setDates filters the changes by the days in the query, of which it keeps only valid ones. A static site has none.
func (r *request) setDates(d *changesPage, f *history.ChangeFilter) {
	a, asked := r.Build.History(), r.Query
	if r.Query = (url.Values{}); r.Static {
		return
	}
	if n := a.Changes(); n > 0 {
		d.Oldest, d.Newest = a.ChangeTime(0).Format(time.DateOnly), a.ChangeTime(n-1).Format(time.DateOnly)
	}
	read := func(field string, limit *int, following int) string {
		text := asked.Get(field)
		day, err := time.Parse(time.DateOnly, text)
		if err != nil {
			d.Wrong = cmp.Or(textfmt.Name(text), d.Wrong)
			return ""
		}
		r.Query.Set(field, text)
		*limit = a.ChangesSince(day.AddDate(0, 0, following))
		return text
	}
	d.Since, d.Until = read("since", &f.From, 0), read("until", &f.To, 1)
	today, names := r.AsOf.UTC(), []string{"Last 7 days", "This month", "Last 30 days"}
	for i, days := range []int{6, today.Day() - 1, 29} {
		since := today.AddDate(0, 0, -days).Format(time.DateOnly)
		d.Presets = append(d.Presets, option{Name: names[i], To: d.Action + "?since=" + since, Chosen: d.Since == since && d.Until == ""})
	}
}

// fillChanges reads the entries of a page, which stand for the changes in set, and groups them by day. It keeps the
// first items of each line.
func (r *request) fillChanges(d *changesPage, set, entries *roaring.Bitmap, from int) {
	var list []changeSummary
	all := entries.ToArray()
	for i := from; i < d.Last; i++ {
		at := int(all[len(all)-1-i]) // the last one is the newest
		c := r.changeRow("", at)
		c.Lines = slices.Clone(c.Lines)
		for j, l := range c.Lines {
			if n := len(l.Items); n > maxItems {
				c.Lines[j].Items = append(slices.Clone(l.Items[:maxItems]), "and "+strconv.Itoa(n-maxItems)+" more")
			}
		}
		if refresh := r.News.Refresh(at, set); refresh != nil && set != entries { // not in the list of a refresh
			c.Refresh, c.Summary, c.Here = refresh, feed.SummarizeRefresh(refresh, r.words()), true
		}
		list = append(list, c)
	}
	d.Days = grouped(list, func(c changeSummary) string { return c.Timestamp.UTC().Format(time.DateOnly) })
}

var changesRoute = &route{pattern: "/changes/", choices: slices.Concat(changeFilters, []string{"refresh", "page"})}

func changesPath(field, value string) string {
	return changesRoute.path(nil, map[string]string{field: value})
}

type monthPage struct {
	*news.Month
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

func (r *request) month() (*page, error) {
	name := r.args["month"]
	m := r.News.Month(name)
	if m == nil {
		return r.missing("No such month", "", near(name, r.News.Months(), func(n string) link {
			return link{To: monthPath(n), Name: "Changes in " + monthTitle(n)}
		})...), nil
	}
	title := "Changes in " + monthTitle(name)
	d := &monthPage{m, []monthSection{
		{"added", "New entries", "", m.Added},
		{"releases", "Releases", "", m.Releases},
		{"prices", "Price changes", fmt.Sprintf("%d up, %d down; the largest first.", m.Counts.PricesUp, m.Counts.PricesDown), m.Prices},
		{"announced", "Retirements and deprecations announced", "", m.Announced},
		{"ranked", "Newly ranked", "They got their first score.", m.Ranked},
	}, monthPath(string(m.Previous)), monthPath(string(m.Next))}
	return &page{Template: "month", Title: title, Data: d, Section: "/changes/", Description: "What was added, released and announced in " + monthTitle(name) + "."}, nil
}

// monthOptions returns links to the newest months.
func (s *Site) monthOptions(most int) []option {
	names := s.News.Months()
	return each(names[:min(most, len(names))], func(name string) option { return option{Name: monthTitle(name), To: monthPath(name)} })
}
