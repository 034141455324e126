package api

import (
	"slices"
	"strconv"

	"kindex/edge/live"
	"kindex/edge/query"
	"kindex/edge/web"
	"kindex/exports"
	"kindex/exports/jsonenc"
)

// windows contains the periods that the trending list can cover.
var windows = []string{"7d", "30d"}

// Trending handles GET /api/trending. The gains were calculated when the index was built; the
// handler only filters the records.
func (a *API) Trending(c *web.Call) (*web.Reply, error) {
	window, err := c.Query.OneOf("window", windows[0], windows)
	if err != nil {
		return nil, err
	}
	limit, err := c.Query.Int("limit", query.DefaultLimit, 1, query.MaxLimit)
	if err != nil {
		return nil, err
	}
	f, err := c.Query.Filter(c.Served.Slugs, c.Served.Build)
	if err != nil {
		return nil, err
	}
	b := c.Served.Build
	wanted, err := b.Select(f)
	if err != nil {
		return nil, err
	}
	since, _, trends := b.Archive().Trends(window)
	trends = slices.DeleteFunc(trends, func(t exports.Trend) bool { return !wanted.Contains(t.Ordinal) })
	list := newCollection(c)
	for _, t := range trends[:min(limit, len(trends))] {
		rank, err := c.Served.Boards.Rank(t.Ordinal)
		if err != nil {
			return nil, err
		}
		dst := openListed(list.next(), b.Record(t.Ordinal))
		list.body = append(appendTrend(c.Served, dst, t, rank), '}')
	}
	return list.end(c.Served, len(trends), `"window":"`+window+`"`, `"since":"`+since+`"`), nil
}

// appendTrend appends a trending record with the changes in its score and rank. rank is its
// current rank, or 0 if it has none.
func appendTrend(v *live.ServedBuild, dst []byte, t exports.Trend, rank int) []byte {
	number := func(name string, n int, known bool) {
		dst = append(append(append(dst, ',', '"'), name...), '"', ':')
		if !known {
			dst = append(dst, "null"...)
			return
		}
		dst = strconv.AppendInt(dst, int64(n), 10)
	}
	dst = append(dst, `,"trend":{"score":`...)
	dst = v.Build.Score("composite", t.Ordinal).AppendJSON(dst)
	dst = append(dst, `,"previousScore":`...)
	dst = t.Previous.AppendJSON(dst)
	dst = append(dst, `,"gain":`...)
	dst = jsonenc.AppendNumber(dst, float64(t.Gain)/10)
	number("rank", rank, rank > 0)
	number("previousRank", int(t.PreviousRank), t.PreviousRank > 0)
	number("changes", int(t.Changes), true)
	return append(dst, '}')
}
