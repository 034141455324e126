package api

import (
	"kindex/edge/web"
	"kindex/exports/history"
	"kindex/exports/record"
)

// windows contains the periods that the trending list can cover.
var windows = []string{"7d", "30d"}

// byScore is the value of the parameter by for gains in score; the others are signals.
const byScore = "score"

// trend is the change in the score and rank of a trending record.
type trend struct {
	Score         record.Score `json:"score"`
	PreviousScore record.Score `json:"previousScore"`
	Gain          float64      `json:"gain"`
	Rank          *int32       `json:"rank"`
	PreviousRank  *int32       `json:"previousRank"`
	Changes       int          `json:"changes"`
}

// growth is how much a signal has grown.
type growth struct {
	Signal        string   `json:"signal"`
	Value         float64  `json:"value"`
	PreviousValue float64  `json:"previousValue"`
	Gain          float64  `json:"gain"`
	Percent       *float64 `json:"percent"`
}

// Trending handles GET /api/trending. Gains in score and growth of figures were calculated when the index was built; the
// handler only filters the records.
func (a *API) Trending(c *web.Call) (*web.Reply, error) {
	window, l := c.Query.OneOf("window", windows[0], windows), openList(c)
	by := c.Query.OneOf("by", byScore, append([]string{byScore}, c.Served.Build.Kinds().Growing()...))
	l.paged = false
	wanted := l.selected()
	since, _, trends := c.Served.Build.History().Trends(window)
	inScore := make(map[uint32]*trend, len(trends))
	var order []uint32
	for _, t := range trends {
		if !wanted.Contains(t.Ordinal) {
			continue
		}
		order = append(order, t.Ordinal)
		inScore[t.Ordinal] = &trend{t.Score, t.Previous, float64(t.Gain()) / 10, rank(t.Rank), rank(t.PreviousRank), int(t.Changes)}
	}
	grown := map[uint32]*growth{}
	if by != byScore {
		order = nil
		var list []history.Growth
		since, list = c.Served.Build.History().Growth(window, by)
		for _, g := range list {
			if wanted.Contains(g.Ordinal) {
				order = append(order, g.Ordinal)
				grown[g.Ordinal] = &growth{g.Signal, g.Now, g.Previous, g.Gain(), percentOf(g)}
			}
		}
	}
	for _, o := range first(l, order) {
		// The trend is null if the score has fallen or cannot be compared.
		l.addRecord(o, struct {
			Trend  *trend  `json:"trend"`
			Growth *growth `json:"growth"`
		}{inScore[o], grown[o]})
	}
	return l.reply(len(order), nil, member{"window", window}, member{"since", since}, member{"by", by}), nil
}

// rank returns nil, which is encoded as null, for an entity that was not ranked.
func rank[T int | int32 | uint32](n T) *int32 {
	if n <= 0 {
		return nil
	}
	r := int32(n)
	return &r
}

// percentOf returns the gain in percent of the previous value, or nil if that was 0.
func percentOf(g interface{ Percent() (float64, bool) }) *float64 {
	percent, ok := g.Percent()
	if !ok {
		return nil
	}
	return &percent
}
