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

// Params holds named values, such as the parameters of a request.
type Params map[string][]string

// Joined contains the parameters whose values can be comma-separated lists.
var Joined = []string{"tag", "capability", "modality", "outputModality", "fields", "facets"}

// Has reports whether a parameter was given.
func (p Params) Has(name string) bool { return p[name] != nil }

// Values returns the values of a parameter, unchanged.
func (p Params) Values(name string) []string { return p[name] }

// Text returns the value of a parameter that can be given only once, or "" if it is missing.
func (p Params) Text(name string) (string, error) {
	switch list := p[name]; len(list) {
	case 0:
		return "", nil
	case 1:
		if strings.TrimSpace(list[0]) == "" {
			return "", &Error{Param: name, Message: "must not be empty"}
		}
		return list[0], nil
	default:
		return "", &Error{Param: name, Message: "must be given only once"}
	}
}

// OneOf returns the value of a parameter that must be one of values, or def if it is missing.
func (p Params) OneOf(name, def string, values []string) (string, error) {
	s, err := p.Text(name)
	if err != nil || s == "" {
		return def, err
	}
	if !slices.Contains(values, s) {
		return "", UnknownValue(name, s, values)
	}
	return s, nil
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
func (p Params) Int(name string, def, minimum, maximum int) (int, error) {
	s, err := p.Text(name)
	if err != nil || s == "" {
		return def, err
	}
	n, err := strconv.Atoi(s)
	if err != nil || s[0] == '+' || n < minimum || n > maximum {
		near := def
		if err == nil {
			near = min(max(n, minimum), maximum)
		}
		return 0, &Error{Param: name, Message: fmt.Sprintf("%s is not a whole number from %d to %d", Quoted(s), minimum, maximum), Suggestion: strconv.Itoa(near)}
	}
	return n, nil
}

// Count is like Int for a number that may be written as people write it; see WholeAmount.
func (p Params) Count(name string, def, minimum, maximum int64) (int64, error) {
	s, err := p.Text(name)
	if err != nil || s == "" {
		return def, err
	}
	n, near, ok := WholeAmount(s)
	if ok && n >= minimum && n <= maximum {
		return n, nil
	}
	bad := &Error{Param: name, Message: fmt.Sprintf("%s is not a whole number from %d to %d, such as 200000 or 200k", Quoted(s), minimum, maximum), Suggestion: near}
	switch {
	case ok:
		bad.Suggestion = strconv.FormatInt(min(max(n, minimum), maximum), 10)
	case near == "":
		bad.Suggestion = strconv.FormatInt(def, 10)
	}
	return 0, bad
}

// Period returns the first day of a day, month or year in a parameter or, if last is set, the last one. It
// returns "" if the parameter is missing.
func (p Params) Period(name string, last bool) (string, error) {
	s, err := p.Text(name)
	if err != nil || s == "" {
		return "", err
	}
	for _, form := range []struct {
		layout        string
		years, months int
	}{{"2006", 1, 0}, {"2006-01", 0, 1}} {
		if start, err := time.Parse(form.layout, s); err == nil {
			if last {
				start = start.AddDate(form.years, form.months, -1)
			}
			return start.Format(time.DateOnly), nil
		}
	}
	return p.Day(name)
}

// Day returns a parameter that is a date in the form YYYY-MM-DD, or "" if it is missing.
func (p Params) Day(name string) (string, error) {
	s, err := p.Text(name)
	if err != nil || s == "" {
		return "", err
	}
	if _, err := time.Parse(time.DateOnly, s); err != nil {
		return "", &Error{Param: name, Message: Quoted(s) + " is not a date: use YYYY-MM-DD"}
	}
	return s, nil
}
