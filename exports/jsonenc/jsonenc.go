// Package jsonenc writes JSON deterministically and splits objects into members.
package jsonenc

import (
	"bytes"
	stdjson "encoding/json"
	"fmt"
	"iter"
	"math"
	"strconv"
	"unique"

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

// Members yields the name and the value of each member of a JSON object that AppendJSON or
// AppendRow wrote: compact, valid, and with names that need no escapes. It only scans the
// bytes, so fields of a record can be selected without decoding it.
func Members(object []byte) iter.Seq2[[]byte, []byte] {
	return func(yield func(name, value []byte) bool) {
		for from := 1; from < len(object) && object[from] == '"'; { // after the brace or a comma
			colon := from + valueEnd(object[from:])
			to := colon + 1 + valueEnd(object[colon+1:])
			if !yield(object[from+1:colon-1], object[colon+1:to]) {
				return
			}
			from = to + 1
		}
	}
}

// DecodeMembers calls decode for each member of an object that is compact and valid, and returns its first
// error. The names are shared by all objects. null has no members.
func DecodeMembers(object []byte, decode func(name string, value []byte) error) error {
	if object[0] != '{' {
		return Decode(object, new(struct{}))
	}
	for name, value := range Members(object) {
		if err := decode(unique.Make(string(name)).Value(), value); err != nil {
			return err
		}
	}
	return nil
}

// Decode is a faster json.Unmarshal.
func Decode(value []byte, to any) error { return json.Unmarshal(value, to) }

// Borrow is like Decode, but texts and raw values stay parts of value, for callers that copy only some.
func Borrow(value []byte, to any) error {
	rest, err := json.Parse(value, to, json.ZeroCopy)
	if err == nil && len(rest) > 0 {
		err = fmt.Errorf("expected the end, got %.20q", rest)
	}
	return err
}

// Compact returns an object without the white space that AppendJSON and AppendRow never write, as Members
// needs it.
func Compact(object []byte) []byte {
	var out bytes.Buffer
	if stdjson.Compact(&out, object) != nil {
		return object // not valid: decoding it reports why
	}
	return out.Bytes()
}

// valueEnd returns the end of the name or value at the start of b.
func valueEnd(b []byte) int {
	depth := 0
	for i := 0; i < len(b); i++ {
		switch c := b[i]; c {
		case '"':
			i = closingQuote(b, i)
		case '[', '{':
			depth++
		case ']', '}', ',', ':':
			if depth == 0 {
				return i
			}
			if c == ']' || c == '}' {
				depth--
			}
		}
	}
	return len(b)
}

// closingQuote returns where the string that starts at i ends.
func closingQuote(b []byte, i int) int {
	for {
		n := bytes.IndexByte(b[i+1:], '"')
		if n < 0 {
			return len(b)
		}
		i += n + 1
		escapes := 0
		for b[i-1-escapes] == '\\' {
			escapes++
		}
		if escapes%2 == 0 {
			return i
		}
	}
}
