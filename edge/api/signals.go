package api

import (
	"slices"
	"strconv"
	"time"

	"kindex/edge/query"
	"kindex/edge/web"
	"kindex/exports"
	"kindex/exports/jsonenc"
	"kindex/exports/kinds"
	"kindex/exports/record"
	"kindex/exports/view"
)

// Limits of a series.
const (
	maxSeriesPoints   = 1000   // in a page; also the default
	maxSeriesVersions = 10_000 // of the entity, the newest ones
)

// signalPoint is a value that a signal had from a commit on.
type signalPoint struct {
	name  string
	index int // position in the series of the signal
	exports.Point[record.Fact]
}

// Signals handles GET /api/entity/:type/:slug/signals.
func (a *API) Signals(c *web.Call) (*web.Reply, error) {
	var known []string
	for _, s := range kinds.Default().Signals {
		known = append(known, s.Name)
	}
	names, err := c.Query.AnyOf("name", known)
	if err != nil {
		return nil, err
	}
	if len(names) == 0 {
		names = known
	}
	slices.Sort(names)
	scope := cursorScope(c)
	page, err := c.Query.Page(func() string { return scope }, maxSeriesPoints)
	if err != nil {
		return nil, err
	}
	if !c.Query.Has("limit") {
		page.Limit = maxSeriesPoints
	}
	s, moved, err := findSubject(c, c.Param("type"), c.Param("slug"), "/signals")
	if err != nil || moved != nil {
		return moved, err
	}
	moments, err := s.moments(c)
	if err != nil {
		return nil, err
	}
	var points []signalPoint
	growth := []byte(`"growth":{`)
	for _, name := range names {
		series := exports.SignalSeries(moments, name)
		for i, p := range series {
			points = append(points, signalPoint{name, i, p})
		}
		growth = appendSignalGrowth(growth, name, series, c.Served.AsOf)
	}
	return pageOfPoints(c, points, string(append(growth, '}')), page, scope)
}

// appendSignalGrowth appends the growth of a signal over each window as a member, unless the
// signal does not vary or is unknown now.
func appendSignalGrowth(dst []byte, name string, series []exports.Point[record.Fact], asOf time.Time) []byte {
	if signal := kinds.Default().Signal(name); !signal.Varies() || len(series) == 0 || series[len(series)-1].Value == (record.Fact{}) {
		return dst
	}
	if dst[len(dst)-1] != '{' {
		dst = append(dst, ',')
	}
	dst = append(jsonenc.AppendString(dst, name), ":{"...)
	for i, days := range exports.GrowthWindows {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(strconv.AppendInt(append(dst, '"'), int64(days), 10), `d":`...)
		dst = appendFigureGrowth(dst, exports.GrowthOver(series, asOf, days))
	}
	return append(dst, '}')
}

func appendFigureGrowth(dst []byte, g *exports.FigureGrowth) []byte {
	if g == nil {
		return append(dst, "null"...)
	}
	dst = jsonenc.AppendNumber(append(dst, `{"value":`...), g.Now.Number)
	dst = jsonenc.AppendNullable(jsonenc.AppendMember(dst, "date"), g.Now.Date)
	dst = jsonenc.AppendNumber(jsonenc.AppendMember(dst, "previousValue"), g.Previous.Number)
	dst = jsonenc.AppendNullable(jsonenc.AppendMember(dst, "previousDate"), g.Previous.Date)
	dst = jsonenc.AppendNumber(jsonenc.AppendMember(dst, "gain"), g.Gain())
	return append(appendPercent(jsonenc.AppendMember(dst, "percent"), g), '}')
}

// pageOfPoints returns a page of the points, which are sorted by name and time. growth is a
// member of the answer.
func pageOfPoints(c *web.Call, points []signalPoint, growth string, page query.Page, scope string) (*web.Reply, error) {
	rest := points[min(page.Offset, len(points)):]
	if page.Cursor != nil {
		after, err := strconv.Atoi(page.Cursor.Value)
		if err != nil {
			return nil, &query.Error{Param: "cursor", Message: "is not a valid cursor; start again without a cursor"}
		}
		i := slices.IndexFunc(points, func(p signalPoint) bool {
			return p.name > page.Cursor.Slug || p.name == page.Cursor.Slug && p.index > after
		})
		if i < 0 {
			i = len(points)
		}
		rest = points[i:]
	}
	list := newCollection(c)
	for _, p := range rest[:min(page.Limit, len(rest))] {
		list.body = p.append(list.next())
	}
	next := ""
	if len(rest) > page.Limit {
		last := rest[page.Limit-1]
		next = query.Cursor{Position: view.Position{Value: strconv.Itoa(last.index), Type: "signal", Slug: last.name}}.String(scope)
	}
	r := list.end(c.Served, len(points), growth, nextCursor(next))
	linkNext(c, r, next)
	return r, nil
}

func (p *signalPoint) append(dst []byte) []byte {
	dst = append(dst, `{"name":`...)
	dst = jsonenc.AppendString(dst, p.name)
	dst = jsonenc.AppendMember(dst, "value")
	switch f := p.Value; {
	case f == record.Fact{}:
		dst = append(dst, "null"...)
	case f.Day != "":
		dst = jsonenc.AppendString(dst, f.Day)
	default:
		dst = jsonenc.AppendNumber(dst, f.Number)
	}
	dst = jsonenc.AppendMember(dst, "date")
	dst = jsonenc.AppendNullable(dst, p.Value.Date)
	dst = jsonenc.AppendMember(dst, "source")
	dst = jsonenc.AppendNullable(dst, p.Value.Source)
	dst = jsonenc.AppendMember(dst, "timestamp")
	at := ""
	if p.Time != 0 {
		at = time.Unix(p.Time, 0).UTC().Format(time.RFC3339)
	}
	dst = jsonenc.AppendNullable(dst, at)
	dst = jsonenc.AppendMember(dst, "commit")
	return append(jsonenc.AppendNullable(dst, p.Commit), '}')
}
