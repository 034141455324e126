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
	"strings"
	"unicode/utf8"

	"kindex/builder/content/schema"
	"kindex/builder/content/yamldoc"
	"kindex/exports/kinds"
	"kindex/exports/store"
)

// Compose returns an entity file in the same format as Format, with its fields in the order of
// the schema. The values are JSON values: string, bool, nil, numbers (json.Number, float64, int,
// int64), []any, []string and map[string]any. A version that is a number becomes a string of its
// digits, as in a file. The output is deterministic and is read back as the same values. Compose
// does not check whether the entity is valid; ParseEntity does.
func Compose(declared *kinds.Set, fields map[string]any) ([]byte, error) {
	root, err := nodeOf(fields, nil)
	if err != nil {
		return nil, err
	}
	entity := schema.Of(declared, "entity").Part
	arrange(root, entity)
	data := printFile(root, entity)
	d := yamldoc.Parse("", data, yamldoc.TextFields...)
	if len(d.Problems) > 0 {
		p := d.Problems[0]
		return nil, &FieldError{cmp.Or(p.Field, "the fields"), "cannot be written as YAML: " + p.Message}
	}
	if !reflect.DeepEqual(d.Value, root.Value()) {
		return nil, errors.New("the fields cannot be written as YAML and read back unchanged")
	}
	return data, nil
}

// Normalize returns the values that would be read back from the file that Compose writes for
// fields. It does not parse any YAML.
func Normalize(fields map[string]any) (map[string]any, error) {
	root, err := nodeOf(fields, nil)
	if err != nil {
		return nil, err
	}
	return root.Value().(map[string]any), nil
}

func nodeOf(v any, path []string) (*yamldoc.Node, error) {
	fail := func(message string) (*yamldoc.Node, error) {
		return nil, &FieldError{yamldoc.FieldName(path), message}
	}
	word := func(text string) (*yamldoc.Node, error) {
		textual := len(path) == 1 && slices.Contains(yamldoc.TextFields, path[0]) && yamldoc.IsPlainNumber(text)
		return &yamldoc.Node{Raw: !textual, Text: text}, nil
	}
	if len(path) > yamldoc.MaxDepth {
		return fail(fmt.Sprintf("is nested more than %d levels deep", yamldoc.MaxDepth))
	}
	switch v := v.(type) {
	case nil:
		return word("null")
	case bool:
		return word(strconv.FormatBool(v))
	case string:
		if !utf8.ValidString(v) {
			return fail("is not UTF-8 text")
		}
		return &yamldoc.Node{Text: v}, nil
	case json.Number:
		if yamldoc.IsPlainNumber(string(v)) {
			return word(string(v))
		}
		x, err := strconv.ParseFloat(string(v), 64)
		if err != nil {
			return fail(yamldoc.Quote(string(v)) + " is not a valid number")
		}
		return nodeOf(x, path)
	case float64:
		if math.IsInf(v, 0) || math.IsNaN(v) {
			return fail(fmt.Sprint(v) + " is not a finite number")
		}
		return word(strconv.FormatFloat(v, 'f', -1, 64))
	case int:
		return word(strconv.Itoa(v))
	case int64:
		return word(strconv.FormatInt(v, 10))
	case []string:
		return listOf(v, path)
	case []any:
		return listOf(v, path)
	case map[string]any:
		n := &yamldoc.Node{Kind: yamldoc.Mapping}
		for _, name := range slices.Sorted(maps.Keys(v)) {
			at := append(path, name)
			item, err := nodeOf(v[name], at)
			if err == nil && !utf8.ValidString(name) {
				err = &FieldError{yamldoc.FieldName(at), "is not UTF-8 text"}
			}
			if err != nil {
				return nil, err
			}
			item.Name, item.Named = name, true
			n.Items = append(n.Items, item)
		}
		return n, nil
	}
	return fail(fmt.Sprintf("a %T cannot be written to a file", v))
}

func listOf[T any](values []T, path []string) (*yamldoc.Node, error) {
	n := &yamldoc.Node{Kind: yamldoc.Sequence}
	for i, v := range values {
		item, err := nodeOf(v, append(path, strconv.Itoa(i)))
		if err != nil {
			return nil, err
		}
		n.Items = append(n.Items, item)
	}
	return n, nil
}

// FieldError is the error for a field value that cannot be written to a file.
type FieldError struct {
	Field   string // path with dots and brackets
	Message string
}

// Error returns the field and the message.
func (e *FieldError) Error() string { return e.Field + ": " + e.Message }

// SourceYAML formats a source as an entry in the sources field of index.yaml.
func SourceYAML(s store.Source) string {
	fields := map[string]any{}
	for name, text := range map[string]string{"name": s.Name, "url": s.URL, "license": s.License, "changes": s.Changes} {
		if text != "" {
			fields[name] = text
		}
	}
	if len(s.Types) > 0 {
		fields["types"] = s.Types
	}
	list, part := normalNode([]any{fields}), schema.Of(kinds.Default(), "index").Member("sources")
	order(list, part)
	chooseFlow(list, true, 0)
	text := strings.TrimRight(string(printFile(list, part)), "\n")
	return "  " + strings.ReplaceAll(text, "\n", "\n  ") + "\n"
}
