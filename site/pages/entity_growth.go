package pages

import (
	"html/template"
	"math"
	"time"

	"kindex/exports/history"
	"kindex/exports/record"
	"kindex/site/chart"
	"kindex/site/textfmt"
)

// maxCurve is the number of dots of a chart of a figure.
const maxCurve = 60

// growth is how a figure changed over a window of days.
type growth struct {
	Days     int
	Text     string // such as +1,234 (+1.5%), or "" if it is unknown
	From, To string // the days of the two readings, "" if unknown
}

// curve is a figure over time.
type curve struct {
	Name   string
	Chart  template.HTML // "" if there is only one day
	Words  string        // text alternative to the chart
	JSON   string        // URL of the series, or "" if there is no API
	Growth []growth      // over each window, or nil if it is unknown over all of them
}

// reading is the value of a signal on the day when it was read. It is unknown where the
// signal was removed.
type reading struct {
	day   time.Time
	value float64
	known bool
}

// readings returns the values of a count, oldest first. A value without a day of its own, or
// whose day is before that of the previous value, is from the day of its commit or, if it is
// not committed, from asOf.
func readings(points []history.Point[record.Fact], asOf time.Time) (list []reading) {
	var last time.Time
	for _, p := range points {
		x := reading{value: p.Value.Number, known: p.Value != record.Fact{}}
		day, err := time.Parse(time.DateOnly, p.Value.Date)
		switch {
		case err == nil && !day.Before(last):
			x.day = day
		case p.Time != 0:
			x.day = time.Unix(p.Time, 0).UTC().Truncate(24 * time.Hour)
		default:
			x.day = asOf.UTC().Truncate(24 * time.Hour)
		}
		if x.day.Before(last) {
			x.day = last
		}
		last = x.day
		list = append(list, x)
	}
	return list
}

// grown returns the growth of a figure over each window, or nil if all are unknown.
func grown(points []history.Point[record.Fact], asOf time.Time) []growth {
	list, known := make([]growth, 0, len(history.GrowthWindows)), false
	for _, days := range history.GrowthWindows {
		x := growth{Days: days}
		if g := history.GrowthOver(points, asOf, days); g != nil {
			x.Text, x.From, x.To = signed(g.Gain()), g.Previous.Date, g.Now.Date
			if percent, ok := g.Percent(); ok && g.Gain() != 0 {
				x.Text += " (" + signed(percent) + "%)"
			}
			known = true
		}
		list = append(list, x)
	}
	if !known {
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

// addCurves draws the figures of an entity over time, with their growth. Figures that were read
// only once are left out.
func (r *request) addCurves(d *entityPage, moments []history.Moment, asOf time.Time) {
	for _, f := range d.Entity.Signals.Facts {
		if t := r.Build.Kinds().Signal(f.Name); t == nil || !t.Varies() {
			continue
		}
		points := history.SignalSeries(moments, f.Name)
		c := curve{Name: r.label(f.Name), Growth: grown(points, asOf)}
		if c.draw(readings(points, asOf)); c.Chart == "" && c.Growth == nil {
			continue
		}
		if r.served() && d.Day == "" {
			c.JSON = r.api("/api/entity/" + d.Key() + "/signals?name=" + f.Name)
		}
		d.Curves = append(d.Curves, c)
	}
}

// draw draws readings of at least two days.
func (c *curve) draw(list []reading) {
	if len(list) < 2 || !list[len(list)-1].day.After(list[0].day) {
		return
	}
	var points []chart.Point
	low, high := math.Inf(1), math.Inf(-1)
	for i, x := range list {
		if n := len(list); n > maxCurve && x.known && i != n-1 && i*maxCurve/n == (i-1)*maxCurve/n && i > 0 {
			continue // there is a dot close to it
		}
		day := x.day.Format(time.DateOnly)
		points = append(points, chart.Point{Day: day, At: x.day, Value: x.value, Known: x.known, Title: textfmt.Day(day) + ": " + textfmt.Count(x.value)})
		if x.known {
			low, high = min(low, x.value), max(high, x.value)
		}
	}
	if low > high {
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
