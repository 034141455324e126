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
	original := yamldoc.Parse(path, data, yamldoc.TextFields...)
	fields, ok := original.Fields()
	if !ok || len(original.Problems) > 0 {
		return nil, original.Report()
	}
	s := new(schema.Part)
	if isEntity(declared, path, fields) {
		s = schema.Of(declared, "entity").Part
	}
	text := bytes.TrimPrefix(data, []byte("\ufeff"))
	text = bytes.ReplaceAll(bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")), []byte("\r"), []byte("\n"))
	before, err := canonicalize(path, text, s)
	if err != nil {
		return nil, err
	}
	result := printLayout(before.root, s)
	after, err := canonicalize(path, result, s)
	if err != nil {
		return nil, refusal(original, nil, "the result would not be valid YAML")
	}
	switch field, lost := before.root.firstDifference(after.root, nil); {
	case lost != "":
		return nil, refusal(original, field, lost+" would change")
	case !reflect.DeepEqual(original.Value, after.value):
		return nil, refusal(original, nil, "a value would change")
	case !bytes.Equal(printLayout(after.root, s), result):
		return nil, refusal(original, nil, "formatting the result again would change it")
	}
	if r := lostCharacter(text, result); r != 0 {
		return nil, refusal(original, nil, fmt.Sprintf("one of its %q characters would be lost", r))
	}
	return result, nil
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

// canonicalForm is a formatted file.
type canonicalForm struct {
	root  *layout
	value any
}

func canonicalize(path string, text []byte, s *schema.Part) (*canonicalForm, error) {
	d := yamldoc.Parse(path, text, yamldoc.TextFields...)
	if _, ok := d.Fields(); !ok || len(d.Problems) > 0 {
		return nil, d.Report()
	}
	root, err := readLayout(d, string(text))
	if err != nil {
		return nil, err
	}
	root.hoistHeader()
	if len(s.Members.Names) > 0 {
		root.order(s)
		root.hoistHeader()
	}
	root.placeComments(true)
	root.chooseFlow(len(s.Members.Names) > 0, 0)
	return &canonicalForm{root, d.Value}, nil
}

// refusal returns the problem for a valid file that cannot be formatted.
func refusal(d *yamldoc.Document, field []string, why string) error {
	d.AddAt(field, false, yamldoc.Problem{Message: "cannot be formatted: " + why + "; write this part in a simpler way"})
	return d.Report()
}

// firstDifference describes the first difference between two layouts; it returns "" if there
// is none.
func (l *layout) firstDifference(o *layout, path []string) (field []string, what string) {
	comments := slices.Equal(l.headComments, o.headComments) && slices.Equal(l.footComments, o.footComments) && l.lineComment == o.lineComment
	switch {
	case l.name != o.name || l.named != o.named:
		return path, "the order of the fields"
	case l.kind != o.kind || l.raw != o.raw || l.text != o.text || len(l.items) != len(o.items):
		return path, "the value"
	case !comments:
		return path, "a comment"
	case l.flow != o.flow || l.blankBefore != o.blankBefore || !slices.Equal(l.block, o.block):
		return path, "the notation"
	}
	for i, item := range l.items {
		step := item.name
		if !item.named {
			step = fmt.Sprint(i)
		}
		if field, what := item.firstDifference(o.items[i], append(path[:len(path):len(path)], step)); what != "" {
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
