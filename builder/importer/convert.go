package importer

import (
	"cmp"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"kindex/builder/content"
	"kindex/exports/kinds"
	"kindex/exports/where"
)

// shortKilobyte matches a size in kilobytes with the capital letter that most people write.
var shortKilobyte = regexp.MustCompile(`^([0-9.]+ ?)K[Bb]$`)

// convert converts an item, or returns what is wrong with it. as is one of the conversions in the schema, "day" for a
// date or a month, "period" for a year, too, "answer" for true or false, "size" in bytes, "duration", or "in " and the kind of an address.
func (e *evaluator) convert(as string, item any) (out any, wrong string) {
	text := textOf(item)
	switch as {
	case "number":
		if _, isText := item.(string); !isText {
			return exactNumber(text)
		}
		return e.number(text)
	case "date", "month", "day", "period", "dmy", "mdy":
		return date(as, text)
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

// dates lists the layouts that each conversion to dates reads, and what it says about other texts.
var dates = map[string]struct {
	layouts []string
	wrong   string
}{
	"date":   {isoDays, "is not a date such as 2024-06-06 or 2024-06-06T12:00:00Z; for other orders use dmy or mdy"},
	"day":    {append(isoDays, isoMonth), notMonth},
	"month":  {append(isoDays, isoMonth), notMonth},
	"period": {append(isoDays, isoMonth, isoYear), "is not a date, month or year such as 2024-06-06, 2024-06 or 2024; for other orders use dmy or mdy"},
	"dmy":    {[]string{"2.1.2006", "2/1/2006", "2-1-2006"}, "is not a date in the form day.month.year"},
	"mdy":    {[]string{"1.2.2006", "1/2/2006", "1-2-2006"}, "is not a date in the form month/day/year"},
}

var isoDays = []string{time.DateOnly, "2006/01/02", "2006.01.02"}

const (
	isoMonth   = "2006-01"
	isoYear    = "2006"
	notMonth   = "is not a date or month such as 2024-06-06 or 2024-06; for other orders use dmy or mdy"
	noSuchDate = "is a date that does not exist"
)

var (
	// isoTime matches a day with the time, which is left out without converting the time zone.
	isoTime = regexp.MustCompile(`^(\d{4}.\d{2}.\d{2})[T ]\d{2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?(?: ?(?:Z|UTC|[+-]\d{2}(?::?\d{2})?))?$`)
	// unixForm matches the Unix seconds of the years from 2001 to 2286.
	unixForm = regexp.MustCompile(`^[1-9]\d{9}$`)
)

func date(as, text string) (any, string) {
	if as != "dmy" && as != "mdy" {
		text = isoTime.ReplaceAllString(text, "$1")
		if unixForm.MatchString(text) {
			seconds, _ := strconv.ParseInt(text, 10, 64) // it has ten digits
			text = time.Unix(seconds, 0).UTC().Format(time.DateOnly)
		}
	}
	wrong := dates[as].wrong
	for _, layout := range dates[as].layouts {
		t, err := time.Parse(layout, text)
		switch {
		case err == nil && as == "month":
			return t.Format(isoMonth), ""
		case err == nil && (layout == isoMonth || layout == isoYear):
			return t.Format(layout), ""
		case err == nil:
			return t.Format(time.DateOnly), ""
		case strings.Contains(err.Error(), "out of range"):
			wrong = noSuchDate
		}
	}
	return nil, wrong
}

// splitList splits a string into a list: by a separator, as the ends of a range, or as a list in Python notation. Other
// strings are single values.
func splitList(text, how string) (entries []string, wrong string) {
	switch m := rangeText.FindStringSubmatch(text); {
	case how == "range" && m != nil:
		return m[1:], ""
	case how == "python" && strings.ContainsAny(text[:1], "[({"):
		entries, ok := pythonList(text)
		if !ok {
			return nil, "is not a list such as ['a', 'b']"
		}
		return entries, ""
	case how != "range" && how != "python":
		return strings.Split(text, how), ""
	}
	return []string{text}, ""
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

// escapes replaces what Go does not escape.
var escapes = strings.NewReplacer(`\\`, `\\`, `\'`, "'", `\"`, `"`, `\/`, "/")

func unescape(s string) (string, bool) {
	var b strings.Builder
	for s = escapes.Replace(s); s != ""; {
		r, _, tail, err := strconv.UnquoteChar(s, 0)
		if err != nil {
			return "", false
		}
		b.WriteRune(r)
		s = tail
	}
	return b.String(), true
}

// The supported number formats: plain, shortened, and with grouped thousands.
var (
	plainForm   = regexp.MustCompile(`^[+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d{1,3})?$`)
	shortForm   = regexp.MustCompile(`^\d+(?:\.\d+)? ?[kKmMbB]$`) // 12.3k, 1.2M, 7B
	groupedForm = regexp.MustCompile(`^[+-]?[1-9]\d{0,2}(?:,\d{3})+(?:\.\d+)?$`)
	spacedForm  = regexp.MustCompile(`^[+-]?[1-9]\d{0,2}(?:[ '’\x{a0}\x{202f}]\d{3})+(?:[.,]\d+)?$`)
	spaces      = strings.NewReplacer(" ", "", "'", "", "’", "", "\u00a0", "", "\u202f", "")
)

// pointForm matches numbers whose separators can only be a decimal point and commas between thousands.
var pointForm = regexp.MustCompile(`^[+-]?(?:[1-9]\d{0,2}(?:,\d{3})+\.\d+|[1-9]\d{0,2}(?:,\d{3}){2,}|0\.\d+|\d+\.(?:\d{1,2}|\d{4,})|\d{4,}\.\d{3})(?: ?[kKmMbB])?$`)

const (
	notNumber     = "is not a number such as 5326, 5326.0 or 0.5"
	unknownAdvice = "; list it in input.missing if it means that the value is unknown, or replace it with values"
)

// number reads a string as a number: 5326.0 is 5326. It refuses ambiguous ones without input.decimal.
func (e *evaluator) number(text string) (any, string) {
	plain := strings.ReplaceAll(text, "\u2212", "-") // the minus sign
	if spacedForm.MatchString(plain) {
		plain = spaces.Replace(plain)
	}
	decimal, swapped := e.decimal, swapSeparators(plain)
	if decimal == "" && strings.Count(plain, ",")+strings.Count(plain, ".") > 1 {
		decimal = decimalOf(plain)
	}
	switch {
	case decimal == "" && (groupedForm.MatchString(plain) || groupedForm.MatchString(swapped)):
		return nil, `is ambiguous; set input.decimal to "." or ","`
	case decimal == ",":
		plain = swapped
	}
	if decimal != "" && groupedForm.MatchString(plain) {
		plain = strings.ReplaceAll(plain, ",", "")
	}
	if shortForm.MatchString(plain) {
		plain, _ = where.Amount(plain)
	}
	if !plainForm.MatchString(plain) {
		return nil, notNumber + e.advice(text)
	}
	return exactNumber(plain)
}

func swapSeparators(text string) string { return strings.NewReplacer(".", ",", ",", ".").Replace(text) }

// decimalOf returns the decimal separator of a number, or "" if its form does not show it.
func decimalOf(number string) string {
	switch {
	case pointForm.MatchString(number):
		return "."
	case pointForm.MatchString(swapSeparators(number)):
		return ","
	}
	return ""
}

// exactNumber reads an unambiguous number, such as a JSON number.
func exactNumber(text string) (any, string) {
	if !plainForm.MatchString(text) {
		return nil, notNumber + unknownAdvice
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

// numberText matches a number within a text.
var numberText = regexp.MustCompile(`[+\-\x{2212}]?\d+(?:[ '’\x{a0}\x{202f}]\d{3}\b)*(?:[.,]\d+)*(?:[eE][+-]?\d+)?`)

// rangeSign matches what stands between the ends of a range, at the end of a text.
var rangeSign = regexp.MustCompile(`(?:^|\s)(?:to|bis|à)\s*$|\s*(?:[-–—~…]|\.\.+)\s*$`)

// factor matches a letter that stands for thousands, millions or billions, and a currency after it.
var factor = regexp.MustCompile(`^[kKmMbB](\p{Sc}?)$`)

// unitsOf lists the texts that stand before and after the number of a text, or the ends of a range. It returns nil
// for other texts, such as 4/5. A letter for thousands, millions or billions is no unit, unless it is the declared one.
func unitsOf(text, declared string) (units []string) {
	parts := numberText.Split(text, -1)
	if len(parts) == 1 || len(parts) > 3 || len(parts) == 3 && strings.TrimSpace(parts[1]) != "" && !rangeSign.MatchString(parts[1]) {
		return nil
	}
	for _, part := range parts {
		if part = strings.TrimSpace(rangeSign.ReplaceAllString(part, "")); part != declared {
			part = factor.ReplaceAllString(part, "$1")
		}
		if part != "" && !slices.Contains(units, part) {
			units = append(units, part)
		}
	}
	return units
}

// withoutUnits removes units from a text, unless they are a part of a longer word or stand between digits.
func withoutUnits(text string, units []string) string {
	for _, unit := range units {
		first, _ := utf8.DecodeRuneInString(unit)
		last, _ := utf8.DecodeLastRuneInString(unit)
		for from := 0; ; {
			at := strings.Index(text[from:], unit)
			if at < 0 || unit == "" {
				break
			}
			before, _ := utf8.DecodeLastRuneInString(text[:from+at])
			after, _ := utf8.DecodeRuneInString(text[from+at+len(unit):])
			if unicode.IsLetter(first) && unicode.IsLetter(before) || unicode.IsLetter(last) && unicode.IsLetter(after) || unicode.IsDigit(before) && unicode.IsDigit(after) {
				from += at + len(unit)
				continue
			}
			text = text[:from+at] + text[from+at+len(unit):]
			from += at
		}
	}
	return text
}

func unitForm(units []string) string {
	if len(units) == 1 {
		return "unit: " + scalar(units[0])
	}
	return "unit: " + scalars(units)
}

// advice says how a mapping can make a number of a text.
func (e *evaluator) advice(text string) string {
	var steps []string
	if units := unitsOf(text, ""); units != nil {
		steps = append(steps, unitForm(units)+" (if all rows have it)")
	}
	for _, number := range numberText.FindAllString(text, 1) {
		if decimal := decimalOf(number); decimal != "" && decimal != e.decimal && (decimal == "," || e.decimal != "") {
			steps = append(steps, "input.decimal: "+scalar(decimal))
		}
	}
	if rangeText.MatchString(withoutUnits(text, unitsOf(text, ""))) {
		steps = append(steps, "list: range")
	}
	if steps == nil {
		return unknownAdvice
	}
	return "; to read it, set " + strings.Join(steps, " and ") + " in the mapping"
}

// amounts returns a size or duration with its numbers as files have them.
func (e *evaluator) amounts(text string) string {
	return numberText.ReplaceAllStringFunc(text, func(number string) string {
		if n, wrong := e.number(number); wrong == "" {
			return textOf(n)
		}
		return number
	})
}

// durationWords are other names of the units of durations.
var durationWords = map[string]string{"msec": "ms", "sec": "s", "secs": "s", "second": "s", "seconds": "s", "min": "m", "mins": "m", "minute": "m", "minutes": "m",
	"hr": "h", "hrs": "h", "hour": "h", "hours": "h", "day": "d", "days": "d", "week": "w", "weeks": "w"}

var letterWord = regexp.MustCompile(`[A-Za-z]{2,}`)

// shortDuration returns a duration as files have it: 1h30m for 1 h 30 min. It returns other texts unchanged.
func shortDuration(text string) string {
	short := letterWord.ReplaceAllStringFunc(strings.ReplaceAll(text, " ", ""), func(word string) string {
		word = strings.ToLower(word)
		return cmp.Or(durationWords[word], word)
	})
	if _, ok := kinds.ParseDuration(short); ok {
		return short
	}
	return text
}
