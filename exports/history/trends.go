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

// Windows returns the names of the time windows.
func (a *Archive) Windows() []string {
	list := make([]string, len(a.windows))
	for i, w := range a.windows {
		list[i] = w.Window
	}
	return list
}

// Window returns the movement within a time window, without that of entities that edits removed or withdrew. It is
// empty if there is no window with the name.
func (a *Archive) Window(name string) Trends {
	i := slices.Index(a.Windows(), name)
	if i < 0 {
		return Trends{Empty: true}
	}
	w := a.windows[i]
	w.List = current(a, w.List, func(t *Trend) *uint32 { return &t.Ordinal })
	w.Growth = current(a, w.Growth, func(g *Growth) *uint32 { return &g.Ordinal })
	return w
}

// current returns what is said of records that edits left, with their ordinals.
func current[T any](a *Archive, list []T, ordinal func(*T) *uint32) (now []T) {
	for _, x := range list {
		o := ordinal(&x)
		var ok bool
		if *o, ok = a.current(*o); ok {
			now = append(now, x)
		}
	}
	return now
}

// GrowthOf returns the entities of which a signal has grown, the largest gain first.
func (w *Trends) GrowthOf(signal string) []Growth {
	return slices.DeleteFunc(slices.Clone(w.Growth), func(g Growth) bool { return g.Signal != signal })
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

// Gain returns the difference of the two values. It is negative if the count fell.
func (g Growth) Gain() float64 { return g.Now - g.Previous }

// Percent returns the gain in percent of the previous value, rounded to a tenth. ok is false if
// that value was 0.
func (g Growth) Percent() (percent float64, ok bool) {
	if g.Previous <= 0 {
		return 0, false
	}
	return math.Round(1000*g.Gain()/g.Previous) / 10, true
}

// FigureGrowth is how a count changed from one reading to a later one.
type FigureGrowth struct {
	Growth          // of the signal, without an entity
	From, To string // the days of the readings
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
		now := points[len(points)-1].Value
		g := &FigureGrowth{Growth{Signal: now.Name, Now: now.Number, Previous: p.Value.Number}, p.Value.Date, now.Date}
		if apart, ok := record.DaysApart(g.From, g.To); ok && apart > 2*days || g.Gain() == 0 && g.From == g.To {
			return nil // too far apart, or not read again
		}
		return g
	}
	return nil
}

// Moment is the content of an entity from a commit on.
type Moment struct {
	// Entity is nil if the entity was deleted.
	Entity *record.Entity
	Time   int64  // Unix seconds, 0 if the content is not committed
	Commit string // "" outside git, and if the content is not committed
}

// Moments returns the contents of the entity that a version belongs to, oldest first, up to
// and including that version, but at most the last few that limit allows.
func (a *Archive) Moments(v, limit int) ([]Moment, error) {
	var list []Moment
	var json []byte
	for after := none; v != none && len(list) < limit; after, v = v, int(a.versions[v].Previous) {
		at := &a.versions[v]
		m := Moment{Time: at.Time}
		if at.Commit != none {
			m.Commit = a.commits[at.Commit].Hash
		}
		if c := a.contents[v]; c.patch && after != none { // from the content of the next version, which is known already
			json = patched(json, c.json)
		} else if !at.Deleted {
			json = a.json(v)
		}
		if !at.Deleted {
			var err error
			if m.Entity, err = a.decode(json); err != nil {
				return nil, err
			}
		}
		list = append(list, m)
	}
	slices.Reverse(list)
	return list, nil
}

// Point is a value that a figure had from a commit on.
type Point[T comparable] struct {
	Value  T      // the zero value if the figure was removed
	Time   int64  // as in Moment
	Commit string // as in Moment
}

// Series returns the values of a figure over time, with one point for each change. value
// returns the figure, or the zero value if it is unknown. A series never begins with the zero
// value.
func Series[T comparable](list []Moment, value func(*record.Entity) T) []Point[T] {
	var points []Point[T]
	var last, zero T
	for _, m := range list {
		now := zero
		if m.Entity != nil {
			now = value(m.Entity)
		}
		if now != last {
			points, last = append(points, Point[T]{now, m.Time, m.Commit}), now
		}
	}
	return points
}

// SignalSeries returns the values of a signal over time, with the day and source of each
// reading. A value that was read again is a point of its own.
func SignalSeries(list []Moment, name string) []Point[record.Fact] {
	return Series(list, func(e *record.Entity) record.Fact {
		f, _ := e.Signals.Fact(name)
		return f
	})
}
