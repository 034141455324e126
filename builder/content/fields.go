package content

import (
	"errors"
	"strings"

	"kindex/builder/content/yamldoc"
	"kindex/builder/content/yamlfmt"
	"kindex/exports/kinds"
	"kindex/exports/record"
)

// ParseFields parses an entity from fields that do not come from a file. The values must be of
// types that Compose accepts, and the fields must follow the same rules as those in a file.
// Strings are trimmed. ParseFields also returns the entity file that Compose writes for these
// fields, which ParseEntity accepts. The problems name fields but have no meaningful positions.
// If one of the problems is an error, both the entity and the file are nil. No YAML is parsed
// before the values have passed the schema, so the cost is linear in the size of the input.
func ParseFields(declared *kinds.Set, path, typ, slug string, fields map[string]any) (*record.Entity, []byte, yamldoc.Problems) {
	d := yamldoc.New(path)
	accepted, err := yamlfmt.Normalize(fields)
	if err != nil {
		addError(d, err)
		return nil, nil, d.Report()
	}
	if entityOf(declared, typ, slug, d, accepted); d.Problems.HasErrors() {
		return nil, nil, d.Report()
	}
	data, err := yamlfmt.Compose(declared, trimTexts(fields).(map[string]any))
	if err != nil {
		addError(d, err)
		return nil, nil, d.Report()
	}
	e, problems := ParseEntity(declared, path, typ, slug, data)
	if e == nil {
		data = nil
	}
	return e, data, problems
}

// addError adds a problem for a value that cannot be written to a file.
func addError(d *yamldoc.Document, err error) {
	problem := yamldoc.Problem{Message: err.Error()}
	if wrong, ok := errors.AsType[*yamlfmt.FieldError](err); ok {
		problem.Field, problem.Message = wrong.Field, wrong.Message
	}
	d.AddAt(nil, false, problem)
}

// trimTexts returns values with all strings trimmed.
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

// Fields returns the values of an entity file as JSON values.
func Fields(data []byte) (map[string]any, error) {
	d := yamldoc.Parse("", data, yamldoc.TextFields...)
	fields, ok := d.Fields()
	if !ok || len(d.Problems) > 0 {
		return nil, d.Report()
	}
	return fields, nil
}
