package where

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"kindex/exports/didyoumean"
	"kindex/exports/safetext"
)

// Error describes what is wrong with a parameter.
type Error struct {
	Param      string
	Message    string
	Suggestion string // the nearest valid name or value, or "" if there is none
	Unknown    bool   // the parameter is unknown
}

func (e *Error) Error() string { return e.Param + ": " + e.Message }

// Params holds named values, such as the parameters of a request. Its methods return a default instead of
// an error, and keep the first error, so that callers that only read need not check each value.
type Params struct {
	Given map[string][]string
	Err   error // the first error, or nil
}

// Joined contains the parameters of every index whose values can be comma-separated lists.
var Joined = []string{"tag", "capability", "fields", "facets"}

// MaxValues is the maximum number of values of a parameter, including those in comma-separated lists.
const MaxValues = 50

// Fail keeps an error, unless there was one before.
func (p *Params) Fail(err error) {
	if p.Err == nil {
		p.Err = err
	}
}

// Has reports whether a parameter was given.
func (p *Params) Has(name string) bool { return p.Given[name] != nil }

// Text returns the value of a parameter that can be given only once, or "" if it is missing.
func (p *Params) Text(name string) string {
	switch list := p.Given[name]; {
	case len(list) > 1:
		p.Fail(&Error{Param: name, Message: "must be given only once"})
	case len(list) == 1 && strings.TrimSpace(list[0]) == "":
		p.Fail(&Error{Param: name, Message: "must not be empty"})
	case len(list) == 1:
		return list[0]
	}
	return ""
}

// OneOf returns the value of a parameter that must be one of values, or def if it is missing.
func (p *Params) OneOf(name, def string, values []string) string {
	s := p.Text(name)
	if s == "" || !slices.Contains(values, s) {
		if s != "" {
			p.Fail(UnknownValue(name, s, values))
		}
		return def
	}
	return s
}

// UnknownValue returns the error for a value that is not one of the known values.
func UnknownValue(name, value string, known []string) *Error {
	e := &Error{Param: name, Suggestion: didyoumean.Name(value, known)}
	e.Message = fmt.Sprintf("%s is not a known value", Quoted(value))
	if len(known) <= 20 {
		e.Message = fmt.Sprintf("%s is not one of %s", Quoted(value), strings.Join(known, ", "))
	}
	return e
}

// Quoted quotes a value for a message and shortens a long one.
func Quoted(s string) string { return strconv.Quote(safetext.Shorten(s, 60)) }

// Int returns an integer parameter within bounds, or the default if it is missing.
func (p *Params) Int(name string, def, minimum, maximum int) int {
	s := p.Text(name)
	if s == "" {
		return def
	}
	n, err := strconv.Atoi(s)
	if err == nil && s[0] != '+' && n >= minimum && n <= maximum {
		return n
	}
	near := def
	if err == nil {
		near = min(max(n, minimum), maximum)
	}
	p.Fail(&Error{Param: name, Message: fmt.Sprintf("%s is not a whole number from %d to %d", Quoted(s), minimum, maximum), Suggestion: strconv.Itoa(near)})
	return def
}

// Count is like Int for a number that may be written as people write it; see WholeAmount.
func (p *Params) Count(name string, def, minimum, maximum int64) int64 {
	s := p.Text(name)
	if s == "" {
		return def
	}
	n, near, ok := WholeAmount(s)
	if ok && n >= minimum && n <= maximum {
		return n
	}
	bad := &Error{Param: name, Message: fmt.Sprintf("%s is not a whole number from %d to %d, such as 200000 or 200k", Quoted(s), minimum, maximum), Suggestion: near}
	switch {
	case ok:
		bad.Suggestion = strconv.FormatInt(min(max(n, minimum), maximum), 10)
	case near == "" && def >= minimum:
		bad.Suggestion = strconv.FormatInt(def, 10)
	}
	p.Fail(bad)
	return def
}

// Period returns the first day of a day, month or year in a parameter or, if last is set, the last one. It
// returns "" if the parameter is missing.
func (p *Params) Period(name string, last bool) string {
	s := p.Text(name)
	for _, form := range []struct {
		layout        string
		years, months int
	}{{"2006", 1, 0}, {"2006-01", 0, 1}} {
		if start, err := time.Parse(form.layout, s); err == nil {
			if last {
				start = start.AddDate(form.years, form.months, -1)
			}
			return start.Format(time.DateOnly)
		}
	}
	return p.Day(name)
}

// Day returns a parameter that is a date in the form YYYY-MM-DD, or "" if it is missing.
func (p *Params) Day(name string) string {
	s := p.Text(name)
	if _, err := time.Parse(time.DateOnly, s); err != nil && s != "" {
		p.Fail(&Error{Param: name, Message: Quoted(s) + " is not a date: use YYYY-MM-DD"})
		return ""
	}
	return s
}
