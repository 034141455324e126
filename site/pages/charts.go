package pages

import (
	"cmp"
	"fmt"
	"html/template"
	"math"
	"slices"
	"strconv"
	"time"

	"kindex/exports/board"
	"kindex/exports/history"
	"kindex/exports/record"
	"kindex/site/chart"
	"kindex/site/textfmt"
)

// maxCurve is the number of dots of a chart of a figure.
const maxCurve = 60

// dot returns a point of a chart, with its value in words.
func dot(day string, value float64, known bool, words string) chart.Point {
	at, _ := time.Parse(time.DateOnly, day) // the days of a build are valid
	return chart.Point{Day: day, At: at, Value: value, Known: known, Title: textfmt.Day(day) + ": " + words}
}

// extent returns the known ones among points, and their lowest and highest value.
func extent(points []chart.Point) (known []chart.Point, low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for _, o := range points {
		if o.Known {
			known, low, high = append(known, o), min(low, o.Value), max(high, o.Value)
		}
	}
	return known, low, high
}

// describeHistory describes a chart in a sentence.
func describeHistory(what string, points []chart.Point, word func(float64) string) string {
	known, low, high := extent(points)
	if len(known) == 0 {
		return "No " + what + " is known for any day."
	}
	first, last := known[0], known[len(known)-1]
	switch {
	case len(known) == 1:
		return fmt.Sprintf("The %s is known for one day: %s on %s.", what, word(low), textfmt.Day(first.Day))
	case low == high:
		return fmt.Sprintf("The %s was %s from %s to %s.", what, word(low), textfmt.Day(first.Day), textfmt.Day(last.Day))
	}
	return fmt.Sprintf("The %s was %s on %s and %s on %s; over %d days, the lowest was %s and the highest %s.",
		what, word(first.Value), textfmt.Day(first.Day), word(last.Value), textfmt.Day(last.Day), len(known), word(low), word(high))
}

// drawing is a chart.
type drawing struct {
	Chart template.HTML // "" if there is only one value
	Words string        // text alternative to the chart
}

type scoreHistory struct {
	drawing
	Standings []cell // newest first
}

// scoreHistory draws the scores of an entity over time. list is sorted from
// oldest to newest. The result is nil if fewer than two days have a score.
func (r *request) scoreHistory(d *entityPage, list []board.RankAt) *scoreHistory {
	if len(list) == 0 || list[len(list)-1].Day < d.AsOf {
		list = append(list, board.RankAt{Day: d.AsOf, Score: d.Scores.Composite})
	}
	c, a := &scoreHistory{}, r.Build.History()
	var points []chart.Point
	for _, s := range list {
		row := cell{Text: s.Score.String(), Date: s.Day}
		if first := a.FirstDay(); !r.Static && first != "" && s.Day >= first && s.Day <= a.LastDay() {
			row.To = d.Now + "at-" + s.Day + "/"
		}
		c.Standings = append(c.Standings, row)
		points = append(points, dot(s.Day, s.Score.Float(), s.Score.Known(), s.Score.String()))
	}
	if known, _, _ := extent(points); len(known) < 2 {
		return nil
	}
	slices.Reverse(c.Standings)
	p := chart.Plot{Low: 0, High: 100, Height: 150, From: points[0].At, To: points[len(points)-1].At}
	c.Chart = p.Draw("scores", []chart.Line{{Points: points}}, []float64{0, 25, 50, 75, 100}, chart.Number)
	c.Words = describeHistory("score", points, func(v float64) string { return fmt.Sprintf("%.1f", v) })
	return c
}

// growth is how a figure changed over a window of days.
type growth struct {
	Days     int
	Text     string // such as +1,234 (+1.5%), or "" if it is unknown
	From, To string // the days of the two readings, "" if unknown
}

type curve struct {
	drawing
	Name   string
	JSON   string   // URL of the series, or "" if there is no API
	Growth []growth // over each window, or nil if it is unknown over all of them
}

