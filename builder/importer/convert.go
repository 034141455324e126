package importer

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"kindex/builder/content"
)

// isoTime matches what may follow a day.
var isoTime = regexp.MustCompile(`^[T ]\d{2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?(?: ?(?:Z|UTC|[+-]\d{2}(?::?\d{2})?))?$`)

// shortKilobyte matches a size in kilobytes with the capital letter that most people write.
var shortKilobyte = regexp.MustCompile(`^([0-9.]+ ?)K[Bb]$`)

// convert converts an item as the mapping or the field requires. If that fails, wrong is the
// reason. as is one of the conversions in the schema, "day" to accept either a date or a month,
// "answer" for true or false, "size" for one in bytes, "duration", or "in " and a kind for the address of an entity, whose kind may be left out.
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
		return calendar("2.1.2006", dots.Replace(text), "is not a date in the form day.month.year")
	case "mdy":
		return calendar("1.2.2006", dots.Replace(text), "is not a date in the form month/day/year")
	case "slug":
		if slug := content.Slugify(text); slug != "" {
			return slug, ""
		}
		return nil, "cannot be turned into a slug, since it contains no Latin letter or digit; use another column, or set a slug in values"
	case "lower":
		return strings.ToLower(text), ""
	case "size":
		if plainForm.MatchString(text) { // bytes
			return exactNumber(text)
		}
		return shortKilobyte.ReplaceAllString(e.amounts(text), "${1}kB"), ""
	case "duration":
		return shortDuration(e.amounts(text)), ""
	case "answer":
		switch strings.ToLower(text) {
		case "true", "yes":
			return true, ""
		case "false", "no":
			return false, ""
		}
		if slices.Contains(unknownWords, strings.ToLower(text)) {
			return nil, "is not true, false, yes or no" + unknownAdvice
		}
		return nil, "is not true, false, yes or no; say what it means with values: {" + scalar(text) + `: "` + cmp.Or(answerWords[strings.ToLower(text)], "true") + `"}`
	}
	if kind, is := strings.CutPrefix(as, "in "); is && !strings.Contains(text, "/") {
		if slug := content.Slugify(text); slug != "" {
			return kind + "/" + slug, ""
		}
	}
	return item, ""
}

// unixForm matches the Unix seconds of the years from 2001 to 2286.
var unixForm = regexp.MustCompile(`^[1-9]\d{9}$`)

// isoDay removes the time from a date, without converting the time zone.
func isoDay(text string) (any, string) {
	if unixForm.MatchString(text) {
		seconds, _ := strconv.ParseInt(text, 10, 64) // it has ten digits
		return time.Unix(seconds, 0).UTC().Format(time.DateOnly), ""
	}
	if len(text) >= len(time.DateOnly) && (text[4] == '/' || text[4] == '.') && text[7] == text[4] { // 2024/06/06
		text = text[:4] + "-" + text[5:7] + "-" + text[8:]
	}
	day := text[:min(len(text), len(time.DateOnly))]
	if more := text[len(day):]; more != "" && !isoTime.MatchString(more) {
		day = text
	}
	return calendar(time.DateOnly, day, "is not a date such as 2024-06-06 or 2024-06-06T12:00:00Z; for other orders use dmy or mdy")
}

func dayOrMonth(text string, monthOnly bool) (any, string) {
	if len(text) == len("2024-06") {
		_, wrong := calendar("2006-01", text, notMonth)
		return text, wrong
	}
	day, wrong := isoDay(text)
	switch {
	case wrong != "" && wrong != noSuchDate:
		return nil, notMonth
	case monthOnly && wrong == "":
		return day.(string)[:len("2024-06")], ""
	}
	return day, wrong
}

const (
	notMonth   = "is not a date or month such as 2024-06-06 or 2024-06; for other orders use dmy or mdy"
	noSuchDate = "is a date that does not exist"
)

var dots = strings.NewReplacer("/", ".", "-", ".")

// calendar reads a date in a layout. wrong is the reason if it has another form.
func calendar(layout, text, wrong string) (any, string) {
	t, err := time.Parse(layout, text)
	if err == nil {
		return t.Format(time.DateOnly), ""
	}
	if strings.Contains(err.Error(), "out of range") {
		return nil, noSuchDate
	}
	return nil, wrong
}

// splitList splits a string into a list: by a separator, or as a list in Python notation.
func splitList(text, how string) (entries []string, wrong string) {
	if how == "range" {
		if m := rangeText.FindStringSubmatch(text); m != nil {
			return m[1:], ""
		}
		return []string{text}, ""
	}
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

// rangeText matches the two numbers of a range: 5-6, 5 – 6, 5..6, 5 to 6 or, in two other languages, 5 bis 6 and 5 à 6.
var rangeText = regexp.MustCompile(`^\s*(-?\d\S*?)(?:\s*[-–—~…]\s*|\s*\.\.+\s*|\s+(?:to|bis|à)\s+)(-?\d\S*)\s*$`)

// pythonEntry matches an entry of a list, in single or double quotes or a word, and the comma after it.
var pythonEntry = regexp.MustCompile(`(?s)^(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|([^'",]+?))\s*(?:,\s*|$)`)

// pythonList reads a list of strings and numbers in the notation of Python or JSON: ['a', "it's", 3]. None is read as "".
func pythonList(s string) (entries []string, ok bool) {
	s = strings.TrimSpace(s)
	if len(s) < 2 || !slices.Contains([]string{"[]", "()", "{}"}, s[:1]+s[len(s)-1:]) {
		return nil, false
	}
	entries = []string{}
	for rest := strings.TrimSpace(s[1 : len(s)-1]); rest != ""; {
		m := pythonEntry.FindStringSubmatch(rest)
		if m == nil {
			return nil, false
		}
		entry, word := m[1]+m[2], m[3]
		switch {
		case word == "None" || word == "null":
		case word == "":
			if entry, ok = unescape(entry); !ok {
				return nil, false
			}
		case plainForm.MatchString(word) || slices.Contains([]string{"True", "False", "true", "false"}, word):
			entry = word
		default:
			return nil, false
		}
		entries, rest = append(entries, entry), rest[len(m[0]):]
	}
	return entries, true
}

func unescape(s string) (string, bool) {
	var b strings.Builder
	for s != "" {
		if len(s) > 1 && s[0] == '\\' && strings.IndexByte(`'"/`, s[1]) >= 0 {
			b.WriteByte(s[1])
			s = s[2:]
			continue
		}
		r, _, tail, err := strconv.UnquoteChar(s, 0)
		if err != nil {
			return "", false
		}
		b.WriteRune(r)
		s = tail
	}
	return b.String(), true
}
