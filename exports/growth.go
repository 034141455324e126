package exports

import (
	"math"
	"time"

	"kindex/exports/record"
)

// GrowthWindows lists the numbers of days over which the growth of an entity's figures is given.
var GrowthWindows = []int{7, 30, 365}

// Growth is how much a count of an entity has grown.
type Growth struct {
	Ordinal       uint32
	Signal        string
	Now, Previous float64
}

// Gain returns the difference of the two values.
func (g Growth) Gain() float64 { return g.Now - g.Previous }

// Percent returns the gain in percent of the previous value, rounded to a tenth. ok is false if
// that value was 0.
func (g Growth) Percent() (percent float64, ok bool) { return percentOf(g.Gain(), g.Previous) }

// FigureGrowth is how a count changed from one reading to a later one.
type FigureGrowth struct{ Previous, Now record.Fact }

// Gain returns the difference of the two values. It is negative if the count fell.
func (g *FigureGrowth) Gain() float64 { return g.Now.Number - g.Previous.Number }

// Percent returns the gain in percent of the previous value, as in Growth.
func (g *FigureGrowth) Percent() (percent float64, ok bool) {
	return percentOf(g.Gain(), g.Previous.Number)
}

func percentOf(gain, previous float64) (percent float64, ok bool) {
	if previous <= 0 {
		return 0, false
	}
	return math.Round(1000*gain/previous) / 10, true
}

// GrowthOver returns the growth of a count over the days before asOf, given the series that
// SignalSeries returns. It compares the latest reading with the one that was valid at the start
// of the window, which is the end of the UTC day that many days before asOf.
//
// It returns nil if the growth is unknown: if there was no reading at the start of the window, or
// none since; if the count vanished in between, even if it came back; or if the two readings are
// known to lie more than twice the window apart.
func GrowthOver(points []Point[record.Fact], asOf time.Time, days int) *FigureGrowth {
	start := asOf.UTC().Truncate(24*time.Hour).AddDate(0, 0, 1-days).Unix()
	for i := len(points) - 1; i >= 0; i-- {
		p := &points[i]
		switch {
		case p.Value == record.Fact{}:
			return nil
		case p.Time == 0 || p.Time >= start: // without a time, it is not committed yet
			continue
		}
		g := &FigureGrowth{Previous: p.Value, Now: points[len(points)-1].Value}
		if again := g.Now.Number != g.Previous.Number || g.Now.Date != g.Previous.Date; !again {
			return nil
		}
		if apart, ok := record.DaysApart(g.Previous.Date, g.Now.Date); ok && apart > 2*days {
			return nil
		}
		return g
	}
	return nil
}
