package record

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Price is an amount of US dollars with at most six decimals, or unknown. The zero value
// is unknown, so that a missing price never looks like a free one.
type Price struct{ code int64 } // millionths of a dollar + 1

// MaxPrice is the bound below which an amount in dollars must be: up to there, every
// price is exact as a float64.
const MaxPrice = 1e9

// PriceOf returns a price in millionths of a dollar. It panics if micros is negative or
// not below MaxPrice.
func PriceOf(micros int64) Price {
	if micros < 0 || micros >= MaxPrice*1e6 {
		panic(fmt.Sprintf("record: %d is not a price", micros))
	}
	return Price{micros + 1}
}

// RoundPrice returns the price nearest to an amount in dollars, and reports whether it is
// exact: whether the amount has at most six decimals. It returns an error if the amount is
// negative, not a number, or not below MaxPrice.
func RoundPrice(dollars float64) (p Price, exact bool, err error) {
	if !(dollars >= 0 && dollars < MaxPrice-1) {
		return Price{}, false, fmt.Errorf("%v is not a price (expected 0 or more, below %d)", dollars, int64(MaxPrice))
	}
	p = PriceOf(int64(math.Round(dollars * 1e6)))
	return p, p.Float() == dollars, nil
}

// TakePrice is like RoundPrice, but returns an error if rounding changes the amount by more than a
// thousandth: such a price cannot be stated.
func TakePrice(dollars float64) (p Price, exact bool, err error) {
	p, exact, err = RoundPrice(dollars)
	if err == nil && math.Abs(p.Float()-dollars) > dollars/1000 {
		err = fmt.Errorf("%s is too small: rounded to six decimals, it would change by more than a thousandth", strconv.FormatFloat(dollars, 'f', -1, 64))
	}
	return p, exact, err
}

// ParsePrice parses an amount in dollars, written with digits and a decimal point: below
// MaxPrice, with at most six decimals. The result is exact.
func ParsePrice(text string) (Price, error) {
	whole, decimals, point := strings.Cut(text, ".")
	digits := whole + decimals
	switch {
	case whole == "" || point && decimals == "" || strings.Trim(digits, "0123456789") != "":
		return Price{}, errors.New("is not an amount in dollars, such as 2.5")
	case len(decimals) > 6:
		return Price{}, errors.New("has more than six decimals")
	}
	micros, err := strconv.ParseInt(digits+strings.Repeat("0", 6-len(decimals)), 10, 64)
	if err != nil || micros >= MaxPrice*1e6 {
		return Price{}, fmt.Errorf("is not below %d", int64(MaxPrice))
	}
	return PriceOf(micros), nil
}

// Known reports whether the price is known.
func (p Price) Known() bool { return p.code > 0 }

// Micros returns the price in millionths of a dollar, or 0 if it is unknown.
func (p Price) Micros() int64 { return max(p.code-1, 0) }

// Float returns the price in dollars, or 0 if it is unknown.
func (p Price) Float() float64 {
	return float64(p.Micros()) / 1e6 // both are exact, so this is the number nearest to the decimal
}

// String returns the price in dollars without trailing zeros, or "" if it is unknown.
func (p Price) String() string {
	if !p.Known() {
		return ""
	}
	return strconv.FormatFloat(p.Float(), 'f', -1, 64) // exact: see MaxPrice
}

// AppendJSON appends the price in dollars as a number, or null.
func (p Price) AppendJSON(dst []byte) []byte {
	return append(dst, cmp.Or(p.String(), "null")...)
}

// MarshalJSON encodes the price in dollars as a number, or null.
func (p Price) MarshalJSON() ([]byte, error) { return p.AppendJSON(nil), nil }

// UnmarshalJSON decodes a number of dollars, or null. More than six decimals are an error.
func (p *Price) UnmarshalJSON(b []byte) error {
	*p = Price{}
	if string(b) == "null" {
		return nil
	}
	x, err := strconv.ParseFloat(string(b), 64)
	if err != nil {
		return fmt.Errorf("%s is not a price", b)
	}
	price, exact, err := RoundPrice(x)
	switch {
	case err != nil:
		return err
	case !exact:
		return fmt.Errorf("%s has more than six decimals", b)
	}
	*p = price
	return nil
}

// Score is a number from 0 to 100 with one decimal, or null. The zero value is
// null, so that a missing score never looks like a bad one. A build holds the scores of
// many days, so a score takes two bytes.
type Score struct {
	plusOne uint16 // in tenths of a point, plus one; 0 is null
}

// ScoreOf rounds x to one decimal, half away from zero. It panics if x is not from
// 0 to 100: scores are computed, so such a value is a bug.
func ScoreOf(x float64) Score {
	if !(x >= 0 && x <= 100) {
		panic(fmt.Sprintf("record: %v is not a score", x))
	}
	return Score{plusOne: uint16(math.Round(x*10)) + 1}
}

// Known reports whether the score is not null.
func (s Score) Known() bool { return s.plusOne > 0 }

// Float returns the score as a number, or 0 for null.
func (s Score) Float() float64 { return float64(s.Tenths()) / 10 }

// Tenths returns the score in tenths of a point, or 0 for null.
func (s Score) Tenths() int16 { return max(s.Code(), 0) }

// Compare returns -1, 0 or 1, depending on the order of the two values. Null is
// less than every number.
func (s Score) Compare(t Score) int { return cmp.Compare(s.Code(), t.Code()) }

// Code returns the score in tenths of a point, or -1 for null.
func (s Score) Code() int16 { return int16(s.plusOne) - 1 }

// String returns the score with exactly one decimal, or "" for null.
func (s Score) String() string {
	if !s.Known() {
		return ""
	}
	return strconv.FormatFloat(s.Float(), 'f', 1, 64)
}

// AppendJSON appends the number, or null.
func (s Score) AppendJSON(dst []byte) []byte {
	return append(dst, cmp.Or(s.String(), "null")...)
}

// MarshalJSON encodes the number, or null.
func (s Score) MarshalJSON() ([]byte, error) { return s.AppendJSON(nil), nil }

// UnmarshalJSON decodes what MarshalJSON wrote.
func (s *Score) UnmarshalJSON(b []byte) error {
	if *s = (Score{}); string(b) == "null" {
		return nil
	}
	x, err := strconv.ParseFloat(string(b), 64)
	if err != nil || !(x >= 0 && x <= 100) {
		return fmt.Errorf("invalid score %s (expected a number from 0 to 100)", b)
	}
	*s = ScoreOf(x)
	return nil
}
