package record

import (
	"errors"
	"fmt"
	"math"
	"time"
)

// FormatDay formats a DayNumber as YYYY-MM-DD.
func FormatDay(day int32) string {
	if day == NoDate {
		return ""
	}
	return time.Unix(int64(day)*86400, 0).UTC().Format(time.DateOnly)
}

// NoDate is the DayNumber of an unknown date. It is less than every other
// DayNumber.
const NoDate = math.MinInt32

// DayNumber converts YYYY-MM-DD to days since 1970-01-01, and "" to NoDate.
func DayNumber(day string) (int32, error) {
	if day == "" {
		return NoDate, nil
	}
	t, err := time.Parse(time.DateOnly, day)
	if err != nil {
		return 0, fmt.Errorf("%q is not a date: use YYYY-MM-DD", day)
	}
	return int32(t.Unix() / 86400), nil
}

// DaysApart returns the number of days from one date to another. It is negative if the second
// one is earlier. A month counts as its first day. ok is false if one of them is no date.
func DaysApart(from, to string) (days int, ok bool) {
	a, errA := DayNumber(FirstDay(from))
	b, errB := DayNumber(FirstDay(to))
	if from == "" || to == "" || errA != nil || errB != nil {
		return 0, false
	}
	return int(b - a), true
}

// FirstDay returns a date, or the first day of a month.
func FirstDay(date string) string {
	if len(date) == len("2006-01") {
		return date + "-01"
	}
	return date
}

// Week lists what moved up most in a calendar week (ISO 8601, in UTC). It describes the catalogue
// as of the end of the week, so it does not change afterwards.
type Week struct {
	ID      string       `json:"id"`      // unique: the name of the week and the ID of the index's first change
	End     time.Time    `json:"end"`     // the Monday on which the week ends, at 00:00 UTC
	Scores  []ScoreMove  `json:"scores"`  // the largest gains first
	Figures []FigureMove `json:"figures"` // by signal, the largest gains first
}

// Mover is the entity that moved, with the values that it had at the end of the week.
type Mover struct {
	Type string `json:"type"`
	Slug string `json:"slug"`
	Name string `json:"name"`
}

// ScoreMove is the gain of an entity in score. Ranks are those among all entities, or 0 for none.
type ScoreMove struct {
	Mover
	Previous     Score `json:"previous"`
	Score        Score `json:"score"`
	PreviousRank int   `json:"previousRank"`
	Rank         int   `json:"rank"`
}

// FigureMove is the growth of one count of an entity.
type FigureMove struct {
	Mover
	Signal   string  `json:"signal"`
	Previous float64 `json:"previous"`
	Value    float64 `json:"value"`
}

// Start returns the Monday on which the week starts, at 00:00 UTC.
func (w *Week) Start() time.Time { return w.End.AddDate(0, 0, -7) }

// Number returns the number of the week and the year that it belongs to.
func (w *Week) Number() (year, week int) { return w.Start().ISOWeek() }

// Name returns the name of the week as in ISO 8601, such as 2026-W47.
func (w *Week) Name() string {
	year, week := w.Number()
	return fmt.Sprintf("%04d-W%02d", year, week)
}

// Check returns an error if the week does not end at the start of a Monday, or has no movers.
func (w *Week) Check() error {
	switch {
	case w == nil || w.End.Weekday() != time.Monday || !w.End.Equal(w.End.Truncate(24*time.Hour)) || w.End.Location() != time.UTC:
		return errors.New("a week must end on a Monday at 00:00 UTC")
	case len(w.Scores)+len(w.Figures) == 0:
		return fmt.Errorf("the week %s has no movers", w.Name())
	}
	return nil
}
