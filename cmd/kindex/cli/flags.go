package cli

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"kindex/exports/safetext"
)

// parsed is a flag whose text is parsed when it is set, so that every error names the flag.
type parsed struct {
	kind, text string
	parse      func(string) error
}

func (p *parsed) String() string { return p.text }
func (p *parsed) Type() string   { return p.kind }

// Set implements pflag.Value.
func (p *parsed) Set(text string) error {
	if err := p.parse(text); err != nil {
		return UsageError{err}
	}
	p.text = text
	return nil
}

// Var adds a flag whose text is parsed by a function. An empty text means the default.
func Var[T any](f *pflag.FlagSet, to *T, name, kind, standard, usage string, parse func(string) (T, error)) {
	v := &parsed{kind: kind, parse: func(text string) (err error) {
		var value T
		if text = cmp.Or(text, standard); text != "" {
			value, err = parse(text)
		}
		*to = value
		return err
	}}
	_ = v.Set(standard) // defaults are valid
	f.Var(v, name, usage)
}

// ListVar adds a flag with a list, separated by commas. It may be repeated.
func ListVar[T any](f *pflag.FlagSet, to *[]T, name, kind, usage string, parse func(string) (T, error)) {
	f.Var(&parsed{kind: kind, parse: func(text string) error {
		for item := range strings.SplitSeq(text, ",") {
			if item = strings.TrimSpace(item); item == "" {
				continue
			}
			value, err := parse(item)
			if err != nil {
				return err
			}
			*to = append(*to, value)
		}
		return nil
	}}, name, usage)
}

// ChoiceVar adds a flag that has one of some values.
func ChoiceVar(c *cobra.Command, to *string, name, standard, usage string, values []string) {
	Var(c.Flags(), to, name, "choice", standard, usage, func(text string) (string, error) {
		if !slices.Contains(values, text) {
			return "", UnknownChoice(strings.ReplaceAll(name, "-", " "), text, values)
		}
		return text, nil
	})
	// This fails only if the flag is unknown or already has a completion.
	_ = c.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
}

// checked is a number that is checked when it is set.
type checked struct {
	pflag.Value
	check func() error
}

// Set implements pflag.Value.
func (c checked) Set(text string) error {
	err := c.Value.Set(text)
	if err == nil {
		err = c.check()
	}
	return err
}

// AtLeast makes a flag refuse values below a minimum.
func AtLeast[T cmp.Ordered](f *pflag.FlagSet, value *T, name string, lowest T) {
	check(f, name, func() bool { return *value >= lowest }, "too low; use %v or more", lowest)
}

// Between makes a flag refuse values below a minimum or above a maximum.
func Between[T cmp.Ordered](f *pflag.FlagSet, value *T, name string, lowest, highest T) {
	check(f, name, func() bool { return *value >= lowest && *value <= highest }, "out of range; use %v to %v", lowest, highest)
}

func check(f *pflag.FlagSet, name string, valid func() bool, advice string, args ...any) {
	flag := f.Lookup(name)
	flag.Value = checked{flag.Value, func() error {
		if valid() {
			return nil
		}
		return UsageError{fmt.Errorf("%s is "+advice, append([]any{flag.Value}, args...)...)}
	}}
}

// ParseDay parses a day.
func ParseDay(text string) (time.Time, error) {
	day, err := time.Parse(time.DateOnly, text)
	if err != nil {
		err = fmt.Errorf("%s is not a day; use YYYY-MM-DD", safetext.Quote(text))
	}
	return day, err
}

// DayFlag adds a flag whose value is a day, in the form in which it is given.
func DayFlag(f *pflag.FlagSet, day *string, name, usage string) {
	Var(f, day, name, "day", "", usage, func(text string) (string, error) {
		_, err := ParseDay(text)
		return text, err
	})
}

// ParseDays parses a number of days, such as 7d.
func ParseDays(text string) (*int, error) {
	n, err := strconv.Atoi(strings.TrimSuffix(text, "d"))
	if err != nil || n < 0 {
		return nil, fmt.Errorf("%s is not a number of days, such as 7d", safetext.Quote(text))
	}
	return &n, nil
}

// AsOf is the time for which scores are calculated.
type AsOf struct{ given *time.Time }

// AsOfFlag adds --as-of.
func AsOfFlag(f *pflag.FlagSet, asOf *AsOf, usage string) {
	usage = cmp.Or(usage, "calculate scores as of this day (YYYY-MM-DD) or RFC 3339 time")
	Var(f, asOf, "as-of", "time", "", usage+" (default: today at 00:00 UTC, or SOURCE_DATE_EPOCH)", func(text string) (AsOf, error) {
		for _, layout := range []string{time.DateOnly, time.RFC3339} {
			if t, err := time.Parse(layout, text); err == nil {
				return checkedAsOf(t)
			}
		}
		return AsOf{}, fmt.Errorf("%q is not a time; use YYYY-MM-DD or RFC 3339, such as 2026-07-01T12:00:00Z", text)
	})
}

// checkedAsOf truncates t to seconds and rejects times that RFC 3339 cannot express: the
// manifest must record exactly the time for which the scores were calculated.
func checkedAsOf(t time.Time) (AsOf, error) {
	t = t.UTC().Truncate(time.Second)
	if year := t.Year(); year < 1 || year > 9999 {
		return AsOf{}, fmt.Errorf("the year %d is not between 1 and 9999", year)
	}
	return AsOf{&t}, nil
}

// sourceDate returns SOURCE_DATE_EPOCH (https://reproducible-builds.org/specs/source-date-epoch/).
func sourceDate() (AsOf, error) {
	text := os.Getenv("SOURCE_DATE_EPOCH")
	if text == "" {
		return AsOf{}, nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 {
		return AsOf{}, fmt.Errorf("SOURCE_DATE_EPOCH=%q: use a number of seconds since 1970", text)
	}
	at, err := checkedAsOf(time.Unix(n, 0))
	if err != nil {
		err = fmt.Errorf("SOURCE_DATE_EPOCH=%q: %w", text, err)
	}
	return at, err
}

// Time returns the time that was given, or else SOURCE_DATE_EPOCH, or else the start of today in UTC.
func (a AsOf) Time() time.Time {
	if a.given == nil {
		a, _ = sourceDate() // CheckLine has checked it
	}
	if a.given == nil {
		return time.Now().UTC().Truncate(24 * time.Hour)
	}
	return *a.given
}

// valueError returns the error for the value of a flag, or of the variable that sets it, and whether a parser of this
// package found it. Such an error repeats the value only if it is no secret.
func valueError(name string, err error) (error, bool) {
	invalid := new(UsageError)
	if !errors.As(err, invalid) {
		return err, false
	}
	return fmt.Errorf("%s: %w", name, invalid.Err), true
}
