package yamlfmt

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"unicode/utf8"

	"kindex/builder/content/schema"
	"kindex/builder/content/yamldoc"
	"kindex/exports/kinds"
)

// Compose returns an entity file in the same format as Format, with its fields in the order of
// the schema. The values are JSON values: string, bool, nil, numbers (json.Number, float64, int,
// int64), []any, []string and map[string]any. A version that is a number becomes a string of its
// digits, as in a file. The output is deterministic and is read back as the same values. Compose
// does not check whether the entity is valid; ParseEntity does.
func Compose(declared *kinds.Set, fields map[string]any) ([]byte, error) {
	root, err := layoutOfFields(fields)
	if err != nil {
		return nil, err
	}
	entity := schema.Of(declared, "entity").Part
	root.order(entity)
	root.chooseFlow(true, 0)
	data := printLayout(root, entity)
	d := yamldoc.Parse("", data, yamldoc.TextFields...)
	if len(d.Problems) > 0 {
		p := d.Problems[0]
		return nil, &FieldError{cmp.Or(p.Field, "the fields"), "cannot be written as YAML: " + p.Message}
	}
	if !reflect.DeepEqual(d.Value, root.value()) {
		return nil, errors.New("the fields cannot be written as YAML and read back unchanged")
	}
	return data, nil
}

// Normalize returns the values that would be read back from the file that Compose writes for
// fields. It does not parse any YAML.
func Normalize(fields map[string]any) (any, error) {
	root, err := layoutOfFields(fields)
	if err != nil {
		return nil, err
	}
	return root.value(), nil
}

// layoutOfFields returns the layout of an entity.
func layoutOfFields(fields map[string]any) (*layout, error) {
	root, err := layoutOfCollection(fields, nil)
	if err != nil {
		return nil, err
	}
	for _, item := range root.items {
		if slices.Contains(yamldoc.TextFields, item.name) {
			item.raw = item.raw && !yamldoc.IsPlainNumber(item.text)
		}
	}
	return root, nil
}

// layoutOf returns the layout of plain values.
func layoutOf(v any, path []string) (*layout, error) {
	switch v := v.(type) {
	case nil:
		return &layout{raw: true, text: "null"}, nil
	case bool:
		return &layout{raw: true, text: strconv.FormatBool(v)}, nil
	case string:
		if !utf8.ValidString(v) {
			return nil, &FieldError{yamldoc.FieldName(path), "is not UTF-8 text"}
		}
		return &layout{text: v}, nil
	case json.Number:
		if yamldoc.IsPlainNumber(string(v)) {
			return &layout{raw: true, text: string(v)}, nil
		}
		x, err := strconv.ParseFloat(string(v), 64)
		if err != nil {
			return nil, &FieldError{yamldoc.FieldName(path), yamldoc.Quote(string(v)) + " is not a valid number"}
		}
		return layoutOf(x, path)
	case float64:
		if math.IsInf(v, 0) || math.IsNaN(v) {
			return nil, &FieldError{yamldoc.FieldName(path), fmt.Sprint(v) + " is not a finite number"}
		}
		return &layout{raw: true, text: strconv.FormatFloat(v, 'f', -1, 64)}, nil
	case int:
		return &layout{raw: true, text: strconv.Itoa(v)}, nil
	case int64:
		return &layout{raw: true, text: strconv.FormatInt(v, 10)}, nil
	case []string, []any, map[string]any:
		return layoutOfCollection(v, path)
	}
	return nil, &FieldError{yamldoc.FieldName(path), fmt.Sprintf("a %T cannot be written to a file", v)}
}

// layoutOfCollection returns the layout of a list or mapping.
func layoutOfCollection(v any, path []string) (*layout, error) {
	l := &layout{kind: sequence}
	var err error
	switch v := v.(type) {
	case []string:
		for i := 0; i < len(v) && err == nil; i++ {
			err = l.addItem(v[i], "", append(path, strconv.Itoa(i)))
		}
	case []any:
		for i := 0; i < len(v) && err == nil; i++ {
			err = l.addItem(v[i], "", append(path, strconv.Itoa(i)))
		}
	case map[string]any:
		l.kind = mapping
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if err = l.addItem(v[name], name, append(path, name)); err != nil {
				break
			}
		}
	}
	return l, err
}

// addItem adds a value to a mapping or list.
func (l *layout) addItem(v any, name string, path []string) error {
	if len(path) > yamldoc.MaxDepth {
		return &FieldError{yamldoc.FieldName(path), fmt.Sprintf("is nested more than %d levels deep", yamldoc.MaxDepth)}
	}
	if !utf8.ValidString(name) {
		return &FieldError{yamldoc.FieldName(path), "is not UTF-8 text"}
	}
	item, err := layoutOf(v, path)
	if err != nil {
		return err
	}
	item.name, item.named = name, l.kind == mapping
	l.items = append(l.items, item)
	return nil
}

// value returns the value that would be read back from a layout.
func (l *layout) value() any {
	switch l.kind {
	case sequence:
		values := make([]any, len(l.items))
		for i, item := range l.items {
			values[i] = item.value()
		}
		return values
	case mapping:
		values := make(map[string]any, len(l.items))
		for _, item := range l.items {
			values[item.name] = item.value()
		}
		return values
	}
	switch {
	case !l.raw:
		return l.text
	case l.text == "true" || l.text == "false":
		return l.text == "true"
	case yamldoc.IsPlainNumber(l.text):
		if i, err := strconv.ParseInt(l.text, 10, 64); err == nil {
			return i
		}
		x, _ := strconv.ParseFloat(l.text, 64) // a number that is too large cannot be read back
		return x
	}
	return nil
}

// FieldError is the error for a field value that cannot be written to a file.
type FieldError struct {
	Field   string // path with dots and brackets
	Message string
}

// Error returns the field and the message.
func (e *FieldError) Error() string { return e.Field + ": " + e.Message }