// readings returns the values of a count, oldest first; they are unknown where the signal was removed. A
// value without a day of its own, or whose day is before that of the previous value, is from the day of
// its commit or, if it is not committed, from asOf.
func readings(values []history.Point[record.Fact], asOf time.Time) (list []chart.Point) {
	var last time.Time
	for _, p := range values {
		day, err := time.Parse(time.DateOnly, p.Value.Date)
		if err != nil || day.Before(last) {
			if day = asOf; p.Time != 0 {
				day = time.Unix(p.Time, 0)
			}
		}
		if day = day.UTC().Truncate(24 * time.Hour); day.After(last) {
			last = day
		}
		list = append(list, dot(last.Format(time.DateOnly), p.Value.Number, p.Value != record.Fact{}, textfmt.Count(p.Value.Number)))
	}
	return list
}

// grown returns the growth of a figure over each window, or nil if all are unknown.
func grown(points []history.Point[record.Fact], asOf time.Time) (list []growth) {
	for _, days := range history.GrowthWindows {
		x := growth{Days: days}
		if g := history.GrowthOver(points, asOf, days); g != nil {
			x.Text, x.From, x.To = signed(g.Gain()), g.From, g.To
			if percent, ok := g.Percent(); ok && g.Gain() != 0 {
				x.Text += " (" + signed(percent) + "%)"
			}
		}
		list = append(list, x)
	}
	if !slices.ContainsFunc(list, func(x growth) bool { return x.Text != "" }) {
		return nil
	}
	return list
}

// signed formats a difference with its sign.
func signed(x float64) string {
	switch {
	case x > 0:
		return "+" + textfmt.Count(x)
	case x == 0:
		return "no change"
	}
	return textfmt.Count(x)
}

// curves draws the figures of an entity over time, with their growth. Figures that were read
// only once are left out.
func (r *request) curves(d *entityPage, moments []history.Moment, asOf time.Time) (list []curve) {
	for _, f := range d.Entity.Signals.Facts {
		if t := r.kinds().Signal(f.Name); t == nil || !t.Varies() {
			continue
		}
		points := history.SignalSeries(moments, f.Name)
		c := curve{Name: r.label(f.Name), Growth: grown(points, asOf)}
		if c.draw(readings(points, asOf)); r.served() && d.Day == "" {
			c.JSON = r.api("/api/entity/" + d.Key() + "/signals?name=" + f.Name)
		}
		if c.Chart != "" || c.Growth != nil {
			list = append(list, c)
		}
	}
	return list
}

// draw draws readings of at least two days; of many close ones, it leaves some out.
func (c *curve) draw(list []chart.Point) {
	var points []chart.Point
	n := len(list)
	for i, o := range list {
		if n <= maxCurve || !o.Known || i == 0 || i == n-1 || i*maxCurve/n != (i-1)*maxCurve/n {
			points = append(points, o)
		}
	}
	known, low, high := extent(points)
	if len(known) == 0 || !list[n-1].At.After(list[0].At) {
		return
	}
	marks := []float64{low, high}
	p := chart.Plot{Low: low, High: high, Height: 64, From: points[0].At, To: points[len(points)-1].At}
	if low == high {
		p.Low, p.High, marks = low-1, high+1, marks[:1]
	}
	c.Chart = p.Draw("figure-curve", []chart.Line{{Points: points}}, marks, textfmt.Compact)
	c.Words = describeHistory("figure", points, func(v float64) string { return textfmt.Count(v) })
}

// maxSpots is the number of points of a chart, and maxLabels that of the names on it besides those of
// the front.
const (
	maxSpots  = 120
	maxLabels = 10
)

// scatter is a chart of a board: scores against prices.
type scatter struct {
	drawing
	Front int // entities of the Pareto front: each is better than all that are cheaper
}

