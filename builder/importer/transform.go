package importer

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"kindex/builder/content"
)

// The supported date formats. Only a time may follow a day.
var (
	isoDate  = regexp.MustCompile(`^(\d{4})-(\d{2})-(\d{2})(?:[T ]\d{2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?(?: ?(?:Z|UTC|[+-]\d{2}(?::?\d{2})?))?)?$`)
	isoMonth = regexp.MustCompile(`^(\d{4})-(\d{2})$`)
	twoFirst = regexp.MustCompile(`^(\d{1,2})[./-](\d{1,2})[./-](\d{4})$`)
)

// The supported number formats: plain, and with grouped thousands.
var (
	plainForm   = regexp.MustCompile(`^[+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d{1,3})?$`)
	groupedForm = regexp.MustCompile(`^[+-]?[1-9]\d{0,2}(?:,\d{3})+(?:\.\d+)?$`)
)

// convert converts an item as the mapping requires. If that fails, wrong is the reason. as is
// one of the conversions in the schema, or "day" to accept either a date or a month.
func (e *evaluator) convert(as string, item any) (out any, wrong string) {
	text := textOf(item)
	switch as {
	case "number":
		if _, isText := item.(string); !isText {
			return exactNumber(text)
		}
		return e.number(text)
	case "date":
		return isoDay(text)
	case "month", "day":
		return dayOrMonth(text, as == "month")
	case "dmy":
		return shortDate(text, 2, 1, "day.month.year")
	case "mdy":
		return shortDate(text, 1, 2, "month/day/year")
	case "slug":
		if slug := content.Slugify(text); slug != "" {
			return slug, ""
		}
		return nil, "cannot be turned into a slug, since it contains no Latin letter or digit; set a slug in values"
	case "lower":
		return strings.ToLower(text), ""
	}
	return item, ""
}

// number reads a string as a number: 5326.0 is 5326. It refuses ambiguous numbers unless the
// mapping sets the decimal separator.
func (e *evaluator) number(text string) (any, string) {
	swapped := swapSeparators(text)
	if e.decimal == "," {
		text, swapped = swapped, text
	}
	switch {
	case e.decimal == "" && (groupedForm.MatchString(text) || groupedForm.MatchString(swapped)):
		return nil, `is ambiguous; set input.decimal to "." or ","`
	case e.decimal != "" && groupedForm.MatchString(text):
		text = strings.ReplaceAll(text, ",", "")
	}
	return exactNumber(text)
}

// swapSeparators turns points into commas, and commas into points.
func swapSeparators(text string) string { return strings.NewReplacer(".", ",", ",", ".").Replace(text) }

// exactNumber reads an unambiguous number, such as a JSON number.
func exactNumber(text string) (any, string) {
	if !plainForm.MatchString(text) {
		return nil, "is not a number such as 5326, 5326.0 or 0.5; if it means that the value is unknown, list it in input.missing"
	}
	whole, fraction, _ := strings.Cut(text, ".")
	if strings.Trim(fraction, "0") == "" {
		if n, err := strconv.ParseInt(whole, 10, 64); err == nil {
			return n, ""
		}
	}
	x, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return nil, "is too large"
	}
	if x == math.Trunc(x) && math.Abs(x) < 1<<53 {
		return int64(x), ""
	}
	return x, ""
}

// isoDay removes the time from a date, without converting the time zone.
func isoDay(text string) (any, string) {
	m := isoDate.FindStringSubmatch(text)
	if m == nil {
		return nil, "is not a date such as 2024-06-06 or 2024-06-06T12:00:00Z; for other orders use dmy or mdy"
	}
	return calendar(m[1], m[2], m[3])
}

func dayOrMonth(text string, monthOnly bool) (any, string) {
	m := isoMonth.FindStringSubmatch(text)
	if m == nil {
		day, wrong := isoDay(text)
		if wrong != "" {
			return nil, "is not a date or month such as 2024-06-06 or 2024-06"
		}
		if monthOnly {
			return day.(string)[:len("2024-06")], ""
		}
		return day, ""
	}
	if _, wrong := calendar(m[1], m[2], "01"); wrong != "" {
		return nil, wrong
	}
	return text, ""
}

