// Package check finds what is out of date in a content folder: figures that are getting too old
// to count, deprecated entities without a successor, and dead links.
package check

import (
	"cmp"
	"slices"
	"time"

	"kindex/exports/record"
	"kindex/exports/score"
)

// StaleReport lists the entities that need attention because of their age.
type StaleReport struct {
	Day    string `json:"day"`
	Within int    `json:"within"` // days
	// Checked is the number of entities that are not withdrawn.
	Checked int           `json:"checked"`
	Stale   []StaleEntity `json:"stale"` // the one that expires first is first
	// WithoutSuccessor lists deprecated entities that name no successor (lifecycle.replacedBy).
	WithoutSuccessor []string `json:"withoutSuccessor"`
}

// StaleEntity is an entity whose last figure to count is about to be too old, or is so already.
type StaleEntity struct {
	Entity  string `json:"entity"`
	Figure  string `json:"figure"`  // the signal, or "benchmark: " and the name
	Read    string `json:"read"`    // the day on which the figure was read
	Expires string `json:"expires"` // the day after which it is too old
}

// Stale returns the entities all of whose figures will be too old for the formula within a number
// of days after asOf. A figure is too old after the staleAfter of its measure. Figures without a
// date, and those of measures without a staleAfter, are left out, and so are withdrawn entities.
func Stale(entities []*record.Entity, f *score.Formula, asOf time.Time, within int) *StaleReport {
	day := asOf.UTC().Truncate(24 * time.Hour)
	r := &StaleReport{Day: day.Format(time.DateOnly), Within: within, Stale: []StaleEntity{}, WithoutSuccessor: []string{}}
	limit := day.AddDate(0, 0, within).Format(time.DateOnly)
	for _, e := range entities {
		if e.Status == record.Withdrawn {
			continue
		}
		r.Checked++
		if s, ok := lastToExpire(e, f, asOf); ok && s.Expires < limit {
			r.Stale = append(r.Stale, s)
		}
		if isDeprecated(e, r.Day) && (e.Lifecycle == nil || e.Lifecycle.ReplacedBy == "") {
			r.WithoutSuccessor = append(r.WithoutSuccessor, e.Key())
		}
	}
	slices.SortStableFunc(r.Stale, func(a, b StaleEntity) int { return cmp.Compare(a.Expires, b.Expires) })
	return r
}

func isDeprecated(e *record.Entity, day string) bool {
	l := e.Lifecycle
	return e.Status == record.Deprecated || l != nil && l.Deprecated != "" && l.Deprecated <= day
}

// lastToExpire returns the figure of an entity that counts for longest, or false if no figure of
// it ever becomes too old.
func lastToExpire(e *record.Entity, f *score.Formula, asOf time.Time) (last StaleEntity, ok bool) {
	for _, d := range f.Explain(e, asOf).Dimensions {
		for _, v := range d.Measures {
			if v.Date == nil {
				continue
			}
			limit := v.Measure.StaleAfter
			read, err := parseDay(*v.Date)
			if limit == 0 || err != nil {
				continue
			}
			expires := read.AddDate(0, 0, int(min(limit, maxDays))).Format(time.DateOnly)
			if !ok || expires > last.Expires {
				last, ok = StaleEntity{e.Key(), v.Name, *v.Date, expires}, true
			}
		}
	}
	return last, ok
}

// maxDays keeps sums of days below the year 10000.
const maxDays = 1_000_000

// parseDay parses a day. A month is treated as its first day, as in scores.
func parseDay(text string) (time.Time, error) {
	if len(text) == len("2006-01") {
		return time.Parse("2006-01", text)
	}
	return time.Parse(time.DateOnly, text)
}
