// Package yamlfmt writes content files in one form: it formats files, composes them of
// values, and merges new values into them without losing a comment.
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
	"kindex/exports/record"
)

// Format returns the form in which a content file should be written: fields of
// entities in the order of the schema, two spaces of indentation, quotes where
// YAML needs them, no more than one blank line in a row. All data and all
// comments stay; a file that is in this form already is returned as it is.
// path tells what kind of file it is, and stands in messages.
//
// What is not right YAML, or uses a form that content files do not have, is
// refused with Problems, and so is a file that could not be written without
// losing something. The schema is not asked: a file with an unknown field or a
// wrong value can be formatted.
func Format(path string, data []byte) ([]byte, error) {
	original := yamldoc.Parse(path, data, yamldoc.VersionField)
	fields, ok := original.Fields()
	if !ok || len(original.Problems) > 0 {
		return nil, original.Report()
	}
	s := new(shape)
	if isEntity(path, fields) {
		s = entityShape()
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
		return nil, refusal(original, nil, "the result would not be right YAML")
	}
	switch field, lost := before.root.firstDifference(after.root, nil); {
	case lost != "":
		return nil, refusal(original, field, lost+" would not stay as it is")
	case !reflect.DeepEqual(original.Value, after.value):
		return nil, refusal(original, nil, "a value would not stay as it is")
	case !bytes.Equal(printLayout(after.root, s), result):
		return nil, refusal(original, nil, "formatting the result once more would change it again")
	}
	if r := lostCharacter(text, result); r != 0 {
		return nil, refusal(original, nil, fmt.Sprintf("one of its characters %q would be lost", r))
	}
	return result, nil
}

// isEntity tells whether a file is the file of an entity: by its place, and
// where that says nothing by its fields.
func isEntity(path string, fields map[string]any) bool {
	path = filepath.ToSlash(path)
	switch {
	case slices.Contains(record.Types, pathpkg.Base(pathpkg.Dir(path))):
		return true
	case slices.Contains(schema.RootFiles, pathpkg.Base(path)):
		return false
	}
	return fields["name"] != nil
}

// canonicalForm is a file in the form that Format gives to it.
type canonicalForm struct {
	root  *layout
	value any
}

func canonicalize(path string, text []byte, s *shape) (*canonicalForm, error) {
	d := yamldoc.Parse(path, text, yamldoc.VersionField)
	if _, ok := d.Fields(); !ok || len(d.Problems) > 0 {
		return nil, d.Report()
	}
	root, err := readLayout(d, string(text))
	if err != nil {
		return nil, err
	}
	root.hoistHeader()
	if s == entityShape() {
		root.order(s)
		root.hoistHeader()
	}
	root.placeComments(true)
	root.chooseFlow(s == entityShape(), 0)
	return &canonicalForm{root, d.Value}, nil
}

// refusal is why a file that is right is left alone all the same.
func refusal(d *yamldoc.Document, field []string, why string) error {
	d.AddAt(field, false, yamldoc.Problem{Message: "cannot be formatted: " + why + "; write this part in a simpler way"})
	return d.Report()
}

// firstDifference names the first thing that two layouts do not have in common, "" for
// none.
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
		return path, "the form"
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

// lostCharacter finds a letter, a digit or a # that a file holds more often before
// than after, 0 where there is none. It knows nothing of YAML, so that it does
// not share a mistake with the parser.
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