func shortDate(text string, month, day int, form string) (any, string) {
	m := twoFirst.FindStringSubmatch(text)
	if m == nil {
		return nil, "is not a date in the form " + form
	}
	two := func(s string) string { return strings.Repeat("0", 2-len(s)) + s }
	return calendar(m[3], two(m[month]), two(m[day]))
}

func calendar(year, month, day string) (any, string) {
	date := year + "-" + month + "-" + day
	if _, err := time.Parse(time.DateOnly, date); err != nil {
		return nil, "is a date that does not exist"
	}
	return date, ""
}

// splitList splits a string into a list: by a separator, or as a list in Python notation.
func splitList(text, how string) (entries []string, wrong string) {
	if how != "python" {
		return strings.Split(text, how), ""
	}
	if !strings.ContainsAny(text[:1], "[({") {
		return []string{text}, "" // the string is a single value instead of a list
	}
	entries, ok := pythonList(text)
	if !ok {
		return nil, "is not a list such as ['a', 'b']"
	}
	return entries, ""
}

// pythonList reads a list, tuple or set of plain strings and numbers in the notation of
// Python and JSON: ['a', "it's", 3]. None is read as "".
func pythonList(s string) (entries []string, ok bool) {
	s = strings.TrimSpace(s)
	if len(s) < 2 || !slices.Contains([]string{"[]", "()", "{}"}, s[:1]+s[len(s)-1:]) {
		return nil, false
	}
	entries = []string{}
	rest := strings.TrimSpace(s[1 : len(s)-1])
	for rest != "" {
		var entry string
		if entry, rest, ok = pythonEntry(rest); !ok {
			return nil, false
		}
		entries = append(entries, entry)
		rest = strings.TrimSpace(rest)
		if rest == "" {
			break
		}
		if rest[0] != ',' {
			return nil, false
		}
		rest = strings.TrimSpace(rest[1:])
	}
	return entries, true
}

// pythonEntry reads one string or number at the start of s.
func pythonEntry(s string) (entry, rest string, ok bool) {
	quote := s[0]
	if quote != '\'' && quote != '"' {
		end := strings.IndexByte(s, ',')
		if end < 0 {
			end = len(s)
		}
		word := strings.TrimSpace(s[:end])
		if word == "None" || word == "null" {
			return "", s[end:], true
		}
		return word, s[end:], plainForm.MatchString(word) || slices.Contains([]string{"True", "False", "true", "false"}, word)
	}
	var b strings.Builder
	for i := 1; i < len(s); {
		switch c := s[i]; c {
		case quote:
			return b.String(), s[i+1:], true
		case '\\':
			r, n := pythonEscape(s[i:])
			if n == 0 {
				return "", "", false
			}
			b.WriteString(r)
			i += n
		default:
			b.WriteByte(c)
			i++
		}
	}
	return "", "", false
}

// pythonEscape reads an escape sequence and returns its length n, which is 0 if the sequence
// is invalid.
func pythonEscape(s string) (text string, n int) {
	if len(s) < 2 {
		return "", 0
	}
	switch s[1] {
	case '\\', '\'', '"', '/':
		return s[1:2], 2
	case 'n', 'r', 't':
		return " ", 2
	case 'x', 'u', 'U':
		digits := map[byte]int{'x': 2, 'u': 4, 'U': 8}[s[1]]
		if len(s) < 2+digits {
			return "", 0
		}
		code, err := strconv.ParseUint(s[2:2+digits], 16, 32)
		if err != nil || code > utf8.MaxRune || !utf8.ValidRune(rune(code)) {
			return "", 0
		}
		return string(rune(code)), 2 + digits
	}
	return "", 0
}
