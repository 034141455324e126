package changelog

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"time"

	"kindex/exports"
	"kindex/exports/record"
	"kindex/exports/score"
)

func emptyTrends(asOf time.Time) []exports.Trends {
	var list []exports.Trends
	for _, days := range lookBack {
		list = append(list, exports.Trends{Window: strconv.Itoa(days) + "d", Days: days,
			Since: midnight(asOf).AddDate(0, 0, -days).Format(time.DateOnly), Empty: true})
	}
	return list
}

// findTrends finds, for each window, the entities whose scores have risen because of changes
// within that window.
func (a *Archive) findTrends(ranked []*record.Entity) error {
	r := &a.result
	ordinals := make(map[int32]uint32, len(ranked)) // keyed by newest version
	for o, e := range ranked {
		if v, ok := a.newest[e.Key()]; ok && !r.Versions[v].Deleted { // without such a version, the entity was restored but has not been committed yet
			ordinals[v] = uint32(o)
		}
	}
	after := followers(r.Versions)
	r.Trends = emptyTrends(a.AsOf)
	for i := range r.Trends {
		t := &r.Trends[i]
		since := midnight(a.AsOf).AddDate(0, 0, -t.Days)
		if t.Empty = r.Versions[0].Time >= endOf(since); t.Empty {
			continue
		}
		w := &window{archive: a, formula: a.Formula, asOf: a.AsOf, since: since, days: t.Days, end: math.MaxInt64, after: after}
		ranks := a.ranksOf(t.Since)
		changed, _ := w.changes()
		for newest, changes := range changed {
			o, ok := ordinals[newest]
			if !ok || ranked[o].Status == record.Withdrawn {
				continue
			}
			trend, grown, err := w.trend(newest, ranks)
			if err != nil {
				return err
			}
			for _, g := range grown {
				g.Ordinal = o
				t.Growth = append(t.Growth, g)
			}
			if trend.Gain < 0 {
				continue // losses are not trending
			}
			trend.Ordinal, trend.Changes = o, changes
			t.List = append(t.List, trend)
		}
		slices.SortFunc(t.List, func(x, y exports.Trend) int {
			return cmp.Or(cmp.Compare(y.Gain, x.Gain), cmp.Compare(y.Changes, x.Changes),
				record.CompareKey(ranked[x.Ordinal], ranked[y.Ordinal]))
		})
		slices.SortFunc(t.Growth, func(x, y exports.Growth) int {
			return cmp.Or(cmp.Compare(x.Signal, y.Signal), cmp.Compare(y.Gain(), x.Gain()), cmp.Compare(y.Now, x.Now),
				record.CompareKey(ranked[x.Ordinal], ranked[y.Ordinal]))
		})
	}
	return nil
}

// window is a span of time. What changed within it is compared with the state at its start.
type window struct {
	archive *Archive
	formula *score.Formula // for the scores at both ends
	asOf    time.Time      // time as of which the scores and the growth at the end are calculated
	since   time.Time      // the window starts at the end of this day
	days    int            // from since to asOf
	end     int64          // the Unix time at which the window ends
	after   []int32        // the next version of each version
}

// changes counts the changes to each entity within the window, keyed by the entity's newest
// version in the window. last is the last version with a change.
func (w *window) changes() (counts map[int32]uint32, last int32) {
	versions, from := w.archive.result.Versions, endOf(w.since)
	first, _ := slices.BinarySearchFunc(versions, from, func(v record.Version, at int64) int { return cmp.Compare(v.Time, at) })
	counts, last = map[int32]uint32{}, none
	for i := first; i < len(versions) && versions[i].Time < w.end; i++ {
		if versions[i].Change == none {
			continue
		}
		last = int32(i)
		newest := last
		for next := w.after[newest]; next != none && versions[next].Time < w.end; next = w.after[newest] {
			newest = next
		}
		counts[newest]++
	}
	return counts, last
}

// start returns the version of an entity that was valid at the start of the window, given its
// newest one. It returns none if the entity did not exist then.
func (w *window) start(newest int32) int32 {
	versions, end := w.archive.result.Versions, endOf(w.since)
	then := newest
	for then != none && versions[then].Time >= end {
		then = versions[then].Previous
	}
	if then != none && versions[then].Deleted {
		return none
	}
	return then
}

// position is the rank and score of an entity at the end of a day.
type position struct {
	composite record.Score
	rank      uint32
}

// ranksOf returns the positions on a snapshot day, by version.
func (a *Archive) ranksOf(day string) func(version int32) position {
	for _, s := range a.result.Snapshots {
		if s.Day != day {
			continue
		}
		if s.Raw != nil {
			known := a.knownDay(day)
			return func(v int32) (at position) {
				if o, ok := known.find(uint32(v)); ok {
					at = positionAt(known.Scores(o), int(o), s.Ranked)
				}
				return at
			}
		}
		return ranksIn(s)
	}
	return func(int32) position { return position{} }
}

// ranksIn returns the positions in a snapshot that was not copied from the previous build.
func ranksIn(s *exports.SnapshotData) func(version int32) position {
	at := make(map[uint32]int, len(s.Versions))
	for o, v := range s.Versions {
		at[v] = o
	}
	return func(v int32) position {
		if o, ok := at[uint32(v)]; ok {
			return positionAt(s.Scores[o], o, s.Ranked)
		}
		return position{}
	}
}

func positionAt(s record.Scores, ordinal, ranked int) position {
	if ordinal < ranked {
		return position{s.Composite, uint32(ordinal) + 1}
	}
	return position{composite: s.Composite}
}

