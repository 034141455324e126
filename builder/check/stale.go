// Package check finds what is out of date in a content folder: figures that are getting too old
// to count, deprecated entities without a successor, and dead links.
package check

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"kindex/builder/plural"
	"kindex/exports/record"
	"kindex/exports/safetext"
	"kindex/exports/score"
)

// StaleReport lists the entities that need attention because of their age.
type StaleReport struct {
	Day              string        `json:"day"`
	Within           int           `json:"within"`           // days
	Checked          int           `json:"checked"`          // entities that are not withdrawn
	Stale            []StaleEntity `json:"stale"`            // the one that expires first is first
	WithoutSuccessor []string      `json:"withoutSuccessor"` // deprecated entities without lifecycle.replacedBy
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

// lastToExpire returns the figure of an entity that counts for longest, unless none ever becomes too old.
func lastToExpire(e *record.Entity, f *score.Formula, asOf time.Time) (last StaleEntity, ok bool) {
	for _, d := range f.Explain(e, asOf).Dimensions {
		for _, v := range d.Measures {
			limit := v.Measure.StaleAfter
			if v.Date == nil || limit == 0 {
				continue
			}
			read, err := time.Parse(time.DateOnly, record.FirstDay(*v.Date))
			if err != nil {
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

// WriteText writes the report for a terminal.
func (r *StaleReport) WriteText(w io.Writer) error {
	var b strings.Builder
	for _, s := range r.Stale {
		verb := "expires"
		if s.Expires < r.Day {
			verb = "expired"
		}
		line(&b, "stale: %s: its newest figure (%s, read on %s) %s on %s", s.Entity, s.Figure, s.Read, verb, s.Expires)
	}
	for _, key := range r.WithoutSuccessor {
		line(&b, "deprecated without a successor: %s", key)
	}
	fmt.Fprintf(&b, "%s: %d stale within %s, %d deprecated without a successor\n", plural.Count(r.Checked, "entity", "entities"),
		len(r.Stale), plural.Count(r.Within, "day", "days"), len(r.WithoutSuccessor))
	_, err := io.WriteString(w, b.String())
	return err
}

// WriteText writes the report for a terminal.
func (r *LinksReport) WriteText(w io.Writer) error {
	var b strings.Builder
	for _, l := range r.Dead {
		line(&b, "dead: %s (%s): %s", l.Address, l.Reason, l.at())
	}
	for _, l := range r.Unclear {
		line(&b, "unclear: %s (%s): %s", l.Address, l.Reason, l.at())
	}
	fmt.Fprintf(&b, "%s: %d alive, %d dead, %d unclear", plural.Count(r.Links, "link", "links"), r.Alive, len(r.Dead), len(r.Unclear))
	if r.Unchecked > 0 {
		fmt.Fprintf(&b, ", %d not checked", r.Unchecked)
	}
	fmt.Fprintf(&b, "; %s\n", plural.Count(r.Requests, "request", "requests"))
	_, err := io.WriteString(w, b.String())
	return err
}

func (l *Link) at() string {
	list := make([]string, len(l.Places))
	for i, p := range l.Places {
		list[i] = p.Entity + " " + p.Field
	}
	return strings.Join(list, ", ")
}

func line(b *strings.Builder, format string, args ...any) {
	b.WriteString(safetext.Escape(fmt.Sprintf(format, args...)) + "\n")
}
