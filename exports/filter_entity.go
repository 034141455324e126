package exports

import (
	"slices"

	"kindex/exports/record"
)

// Matches reports whether a single entity matches a filter, as Build.Select decides for the
// entity's record. It returns an error only for an invalid filter.
func (f *Filter) Matches(e *record.Entity) (bool, error) {
	if e.Status == record.Withdrawn && f.Fields["status"] == nil {
		return false, nil
	}
	for field, alternatives := range f.Fields {
		if !slices.ContainsFunc(alternatives, func(values []string) bool { return hasAllValues(e, field, values) }) {
			return false, nil
		}
	}
	if f.MinScore.Known() && e.Scores.Composite.Code() < f.MinScore.Code() {
		return false, nil
	}
	for _, d := range [2]struct{ day, since string }{{e.AddedDate, f.AddedSince}, {e.LastUpdated, f.UpdatedSince}} {
		if d.since != "" && d.day < d.since {
			return false, nil
		}
	}
	ranges, err := f.ranges()
	for _, r := range ranges {
		if v := measureOf(e, r.measure); v == nullValue || v < r.low || v > r.high {
			return false, nil
		}
	}
	return err == nil, err
}

func hasAllValues(e *record.Entity, field string, values []string) bool {
	return !slices.ContainsFunc(values, func(v string) bool { return !hasValue(e, field, record.Fold(v)) })
}
