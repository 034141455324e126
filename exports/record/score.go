package record

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
)

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
