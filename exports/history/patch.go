package history

import (
	"bytes"

	"kindex/exports/jsonenc"
)

// AppendPatch appends the JSON merge patch (RFC 7386) that turns one compact object into another. A member
// that is null counts as missing: a merge patch cannot tell them apart, and neither can a reader of records.
func AppendPatch(dst, from, to []byte) []byte {
	had := map[string][]byte{}
	for name, value := range jsonenc.Members(from) {
		if !isNull(value) {
			had[string(name)] = value
		}
	}
	dst = append(dst, '{')
	add := func(name string, value []byte) { dst = append(jsonenc.AppendMember(dst, name), value...) }
	for member, value := range jsonenc.Members(to) {
		name := string(member)
		before, known := had[name]
		switch {
		case isNull(value):
			if known {
				add(name, value)
			}
		case !known:
			add(name, value)
		case isObject(before) && isObject(value):
			if !bytes.Equal(before, value) {
				add(name, AppendPatch(nil, before, value))
			}
		case !bytes.Equal(before, value):
			add(name, value)
		}
		delete(had, name)
	}
	for member := range jsonenc.Members(from) { // in their order, not in that of the map
		if _, gone := had[string(member)]; gone {
			add(string(member), null)
		}
	}
	return append(dst, '}')
}

// AppendPatched appends a compact object to which a merge patch is applied.
func AppendPatched(dst, object, patch []byte) []byte {
	changed := map[string][]byte{}
	for name, value := range jsonenc.Members(patch) {
		changed[string(name)] = value
	}
	dst = append(dst, '{')
	add := func(name, before, value []byte) {
		switch {
		case isNull(value):
		case isObject(value) && before != nil:
			dst = AppendPatched(jsonenc.AppendMember(dst, string(name)), before, value)
		default:
			dst = append(jsonenc.AppendMember(dst, string(name)), value...)
		}
	}
	for name, value := range jsonenc.Members(object) {
		to, known := changed[string(name)]
		switch {
		case !known:
			add(name, nil, value)
		case isObject(value):
			add(name, value, to)
		default:
			add(name, []byte("{}"), to)
		}
		delete(changed, string(name))
	}
	for name, value := range jsonenc.Members(patch) {
		if _, added := changed[string(name)]; added {
			add(name, []byte("{}"), value)
		}
	}
	return append(dst, '}')
}

var null = []byte("null")

func isNull(value []byte) bool   { return bytes.Equal(value, null) }
func isObject(value []byte) bool { return len(value) > 0 && value[0] == '{' }
