package record

import (
	"cmp"
	"slices"
	"strings"

	"kindex/exports/jsonenc"
	"kindex/exports/kinds"
)

// Rest is what a file says in members that its index does not declare, or not in this form. It is not part
// of the record. It counts in the ids of changes, which therefore stay if the declarations change.
type Rest []RestValue

// RestValue is a value of Rest.
type RestValue struct {
	Path string // as the field of a change
	JSON []byte // the value as the file has it
}

// append appends the values as an object, in the order of their paths.
func (r Rest) append(dst []byte) []byte {
	dst = append(dst, '{')
	for i, v := range r {
		dst = jsonenc.AppendString(jsonenc.AppendComma(dst, i), v.Path)
		dst = append(append(dst, ':'), v.JSON...)
	}
	return append(dst, '}')
}

// DecodeRest decodes what AppendAuthored wrote.
func DecodeRest(object []byte) (r Rest) {
	for name, value := range jsonenc.Members(object) {
		r = append(r, RestValue{string(name), slices.Clone(value)})
	}
	return r
}

// AppendRest appends the values as AppendAuthored does.
func (e *Entity) AppendRest(dst []byte) []byte { return e.Rest.append(dst) }

// identifying returns the fields of an entity for the id of a change: in an order that does not depend on
// what its index declares, and with the values that the file has.
func (e *Entity) identifying(fields []fieldValue) []fieldValue {
	if e.Kinds == kinds.Default() || e.Kinds == nil {
		if len(e.Rest) == 0 {
			return fields // they are in this order
		}
	}
	list := make([]fieldValue, 0, len(fields)+len(e.Rest))
	for _, f := range fields {
		if f.section > factSection && f.section < offerSection-1 {
			f.section = identifyingSection(f.name)
		}
		list = append(list, f)
	}
	for _, v := range e.Rest {
		section := identifyingSection(v.Path)
		switch FieldGroup(v.Path) {
		case "links":
			section = linkSection
		case "signals":
			section = signalSection
		}
		list = slices.DeleteFunc(list, func(f fieldValue) bool { return f.name == v.Path })
		list = append(list, fieldValue{section: section, name: v.Path, value: v.JSON})
	}
	slices.SortStableFunc(list, func(a, b fieldValue) int {
		return cmp.Or(a.section-b.section, strings.Compare(a.name, b.name))
	})
	return list
}

// identifyingSection returns the section of a declared field: those of the built-in kinds come first, in
// their order.
func identifyingSection(path string) int {
	name, _, _ := strings.Cut(path, ".")
	fields := kinds.Default().Fields
	i := slices.IndexFunc(fields, func(f *kinds.Field) bool { return f.Name == name })
	if i < 0 {
		i = len(fields)
	}
	return factSection + 1 + i
}
