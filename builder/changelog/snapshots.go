package changelog

import (
	"cmp"
	"slices"
	"time"

	"kindex/exports/history"
	"kindex/exports/record"
	"kindex/exports/score"
)

// snapshotDays returns the days whose leaderboards a build keeps, oldest first: the as-of day,
// the days that movement and trending look back to, the Sundays of the last twelve weeks, the
// last days of earlier months, and the first day of the history. The as-of day and the days to
// look back to differ for every as-of day; most of the others stay the same from build to build.
// Months more than fifty years ago are ignored, because only a wrong clock produces them.
func snapshotDays(first, asOf time.Time) (days []time.Time) {
	add := func(t time.Time) {
		if !t.Before(first) && !t.After(asOf) {
			days = append(days, t)
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
	slices.SortFunc(days, time.Time.Compare)
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

func midnight(t time.Time) time.Time { return t.UTC().Truncate(24 * time.Hour) }

// endOf returns the end of a day: the first second of the next day.
func endOf(day time.Time) int64 { return day.AddDate(0, 0, 1).Unix() }

// takeSnapshots builds the leaderboards of those snapshot days that are missing from the
// previous build.
func (a *Archive) takeSnapshots() error {
	r := &a.result
	first := midnight(time.Unix(r.Versions[0].Time, 0))
	for _, day := range snapshotDays(first, midnight(a.AsOf)) {
		name := day.Format(time.DateOnly)
		s, err := a.knownSnapshot(name, day)
		if err != nil {
			return err
		}
		if s == nil {
			if s, err = history.NewSnapshot(name, a.rank(a.Formula, day)); err != nil {
				return err
			}
		}
		r.Snapshots = append(r.Snapshots, s)
	}
	return nil
}

// knownSnapshot returns the leaderboards of a day from the previous build, or nil if that has none, used
// another formula, or does not know all versions of the day.
func (a *Archive) knownSnapshot(name string, day time.Time) (*history.Snapshot, error) {
	r := &a.result
	if a.previous == nil || a.previous.Head().Formula != r.Head.Formula || len(r.Versions) > r.Kept && r.Versions[r.Kept].Time < endOf(day) {
		return nil, nil
	}
	return a.previous.Snapshot(name)
}

// aliveAt lists the versions that were current just before a time.
func (a *Archive) aliveAt(end int64) []int32 {
	var alive []int32
	for i, v := range a.result.Versions {
		if v.Time >= end {
			break // versions are ordered by time
		} else if next := a.after[i]; !v.Deleted && (next == none || a.result.Versions[next].Time >= end) {
			alive = append(alive, int32(i))
		}
	}
	return alive
}

// rank ranks the versions that were current at the end of a day by their scores on that day.
func (a *Archive) rank(formula *score.Formula, day time.Time) []history.SnapshotRow {
	alive := a.aliveAt(endOf(day))
	rows := make([]history.SnapshotRow, len(alive))
	for i, v := range alive {
		e := a.entity(v)
		rows[i] = history.SnapshotRow{Version: uint32(v), Type: e.Type, Slug: e.Slug, Name: e.Name, Provider: e.Provider, Category: e.Category,
			Status: e.Status, Scores: formula.Scores(e, day)}
	}
	slices.SortFunc(rows, func(x, y history.SnapshotRow) int {
		return cmp.Or(record.CompareStanding(x.Status == record.Withdrawn, y.Status == record.Withdrawn, x.Scores.Composite, y.Scores.Composite),
			cmp.Compare(x.Type, y.Type), cmp.Compare(x.Slug, y.Slug))
	})
	return rows
}