// trend returns what an entity has gained within the window. ranks are the positions at its start.
// grown is the result of growth, whose rules are stricter than those of gain: a count that
// vanished and came back has not grown.
func (w *window) trend(newest int32, ranks func(int32) position) (t exports.Trend, grown []exports.Growth, err error) {
	then := w.start(newest)
	if then == none {
		return t, nil, nil // its previous score is null and there is no gain
	}
	previous := ranks(then)
	t.Previous, t.PreviousRank = previous.composite, previous.rank
	if t.Previous.Known() {
		if t.Gain, err = w.gain(then, newest); err != nil {
			return t, nil, err
		}
	}
	grown, err = w.growth(then, newest)
	return t, grown, err
}

// gain calculates by how many tenths the composite score of an entity has risen from the version
// at the start of the window to its newest one.
//
// Both states are scored as of the end of the window, with the dates of the newest signals, so
// that neither decay over time nor a mere refresh counts as a gain. Only signals in the newest
// state are included. In the old state, each of them has the value that it had then or, if it was
// missing then, its last known value. So neither the loss of a signal nor its return counts as
// a gain. Nor does a figure that was read again only after more than twice the window: two
// years of growth that arrive in one commit are not the gain of a week.
func (w *window) gain(then, newest int32) (int16, error) {
	now, err := w.archive.entity(newest)
	if err != nil {
		return 0, err
	}
	old, err := w.archive.stateAt(now, then, 2*w.days)
	if err != nil {
		return 0, err
	}
	before, after := w.formula.Scores(old, w.asOf).Composite, w.formula.Scores(now, w.asOf).Composite
	if !before.Known() || !after.Known() {
		return 0, nil
	}
	return after.Tenths() - before.Tenths(), nil
}

// growth returns the counts of an entity that have grown from the version at the start of the
// window to its newest one, without their ordinals.
func (w *window) growth(then, newest int32) (list []exports.Growth, err error) {
	a := w.archive
	var moments []exports.Moment
	for v := newest; ; v = a.result.Versions[v].Previous {
		e, err := a.figures(v)
		if err != nil {
			return nil, err
		}
		moments = append(moments, exports.Moment{Entity: e, Time: a.result.Versions[v].Time})
		if v == then {
			break
		}
	}
	slices.Reverse(moments)
	for _, f := range moments[len(moments)-1].Entity.Signals.Facts {
		if signal, ok := record.SignalType(f.Name); !ok || !signal.Grows() {
			continue
		}
		g := exports.GrowthOver(exports.SignalSeries(moments, f.Name), w.asOf, w.days)
		if g != nil && g.Gain() > 0 {
			list = append(list, exports.Growth{Signal: f.Name, Now: g.Now.Number, Previous: g.Previous.Number})
		}
	}
	return list, nil
}

// figures returns the signals of a version, or nil for a deleted one.
func (a *Archive) figures(i int32) (*record.Entity, error) {
	v := &a.result.Versions[i]
	if v.Entity != nil || v.Deleted {
		return v.Entity, nil
	}
	return record.ParseFigures(a.previous.Record(int(i)))
}

// stateAt returns the content of an earlier version, then, but with exactly the signals that
// the entity has now. Each signal has the value that it had at that version or, failing that,
// before it, unless that was read more than maxDays before today's value.
func (a *Archive) stateAt(now *record.Entity, then int32, maxDays int) (*record.Entity, error) {
	content, err := a.entity(then)
	if err != nil {
		return nil, err
	}
	old := *content
	old.Signals = record.Signals{}
	missing := now.Signals
	for v := then; v != none && len(missing.Facts)+len(missing.Benchmarks) > 0; v = a.result.Versions[v].Previous {
		e, err := a.entity(v)
		if err != nil {
			return nil, err
		}
		if e != nil {
			missing = copyKnownFacts(&old.Signals, missing, &e.Signals, maxDays)
		}
	}
	return &old, nil
}

// copyKnownFacts copies the wanted signals to dst, with the values that they have in had, or
// with their own if they were read more than maxDays later. It returns the wanted signals that
// had does not contain.
func copyKnownFacts(dst *record.Signals, wanted record.Signals, had *record.Signals, maxDays int) (missing record.Signals) {
	for _, f := range wanted.Facts {
		if old, ok := had.Fact(f.Name); ok {
			if !apart(old.Date, f.Date, maxDays) {
				f.Number, f.Day = old.Number, old.Day
			}
			dst.Facts = append(dst.Facts, f)
		} else {
			missing.Facts = append(missing.Facts, f)
		}
	}
	used := make([]bool, len(had.Benchmarks))
	for _, b := range wanted.Benchmarks {
		i := slices.IndexFunc(had.Benchmarks, func(o record.Benchmark) bool { return o.Identity() == b.Identity() })
		for i >= 0 && i < len(used) && (used[i] || had.Benchmarks[i].Identity() != b.Identity()) {
			i++ // results with the same name and details keep their order
		}
		if i < 0 || i == len(used) {
			missing.Benchmarks = append(missing.Benchmarks, b)
			continue
		}
		used[i] = true
		if !apart(had.Benchmarks[i].Date, b.Date, maxDays) {
			b.Value = had.Benchmarks[i].Value
		}
		dst.Benchmarks = append(dst.Benchmarks, b)
	}
	return missing
}

// apart reports whether two known dates are more than a number of days apart.
func apart(from, to string, days int) bool {
	n, ok := record.DaysApart(from, to)
	return ok && n > days
}
