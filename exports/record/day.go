package record

import (
	"fmt"
	"math"
	"time"
)

// FormatDay is the date of a DayNumber.
func FormatDay(day int32) string {
	if day == NoDate {
		return ""
	}
	return time.Unix(int64(day)*86400, 0).UTC().Format(time.DateOnly)
}

// NoDate stands for an unknown date: it is below every other.
const NoDate = math.MinInt32

// DayNumber turns YYYY-MM-DD into days since 1970-01-01, and "" into the
// number that stands for an unknown date.
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
