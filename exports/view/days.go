package view

import (
	"cmp"
	"slices"

	"kindex/exports/record"
)

// DayEntry is a record and its day in a field.
type DayEntry struct {
	Ordinal uint32
	Day     string // YYYY-MM-DD
}

// dayOf returns an entity's day in a field that View.InDays searches, or "" if it is unknown or only the
// month is known.
func dayOf(e *record.Entity, field string) (day string) {
	switch l := e.Lifecycle; {
	case field == "signals.lastRelease" || field == "signals.released":
		f, _ := e.Signals.Fact(field[len("signals."):])
		day = f.Day
	case l == nil:
	case field == "lifecycle.deprecated":
		day = l.Deprecated
	case field == "lifecycle.retires":
		day = l.Retires
	}
	if len(day) != len("2006-01-02") {
		return ""
	}
	return day
}

// InDays returns the records, including withdrawn ones, whose day in a field is from one day to another,
// both included. The field is lifecycle.deprecated, lifecycle.retires, signals.lastRelease or
// signals.released. An empty day means no limit. The result is sorted by day.
func (v *View) InDays(field, from, to string) (list []DayEntry) {
	for _, o := range v.ranked {
		if day := dayOf(v.entities[o], field); day != "" && from <= day && day <= cmp.Or(to, "9999-12-31") {
			list = append(list, DayEntry{o, day})
		}
	}
	slices.SortStableFunc(list, func(a, b DayEntry) int { return cmp.Compare(a.Day, b.Day) })
	return list
}
