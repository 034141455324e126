package content

import (
	"errors"
	"slices"
	"strings"

	"kindex/exports/record"
)

// FieldError is a value of a field that no file can hold.
type FieldError struct {
	Field   string // with dots and brackets
	Message string
}

// Error names the field and says what is wrong with its value.
func (e *FieldError) Error() string { return e.Field + ": " + e.Message }

// ParseFields makes an entity of fields that come from elsewhere than a file:
// values as Compose takes them. They are checked by the rules of files, and data
// is the file that they make: Compose wrote it, ParseEntity accepts it. Blanks
// around texts, which mean nothing in a file, are gone. Problems have no place in
// a file that anybody has seen; what counts is their field. Where one of them is
// an error the entity and the file are nil. No YAML is parsed before the values
// have passed the schema, so that no input costs more than its size.
func ParseFields(path, typ, slug string, fields map[string]any) (*record.Entity, []byte, Problems) {
	d := &Document{Path: path, textual: VersionField, Faulty: map[string]bool{}}
	root, err := layoutOfFields(fields)
	if err != nil {
		d.blame(err)
		return nil, nil, d.Report()
	}
	d.Value = root.value()
	if _, ok := d.Fields(); !ok {
		return nil, nil, d.Report()
	}
	entitySchema().Check(d)
	d.checkEntity(decodeEntity(typ, slug, d.Value.(map[string]any)))
	if n, _ := d.Problems.Count(); n > 0 {
		return nil, nil, d.Report()
	}
	data, err := Compose(trimTexts(fields).(map[string]any))
	if err != nil {
		d.blame(err)
		return nil, nil, d.Report()
	}
	e, problems := ParseEntity(path, typ, slug, data)
	if e == nil {
		data = nil
	}
	return e, data, problems
}

// blame adds why values make no file.
func (d *Document) blame(err error) {
	var wrong *FieldError
	if errors.As(err, &wrong) {
		d.AddAt(nil, false, Problem{Field: wrong.Field, Message: wrong.Message})
		return
	}
	d.AddAt(nil, false, Problem{Message: err.Error()})
}

// trimTexts returns values without blanks around their texts.
func trimTexts(v any) any {
	switch v := v.(type) {
	case string:
		return strings.TrimSpace(v)
	case []string:
		list := make([]any, len(v))
		for i, item := range v {
			list[i] = trimTexts(item)
		}
		return list
	case []any:
		list := make([]any, len(v))
		for i, item := range v {
			list[i] = trimTexts(item)
		}
		return list
	case map[string]any:
		set := make(map[string]any, len(v))
		for name, item := range v {
			set[name] = trimTexts(item)
		}
		return set
	}
	return v
}

// Fields returns the values of the file of an entity, as JSON has them.
func Fields(data []byte) (map[string]any, error) {
	d := Parse("", data, VersionField)
	fields, ok := d.Fields()
	if !ok || len(d.Problems) > 0 {
		return nil, d.Report()
	}
	return fields, nil
}

// UnknownEntityField describes a field that the file of an entity does not have, nil
// for one that it has. more are further names that may stand where the field does.
func UnknownEntityField(name string, more ...string) *Problem {
	node := entitySchema().at(nil)
	if _, known := node["properties"].(map[string]any)[name]; known || slices.Contains(more, name) {
		return nil
	}
	p := entitySchema().unknownField(node, nil, name, more...)
	p.Field, p.Severity = FieldName([]string{name}), Error
	return &p
}
