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
	original := yamldoc.Parse(path, data, yamldoc.TextFields...)
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
		return nil, nil, refusal(original, nil, "the result would not be valid YAML")
	}
	switch field, lost := firstDifference(before, after, nil); {
	case lost != "":
		return nil, nil, refusal(original, field, lost+" would change")
	case !reflect.DeepEqual(original.Value, after.Value()):
		return nil, nil, refusal(original, nil, "a value would change")
	case !bytes.Equal(printFile(after, s), result):
		return nil, nil, refusal(original, nil, "formatting the result again would change it")
	}
	if r := lostCharacter(text, result); r != 0 {
		return nil, nil, refusal(original, nil, fmt.Sprintf("one of its %q characters would be lost", r))
	}
	return result, after, nil
}

// isEntity reports whether a file is an entity file, based on its path or, if the path is
// inconclusive, on its fields.
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
	d := yamldoc.Parse(path, text, yamldoc.TextFields...)
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
func refusal(d *yamldoc.Document, field []string, why string) error {
	d.AddAt(field, false, yamldoc.Problem{Message: "cannot be formatted: " + why + "; write this part in a simpler way"})
	return d.Report()
}

// firstDifference describes the first difference between two nodes; it returns "" if there
// is none.
func firstDifference(a, b *yamldoc.Node, path []string) (field []string, what string) {
	switch {
	case a.Name != b.Name || a.Named != b.Named:
		return path, "the order of the fields"
	case a.Kind != b.Kind || a.Raw != b.Raw || a.Text != b.Text || len(a.Items) != len(b.Items):
		return path, "the value"
	case !slices.Equal(a.Head, b.Head) || !slices.Equal(a.Foot, b.Foot) || a.Comment != b.Comment:
		return path, "a comment"
	case a.Flow != b.Flow || a.BlankBefore != b.BlankBefore || !slices.Equal(a.Block, b.Block):
		return path, "the notation"
	}
	for i, item := range a.Items {
		if field, what := firstDifference(item, b.Items[i], step(path, item, i)); what != "" {
			return field, what
		}
	}
	return nil, ""
}

var indentNumber = regexp.MustCompile(`[|>][-+]?[1-9]`)

// lostCharacter returns a letter, digit or # that occurs more often before formatting than after
// it, or 0 if there is none. It does not parse YAML, so bugs in the parser do not affect it.
func lostCharacter(before, after []byte) rune {
	escapes := bytes.IndexByte(before, '\\') >= 0
	numbers := indentNumber.Match(before)
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
