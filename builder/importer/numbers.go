package importer

import (
	"cmp"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"kindex/exports/kinds"
	"kindex/exports/where"
)

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
