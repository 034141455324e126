package where

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"kindex/exports/didyoumean"
	"kindex/exports/kinds"
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
	if s == "" {
		return def
	}
	value, unknown := Known(name, s, values)
	if unknown != nil {
		p.Fail(unknown)
		return def
	}
	return value
}

// Known returns the known value that a value of a parameter means. Case is ignored, unless two values
// differ in nothing else.
func Known(name, value string, known []string) (string, *Error) {
	if slices.Contains(known, value) {
		return value, nil
	}
	if i := slices.IndexFunc(known, func(k string) bool { return strings.EqualFold(k, value) }); i >= 0 {
		return known[i], nil
	}
	e := &Error{Param: name, Suggestion: cmp.Or(didyoumean.Name(value, known), endingIn(value, known))}
	e.Message = fmt.Sprintf("%s is not a known value", Quoted(value))
	if len(known) <= 20 {
		e.Message = fmt.Sprintf("%s is not one of %s", Quoted(value), strings.Join(known, ", "))
	}
	return "", e
}

// endingIn returns the first known name that consists of one word more than a value, such as signal.stars
// or signalStars for stars, or "" if there is none.
func endingIn(value string, known []string) string {
	for _, k := range known {
		at := len(k) - len(value)
		if at > 0 && strings.EqualFold(k[at:], value) && (k[at-1] == '.' || unicode.IsUpper(rune(k[at]))) && !strings.ContainsFunc(k[1:at], unicode.IsUpper) {
			return k
		}
	}
	return ""
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
	p.Fail(&Error{Param: name, Message: fmt.Sprintf("%s is not a whole number from %d to %d", Quoted(s), minimum, maximum),
		Suggestion: nearest(s, float64(minimum), float64(maximum), 0)})
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
	p.Fail(&Error{Param: name, Message: fmt.Sprintf("%s is not a whole number from %d to %d, such as 200000 or 200k", Quoted(s), minimum, maximum),
		Suggestion: cmp.Or(near, nearest(s, float64(minimum), float64(maximum), 0))})
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

const maxAmount = 100

// multipliers are the endings that stand for powers of ten, longer ones first.
var multipliers = []struct {
	ending string
	zeros  int
}{
	{"thousand", 3}, {"million", 6}, {"billion", 9}, {"trillion", 12}, {"mio", 6}, {"mln", 6}, {"bn", 9},
	{"k", 3}, {"m", 6}, {"b", 9}, {"t", 12},
}

// units are the words around an amount that say nothing about its size.
var units = []string{"us$", "$", "usd", "dollars", "dollar", "tokens", "token", "parameters", "params"}

// size reads a size as people write it: 24 GB, 24gb, 1,5 TB or 512 MiB. It returns bytes.
func size(text string) (bytes float64, ok bool) {
	digits := strings.TrimRightFunc(text, unicode.IsLetter)
	unit, known := kinds.SizeUnit(text[len(digits):])
	number, ok := Amount(digits)
	if !known || !ok {
		return 0, false
	}
	return kinds.ParseSize(number + " " + unit)
}

// Amount reads a number as people write it: 200k, 200,000, 200 000, 1M, $1, 1,5 or 1.50. It returns
// the number in decimal digits with at most one point, or ok false if it is none. A comma before
// exactly three digits groups them; a single point is always a decimal point.
func Amount(text string) (number string, ok bool) {
	if len(text) > maxAmount {
		return "", false
	}
	s := strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r) || r == '\u202f' || r == '_' || r == '\'' || r == '’':
			return ' ' // all of these group digits
		}
		return unicode.ToLower(r)
	}, text)
	s = withoutUnits(s)
	zeros := 0
	for _, m := range multipliers {
		if rest, found := strings.CutSuffix(s, m.ending); found {
			s, zeros = withoutUnits(rest), m.zeros
			break
		}
	}
	whole, decimals, ok := splitNumber(s, zeros > 0)
	if !ok {
		return "", false
	}
	if zeros > 0 {
		decimals += strings.Repeat("0", max(0, zeros-len(decimals)))
		whole, decimals = whole+decimals[:zeros], strings.TrimRight(decimals[zeros:], "0")
	}
	if number = strings.TrimLeft(whole, "0"); number == "" {
		number = "0"
	}
	if decimals != "" {
		number += "." + decimals
	}
	return number, true
}

// signed is like Amount for a number that can be negative.
func signed(text string) (x float64, ok bool) {
	digits, negative := strings.CutPrefix(text, "-")
	amount, _ := Amount(digits)
	if x, ok = decimal(amount); negative {
		x = -x
	}
	return x, ok
}

// nearest returns the number within bounds and with at most some decimals that is nearest to the one in a
// text, or "" if the text is no number.
func nearest(text string, minimum, maximum float64, decimals int) string {
	x, ok := signed(text)
	if !ok {
		return ""
	}
	scale := math.Pow10(decimals)
	return strconv.FormatFloat(min(max(math.Round(x*scale)/scale, minimum), maximum), 'f', -1, 64)
}

func withoutUnits(s string) string {
	for again := true; again; {
		again = false
		s = strings.TrimSpace(s)
		for _, u := range units {
			before, atEnd := strings.CutSuffix(s, u)
			after, atStart := strings.CutPrefix(before, u)
			if s = after; atEnd || atStart {
				again = true
			}
		}
	}
	return s
}

// splitNumber returns the digits before and after the decimal separator of a number. multiplied means
// that a multiplier follows, so that a comma before three digits is a decimal separator, as in 1,048M.
func splitNumber(s string, multiplied bool) (whole, decimals string, ok bool) {
	point := strings.LastIndexAny(s, ".,")
	if point >= 0 {
		separator := s[point : point+1]
		other := strings.Trim(".,", separator)
		once := strings.Count(s, separator) == 1
		groups := !once || separator == "," && !multiplied && !strings.Contains(s, other) && len(s)-point == 4 && s[0] != '0'
		if groups && strings.Contains(s, other) {
			return "", "", false // 1,000.000.000
		}
		if groups {
			point = -1
		}
	}
	whole = s
	if point >= 0 {
		whole, decimals = s[:point], s[point+1:]
		if decimals == "" || !digits(decimals) {
			return "", "", false
		}
	}
	if whole, ok = ungrouped(whole); !ok || whole == "" && decimals == "" {
		return "", "", false
	}
	return whole, decimals, true
}

// ungrouped removes the separators between groups of three digits. All must be the same.
func ungrouped(s string) (string, bool) {
	at := strings.IndexAny(s, " .,")
	if at < 0 {
		return s, digits(s)
	}
	groups := strings.Split(s, s[at:at+1])
	for i, g := range groups {
		if !digits(g) || len(g) != 3 && (i > 0 || g == "" || len(g) > 3) {
			return "", false
		}
	}
	return strings.Join(groups, ""), true
}

func digits(s string) bool { return strings.Trim(s, "0123456789") == "" }

// WholeAmount reads a whole number as Amount does. A point before three digits, which some people
// group digits with, is refused rather than misread: near is then the number without it.
func WholeAmount(text string) (n int64, near string, ok bool) {
	number, ok := Amount(text)
	if !ok {
		return 0, "", false
	}
	if whole, decimals, fraction := strings.Cut(number, "."); fraction {
		if len(decimals) == 3 && len(whole) <= 3 && whole != "0" {
			near = whole + decimals
		}
		return 0, near, false
	}
	n, err := strconv.ParseInt(number, 10, 64)
	return n, "", err == nil
}
