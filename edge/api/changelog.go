package api

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/RoaringBitmap/roaring/v2"

	"kindex/edge/query"
	"kindex/edge/web"
	"kindex/exports/didyoumean"
	"kindex/exports/history"
	"kindex/exports/jsonenc"
	"kindex/exports/kinds"
	"kindex/exports/news"
	"kindex/exports/record"
)

// timeParam reads a parameter that identifies a point in the history by a day, a time or the ID of
// a change. For an ID, it returns the index of the next change. For a day or a time, it returns
// the index of the first change at or after its start or, if end is set, of the first change after
// its end. at is that start or end.
func timeParam(c *web.Call, name string, def int, end bool) (index int, at time.Time) {
	s := c.Query.Text(name)
	if s == "" {
		return def, at
	}
	a := c.Served.Build.History()
	if day, err := time.Parse(time.DateOnly, s); err == nil {
		if end {
			day = day.AddDate(0, 0, 1)
		}
		return a.ChangesSince(day), day
	}
	if err := at.UnmarshalText([]byte(s)); err == nil { // stricter than time.Parse
		if end {
			at = at.Truncate(time.Second).Add(time.Second) // the times of changes have no fractional seconds
		}
		return a.ChangesSince(at), at
	}
	if i, ok := a.FindChange(s); ok {
		if at = a.ChangeTime(i); end {
			at = at.Add(time.Second)
		}
		return i + 1, at
	}
	paramErr := &query.Error{Param: name, Message: fmt.Sprintf("%q is neither a day (YYYY-MM-DD), nor an RFC 3339 time, nor the id of a change", web.Shorten(s))}
	// A plus sign that was not encoded as %2B was decoded as a space.
	if at, err := time.Parse(time.RFC3339, strings.Replace(s, " ", "+", 1)); err == nil {
		paramErr.Suggestion = at.UTC().Format(time.RFC3339)
	}
	c.Query.Fail(paramErr)
	return def, at
}

// changeFilter reads those parameters for selecting changes that the endpoint accepts.
func changeFilter(c *web.Call) history.ChangeFilter {
	declared := c.Served.Build.Kinds()
	from, start := timeParam(c, "since", 0, false)
	to, end := timeParam(c, "until", c.Served.Build.History().Changes(), true)
	if c.Query.Has("since") && c.Query.Has("until") && (from > to || !start.Before(end)) {
		c.Query.Fail(&query.Error{Param: "since", Message: "must not be after until"})
	}
	return history.ChangeFilter{From: from, To: to,
		Event: c.Query.AnyOf("event", record.Events), Type: c.Query.AnyOf("type", declared.Names()),
		Category: c.Query.AnyOf("category", withFormer(c, allCategories(c))), Field: c.Query.AnyOf("field", record.ChangeFields(declared))}
}

func allCategories(c *web.Call) []string {
	known := append(slices.Clone(c.Served.Slugs), c.Served.Build.History().ChangeValues("category")...)
	slices.Sort(known)
	return slices.Compact(known)
}

// Changelog handles GET /api/changelog.
func (a *API) Changelog(c *web.Call) (*web.Reply, error) {
	set, _ := selectChanges(c)
	return changesPage(c, set, "")
}

// selectChanges returns the changes that a request selects, and whether those of figures alone are among
// them.
func selectChanges(c *web.Call) (set *roaring.Bitmap, figures bool) {
	set = c.Served.Build.History().SelectChanges(changeFilter(c))
	if figures = c.Query.OneOf("figures", "true", []string{"true", "false"}) == "true"; !figures {
		set.AndNot(c.Served.News.Figures())
	}
	return set, figures
}

// Month handles GET /api/changelog/:month.
func (a *API) Month(c *web.Call) (*web.Reply, error) {
	name, known := c.Param("month"), c.Served.News.Months()
	m := c.Served.News.Month(name)
	switch {
	case len(known) == 0:
		return nil, web.NewProblem("no-history", "There are no changes yet.")
	case m == nil:
		p := web.NewProblem("no-history", fmt.Sprintf("There is no month %q: months are from %s to %s.", web.Shorten(name), known[len(known)-1], known[0]))
		return nil, p.WithSuggestion("/api/changelog/" + cmp.Or(didyoumean.Name(name, known), known[0]))
	}
	base := c.BaseURL()
	links := map[string]string{"page": base + "/changes/" + name + "/", "changes": base + "/api/changelog?figures=false&since=" + m.Since + "&until=" + m.Until}
	body := web.AppendJSON(nil, struct {
		*news.Month
		Links map[string]string `json:"links"`
	}{m, links})
	return objectReply(c, body), nil
}

// EntityChangelog handles GET /api/entity/:type/:slug/changelog.
//
// Deleted entities have a changelog, too.
func (a *API) EntityChangelog(c *web.Call) (*web.Reply, error) {
	f, moved, err := findEntity(c, "/changelog", true)
	if err != nil || moved != nil {
		return moved, err
	}
	changes := f.changes(c)
	// A cursor remains valid if the entity is renamed between two pages.
	scope := "changes of an entity"
	if len(changes) > 0 {
		scope += " " + c.Served.Build.History().Change(int(changes[0])).ID
	}
	return changesPage(c, roaring.BitmapOf(changes...), scope)
}

