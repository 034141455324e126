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
	depth, quoted := 0, false
	for i := 0; i < len(b); i++ {
		switch c := b[i]; {
		case c == '\\' && quoted:
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '[' || c == '{':
			depth++
		case depth == 0 && (c == ']' || c == '}' || c == ',' || c == ':'):
			return i
		case c == ']' || c == '}':
			depth--
		}
	}
	return len(b)
}
