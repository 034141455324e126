package history

import (
	"bytes"
	"maps"
	"slices"

	"kindex/exports/jsonenc"
)

var null = []byte("null")

func isObject(value []byte) bool { return len(value) > 0 && value[0] == '{' }

// members returns the members of a compact object. A member that is null counts as missing: a merge patch cannot
// tell them apart, and neither can a reader of records.
func members(object []byte) map[string][]byte {
	m := map[string][]byte{}
	if isObject(object) {
		for name, value := range jsonenc.Members(object) {
			if !bytes.Equal(value, null) {
				m[string(name)] = value
			}
		}
	}
	return m
}

// object is the inverse of members.
func object(members map[string][]byte) []byte {
	dst := []byte{'{'}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		dst = append(jsonenc.AppendMember(dst, name), members[name]...)
	}
	return append(dst, '}')
}

// diff returns the JSON merge patch (RFC 7386) that turns one compact object into another.
func diff(from, to []byte) []byte {
	before, patch := members(from), members(to)
	for name, was := range before {
		switch value, known := patch[name]; {
		case !known:
			patch[name] = null
		case bytes.Equal(was, value):
			delete(patch, name)
		case isObject(was) && isObject(value):
			patch[name] = diff(was, value)
		}
	}
	return object(patch)
}

// patched returns a compact object to which a merge patch is applied.
func patched(to, patch []byte) []byte {
	all := members(to)
	for name, value := range jsonenc.Members(patch) {
		switch {
		case bytes.Equal(value, null):
			delete(all, string(name))
		case isObject(value):
			all[string(name)] = patched(all[string(name)], value)
		default:
			all[string(name)] = value
		}
	}
	return object(all)
}
