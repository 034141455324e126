package changelog

import (
	"cmp"
	"slices"
	"time"

	"kindex/exports"
	"kindex/exports/parallel"
	"kindex/exports/record"
	"kindex/exports/score"
)

// snapshotDays returns the days whose leaderboards a build keeps, oldest first: the as-of day,
// the days that movement and trending look back to, the Sundays of the last twelve weeks, the
// last days of earlier months, and the first day of the history. The as-of day and the days to
// look back to differ for every as-of day; most of the others stay the same from build to build.
// Months more than fifty years ago are ignored, because only a wrong clock produces them.
func snapshotDays(first, asOf time.Time) []string {
	var days []string
	add := func(t time.Time) {
		if !t.Before(first) && !t.After(asOf) {
			days = append(days, t.Format(time.DateOnly))
		}
	}
	add(first)
	for _, back := range append([]int{0}, lookBack...) {
		add(asOf.AddDate(0, 0, -back))
	}
	weeks := sundays(asOf)
	for _, sunday := range weeks {
		add(sunday)
	}
	oldest := weeks[len(weeks)-1]
	month := time.Date(oldest.Year(), oldest.Month(), 1, 0, 0, 0, 0, time.UTC)
	for earliest := asOf.AddDate(-50, 0, 0); !month.Before(first) && month.After(earliest); month = month.AddDate(0, -1, 0) {
		add(month.AddDate(0, 0, -1))
	}
	slices.Sort(days)
	return slices.Compact(days)
}

// sundays returns the last twelve Sundays before a day, newest first.
func sundays(day time.Time) []time.Time {
	list := make([]time.Time, 12)
	last := day.AddDate(0, 0, -1)
	for i := range list {
		list[i] = last.AddDate(0, 0, -int(last.Weekday())-7*i)
	}
	return list
}

// lookBack lists the numbers of days by which movement and trending look back.
var lookBack = []int{7, 30}

// midnight returns the start of the UTC day that contains a time.
func midnight(t time.Time) time.Time { return t.UTC().Truncate(24 * time.Hour) }

// endOf returns the end of a day: the first second of the next day.
func endOf(day time.Time) int64 { return day.AddDate(0, 0, 1).Unix() }

// takeSnapshots builds the leaderboards of those snapshot days that are missing from the
// previous build.
func (a *Archive) takeSnapshots() error {
	r := &a.result
	after := followers(r.Versions)
	first := midnight(time.Unix(r.Versions[0].Time, 0))
	for _, name := range snapshotDays(first, midnight(a.AsOf)) {
		day, err := time.Parse(time.DateOnly, name)
		if err != nil {
			return err
		}
		s, err := a.snapshot(name, day, aliveAt(r.Versions, after, endOf(day)))
		if err != nil {
			return err
		}
		r.Snapshots = append(r.Snapshots, s)
	}
	return nil
}

// followers returns, for each version, the next version of the same entity.
func followers(versions []record.Version) []int32 {
	after := make([]int32, len(versions))
	for i := range after {
		after[i] = none
	}
	for i := range versions {
		if b := versions[i].Previous; b != none {
			after[b] = int32(i)
		}
	}
	return after
}

// aliveAt lists the versions that were current just before a time.
func aliveAt(versions []record.Version, after []int32, end int64) []uint32 {
	var alive []uint32
	for i := range versions {
		if v := &versions[i]; v.Time >= end {
			break // versions are ordered by time
		} else if next := after[i]; !v.Deleted && (next == none || versions[next].Time >= end) {
			alive = append(alive, uint32(i))
		}
	}
	return alive
}

// snapshot ranks the versions that were current on a day by their scores on that day. It reuses
// scores from the previous build, because a score depends only on the entity and the day.
func (a *Archive) snapshot(name string, day time.Time, alive []uint32) (*exports.SnapshotData, error) {
	known := a.knownDay(name)
	if known != nil && known.holds(alive) {
		data, _ := a.previous.SnapshotData(name)
		return data, nil
	}
	return a.rank(a.Formula, name, day, alive, known)
}

// rank ranks versions by their scores on a day according to a formula. known contains scores
// according to that formula, or is nil.
func (a *Archive) rank(formula *score.Formula, name string, day time.Time, alive []uint32, known *knownDay) (*exports.SnapshotData, error) {
	places := make([]snapshotRow, len(alive))
	var failed firstError
	parallel.Ranges(len(alive), func(from, to int) {
		for i := from; i < to; i++ {
			var err error
			places[i], err = a.snapshotRow(formula, alive[i], day, known)
			failed.set(err)
		}
	})
	if failed.err != nil {
		return nil, failed.err
	}
	slices.SortFunc(places, func(x, y snapshotRow) int {
		if c := record.CompareStanding(x.withdrawn, y.withdrawn, x.scores.Composite, y.scores.Composite); c != 0 {
			return c
		}
		v, w := &a.result.Versions[x.version], &a.result.Versions[y.version]
		return cmp.Or(cmp.Compare(v.Type, w.Type), cmp.Compare(v.Slug, w.Slug))
	})
	s := &exports.SnapshotData{Day: name, Versions: make([]uint32, len(places)), Scores: make([]record.Scores, len(places))}
	for i := range places {
		p := &places[i]
		s.Versions[i], s.Scores[i] = p.version, p.scores
		if !p.withdrawn {
			s.Listed++
			if p.scores.Composite.Known() {
				s.Ranked++
			}
		}
	}
	return s, nil
}

// snapshotRow is a version with what determines its rank on a day, apart from its type and slug. There is
// one for each entity at a time, so it is small.
type snapshotRow struct {
	version   uint32
	withdrawn bool
	scores    record.Scores
}

func (a *Archive) snapshotRow(formula *score.Formula, version uint32, day time.Time, known *knownDay) (snapshotRow, error) {
	if o, ok := known.find(version); ok {
		return snapshotRow{version, int(o) >= known.Listed(), known.Scores(o)}, nil
	}
	e, err := a.entity(int32(version))
	if err != nil {
		return snapshotRow{}, err
	}
	return snapshotRow{version, e.Status == record.Withdrawn, formula.Scores(e, day)}, nil
}

// knownDay is the leaderboard for a day in the previous build.
type knownDay struct {
	*exports.Snapshot
	ordinals map[uint32]uint32 // by version
}

// knownDay returns the leaderboard for a day from the previous build, or nil if the previous
// build has none that is still valid.
func (a *Archive) knownDay(name string) *knownDay {
	if a.previous == nil || a.previous.Formula() != a.result.Formula {
		return nil
	}
	s, ok := a.previous.Snapshot(name)
	if !ok || s.Day != name {
		return nil
	}
	k := &knownDay{s, make(map[uint32]uint32, s.Len())}
	for o := range uint32(s.Len()) {
		k.ordinals[uint32(s.Version(o))] = o
	}
	return k
}

func (k *knownDay) find(version uint32) (ordinal uint32, ok bool) {
	if k == nil {
		return 0, false
	}
	ordinal, ok = k.ordinals[version]
	return ordinal, ok
}

// holds reports whether the leaderboard lists exactly these versions.
func (k *knownDay) holds(versions []uint32) bool {
	if len(versions) != k.Len() {
		return false
	}
	for _, v := range versions {
		if _, ok := k.ordinals[v]; !ok {
			return false
		}
	}
	return true
}