// scatter draws the scores of a board against prices, or returns nil if too few of its entities have one.
func (b *ranking) scatter() *scatter {
	var spots []*chart.Spot
	for _, o := range b.ordinals {
		e := b.from.Entity(o)
		if price, score := e.Price.Blended, b.scoresOf(e).Composite; price.Known() {
			name := textfmt.Name(e.Name)
			spots = append(spots, &chart.Spot{X: price.Float(), Y: score.Float(), Label: name,
				Title: fmt.Sprintf("%s: score %s, %s per million tokens", name, score, textfmt.Price(price))})
		}
	}
	if len(spots) < 4 {
		return nil
	}
	x, best := &scatter{}, math.Inf(-1)
	for _, s := range slices.SortedStableFunc(slices.Values(spots), func(a, b *chart.Spot) int { return cmp.Or(cmp.Compare(a.X, b.X), cmp.Compare(b.Y, a.Y)) }) {
		if s.Y > best {
			s.Front, best = true, s.Y
			x.Front++
		}
	}
	slices.SortStableFunc(spots, func(a, b *chart.Spot) int { return record.CompareBools(b.Front, a.Front) })
	spots = spots[:min(maxSpots, len(spots))]
	for i := x.Front + maxLabels; i < len(spots); i++ {
		spots[i].Label = ""
	}
	x.draw(spots)
	return x
}

func (x *scatter) draw(spots []*chart.Spot) {
	slices.SortStableFunc(spots, func(a, b *chart.Spot) int { return cmp.Compare(a.X, b.X) })
	least, most, free := 1.0, 1.0, spots[0].X == 0
	if i := slices.IndexFunc(spots, func(s *chart.Spot) bool { return s.X > 0 }); i >= 0 { // not all are free
		least, most = spots[i].X, spots[len(spots)-1].X
	}
	byScore := func(a, b *chart.Spot) int { return cmp.Compare(a.Y, b.Y) }
	low, high := slices.MinFunc(spots, byScore).Y, slices.MaxFunc(spots, byScore).Y
	across := steps(least, most)
	if free || len(across) == 1 {
		across = slices.Insert(across, 0, across[0]/10)
	}
	from, to := across[0], across[len(across)-1]
	c := chart.Scatter{Plot: chart.Plot{Low: 10 * math.Floor(low/10), High: 10 * math.Ceil(high/10), Height: 250}, Left: from, Right: to,
		Across: "Price of a million tokens, 3 parts input to 1 part output", Up: "Score on this board"}
	if c.Low == c.High {
		c.Low, c.High = c.Low-10, c.High+10
	}
	var up []float64
	for v := c.Low; v <= c.High; v += 10 {
		up = append(up, v)
	}
	x.Chart = c.Draw(spots, across, up, func(v float64) string {
		if v == from && free {
			return "free"
		}
		return "$" + strconv.FormatFloat(v, 'g', 6, 64)
	}, chart.Number)
	x.Words = fmt.Sprintf("%s by score and price, from %s to %s per million tokens; %d of them are on the front. The table has all values.",
		textfmt.Plural(len(spots), "entry", "entries"), dollars(spots[0].X), dollars(spots[len(spots)-1].X), x.Front)
}

// steps returns 1, 2 and 5 times powers of ten, from the last that is not above low to the first that is
// not below high. Many are too many to write, so then only the powers are.
func steps(low, high float64) (list []float64) {
	for power := math.Pow(10, math.Floor(math.Log10(low))); ; power *= 10 {
		for _, f := range []float64{1, 2, 5} {
			if f*power <= low*(1+1e-9) {
				list = nil // a later one is closer
			}
			if list = append(list, f*power); f*power < high*(1-1e-9) {
				continue
			}
			if len(list) > 7 {
				ends := [2]float64{list[0], list[len(list)-1]}
				list = slices.DeleteFunc(list, func(v float64) bool {
					return v != ends[0] && v != ends[1] && math.Abs(math.Log10(v)-math.Round(math.Log10(v))) > 1e-9
				})
			}
			return list
		}
	}
}
