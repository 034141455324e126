package history

import (
	"fmt"
	"math"
	"slices"
	"time"

	"kindex/exports/record"
)

// Trends holds the movement of entities within a time window.
type Trends struct {
	Window string   `json:"window"` // name of the window, such as 7d
	Days   int      `json:"days"`
	Since  string   `json:"since"` // the present state is compared with the state at the end of this day
	Empty  bool     `json:"empty"` // the index was still empty on that day
	List   []Trend  `json:"list"`
	Growth []Growth `json:"growth"` // by signal, then by gain
}

// Trend is the movement of one entity.
type Trend struct {
	Ordinal uint32 `json:"ordinal"`
	// Score and Previous are the composite scores at both ends of the window, by the same formula and as of
	// the same time.
	Score    record.Score `json:"score"`
	Previous record.Score `json:"previous"`
	// Rank and PreviousRank are the ranks among the entities that were ranked at both ends, or 0.
	Rank         uint32 `json:"rank"`
	PreviousRank uint32 `json:"previousRank"`
	Changes      uint32 `json:"changes"`
}

// Gain returns the difference of the scores in tenths of a point, or 0 if one of them is unknown.
func (t *Trend) Gain() int16 {
	if !t.Score.Known() || !t.Previous.Known() {
		return 0
	}
	return t.Score.Tenths() - t.Previous.Tenths()
}

// checkTrends rejects windows with ordinals that no record has.
func (a *Archive) checkTrends() error {
	for i := range a.windows {
		w := &a.windows[i]
		if slices.ContainsFunc(w.List, func(t Trend) bool { return int(t.Ordinal) >= a.base.Len() }) ||
			slices.ContainsFunc(w.Growth, func(g Growth) bool { return int(g.Ordinal) >= a.base.Len() }) {
			return fmt.Errorf("%s has an entity that does not exist", w.Window)
		}
	}
	return nil
}

// window returns a time window, or nil if there is none with the name.
func (a *Archive) window(name string) *Trends {
	if i := slices.IndexFunc(a.windows, func(w Trends) bool { return w.Window == name }); i >= 0 {
		return &a.windows[i]
	}
	return nil
}

// Windows returns the names of the windows that Trends accepts.
func (a *Archive) Windows() []string {
	list := make([]string, len(a.windows))
	for i, w := range a.windows {
		list[i] = w.Window
	}
	return list
}

// Growing returns the signals that have grown within a time window.
func (a *Archive) Growing(window string) (signals []string) {
	w := a.window(window)
	if w == nil {
		return nil
	}
	for _, g := range w.Growth { // by signal
		if n := len(signals); n == 0 || signals[n-1] != g.Signal {
			signals = append(signals, g.Signal)
		}
	}
	return signals
}

// Growth returns the entities whose signal has grown within a time window, the largest gain
// first, and the day whose end is the start of the window. Entities that edits removed or
// withdrew are left out.
func (a *Archive) Growth(window, signal string) (since string, list []Growth) {
	w := a.window(window)
	if w == nil {
		return "", nil
	}
	for _, g := range w.Growth {
		var ok bool
		if g.Ordinal, ok = a.current(g.Ordinal); ok && g.Signal == signal {
			list = append(list, g)
		}
	}
	return w.Since, list
}

// Trends returns the movement of entities within a time window, and the day whose end is the
// start of the window. empty is set if the index was still empty on that day or if the window
// is unknown. Entities that edits removed or withdrew are left out.
func (a *Archive) Trends(window string) (since string, empty bool, list []Trend) {
	w := a.window(window)
	if w == nil {
		return "", true, nil
	}
	for _, t := range w.List {
		var ok bool
		if t.Ordinal, ok = a.current(t.Ordinal); ok {
			list = append(list, t)
		}
	}
	return w.Since, w.Empty, list
}

// GrowthWindows lists the numbers of days over which the growth of an entity's figures is given.
var GrowthWindows = []int{7, 30, 365}

// Growth is how much a count of an entity has grown.
type Growth struct {
	Ordinal  uint32  `json:"ordinal"`
	Signal   string  `json:"signal"`
	Now      float64 `json:"now"`
	Previous float64 `json:"previous"`
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
