package pages

import (
	"cmp"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/RoaringBitmap/roaring/v2"

	"kindex/exports/feed"
	"kindex/exports/history"
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

// changesPage lists changes, newest first.
type changesPage struct {
	Days []changeDay
	pager
	Months       []option // the newest months
	Filters      []facet
	Chosen       []option // each links to the page with that filter removed
	Dated        bool     // days can be chosen
	Action       string
	Since, Until string
	Presets      []option
	Wrong        string // an invalid day in the query
	Newest       string // the last day with changes, or "" if there is none
	Oldest       string
}

// changeDay holds the changes of a day.
type changeDay struct {
	Day     string // YYYY-MM-DD
	Changes []describedChange
}

// describedChange is a change, shortened for a list.
type describedChange struct {
	changeSummary
	Kind    string // created, updated or deleted
	Shown   []feed.Line
	More    int // lines that are not shown
	Fold    bool
	Refresh *feed.Refresh // what the change stands for, or nil
}

// Path returns the path of the entity's page, or of the list of the refresh.
func (c describedChange) Path() string {
	if c.Refresh != nil {
		return feed.RefreshPath(c.Refresh.ID)
	}
	return siteurl.Entity(c.Type, c.Slug)
}

// changeEvents lists the events, named as in URLs.
var changeEvents = func() (list []option) {
	titles := map[string]string{record.Created: "Added", record.Updated: "Updated", record.Deleted: "Deleted"}
	for _, e := range record.Events {
		list = append(list, option{Name: titles[e], Value: strings.TrimPrefix(e, "entity.")})
	}
	return list
}()

// changeFilters lists the filters in the path of the page, in the order in which they occur
// in the path.
var changeFilters = []string{"event", "type", "category", "figures"}

// withoutFigures is the value of the filter figures.
const withoutFigures = "false"

// filterValues returns the values of a filter that occur in changes.
func (s *Site) filterValues(field string) []option { return s.changeFilterValues()[field] }

// changeChoices collects the values of all filters. It is called once for each build.
func (s *Site) changeChoices() map[string][]option {
	m := map[string][]option{"event": changeEvents, "figures": {{Name: "Without figures", Value: withoutFigures}}}
	for _, v := range s.Build.History().ChangeValues("type") {
		m["type"] = append(m["type"], option{Name: textfmt.Capitalize(s.plural(v)), Value: v})
	}
	for _, v := range s.changeCategories() {
		m["category"] = append(m["category"], option{Name: textfmt.Name(s.categoryTitle(v)), Value: v})
	}
	slices.SortStableFunc(m["category"], func(a, b option) int { return strings.Compare(record.Fold(a.Name), record.Fold(b.Name)) })
	return m
}

// changeFilter returns the filter in the path. If a value is unknown, ok is false and similar
// contains suggestions.
func (r *request) changeFilter() (f history.ChangeFilter, similar []link, ok bool) {
	f.To = r.Build.History().Changes()
	for _, field := range changeFilters {
		v := r.choice(field)
		if v == "" {
			continue
		}
		known := r.filterValues(field)
		_, isCategory := r.titles[v]
		if !slices.ContainsFunc(known, func(o option) bool { return o.Value == v }) && !(field == "category" && isCategory) && !(field == "type" && slices.Contains(r.Build.Kinds().Names(), v)) {
			var values []string
			for _, o := range known {
				values = append(values, o.Value)
			}
			return f, near(v, values, func(v string) link {
				return link{Name: "Changes: " + known[slices.Index(values, v)].Name, To: r.here(field, v)}
			}), false
		}
		switch field {
		case "event":
			f.Event = []string{"entity." + v}
		case "type":
			f.Type = []string{v}
		case "category":
			f.Category = []string{v}
		}
	}
	return f, nil, true
}

// changes lists all changes, or those that match the filters.
func (r *request) changes() (*page, error) {
	if now, renamed := r.Build.Preferred("category", r.choice("category")); renamed {
		return &page{location: r.with("category", now)}, nil
	}
	f, near, ok := r.changeFilter()
	if !ok {
		return r.missing("No matching changes", "", near...), nil
	}
	d := &changesPage{Dated: !r.Static, Action: r.route.path(nil, r.choices), Months: r.monthOptions(changeMonths)}
	r.setDates(d, &f)
	set := r.Build.History().SelectChanges(f)
	if r.choice("figures") == withoutFigures {
		set.AndNot(r.News.Figures())
	}
	set, entries, known := r.entries(d, set)
	if !known {
		return r.missing("No such refresh", "", link{To: "/changes/", Name: "All changes"}), nil
	}
	var from int
	if d.pager, from, ok = r.pageOf(int(entries.GetCardinality()), changeRows); !ok {
		return r.notFound(), nil
	}
	if err := r.fillChanges(d, set, entries, from); err != nil {
		return nil, err
	}
	r.addChangeFilters(d)
	if d.Dated {
		d.addPresets(r.AsOf)
	}
	p := &page{Template: "changes", Title: "Changes", Data: d, NoIndex: d.Since+d.Until+d.Wrong != "",
		Description: "Additions, updates and deletions, field by field, with commits and pull requests."}
	for _, o := range d.Chosen {
		p.Title += ": " + o.Name
	}
	feed := url.Values{}
	for _, field := range []string{"type", "category", "figures"} { // feeds contain all events
		if v := r.choice(field); v != "" {
			feed.Set(field, v)
		}
	}
	if len(feed) > 0 {
		p.Feed = "/api/feed?" + feed.Encode()
	}
	return p, nil
}

// entries returns the entries of a set of changes or, on the page of a refresh, its changes, each of
// which is an entry.
func (r *request) entries(d *changesPage, all *roaring.Bitmap) (set, entries *roaring.Bitmap, known bool) {
	id := r.choice("refresh")
	if id == "" {
		return all, r.News.Entries(all), true
	}
	members, known := r.News.Members(id)
	if !known {
		return nil, nil, false
	}
	at := r.Build.History().ChangeTime(int(members.Minimum()))
	d.Chosen = append(d.Chosen, option{Name: "One commit, " + at.Format("2 January 2006, 15:04:05"), To: r.here("refresh", "")})
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
	day := func(field string) (time.Time, string) {
		text := asked.Get(field)
		t, err := time.Parse(time.DateOnly, text)
		if err != nil {
			d.Wrong = cmp.Or(textfmt.Name(text), d.Wrong)
			return t, ""
		}
		r.Query.Set(field, text)
		return t, text
	}
	var since, until time.Time
	if since, d.Since = day("since"); d.Since != "" {
		f.From = a.ChangesSince(since)
	}
	if until, d.Until = day("until"); d.Until != "" {
		f.To = a.ChangesSince(until.AddDate(0, 0, 1))
	}
}

// addPresets adds links to the changes of the last days and of this month.
func (d *changesPage) addPresets(asOf time.Time) {
	today := asOf.UTC()
	for _, x := range []struct {
		name  string
		since time.Time
	}{{"Last 7 days", today.AddDate(0, 0, -6)}, {"This month", today.AddDate(0, 0, 1-today.Day())}, {"Last 30 days", today.AddDate(0, 0, -29)}} {
		since := x.since.Format(time.DateOnly)
		d.Presets = append(d.Presets, option{Name: x.name, To: d.Action + "?since=" + since, Chosen: d.Since == since && d.Until == ""})
	}
}

// fillChanges reads the entries of a page, which stand for the changes in set, and groups them by day.
func (r *request) fillChanges(d *changesPage, set, entries *roaring.Bitmap, from int) error {
	for i := from; i < d.Last; i++ {
		at, err := entries.Select(uint32(d.Total - 1 - i)) //nolint:gosec // less than the size of the set; the last element is the newest
		if err != nil {
			return err
		}
		c, err := r.describeChange(int(at), set, entries)
		if err != nil {
			return err
		}
		day := c.Timestamp.UTC().Format(time.DateOnly)
		if n := len(d.Days); n == 0 || d.Days[n-1].Day != day {
			d.Days = append(d.Days, changeDay{Day: day})
		}
		last := &d.Days[len(d.Days)-1]
		last.Changes = append(last.Changes, c)
	}
	return nil
}

// describeChange reads an entry and keeps its first lines, and the first items of each
// line.
func (s *Site) describeChange(i int, set, entries *roaring.Bitmap) (describedChange, error) {
	c, err := s.changeRow("", i)
	if err != nil {
		return describedChange{}, err
	}
	var refresh *feed.Refresh
	if set != entries { // not in the list of a refresh
		found, ok, err := s.News.Refresh(i, set)
		if err != nil {
			return describedChange{}, err
		}
		if ok {
			refresh, c.Summary, c.Here = found, feed.SummarizeRefresh(found, s.words()), true
		}
	}
	t := describedChange{changeSummary: c, Refresh: refresh, Kind: strings.TrimPrefix(c.Event, "entity."), Shown: slices.Clone(c.Lines[:min(maxLines, len(c.Lines))])}
	t.More = len(c.Lines) - len(t.Shown)
	for i, l := range t.Shown {
		if n := len(l.Items); n > maxItems {
			t.Shown[i].Items = append(slices.Clone(l.Items[:maxItems]), "and "+strconv.Itoa(n-maxItems)+" more")
		}
	}
	if refresh != nil {
		t.More = refresh.Count - len(t.Shown)
	}
	t.Fold = len(t.Shown) > maxOpen || c.Event != record.Updated
	return t, nil
}

// addChangeFilters fills in the filters. On a static site, choosing a filter replaces the
// current one, because there are no pages for combinations.
func (r *request) addChangeFilters(d *changesPage) {
	for _, field := range changeFilters {
		shown := facet{Name: field}
		for _, o := range r.filterValues(field) {
			o.Chosen = r.choice(field) == o.Value
			switch {
			case o.Chosen:
				o.To = r.here(field, "")
			case r.Static:
				o.To = changesPath(field, o.Value, 1)
			default:
				o.To = r.here(field, o.Value)
			}
			shown.Values = append(shown.Values, o)
		}
		if v := r.choice(field); v != "" {
			title := v
			if i := slices.IndexFunc(shown.Values, func(o option) bool { return o.Chosen }); i >= 0 {
				title = shown.Values[i].Name
			} else if field == "category" {
				title = textfmt.Name(r.categoryTitle(v))
			}
			d.Chosen = append(d.Chosen, option{Name: title, To: r.here(field, "")})
		}
		if len(shown.Values) > 1 || field == "figures" {
			d.Filters = append(d.Filters, shown)
		}
	}
}

var changesRoute = &route{pattern: "/changes/", choices: slices.Concat(changeFilters, []string{"refresh", "page"})}

// changesPath returns the path of a page of changes with one filter value, which may be
// "" for all changes.
func changesPath(field, value string, page int) string {
	return changesRoute.path(nil, map[string]string{field: value, "page": pageNumber(page)})
}
