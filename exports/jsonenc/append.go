// Package jsonenc writes JSON deterministically and splits objects into members.
package jsonenc

import (
	"math"
	"strconv"

	"github.com/segmentio/encoding/json"
)

// AppendMember appends the name of a member, which must not need escapes, after a comma unless it is the
// first of its object.
func AppendMember(dst []byte, name string) []byte {
	if len(dst) > 0 && dst[len(dst)-1] != '{' {
		dst = append(dst, ',')
	}
	dst = append(append(dst, '"'), name...)
	return append(dst, '"', ':')
}

// AppendTexts appends members, given as their names and values in turn. Empty values become null.
func AppendTexts(dst []byte, members ...string) []byte {
	for i := 0; i < len(members); i += 2 {
		dst = AppendNullable(AppendMember(dst, members[i]), members[i+1])
	}
	return dst
}

// AppendComma appends the comma that is needed before every element but the first.
func AppendComma(dst []byte, i int) []byte {
	if i > 0 {
		dst = append(dst, ',')
	}
	return dst
}

// AppendNullable appends a string, or null if the string is empty.
func AppendNullable(dst []byte, s string) []byte {
	if s == "" {
		return append(dst, "null"...)
	}
	return AppendString(dst, s)
}

// AppendStrings appends an array of strings.
func AppendStrings(dst []byte, list []string) []byte {
	dst = append(dst, '[')
	for i, s := range list {
		dst = AppendComma(dst, i)
		dst = AppendString(dst, s)
	}
	return append(dst, ']')
}

// AppendNumber appends the shortest decimal that reads back as x, without an
// exponent for whole numbers below 2^53. NaN and infinities become null.
func AppendNumber(dst []byte, x float64) []byte {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return append(dst, "null"...)
	}
	if x == math.Trunc(x) && math.Abs(x) < 1<<53 {
		return strconv.AppendInt(dst, int64(x), 10)
	}
	return strconv.AppendFloat(dst, x, 'g', -1, 64)
}

// AppendString appends s as a JSON string. It escapes what JSON requires, and also the two
// line separators that were not allowed in older versions of JavaScript. Invalid UTF-8
// becomes U+FFFD. HTML is not escaped: records are data, and pages escape it themselves.
func AppendString(dst []byte, s string) []byte { return json.AppendEscape(dst, s, 0) }

// AppendValue appends a text, which may be empty for null, a number, a boolean, a list of texts or numbers, null for nil,
// or what appends itself.
func AppendValue(dst []byte, v any) []byte {
	switch v := v.(type) {
	case string:
		return AppendNullable(dst, v)
	case bool:
		return strconv.AppendBool(dst, v)
	case float64:
		return AppendNumber(dst, v)
	case []string:
		return AppendStrings(dst, v)
	case []float64:
		dst = append(dst, '[')
		for i, x := range v {
			dst = AppendNumber(AppendComma(dst, i), x)
		}
		return append(dst, ']')
	case interface{ AppendJSON(dst []byte) []byte }:
		return v.AppendJSON(dst)
	}
	return Append(dst, v)
}

// Append appends a value as encoding/json encodes it, but without escapes for HTML. Raw values in it must be compact
// JSON. It panics if the value cannot be encoded.
func Append(dst []byte, v any) []byte {
	dst, err := json.Append(dst, v, json.TrustRawMessage)
	if err != nil {
		panic("jsonenc: " + err.Error())
	}
	return dst
}

// OptionalString is a string that is encoded as null in JSON if it is empty.
type OptionalString string

// MarshalJSON encodes the string, or null if it is empty.
func (o OptionalString) MarshalJSON() ([]byte, error) { return AppendNullable(nil, string(o)), nil }
