package record

import (
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
