package yamlfmt

import (
	"slices"

	"kindex/builder/content/schema"
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

// order sorts the fields of an entity in the order of the schema, followed by unknown fields.
func (l *layout) order(s *schema.Part) {
	for _, item := range l.items {
		inner := s.Entry()
		if l.kind == mapping {
			inner = s.Member(item.name)
		}
		item.order(inner)
	}
	if l.kind != mapping || len(l.items) == 0 {
		return
	}
	rank := func(item *layout) int {
		if i := slices.Index(s.Members.Names, item.name); i >= 0 {
			return i
		}
		return len(s.Members.Names)
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
