package changelog

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"time"

	"kindex/exports/history"
	"kindex/exports/record"
	"kindex/exports/score"
)

func emptyTrends(asOf time.Time) []history.Trends {
	var list []history.Trends
	for _, days := range lookBack {
		list = append(list, history.Trends{Window: strconv.Itoa(days) + "d", Days: days,
			Since: midnight(asOf).AddDate(0, 0, -days).Format(time.DateOnly), Empty: true})
	}
	return list
}

// findTrends finds, for each window, the entities whose scores have risen because of changes
// within that window.
func (a *Archive) findTrends(ranked []*record.Entity) {
	r := &a.result
	ordinals := make(map[int32]uint32, len(ranked)) // keyed by newest version
	var standing []int32                            // the newest versions of the ranked entities, best first
	for o, e := range ranked {
		v, ok := a.newest[e.Key()]
		if !ok || r.Versions[v].Deleted { // the entity was restored but has not been committed yet
			continue
		}
		ordinals[v] = uint32(o)
		if e.Status != record.Withdrawn && e.Scores.Composite.Known() {
			standing = append(standing, v)
		}
	}
	r.Trends = emptyTrends(a.AsOf)
	for i := range r.Trends {
		t := &r.Trends[i]
		since := midnight(a.AsOf).AddDate(0, 0, -t.Days)
		if t.Empty = r.Versions[0].Time >= endOf(since); t.Empty {
			continue
		}
		w := &window{Archive: a, formula: a.Formula, asOf: a.AsOf, since: since, days: t.Days, end: math.MaxInt64}
		places := w.places(standing, a.ranksOf(t.Since))
		changed, _ := w.changes()
		for _, m := range w.moves(changed) {
			o, ok := ordinals[m.newest]
			if !ok || ranked[o].Status == record.Withdrawn {
				continue
			}
			for _, g := range m.grown {
				g.Ordinal = o
				t.Growth = append(t.Growth, g)
			}
			trend := history.Trend{Ordinal: o, Changes: m.changes, Score: m.now, Previous: m.before,
				Rank: places[m.newest].now, PreviousRank: places[m.newest].before}
			if m.comparable && trend.Gain() >= 0 { // losses are not trending
				t.List = append(t.List, trend)
			}
		}
		slices.SortFunc(t.List, func(x, y history.Trend) int {
			return cmp.Or(cmp.Compare(y.Gain(), x.Gain()), cmp.Compare(y.Changes, x.Changes),
				record.CompareKey(ranked[x.Ordinal], ranked[y.Ordinal]))
		})
		slices.SortFunc(t.Growth, func(x, y history.Growth) int {
			return cmp.Or(cmp.Compare(x.Signal, y.Signal), cmp.Compare(y.Gain(), x.Gain()), cmp.Compare(y.Now, x.Now),
				record.CompareKey(ranked[x.Ordinal], ranked[y.Ordinal]))
		})
	}
}

// window is a span of time. What changed within it is compared with the state at its start.
type window struct {
	*Archive
	formula *score.Formula // for the scores at both ends, or nil if none was valid
	asOf    time.Time      // time as of which the scores and the growth at the end are calculated
	since   time.Time      // the window starts at the end of this day
	days    int            // from since to asOf
	end     int64          // the Unix time at which the window ends
}

// changes counts the changes to each entity within the window, keyed by the entity's newest
// version in the window. last is the last version with a change.
func (w *window) changes() (counts map[int32]uint32, last int32) {
	versions, from := w.result.Versions, endOf(w.since)
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
	versions, end := w.result.Versions, endOf(w.since)
	then := newest
	for then != none && versions[then].Time >= end {
		then = versions[then].Previous
	}
	if then != none && versions[then].Deleted {
		return none
	}
	return then
}

// places are the ranks of an entity at both ends of a window.
type places struct{ before, now uint32 }

// places ranks the entities that were ranked at both ends of the window among themselves, so that
// entities that came or went move nobody. standing holds the newest versions of the entities that
// are ranked at the end, best first; before returns the rank of a version at the start. The result
// is keyed by newest version.
func (w *window) places(standing []int32, before func(version int32) uint32) map[int32]places {
	type entry struct {
		newest int32
		rank   uint32
	}
	var pool []entry
	for _, v := range standing {
		if then := w.start(v); then != none && before(then) > 0 {
			pool = append(pool, entry{v, before(then)})
		}
	}
	found := make(map[int32]places, len(pool))
	for i, e := range pool {
		found[e.newest] = places{now: uint32(i) + 1}
	}
	slices.SortFunc(pool, func(x, y entry) int { return cmp.Compare(x.rank, y.rank) })
	for i, e := range pool {
		found[e.newest] = places{uint32(i) + 1, found[e.newest].now}
	}
	return found
}

// ranksOf returns the ranks on a snapshot day, by version; 0 means that a version was not ranked.
func (a *Archive) ranksOf(day string) func(version int32) uint32 {
	for _, s := range a.result.Snapshots {
		if s.Day == day {
			return ranksIn(s.Versions[:s.Ranked])
		}
	}
	return ranksIn(nil)
}

