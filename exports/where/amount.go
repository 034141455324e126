package where

import (
	"strconv"
	"strings"
	"unicode"

	"kindex/exports/kinds"
)

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
