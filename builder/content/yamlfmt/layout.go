package yamlfmt

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"kindex/builder/content/schema"
	"kindex/exports/kinds"
)

// layout describes how a value is written in a file: a leaf, a mapping or a list, with its
// comments. Compose creates a layout from values, and Format creates one from a file.
type layout struct {
	name  string // the field's name, if the value is that of a field
	named bool   // set for a field, but not for a list entry or the document

	kind  layoutKind
	text  string   // leaf: the value if it is a string, otherwise the value as written
	raw   bool     // leaf that is not a string: a number, true, false or null
	block []string // leaf written as a block (> or |): the header, then the lines

	items []*layout
	flow  bool // written in brackets, on one line

	blankBefore   bool     // whether a blank line precedes it
	headComments  []string // comments above it; "" is a blank line between them
	lineComment   string   // comment after it
	commentColumn int      // preferred column of lineComment, or 0 if there is none
	footComments  []string // comments below the items, in the items' column
}

type layoutKind int

const (
	scalar layoutKind = iota
	mapping
	sequence
)

// hasComments reports whether a mapping or list contains a comment and therefore cannot be
// written on one line.
func (l *layout) hasComments() bool {
	return len(l.footComments) > 0 || slices.ContainsFunc(l.items, func(item *layout) bool {
		return len(item.headComments) > 0 || item.lineComment != "" || item.block != nil || item.hasComments()
	})
}

// shape is the part of a schema that the printer needs: the order of the fields, and which
// strings are dates.
type shape struct {
	Properties shapes
	Items      *shape
	Ref        string `json:"$ref"`
}

// shapes contains the fields of a schema, in order.
type shapes struct {
	names []string
	of    map[string]*shape
}

// UnmarshalJSON implements json.Unmarshaler.
func (s *shapes) UnmarshalJSON(b []byte) error {
	dec := json.NewDecoder(bytes.NewReader(b))
	if _, err := dec.Token(); err != nil {
		return err
	}
	s.of = map[string]*shape{}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return err
		}
		name, member := fmt.Sprint(key), new(shape)
		if err := dec.Decode(member); err != nil {
			return err
		}
		s.names, s.of[name] = append(s.names, name), member
	}
	return nil
}

// shapes of entity files, *shape by *kinds.Set.
var entityShapes sync.Map

// entityShape returns the shape of the entity files of an index.
func entityShape(declared *kinds.Set) *shape {
	if made, ok := entityShapes.Load(declared); ok {
		return made.(*shape)
	}
	data, err := schema.JSON("entity", declared)
	s := new(shape)
	if err == nil {
		err = json.Unmarshal(data, s)
	}
	if err != nil {
		panic(fmt.Sprintf("content: schema entity: %v", err)) // cannot happen, since the schema is embedded
	}
	entityShapes.Store(declared, s)
	return s
}

// field returns the shape of a field. It is empty if the schema does not have the field.
func (s *shape) field(name string) *shape {
	if member := s.Properties.of[name]; member != nil {
		return member
	}
	return new(shape)
}

func (s *shape) entry() *shape {
	if s.Items != nil {
		return s.Items
	}
	return new(shape)
}

// isDate reports whether strings of this shape are days or months, which are written
// unquoted.
func (s *shape) isDate() bool {
	return strings.HasSuffix(s.Ref, "/date") || strings.HasSuffix(s.Ref, "/month") || strings.HasSuffix(s.Ref, "/period")
}

// order sorts the fields of an entity in the order of the schema, followed by unknown fields.
func (l *layout) order(s *shape) {
	for _, item := range l.items {
		inner := s.entry()
		if l.kind == mapping {
			inner = s.field(item.name)
		}
		item.order(inner)
	}
	if l.kind != mapping || len(l.items) == 0 {
		return
	}
	rank := func(item *layout) int {
		if i := slices.Index(s.Properties.names, item.name); i >= 0 {
			return i
		}
		return len(s.Properties.names)
	}
	first := l.items[0]
	gap := first.blankBefore // separates the comments at the top from the first field
	slices.SortStableFunc(l.items, func(a, b *layout) int { return rank(a) - rank(b) })
	if l.items[0] != first {
		first.blankBefore, l.items[0].blankBefore = false, gap
	}
}

// placeComments places comments and blank lines once the order of the fields is known: comments
// on the first item of a list entry move above the entry's dash, and a blank line at the start
// of a mapping or list is dropped.
func (l *layout) placeComments(top bool) {
	for i, item := range l.items {
		item.placeComments(false)
		if len(item.items) > 0 && !item.named {
			item.headComments = append(item.headComments, item.items[0].headComments...)
			item.items[0].headComments = nil
		}
		if i == 0 && (!top || len(l.headComments) == 0) {
			item.blankBefore = false
		}
	}
}

// chooseFlow decides what is written in brackets. In entity files, these are lists of single
// values and nested mappings; in other files, they are the values that the author wrote in
// brackets. A value that contains a comment is never written in brackets, since there would be
// no room for the comment.
func (l *layout) chooseFlow(entity bool, depth int) {
	words := true
	for _, item := range l.items {
		item.chooseFlow(entity, depth+1)
		words = words && (item.kind == scalar || len(item.items) == 0)
	}
	if l.kind == scalar {
		return
	}
	written := l.flow
	if entity {
		l.flow = words && (l.kind == sequence || depth > 1)
	}
	l.flow = len(l.items) == 0 || l.flow && depth > 0 && !l.hasComments()
	for _, item := range l.items {
		if written && !l.flow {
			item.blankBefore, item.commentColumn = false, 0 // the value is no longer on one line
		}
		switch {
		case l.flow:
			item.blankBefore = false
			if item.raw && item.text == "" {
				item.text = "null" // an empty value is easy to overlook
			}
		case !item.named && item.kind != scalar && !item.flow && item.lineComment != "":
			item.headComments, item.lineComment = append(item.headComments, item.lineComment), "" // the first field is on the same line as the dash
		}
	}
}
