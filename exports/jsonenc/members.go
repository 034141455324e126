package jsonenc

import (
	"bytes"
	stdjson "encoding/json"
	"iter"
	"unique"

	"github.com/segmentio/encoding/json"
)

// Members yields the name and the value of each member of a JSON object that AppendJSON or
// AppendRow wrote: compact, valid, and with names that need no escapes. It only scans the
// bytes, so fields of a record can be selected without decoding it.
func Members(object []byte) iter.Seq2[[]byte, []byte] {
	return func(yield func(name, value []byte) bool) {
		i := 1 // after the opening brace
		for i < len(object) && object[i] == '"' {
			end := stringEnd(object, i)
			from := end + 1 // after the colon
			to := valueEnd(object, from)
			if !yield(object[i+1:end-1], object[from:to]) {
				return
			}
			i = to + 1 // after the comma or the closing brace
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

// Compact returns an object without the white space that AppendJSON and AppendRow never write, as Members
// needs it.
func Compact(object []byte) []byte {
	var out bytes.Buffer
	if stdjson.Compact(&out, object) != nil {
		return object // not valid: decoding it reports why
	}
	return out.Bytes()
}

// valueEnd returns the end of the value that starts at i.
func valueEnd(b []byte, i int) int {
	depth := 0
	for ; i < len(b); i++ {
		switch b[i] {
		case '"':
			i = stringEnd(b, i) - 1
		case '[', '{':
			depth++
		case ']', '}':
			if depth == 0 {
				return i
			}
			depth--
		case ',':
			if depth == 0 {
				return i
			}
		}
	}
	return i
}

// stringEnd returns the end of the string that starts at i, after its closing quote.
func stringEnd(b []byte, i int) int {
	for i++; ; i++ {
		n := bytes.IndexByte(b[i:], '"')
		if n < 0 {
			panic("jsonenc: a string has no end")
		}
		i += n
		escapes := 0
		for b[i-1-escapes] == '\\' {
			escapes++
		}
		if escapes%2 == 0 {
			return i + 1
		}
	}
}