// newestFirst skips the given number of newest changes in a set and returns the next page, newest
// first. It also reports whether more changes follow.
func newestFirst(set *roaring.Bitmap, skip, limit int) (page []int, more bool) {
	rest := int(set.GetCardinality()) - skip
	for i := rest - 1; i >= max(0, rest-limit); i-- {
		index, err := set.Select(uint32(i)) //nolint:gosec // less than the size of the set
		if err != nil {
			break // cannot happen: the rank is within the set
		}
		page = append(page, int(index))
	}
	return page, rest > limit
}

// changesPage returns a page of changes, newest first. The cursor identifies the last change
// returned, so new changes do not shift later pages. A scope other than "" replaces that of the request.
func changesPage(c *web.Call, set *roaring.Bitmap, scope string) (*web.Reply, error) {
	l := openList(c, scope)
	after := l.after("change")
	count := int(set.GetCardinality())
	a := c.Served.Build.History()
	if after != nil {
		end, ok := a.FindChange(after.Slug)
		if !ok { // the history was rewritten: continue at the same point in time
			at, err := time.Parse(time.RFC3339, after.Value)
			if err != nil {
				return nil, errCursor
			}
			end = a.ChangesSince(at.Add(time.Second))
		}
		set.RemoveRange(uint64(end), uint64(a.Changes())) //nolint:gosec // ordinals of changes
	}
	indexes, more := newestFirst(set, l.page.Offset, l.page.Limit)
	for _, i := range indexes {
		l.body = append(l.next(), a.ChangeLine(i)...)
	}
	var next *query.Cursor
	if more && len(indexes) > 0 {
		last := a.Change(indexes[len(indexes)-1])
		next = position("change", last.Timestamp.Format(time.RFC3339), last.ID)
	}
	return l.reply(count, next), nil
}

// maxSeriesVersions is the maximum number of versions of an entity in a series, the newest ones.
const maxSeriesVersions = 10_000

// Signals handles GET /api/entity/:type/:slug/signals.
func (a *API) Signals(c *web.Call) (*web.Reply, error) {
	known := each(c.Served.Build.Kinds().Signals, func(s *kinds.Signal) string { return s.Name })
	names := c.Query.AnyOf("name", known)
	if len(names) == 0 {
		names = known
	}
	slices.Sort(names)
	l := openList(c)
	if !c.Query.Has("limit") {
		l.page.Limit = query.MaxLimit
	}
	after := l.after("signal")
	f, moved, err := findEntity(c, "/signals", true)
	if err != nil || moved != nil {
		return moved, err
	}
	moments, err := f.moments(c)
	if err != nil {
		return nil, err
	}
	var points []signalPoint
	growth := map[string]map[string]*figureGrowth{}
	for _, name := range names {
		series := history.SignalSeries(moments, name)
		for i, p := range series {
			points = append(points, newSignalPoint(name, i, p))
		}
		// A signal that does not vary or is unknown now has no growth.
		if n := len(series); n > 0 && series[n-1].Value != (record.Fact{}) && c.Served.Build.Kinds().Signal(name).Varies() {
			growth[name] = map[string]*figureGrowth{}
			for _, days := range history.GrowthWindows {
				growth[name][strconv.Itoa(days)+"d"] = newFigureGrowth(history.GrowthOver(series, c.Served.AsOf, days))
			}
		}
	}
	// The points are sorted by name and time.
	rest := points[min(l.page.Offset, len(points)):]
	if after != nil {
		index, err := strconv.Atoi(after.Value)
		if err != nil {
			return nil, errCursor
		}
		i := slices.IndexFunc(points, func(p signalPoint) bool { return p.Name > after.Slug || p.Name == after.Slug && p.index > index })
		if i < 0 {
			i = len(points)
		}
		rest = points[i:]
	}
	next := addPage(l, rest, func(p signalPoint) any { return p }, func(last signalPoint) *query.Cursor {
		return position("signal", strconv.Itoa(last.index), last.Name)
	})
	return l.reply(len(points), next, member{"growth", growth}), nil
}

type signalPoint struct {
	Name      string                 `json:"name"`
	Value     any                    `json:"value"`
	Date      jsonenc.OptionalString `json:"date"`
	Source    jsonenc.OptionalString `json:"source"`
	Timestamp jsonenc.OptionalString `json:"timestamp"`
	Commit    jsonenc.OptionalString `json:"commit"`
	index     int                    // position in the series of the signal
}

func newSignalPoint(name string, index int, p history.Point[record.Fact]) signalPoint {
	s := signalPoint{Name: name, Date: jsonenc.OptionalString(p.Value.Date), Source: jsonenc.OptionalString(p.Value.Source),
		Commit: jsonenc.OptionalString(p.Commit), index: index}
	switch f := p.Value; {
	case f == record.Fact{}:
	case f.Day != "":
		s.Value = f.Day
	default:
		s.Value = f.Number
	}
	if p.Time != 0 {
		s.Timestamp = jsonenc.OptionalString(time.Unix(p.Time, 0).UTC().Format(time.RFC3339))
	}
	return s
}

type figureGrowth struct {
	Value         float64                `json:"value"`
	Date          jsonenc.OptionalString `json:"date"`
	PreviousValue float64                `json:"previousValue"`
	PreviousDate  jsonenc.OptionalString `json:"previousDate"`
	Gain          float64                `json:"gain"`
	Percent       *float64               `json:"percent"`
}

func newFigureGrowth(g *history.FigureGrowth) *figureGrowth {
	if g == nil {
		return nil
	}
	return &figureGrowth{g.Now, jsonenc.OptionalString(g.To), g.Previous, jsonenc.OptionalString(g.From), g.Gain(), percentOf(g.Growth)}
}
