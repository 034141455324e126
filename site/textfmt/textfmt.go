// Package textfmt formats strings, numbers and dates for people. Untrusted strings are
// reduced to one line of limited length.
package textfmt

import (
	"cmp"
	"math"
	"net/url"
	"strconv"
	"strings"
	"time"

	"kindex/exports/feed"
	"kindex/exports/kinds"
	"kindex/exports/record"
	"kindex/exports/safetext"

	"github.com/dustin/go-humanize"
)

// Maximum lengths, in characters, of an entity's strings, so that they cannot make pages
// huge.
const (
	MaxNameLen = 120
	MaxLineLen = 240  // a description in a list
	MaxTextLen = 4000 // a description on its own page
	maxURLLen  = 2000
)

// Name returns a name, or another short string, as one line.
func Name(s string) string { return Truncate(safetext.OneLine(s), MaxNameLen) }

// Truncate shortens a string to maxLen characters and adds an ellipsis.
func Truncate(s string, maxLen int) string {
	n := 0
	for i := range s {
		if n++; n > maxLen {
			return strings.TrimRight(s[:i], " ") + "…"
		}
	}
	return s
}

// WebURL returns s in normalized form if it is safe to link to, or else "". A safe URL uses
// http or https, names a host but no user or password, and is not too long.
func WebURL(s string) string {
	u, err := url.Parse(s)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil || len(s) > maxURLLen {
		return ""
	}
	return u.String()
}

// Host returns the host of a URL without www.
func Host(s string) string {
	u, err := url.Parse(s)
	if err != nil {
		return ""
	}
	return Truncate(safetext.OneLine(strings.TrimPrefix(u.Hostname(), "www.")), 60)
}

// Count formats a number with thousands separators.
func Count(n any) string {
	var x float64
	switch n := n.(type) {
	case int:
		x = float64(n)
	case int64:
		x = float64(n)
	case uint64:
		x = float64(n)
	case float64:
		x = n
	}
	return strings.Replace(humanize.Commaf(x), "-", "−", 1)
}

// Compact formats a number with three significant digits, such as 29.8M.
func Compact(x float64) string {
	for _, u := range []struct {
		from, by float64
		sign     string
	}{{1e12, 1e12, "T"}, {1e9, 1e9, "B"}, {1e6, 1e6, "M"}, {1e4, 1e3, "k"}} {
		if v, places := x/u.by, 1; math.Abs(x) >= u.from {
			if math.Abs(v) >= 99.95 {
				places = 0
			}
			return strings.TrimSuffix(strconv.FormatFloat(v, 'f', places, 64), ".0") + u.sign
		}
	}
	return Count(x)
}

// Day formats YYYY-MM-DD or YYYY-MM for people. Other strings are returned as one line.
func Day(s string) string {
	if t, err := time.Parse(time.DateOnly, s); err == nil {
		return t.Format("2 Jan 2006")
	}
	if t, err := time.Parse("2006-01", s); err == nil {
		return t.Format("Jan 2006")
	}
	return safetext.OneLine(s)
}

// Plural returns a number with the singular or the plural of a noun.
func Plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return Count(n) + " " + many
}

// Capitalize returns s with its first letter, if it is ASCII, in upper case.
func Capitalize(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// labels holds the display names that only pages use.
var labels = map[string]string{
	"addedDate": "Added", "lastUpdated": "Updated", "ids": "Identifiers", "replacedBy": "Successor",
}

// Label returns the display name of a field, a score, a signal or one of their values.
func Label(declared *kinds.Set, name string) string {
	if l := labels[name]; l != "" {
		return l
	}
	if title := declared.Title(name); title != "" {
		return title
	}
	if w := feed.DisplayName(declared, name); w != "" {
		return Capitalize(w)
	}
	if k := declared.Kind(name); k != nil {
		return k.Title
	}
	return cmp.Or(declared.NamedTitle(name), Capitalize(safetext.OneLine(name)))
}

// Value formats the value of a declared field.
func Value(f *kinds.Field, v any) string {
	switch v := v.(type) {
	case bool:
		return map[bool]string{true: "Yes", false: "No"}[v]
	case float64:
		return number(f, v)
	case []string:
		var list []string
		for _, word := range v {
			list = append(list, cmp.Or(f.Titles[word], word))
		}
		return Name(strings.Join(list, ", "))
	case []float64:
		var list []string
		for _, x := range v {
			list = append(list, number(f, x))
		}
		return strings.Join(list, ", ")
	case string:
		if title := f.Titles[v]; title != "" {
			return Name(title)
		}
		if f.Type == kinds.Date || f.Type == kinds.Month && len(v) > len("2006") {
			return Day(v)
		}
		return Name(v)
	}
	return ""
}

// number formats a number of a declared field.
func number(f *kinds.Field, x float64) string {
	if f.Type == kinds.Count {
		return Compact(x)
	}
	return f.Format(x)
}

// DayOrUnknown formats a day for use in a sentence.
func DayOrUnknown(s string) string { return cmp.Or(Day(s), "an unknown date") }

// ISODay returns s if it is a day or a month in ISO 8601, else "".
func ISODay(s string) string {
	for _, layout := range []string{time.DateOnly, "2006-01"} {
		if _, err := time.Parse(layout, s); err == nil {
			return s
		}
	}
	return ""
}

// Price formats an amount of US dollars with at least two decimals, or "" if it is unknown.
func Price(p record.Price) string {
	if !p.Known() {
		return ""
	}
	_, decimals, _ := strings.Cut(p.String(), ".")
	for len(decimals) < 2 {
		decimals += "0"
	}
	return "$" + Count(p.Micros()/1e6) + "." + decimals
}

// Percent formats a share from 0 to 1 as a percentage.
func Percent(x float64) string {
	return strings.TrimSuffix(strconv.FormatFloat(100*x, 'f', 1, 64), ".0") + "%"
}

// Short formats a number in a formula with at most six significant digits.
func Short(x float64) string { return strconv.FormatFloat(x, 'g', 6, 64) }

// JoinAnd joins names with commas and "and".
func JoinAnd(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
}
