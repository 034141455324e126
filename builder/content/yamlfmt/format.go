// Package yamlfmt formats content files, composes them from values, and merges new values
// into them without losing comments.
package yamlfmt

import (
	"bytes"
	"fmt"
	pathpkg "path"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"kindex/builder/content/schema"
	"kindex/builder/content/yamldoc"
	"kindex/exports/kinds"
)

// Format returns a content file in the standard format: entity fields in the order of the
// schema, two spaces of indentation, quotes only where YAML needs them, and no consecutive blank
// lines. All data and comments are preserved. A file that is already formatted is returned
// unchanged. path determines the kind of file and is used in messages.
//
// Format returns Problems for invalid YAML, for YAML features that content files do not
// support, and for a file that cannot be formatted without losing something. It does not
// check the schema: a file with unknown fields or invalid values can be formatted.
func Format(declared *kinds.Set, path string, data []byte) ([]byte, error) {
	result, _, err := format(declared, path, data)
	return result, err
}

// format also returns the root of the formatted file.
func format(declared *kinds.Set, path string, data []byte) (result []byte, root *yamldoc.Node, err error) {
	original := yamldoc.Parse(path, data)
	fields, ok := original.Fields()
	if !ok || len(original.Problems) > 0 {
		return nil, nil, original.Report()
	}
	s := new(schema.Part)
	if isEntity(declared, path, fields) {
		s = schema.Of(declared, "entity").Part
	}
	text := bytes.TrimPrefix(data, []byte("\ufeff"))
	text = bytes.ReplaceAll(bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")), []byte("\r"), []byte("\n"))
	before, err := arranged(path, text, s)
	if err != nil {
		return nil, nil, err
	}
	result = printFile(before, s)
	after, err := arranged(path, result, s)
	if err != nil {
		return nil, nil, refusal(original, "the result would not be valid YAML")
	}
	switch r := lostCharacter(text, result); {
	case !reflect.DeepEqual(original.Value, after.Value()):
		return nil, nil, refusal(original, "a value would change")
	case !slices.Equal(commentsOf(before, nil), commentsOf(after, nil)):
		return nil, nil, refusal(original, "a comment would change")
	case !bytes.Equal(printFile(after, s), result):
		return nil, nil, refusal(original, "formatting the result again would change it")
	case r != 0:
		return nil, nil, refusal(original, fmt.Sprintf("one of its %q characters would be lost", r))
	}
	return result, after, nil
}

// isEntity reports whether a file is an entity file, based on its path or else on its fields.
func isEntity(declared *kinds.Set, path string, fields map[string]any) bool {
	path = filepath.ToSlash(path)
	switch {
	case declared.Kind(pathpkg.Base(pathpkg.Dir(path))) != nil:
		return true
	case slices.Contains(schema.RootFiles, pathpkg.Base(path)):
		return false
	}
	return fields["name"] != nil
}

// arranged returns the root of a file as it is to be written.
func arranged(path string, text []byte, s *schema.Part) (*yamldoc.Node, error) {
	d := yamldoc.Parse(path, text)
	if _, ok := d.Fields(); !ok {
		return nil, d.Report()
	}
	root := d.Commented()
	if root == nil {
		return nil, d.Report()
	}
	arrange(root, s)
	return root, nil
}

// refusal returns the problem for a valid file that cannot be formatted.
func refusal(d *yamldoc.Document, why string) error {
	d.Fail(nil, "cannot be formatted: "+why+"; write this part in a simpler way")
	return d.Report()
}

var indentNumber = regexp.MustCompile(`[|>][-+]?[1-9]`)

// lostCharacter returns a letter, digit or # that occurs more often before formatting than after
// it, or 0 if there is none. It does not parse YAML, so bugs in the parser do not affect it.
func lostCharacter(before, after []byte) rune {
	escapes, numbers := bytes.IndexByte(before, '\\') >= 0, indentNumber.Match(before)
	count := map[rune]int{}
	for _, r := range string(before) {
		switch {
		case r < unicode.MaxASCII && r != '#' && escapes, unicode.IsDigit(r) && numbers:
		case r == '#' || unicode.IsLetter(r) || unicode.IsDigit(r):
			count[r]++
		}
	}
	for _, r := range string(after) {
		count[r]--
	}
	worst := rune(0)
	for r, n := range count {
		if n > 0 && (worst == 0 || r < worst) {
			worst = r
		}
	}
	return worst
}

// arrange decides the order of fields, the places of comments, and what is in brackets. s is empty for files of no entity.
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

func partOf(s *schema.Part, item *yamldoc.Node) *schema.Part {
	if item.Named {
		return s.Member(item.Name)
	}
	return s.Entry()
}

// hasComments reports whether a comment in a mapping or list forbids to write it on one line.
func hasComments(n *yamldoc.Node) bool {
	return len(n.Foot) > 0 || slices.ContainsFunc(n.Items, func(item *yamldoc.Node) bool {
		return isCommented(item.Head) || item.Comment != "" || item.Block != nil || hasComments(item)
	})
}

// isCommented reports whether there is a comment among lines.
func isCommented(lines []string) bool {
	return slices.ContainsFunc(lines, func(line string) bool { return line != "" })
}

// trimBlank returns lines without a blank one at the start.
func trimBlank(lines []string) []string {
	if len(lines) > 0 && lines[0] == "" {
		return lines[1:]
	}
	return lines
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
	rest := trimBlank(first.Head)
	gap := first.Head[:len(first.Head)-len(rest)] // separates the comments at the top from the first field
	slices.SortStableFunc(n.Items, func(a, b *yamldoc.Node) int { return rank(a) - rank(b) })
	if n.Items[0] != first {
		first.Head, n.Items[0].Head = rest, slices.Concat(gap, trimBlank(n.Items[0].Head))
	}
}

// placeComments moves comments on the first item of a list entry above the entry's dash, and drops blank lines at the
// start of mappings and lists, once the order of the fields is known.
func placeComments(n *yamldoc.Node, top bool) {
	for i, item := range n.Items {
		placeComments(item, false)
		if len(item.Items) > 0 && !item.Named {
			item.Head = append(item.Head, item.Items[0].Head...)
			item.Items[0].Head = nil
		}
		if i == 0 && (!top || len(n.Head) == 0) {
			item.Head = trimBlank(item.Head)
		}
	}
}

// chooseFlow decides what is written in brackets: in entity files, lists of single values and nested mappings; in others,
// what the author wrote so. A value that contains a comment is not, since there would be no room for it.
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
			item.Head, item.CommentColumn = trimBlank(item.Head), 0 // the value is no longer on one line
		}
		switch {
		case n.Flow && item.Raw && item.Text == "":
			item.Text = "null" // an empty value is easy to overlook
		case !item.Named && item.Kind != yamldoc.Scalar && !item.Flow && item.Comment != "":
			item.Head, item.Comment = append(item.Head, item.Comment), "" // the first field is on the same line as the dash
		}
	}
}

// hoistHeader moves comments about the whole file from the first field, which may move, to the root: the modeline, which
// names the schema for editors, and comments followed by a blank line.
func hoistHeader(root *yamldoc.Node) {
	if len(root.Items) == 0 {
		return
	}
	first := root.Items[0]
	isModeline := func(s string) bool { return strings.HasPrefix(s, "# yaml-language-server:") }
	for i := len(first.Head) - 1; i > 0; i-- {
		if first.Head[i] == "" {
			root.Head, first.Head = trimBlank(append(root.Head, first.Head[:i]...)), first.Head[i:]
			break
		}
	}
	if i := slices.IndexFunc(first.Head, isModeline); i >= 0 && !slices.ContainsFunc(root.Head, isModeline) {
		line, gap := first.Head[i], make([]string, min(len(root.Head), 1))
		first.Head = append(gap, trimBlank(slices.Delete(slices.Clone(first.Head), i, i+1))...)
		root.Head = append(root.Head, line)
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
