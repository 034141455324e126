package pages

import (
	"fmt"
	"html/template"
	"math"
	"slices"
	"time"

	"kindex/exports/leaderboard"
	"kindex/site/chart"
	"kindex/site/textfmt"
)

// scoreHistory holds the scores of an entity over time.
type scoreHistory struct {
	Standings []scoreHistoryRow // newest first
	Since     string            // the oldest day
	Only      *scoreHistoryRow  // the day with a score if there is only one, which is too little for a chart; otherwise nil
	Score     template.HTML
	Words     string // text alternative to the chart
}

// scoreHistoryRow is a row of the table.
type scoreHistoryRow struct {
	leaderboard.RankAt
	Path string // the page of that day, or "" if there is none
}

// scoreHistory draws the scores of an entity over time. list is sorted from
// oldest to newest. The result is nil if no day has a score.
func (r *request) scoreHistory(d *entityPage, list []leaderboard.RankAt) *scoreHistory {
	if today := (leaderboard.RankAt{Day: d.AsOf, Score: d.Scores.Composite}); len(list) == 0 || list[len(list)-1].Day < d.AsOf {
		list = append(list, today)
	}
	if !slices.ContainsFunc(list, func(s leaderboard.RankAt) bool { return s.Score.Known() }) {
		return nil
	}
	c := &scoreHistory{Since: list[0].Day}
	a, known := r.Build.History(), 0
	for _, s := range slices.Backward(list) {
		line := scoreHistoryRow{RankAt: s}
		if first := a.FirstDay(); !r.Static && first != "" && s.Day >= first && s.Day <= a.LastDay() {
			line.Path = d.Now + "at-" + s.Day + "/"
		}
		c.Standings = append(c.Standings, line)
		if s.Score.Known() {
			c.Only, known = &line, known+1
		}
	}
	if known == 1 {
		return c
	}
	c.Only = nil
	scores := historyPoints(list)
	p := chart.Plot{Low: 0, High: 100, Height: 150, From: scores[0].At, To: scores[len(scores)-1].At}
	c.Score = p.Draw("scores", []chart.Line{{Points: scores}}, []float64{0, 25, 50, 75, 100}, func(v float64) string { return chart.Number(v) })
	c.Words = describeHistory("score", scores, func(v float64) string { return fmt.Sprintf("%.1f", v) })
	return c
}

// historyPoints returns the points of the chart.
func historyPoints(list []leaderboard.RankAt) (scores []chart.Point) {
	for _, s := range list {
		t, err := time.Parse(time.DateOnly, s.Day)
		if err != nil {
			continue // never in a build
		}
		scores = append(scores, chart.Point{Day: s.Day, At: t, Value: s.Score.Float(), Known: s.Score.Known(), Title: textfmt.Day(s.Day) + ": " + s.Score.String()})
	}
	return scores
}

// describeHistory describes a chart in a sentence.
func describeHistory(what string, dots []chart.Point, word func(float64) string) string {
	var known []chart.Point
	for _, o := range dots {
		if o.Known {
			known = append(known, o)
		}
	}
	switch {
	case len(known) == 0:
		return "No " + what + " is known for any day."
	case len(known) == 1:
		return fmt.Sprintf("The %s is known for one day: %s on %s.", what, word(known[0].Value), textfmt.Day(known[0].Day))
	}
	first, last := known[0], known[len(known)-1]
	low := slices.MinFunc(known, func(a, b chart.Point) int { return int(math.Copysign(1, a.Value-b.Value)) })
	high := slices.MaxFunc(known, func(a, b chart.Point) int { return int(math.Copysign(1, a.Value-b.Value)) })
	s := fmt.Sprintf("The %s was %s on %s and %s on %s", what, word(first.Value), textfmt.Day(first.Day), word(last.Value), textfmt.Day(last.Day))
	if low.Value == high.Value {
		return fmt.Sprintf("The %s was %s from %s to %s.", what, word(first.Value), textfmt.Day(first.Day), textfmt.Day(last.Day))
	}
	return s + fmt.Sprintf("; over %d days, the lowest was %s and the highest %s.", len(known), word(low.Value), word(high.Value))
}
