package pages

import (
	"fmt"
	"html/template"
	"math"
	"slices"
	"time"

	"kindex/exports/leaderboard"
)

// course is how an entity stood over time.
type course struct {
	Standings []standing // the newest first
	Since     string     // the day of the oldest
	Only      *standing  // the only one with a score, which makes no course; nil where there are more
	Score     template.HTML
	Rank      template.HTML // "" where a rank is known of fewer than two days
	Words     string        // what the pictures show, in a sentence
	Ranks     string        // the same of the ranks, "" where it was never ranked
}

// standing is a line of the table.
type standing struct {
	leaderboard.RankAt
	Path string // the page of that day, "" for none
}

// course draws how an entity stood, and stands. The first standing is the oldest. It is
// nil where no score is known of any day.
func (r *request) course(d *entityPage, list []leaderboard.RankAt) *course {
	if today := (leaderboard.RankAt{Day: d.AsOf, Score: d.Scores.Composite, Rank: d.Rank, Ranked: d.Of}); len(list) == 0 || list[len(list)-1].Day < d.AsOf {
		list = append(list, today)
	}
	if !slices.ContainsFunc(list, func(s leaderboard.RankAt) bool { return s.Score.Known() }) {
		return nil
	}
	c := &course{Since: list[0].Day}
	a, known := r.Build.Archive(), 0
	for _, s := range slices.Backward(list) {
		line := standing{RankAt: s}
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
	scores, ranks := dotsOf(list)
	p := plot{low: 0, high: 100, height: 150, from: scores[0].at, to: scores[len(scores)-1].at}
	c.Score = p.draw("scores", scores, []float64{0, 25, 50, 75, 100}, func(v float64) string { return at(v) })
	c.Words = tell("score", scores, func(v float64) string { return fmt.Sprintf("%.1f", v) })
	ranked := slices.DeleteFunc(slices.Clone(ranks), func(o dot) bool { return !o.known })
	if len(ranked) == 0 {
		return c
	}
	c.Ranks = tell("rank", ranks, ordinal)
	if len(ranked) == 1 {
		return c
	}
	best, worst := math.Inf(1), 0.0
	for _, o := range ranked {
		best, worst = min(best, o.value), max(worst, o.value)
	}
	p.high, p.low = best, worst
	marks := []float64{best, worst}
	if best == worst {
		p.high, p.low, marks = best-1, best+1, marks[:1]
	}
	p.height = 64
	c.Rank = p.draw("ranks", ranks, marks, ordinal)
	return c
}

func ordinal(v float64) string { return "#" + count(v) }

// dotsOf are the scores and the ranks of standings.
func dotsOf(list []leaderboard.RankAt) (scores, ranks []dot) {
	for _, s := range list {
		t, err := time.Parse(time.DateOnly, s.Day)
		if err != nil {
			continue // no build has that
		}
		o := dot{day: s.Day, at: t, value: s.Score.Float(), known: s.Score.Known(), words: day(s.Day) + ": " + s.Score.String()}
		scores = append(scores, o)
		o.value, o.known, o.words = float64(s.Rank), s.Rank > 0, fmt.Sprintf("%s: #%d of %d", day(s.Day), s.Rank, s.Ranked)
		ranks = append(ranks, o)
	}
	return scores, ranks
}

// tell puts a line over time in a sentence.
func tell(what string, dots []dot, word func(float64) string) string {
	var known []dot
	for _, o := range dots {
		if o.known {
			known = append(known, o)
		}
	}
	switch {
	case len(known) == 0:
		return "No " + what + " is known of any day."
	case len(known) == 1:
		return fmt.Sprintf("The %s of one day is known: %s on %s.", what, word(known[0].value), day(known[0].day))
	}
	first, last := known[0], known[len(known)-1]
	low := slices.MinFunc(known, func(a, b dot) int { return int(math.Copysign(1, a.value-b.value)) })
	high := slices.MaxFunc(known, func(a, b dot) int { return int(math.Copysign(1, a.value-b.value)) })
	s := fmt.Sprintf("The %s was %s on %s and %s on %s", what, word(first.value), day(first.day), word(last.value), day(last.day))
	if low.value == high.value {
		return fmt.Sprintf("The %s was %s from %s to %s.", what, word(first.value), day(first.day), day(last.day))
	}
	return s + fmt.Sprintf("; of %d days the lowest was %s, the highest %s.", len(known), word(low.value), word(high.value))
}
