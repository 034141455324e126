package cli

import (
	"fmt"
	"os"
	"strconv"
	"time"

	"github.com/spf13/pflag"
)

// AsOfFlag adds --as-of.
func AsOfFlag(f *pflag.FlagSet, asOf *string) {
	f.StringVar(asOf, "as-of", "", "calculate scores as of this day (YYYY-MM-DD) or RFC 3339 time (default: today at 00:00 UTC, or SOURCE_DATE_EPOCH)")
}

// ParseAsOf returns the time for which scores are calculated: s if given, or else
// SOURCE_DATE_EPOCH (https://reproducible-builds.org/specs/source-date-epoch/), or else
// the start of today in UTC.
func ParseAsOf(s string, now time.Time) (time.Time, error) {
	if s != "" {
		for _, layout := range []string{time.DateOnly, time.RFC3339} {
			if t, err := time.Parse(layout, s); err == nil {
				return checkedAsOf("--as-of", s, t)
			}
		}
		return time.Time{}, Usage(fmt.Errorf("--as-of %q: use YYYY-MM-DD or an RFC 3339 time such as 2026-07-01T12:00:00Z", s))
	}
	if epoch := os.Getenv("SOURCE_DATE_EPOCH"); epoch != "" {
		n, err := strconv.ParseInt(epoch, 10, 64)
		if err != nil || n < 0 {
			return time.Time{}, Usage(fmt.Errorf("SOURCE_DATE_EPOCH=%q: use a number of seconds since 1970", epoch))
		}
		return checkedAsOf("SOURCE_DATE_EPOCH", epoch, time.Unix(n, 0))
	}
	return now.UTC().Truncate(24 * time.Hour), nil
}

// checkedAsOf truncates t to seconds and rejects times that RFC 3339 cannot express: the
// manifest must record exactly the time for which the scores were calculated.
func checkedAsOf(name, given string, t time.Time) (time.Time, error) {
	t = t.UTC().Truncate(time.Second)
	if year := t.Year(); year < 1 || year > 9999 {
		return time.Time{}, Usage(fmt.Errorf("%s %q: the year %d is not between 1 and 9999", name, given, year))
	}
	return t, nil
}
