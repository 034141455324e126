package api

import (
	"slices"
	"strconv"
	"time"

	"kindex/edge/query"
	"kindex/edge/web"
	"kindex/exports/history"
	"kindex/exports/jsonenc"
	"kindex/exports/record"
)

// maxSeriesVersions is the maximum number of versions of an entity in a series, the newest ones.
const maxSeriesVersions = 10_000

// Signals handles GET /api/entity/:type/:slug/signals.
func (a *API) Signals(c *web.Call) (*web.Reply, error) {
	var known []string
	for _, s := range c.Served.Build.Kinds().Signals {
		known = append(known, s.Name)
	}
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

// signalPoint is a value that a signal had from a commit on.
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

// figureGrowth is how much a figure has grown over a window.
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
