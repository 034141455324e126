package changelog

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	"kindex/exports"
	"kindex/exports/record"
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
		ranks := a.ranksOf(t.Since)
		for newest, changes := range a.changedSince(endOf(since), after) {
			o, ok := ordinals[newest]
			if !ok || ranked[o].Status == record.Withdrawn {
				continue
			}
			trend, grown, err := a.trend(newest, since, t.Days, ranks)
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

// changedSince counts the changes to each entity since a given time, keyed by the entity's
// newest version.
func (a *Archive) changedSince(from int64, after []int32) map[int32]uint32 {
	versions := a.result.Versions
	first, _ := slices.BinarySearchFunc(versions, from, func(v record.Version, at int64) int { return cmp.Compare(v.Time, at) })
	changes := map[int32]uint32{}
	for i := len(versions) - 1; i >= first; i-- {
		if versions[i].Change == none {
			continue
		}
		newest := int32(i)
		for after[newest] != none {
			newest = after[newest]
		}
		changes[newest]++
	}
	return changes
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
	return func(int32) position { return position{} }
}

func positionAt(s record.Scores, ordinal, ranked int) position {
	if ordinal < ranked {
		return position{s.Composite, uint32(ordinal) + 1}
	}
	return position{composite: s.Composite}
}

// trend calculates what an entity has gained since the end of a day.
//
// Both states are scored as of the as-of time, with the dates of today's signals, so that
// neither decay over time nor a mere refresh counts as a gain. Only signals in today's state
// are included. In the old state, each of them has the value that it had then or, if it was
// missing then, its last known value. So neither the loss of a signal nor its return counts as
// a gain. Nor does a figure that was read again only after more than twice the window: two
// years of growth that arrive in one commit are not the gain of a week.
//
// grown has the counts that are higher now than in the old state, without their ordinals.
func (a *Archive) trend(newest int32, since time.Time, days int, at func(int32) position) (t exports.Trend, grown []exports.Growth, err error) {
	end := endOf(since)
	then := newest
	for then != none && a.result.Versions[then].Time >= end {
		then = a.result.Versions[then].Previous
	}
	if then == none || a.result.Versions[then].Deleted {
		return t, nil, nil // the entity did not exist then: its previous score is null and there is no gain
	}
	previous := at(then)
	t.Previous, t.PreviousRank = previous.composite, previous.rank
	now, err := a.entity(newest)
	if err != nil {
		return t, nil, err
	}
	old, err := a.stateAt(now, then, 2*days)
	if err != nil {
		return t, nil, err
	}
	before, after := a.Formula.Scores(old, a.AsOf).Composite, a.Formula.Scores(now, a.AsOf).Composite
	if t.Previous.Known() && before.Known() && after.Known() {
		t.Gain = after.Tenths() - before.Tenths()
	}
	return t, growthOf(old, now), nil
}

// growthOf returns the counts of an entity that are higher now than in an old state.
func growthOf(old, now *record.Entity) (list []exports.Growth) {
	for _, f := range now.Signals.Facts {
		signal, _ := record.SignalType(f.Name)
		if before, ok := old.Signals.Fact(f.Name); ok && signal.Grows() && f.Number > before.Number {
			list = append(list, exports.Growth{Signal: f.Name, Now: f.Number, Previous: before.Number})
		}
	}
	return list
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

// apart reports whether two known dates are more than a number of days apart. A month counts
// as its first day.
func apart(from, to string, days int) bool {
	a, errA := record.DayNumber(firstDay(from))
	b, errB := record.DayNumber(firstDay(to))
	return from != "" && to != "" && errA == nil && errB == nil && int(b-a) > days
}

func firstDay(date string) string {
	if len(date) == len("2006-01") {
		return date + "-01"
	}
	return date
}
