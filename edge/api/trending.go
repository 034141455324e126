package api

import (
	"slices"
	"strconv"

	"github.com/RoaringBitmap/roaring/v2"

	"kindex/edge/query"
	"kindex/edge/web"
	"kindex/exports"
	"kindex/exports/jsonenc"
	"kindex/exports/kinds"
)

// windows contains the periods that the trending list can cover.
var windows = []string{"7d", "30d"}

// Trending handles GET /api/trending. Gains in score and growth of figures were calculated when the index was built; the
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
	by, err := c.Query.OneOf("by", byScore, append([]string{byScore}, kinds.Default().Growing()...))
	if err != nil {
		return nil, err
	}
	f, err := c.Query.Filter(c.Served.Slugs, c.Served.Build)
	if err != nil {
		return nil, err
	}
	b := c.Served.Build
	wanted := b.Select(f)
	since, _, trends := b.Archive().Trends(window)
	if by != byScore {
		return growing(c, window, by, limit, wanted, trends)
	}
	trends = slices.DeleteFunc(trends, func(t exports.Trend) bool { return !wanted.Contains(t.Ordinal) })
	list := newCollection(c)
	for _, t := range trends[:min(limit, len(trends))] {
		dst := openListed(list.next(), b.Record(t.Ordinal))
		list.body = append(appendTrend(dst, t), `,"growth":null}`...)
	}
	return list.end(c.Served, len(trends), trendingMembers(window, since, by)...), nil
}

// byScore is the value of the parameter by for gains in score; the others are signals.
const byScore = "score"

func trendingMembers(window, since, by string) []string {
	return []string{`"window":"` + window + `"`, `"since":"` + since + `"`, `"by":"` + by + `"`}
}

// growing lists the wanted entities whose signal has grown the most. trends is the list by score.
func growing(c *web.Call, window, signal string, limit int, wanted *roaring.Bitmap, trends []exports.Trend) (*web.Reply, error) {
	b := c.Served.Build
	since, grown := b.Archive().Growth(window, signal)
	grown = slices.DeleteFunc(grown, func(g exports.Growth) bool { return !wanted.Contains(g.Ordinal) })
	inScore := make(map[uint32]exports.Trend, len(trends))
	for _, t := range trends {
		inScore[t.Ordinal] = t
	}
	list := newCollection(c)
	for _, g := range grown[:min(limit, len(grown))] {
		dst := openListed(list.next(), b.Record(g.Ordinal))
		if t, ok := inScore[g.Ordinal]; !ok {
			dst = append(dst, `,"trend":null`...) // its score has fallen, or cannot be compared
		} else {
			dst = appendTrend(dst, t)
		}
		list.body = append(appendGrowth(dst, g), '}')
	}
	return list.end(c.Served, len(grown), trendingMembers(window, since, signal)...), nil
}

// appendGrowth appends how much a signal has grown.
func appendGrowth(dst []byte, g exports.Growth) []byte {
	dst = append(append(append(dst, `,"growth":{"signal":"`...), g.Signal...), `","value":`...)
	dst = append(jsonenc.AppendNumber(dst, g.Now), `,"previousValue":`...)
	dst = append(jsonenc.AppendNumber(dst, g.Previous), `,"gain":`...)
	dst = append(jsonenc.AppendNumber(dst, g.Gain()), `,"percent":`...)
	return append(appendPercent(dst, g), '}')
}

// appendPercent appends the gain in percent of the previous value, or null if that was 0.
func appendPercent(dst []byte, g interface{ Percent() (float64, bool) }) []byte {
	percent, ok := g.Percent()
	if !ok {
		return append(dst, "null"...)
	}
	return jsonenc.AppendNumber(dst, percent)
}

// appendTrend appends the changes in the score and rank of a trending record.
func appendTrend(dst []byte, t exports.Trend) []byte {
	number := func(name string, n int, known bool) {
		dst = append(append(append(dst, ',', '"'), name...), '"', ':')
		if !known {
			dst = append(dst, "null"...)
			return
		}
		dst = strconv.AppendInt(dst, int64(n), 10)
	}
	dst = append(dst, `,"trend":{"score":`...)
	dst = t.Score.AppendJSON(dst)
	dst = append(dst, `,"previousScore":`...)
	dst = t.Previous.AppendJSON(dst)
	dst = append(dst, `,"gain":`...)
	dst = jsonenc.AppendNumber(dst, float64(t.Gain())/10)
	number("rank", int(t.Rank), t.Rank > 0)
	number("previousRank", int(t.PreviousRank), t.PreviousRank > 0)
	number("changes", int(t.Changes), true)
	return append(dst, '}')
}
