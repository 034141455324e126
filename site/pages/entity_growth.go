package pages

import (
	"html/template"
	"math"
	"slices"
	"time"

	"kindex/exports"
	"kindex/exports/record"
	"kindex/site/chart"
	"kindex/site/textfmt"
)

// maxCurve is the number of dots of a chart of a figure.
const maxCurve = 60

// notGrowing lists the counts that describe an entity, rather than grow.
var notGrowing = []string{"archived", "contextTokens", "outputTokens", "parameters"}

// growth is how a figure changed until its latest reading.
type growth struct {
	Text  string // such as +1,234 (+1.5%)
	Since string // the day of the reading with which it is compared
}

// curve is a figure over time.
type curve struct {
	Name  string
	Chart template.HTML
	Words string // text alternative to the chart
	JSON  string // URL of the series, or "" if there is no API
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
func readings(points []exports.Point[record.Fact], asOf time.Time) (list []reading) {
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

// grown returns the growth over about the given number of days: since the reading whose day
// is nearest, if it is at most a third of them off. It is nil if there is no such reading.
func grown(list []reading, days int) *growth {
	if len(list) == 0 || !list[len(list)-1].known {
		return nil
	}
	last := list[len(list)-1]
	var best *reading
	off := func(r *reading) float64 { return math.Abs(last.day.Sub(r.day).Hours()/24 - float64(days)) }
	for i := range list {
		if r := &list[i]; r.known && off(r) <= float64(days)/3 && (best == nil || off(r) <= off(best)) {
			best = r
		}
	}
	if best == nil {
		return nil
	}
	g := &growth{Text: signed(last.value-best.value, textfmt.Count), Since: best.day.Format(time.DateOnly)}
	if best.value > 0 && last.value != best.value {
		g.Text += " (" + signed(math.Round(1000*(last.value-best.value)/best.value)/10, textfmt.Count) + "%)"
	}
	return g
}

// signed formats a number with its sign.
func signed(x float64, format func(any) string) string {
	switch {
	case x > 0:
		return "+" + format(x)
	case x == 0:
		return "no change"
	}
	return format(x)
}

// addGrowth fills in the growth of the signals and their curves. x are the signals in the
// order of e's.
func (r *request) addGrowth(d *entityPage, moments []exports.Moment, asOf time.Time) {
	for i, f := range d.Entity.Signals.Facts {
		t, ok := record.SignalType(f.Name)
		if !ok || t.Kind == record.Day || slices.Contains(notGrowing, f.Name) {
			continue
		}
		list := readings(exports.SignalSeries(moments, f.Name), asOf)
		d.Signals[i].Month, d.Signals[i].Year = grown(list, 30), grown(list, 365)
		d.Growing = d.Growing || d.Signals[i].Month != nil || d.Signals[i].Year != nil
		if c := drawCurve(list); c != nil {
			c.Name = textfmt.Label(f.Name)
			if r.served() && d.Day == "" {
				c.JSON = r.api("/api/entity/" + d.Key() + "/signals?name=" + f.Name)
			}
			d.Curves = append(d.Curves, *c)
		}
	}
}

// drawCurve draws readings of at least two days, or returns nil.
func drawCurve(list []reading) *curve {
	if len(list) < 2 || !list[len(list)-1].day.After(list[0].day) {
		return nil
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
		return nil
	}
	marks := []float64{low, high}
	p := chart.Plot{Low: low, High: high, Height: 64, From: points[0].At, To: points[len(points)-1].At}
	if low == high {
		p.Low, p.High, marks = low-1, high+1, marks[:1]
	}
	return &curve{Chart: p.Draw("figure-curve", points, marks, textfmt.Compact), Words: describeHistory("figure", points, func(v float64) string { return textfmt.Count(v) })}
}