func ranksIn(ranked []uint32) func(version int32) uint32 {
	at := make(map[uint32]uint32, len(ranked))
	for i, v := range ranked {
		at[v] = uint32(i) + 1
	}
	return func(v int32) uint32 { return at[uint32(v)] }
}

// move is how an entity moved within a window.
type move struct {
	newest  int32 // its newest version in the window
	then    int32 // result of start
	changes uint32

	now, before record.Score
	comparable  bool             // result of compare
	grown       []history.Growth // without ordinals
}

func (w *window) moves(changed map[int32]uint32) []move {
	list := make([]move, 0, len(changed))
	for newest, changes := range changed {
		m := move{newest: newest, then: w.start(newest), changes: changes}
		e := w.entity(newest) // nil if it was deleted
		if e != nil && w.formula != nil {
			m.now = w.formula.Scores(e, w.asOf).Composite
			m.before, m.comparable = w.compare(&m, e)
		}
		if e != nil && m.then != none {
			m.grown = w.growth(m.then, newest)
		}
		list = append(list, m)
	}
	return list
}

// compare returns the composite score of the version at the start of the window, if there was one.
// It is calculated by the formula of the window and as of its end, so that neither a new formula nor
// the passing of time moves a score.
//
// comparable is false if the difference contains more than changes of known figures: if a figure
// appeared, vanished or vanished and came back, or was read again only after more than twice the
// window, since two years of growth that arrive in one commit are not the gain of a week. Figures
// that do not matter for the score do not matter here either.
func (w *window) compare(m *move, e *record.Entity) (before record.Score, comparable bool) {
	if m.then == none {
		return before, true
	}
	old := w.entity(m.then)
	before = w.formula.Scores(old, w.asOf).Composite
	if !before.Known() || !m.now.Known() {
		return before, true
	}
	return before, w.formula.Scores(w.evened(e, old, m), w.asOf).Composite == before
}

// evened returns the old state with exactly the figures that the entity has now. A figure has its
// old reading if there has been one all the time and it is recent enough; otherwise it has the
// present one.
func (w *window) evened(now, old *record.Entity, m *move) *record.Entity {
	had := []*record.Signals{&old.Signals}
	for v := w.result.Versions[m.newest].Previous; v != m.then && v != none; v = w.result.Versions[v].Previous {
		e := cmp.Or(w.entity(v), &record.Entity{}) // deleted and restored
		had = append(had, &e.Signals)
	}
	even := *old
	even.Signals = record.Signals{}
	for _, f := range now.Signals.Facts {
		was, _ := old.Signals.Fact(f.Name)
		always := !slices.ContainsFunc(had, func(s *record.Signals) bool { _, ok := s.Fact(f.Name); return !ok })
		if always && !apart(was.Date, f.Date, 2*w.days) {
			f = was
		}
		even.Signals.Facts = append(even.Signals.Facts, f)
	}
	nth := map[string]int{} // results with the same name and details keep their order
	for _, b := range now.Signals.Benchmarks {
		id := b.Identity()
		was, always := record.Benchmark{}, true
		for i := len(had) - 1; i >= 0 && always; i-- { // the oldest one is the first
			was, always = nthResult(had[i].Benchmarks, id, nth[id])
		}
		if nth[id]++; always && !apart(was.Date, b.Date, 2*w.days) {
			b = was
		}
		even.Signals.Benchmarks = append(even.Signals.Benchmarks, b)
	}
	return &even
}

// nthResult returns the result with an identity that n others with the same identity precede.
func nthResult(list []record.Benchmark, identity string, n int) (record.Benchmark, bool) {
	for _, b := range list {
		if b.Identity() != identity {
			continue
		}
		if n == 0 {
			return b, true
		}
		n--
	}
	return record.Benchmark{}, false
}

// growth returns the counts of an entity that have grown from the version at the start of the
// window to its newest one, without their ordinals.
func (w *window) growth(then, newest int32) (list []history.Growth) {
	moment := func(v int32) history.Moment {
		return history.Moment{Entity: w.entity(v), Time: w.result.Versions[v].Time}
	}
	moments := []history.Moment{moment(newest)}
	for v := newest; v != then; {
		v = w.result.Versions[v].Previous
		moments = append(moments, moment(v))
	}
	now := moments[0].Entity
	slices.Reverse(moments)
	for _, f := range now.Signals.Facts {
		if signal := now.Declared().Signal(f.Name); signal == nil || !signal.Grows {
			continue
		}
		g := history.GrowthOver(history.SignalSeries(moments, f.Name), w.asOf, w.days)
		if g != nil && g.Gain() > 0 {
			list = append(list, g.Growth)
		}
	}
	return list
}

func apart(from, to string, days int) bool {
	n, ok := record.DaysApart(from, to)
	return ok && n > days
}
