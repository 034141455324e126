package yamlfmt

import (
	"slices"
	"strings"

	"kindex/builder/content/schema"
	"kindex/builder/content/yamldoc"
)

// arrange decides how a file is written: the order of its fields, where its comments and blank lines are, and
// what is in brackets. s is the schema of entities, or empty for other files.
func arrange(root *yamldoc.Node, s *schema.Part) {
	entity := len(s.Members.Names) > 0
	hoistHeader(root)
	if entity {
		order(root, s)
		hoistHeader(root)
	}
	placeComments(root, true)
	chooseFlow(root, entity, 0)
}

// partOf returns the part of the schema for an item of a mapping or list.
func partOf(s *schema.Part, item *yamldoc.Node) *schema.Part {
	if item.Named {
		return s.Member(item.Name)
	}
	return s.Entry()
}

// hasComments reports whether a mapping or list contains a comment and therefore cannot be
// written on one line.
func hasComments(n *yamldoc.Node) bool {
	return len(n.Foot) > 0 || slices.ContainsFunc(n.Items, func(item *yamldoc.Node) bool {
		return len(item.Head) > 0 || item.Comment != "" || item.Block != nil || hasComments(item)
	})
}

// order sorts the fields of an entity in the order of the schema, followed by unknown fields.
func order(n *yamldoc.Node, s *schema.Part) {
	for _, item := range n.Items {
		order(item, partOf(s, item))
	}
	if n.Kind != yamldoc.Mapping || len(n.Items) == 0 {
		return
	}
	rank := func(item *yamldoc.Node) int {
		if i := slices.Index(s.Members.Names, item.Name); i >= 0 {
			return i
		}
		return len(s.Members.Names)
	}
	first := n.Items[0]
	gap := first.BlankBefore // separates the comments at the top from the first field
	slices.SortStableFunc(n.Items, func(a, b *yamldoc.Node) int { return rank(a) - rank(b) })
	if n.Items[0] != first {
		first.BlankBefore, n.Items[0].BlankBefore = false, gap
	}
}

// placeComments places comments and blank lines once the order of the fields is known: comments
// on the first item of a list entry move above the entry's dash, and a blank line at the start
// of a mapping or list is dropped.
func placeComments(n *yamldoc.Node, top bool) {
	for i, item := range n.Items {
		placeComments(item, false)
		if len(item.Items) > 0 && !item.Named {
			item.Head = append(item.Head, item.Items[0].Head...)
			item.Items[0].Head = nil
		}
		if i == 0 && (!top || len(n.Head) == 0) {
			item.BlankBefore = false
		}
	}
}

// chooseFlow decides what is written in brackets. In entity files, these are lists of single
// values and nested mappings; in other files, they are the values that the author wrote in
// brackets. A value that contains a comment is never written in brackets, since there would be
// no room for the comment.
func chooseFlow(n *yamldoc.Node, entity bool, depth int) {
	words := true
	for _, item := range n.Items {
		chooseFlow(item, entity, depth+1)
		words = words && (item.Kind == yamldoc.Scalar || len(item.Items) == 0)
	}
	if n.Kind == yamldoc.Scalar {
		return
	}
	written := n.Flow
	if entity {
		n.Flow = words && (n.Kind == yamldoc.Sequence || depth > 1)
	}
	n.Flow = len(n.Items) == 0 || n.Flow && depth > 0 && !hasComments(n)
	for _, item := range n.Items {
		if written && !n.Flow {
			item.BlankBefore, item.CommentColumn = false, 0 // the value is no longer on one line
		}
		switch {
		case n.Flow:
			item.BlankBefore = false
			if item.Raw && item.Text == "" {
				item.Text = "null" // an empty value is easy to overlook
			}
		case !item.Named && item.Kind != yamldoc.Scalar && !item.Flow && item.Comment != "":
			item.Head, item.Comment = append(item.Head, item.Comment), "" // the first field is on the same line as the dash
		}
	}
}

// hoistHeader moves comments about the whole file from the first field to the root: the
// modeline, which specifies the file's schema for editors, and comments followed by a blank line. These
// comments then stay at the top even if the first field moves.
func hoistHeader(root *yamldoc.Node) {
	if len(root.Items) == 0 {
		return
	}
	first := root.Items[0]
	isModeline := func(s string) bool { return strings.HasPrefix(s, "# yaml-language-server:") }
	for i := len(first.Head) - 1; i >= 0; i-- {
		if first.Head[i] == "" {
			if len(root.Head) > 0 && first.BlankBefore {
				root.Head = append(root.Head, "")
			}
			root.Head = append(root.Head, first.Head[:i]...)
			first.Head, first.BlankBefore = first.Head[i+1:], true
			break
		}
	}
	if i := slices.IndexFunc(first.Head, isModeline); i >= 0 && !slices.ContainsFunc(root.Head, isModeline) {
		first.BlankBefore = len(root.Head) > 0
		root.Head = append(root.Head, first.Head[i])
		first.Head = slices.Delete(slices.Clone(first.Head), i, i+1)
	}
	if i := slices.IndexFunc(root.Head, isModeline); i > 0 {
		line := root.Head[i]
		root.Head = append([]string{line}, slices.Delete(slices.Clone(root.Head), i, i+1)...)
	}
	root.Head = slices.CompactFunc(root.Head, func(a, b string) bool { return a == "" && b == "" })
	if n := len(root.Head); n > 0 && root.Head[n-1] == "" {
		root.Head = root.Head[:n-1]
	}
}
