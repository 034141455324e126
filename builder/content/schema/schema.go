// Package schema contains the JSON Schemas of content files and validates documents.
package schema

import (
	"bytes"
	"cmp"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"kindex/builder/content/yamldoc"
	"kindex/exports/didyoumean"
	"kindex/exports/kinds"
)

//go:embed *.schema.json
var schemaFiles embed.FS

// Names lists the published schemas.
var Names = []string{"entity", "kinds", "categories", "providers", "index", "scoring", "boards", "synonyms", "vocabulary", "collect", "mapping"}

// JSON returns the JSON Schema (draft 2020-12) for one of Names, for an index with some kinds.
func JSON(name string, declared *kinds.Set) ([]byte, error) {
	data, err := schemaFiles.ReadFile(name + ".schema.json")
	if err != nil {
		return nil, err
	}
	return fill(name, data, declared)
}

// Schema is a JSON Schema, which is compiled when it is needed, and its source, from which messages take
// the valid names.
type Schema struct {
	Name string // one of Names

	raw      any
	rule     *rule                     // accepts only valid documents, and most of them; nil if the schema has no rule
	compiled func() *jsonschema.Schema // compiles the schema on first use
}

// slow are the schemas with keywords that rules do not cover, of files that are read once.
var slow = []string{"kinds", "scoring", "boards", "mapping"}

// schemas holds the schemas of each set of kinds, as functions that read them on first use.
var schemas sync.Map // of func(name string) *Schema, by *kinds.Set

// Of returns one of the schemas for an index with some kinds. Compiling takes a quarter of the time for
// validating a small index, so that documents are checked against a rule first, and the schema is compiled
// only when the rule does not accept a document.
func Of(declared *kinds.Set, name string) *Schema {
	made, ok := schemas.Load(declared)
	if !ok {
		of := map[string]func() *Schema{}
		for _, name := range Names {
			of[name] = sync.OnceValue(func() *Schema { return newSchema(declared, name) })
		}
		made, _ = schemas.LoadOrStore(declared, of)
	}
	return made.(map[string]func() *Schema)[name]()
}

func newSchema(declared *kinds.Set, name string) *Schema {
	data, err := JSON(name, declared)
	if err != nil {
		panic(err) // cannot happen, since the schema is embedded
	}
	raw, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		panic(fmt.Sprintf("schema %s: %v", name, err))
	}
	s := &Schema{Name: name, raw: raw, compiled: sync.OnceValue(func() *jsonschema.Schema { return mustCompile(name, raw) })}
	if !slices.Contains(slow, name) {
		s.rule = s.newRule(raw)
	}
	return s
}

func mustCompile(name string, raw any) *jsonschema.Schema {
	url := "urn:kindex:schema:" + name
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	if err := c.AddResource(url, raw); err != nil {
		panic(fmt.Sprintf("schema %s: %v", name, err))
	}
	return c.MustCompile(url)
}

// Check adds a problem to the document for each violation of the schema, and for each fault in a
// string that a schema cannot detect.
func (s *Schema) Check(d *yamldoc.Document) {
	if s.rule == nil || len(d.Faulty) > 0 || !s.rule.accepts("", d.Value) {
		s.findProblems(d)
	}
}

func (s *Schema) findProblems(d *yamldoc.Document) {
	d.Value = s.bound(d, d.Value, s.at(nil), nil)
	err := s.compiled().Validate(d.Value)
	if failed, ok := errors.AsType[*jsonschema.ValidationError](err); ok {
		s.explain(d, failed)
	} else if err != nil {
		d.Add(1, 1, yamldoc.Problem{Message: err.Error()})
	}
	s.checkTexts(d, d.Value, s.at(nil), nil)
}

// bound truncates the lists in a value to the lengths that the schema allows, so that later
// checks have bounded input. It adds a problem for each list that was too long.
func (s *Schema) bound(d *yamldoc.Document, value any, node map[string]any, path []string) any {
	switch v := value.(type) {
	case map[string]any:
		for name, member := range v {
			if part := s.member(node, name); part != nil {
				v[name] = s.bound(d, member, part, append(path[:len(path):len(path)], name))
			}
		}
	case []any:
		if limit, ok := node["maxItems"].(json.Number); ok {
			if n, err := strconv.Atoi(limit.String()); err == nil && len(v) > n {
				d.AddAt(path, false, yamldoc.Problem{Message: fmt.Sprintf("has %d entries; at most %d are allowed", len(v), n)})
				v = v[:n]
			}
		}
		for i, item := range v {
			v[i] = s.bound(d, item, s.resolve(node["items"]), append(path[:len(path):len(path)], strconv.Itoa(i)))
		}
		return v
	}
	return value
}

// at returns the part of the schema that applies to a field, or nil if there is none.
func (s *Schema) at(path []string) map[string]any {
	node := s.resolve(s.raw)
	for _, p := range path {
		if node["properties"] != nil {
			node = s.member(node, p)
		} else {
			node = s.resolve(node["items"])
		}
	}
	return node
}

// member returns the part of a schema for a field of a mapping, or nil if there is none.
func (s *Schema) member(node map[string]any, name string) map[string]any {
	props, _ := node["properties"].(map[string]any)
	if part, ok := props[name]; ok {
		return s.resolve(part)
	}
	return s.resolve(node["additionalProperties"])
}

// resolve follows a reference into the definitions of the schema.
func (s *Schema) resolve(part any) map[string]any {
	node, _ := part.(map[string]any)
	if ref, ok := node["$ref"].(string); ok {
		root := s.raw.(map[string]any)
		defs, _ := root["$defs"].(map[string]any)
		node, _ = defs[strings.TrimPrefix(ref, "#/$defs/")].(map[string]any)
	}
	return node
}

// properties lists the fields that a part of the schema allows.
func properties(node map[string]any) []string {
	props, _ := node["properties"].(map[string]any)
	return slices.Sorted(maps.Keys(props))
}

// explain converts the leaves of a validation error to problems.
func (s *Schema) explain(d *yamldoc.Document, e *jsonschema.ValidationError) {
	if len(e.Causes) > 0 {
		for _, c := range e.Causes {
			s.explain(d, c)
		}
		return
	}
	at := e.InstanceLocation
	node := s.at(at)
	switch k := e.ErrorKind.(type) {
	case *kind.AdditionalProperties:
		s.explainUnknown(d, node, at, k.Properties)
	case *kind.Required:
		for _, m := range k.Missing {
			d.AddAt(at, false, yamldoc.Problem{Field: yamldoc.FieldName(append(slices.Clone(at), m)), Message: "is missing"})
		}
	case *kind.DependentRequired:
		for _, m := range k.Missing {
			d.AddAt(append(slices.Clone(at), k.Prop), true, yamldoc.Problem{Message: "has no effect without " + m + "; add " + m + " or remove this field"})
		}
	case *kind.UniqueItems:
		s.explainRepeated(d, at)
	default:
		got := yamldoc.ValueAt(d.Value, at)
		if got == nil && d.Faulty[yamldoc.FieldName(at)] {
			return // its value was rejected, so it only looks missing
		}
		if got == nil {
			d.AddAt(at, false, yamldoc.Problem{Message: s.missingValue(at)})
			return
		}
		d.AddAt(at, false, describeFailure(e.ErrorKind, node, got))
	}
}

// explainUnknown adds a problem for each unknown field of a mapping, in the order of the file.
// Once the report is full, it only counts the fields.
func (s *Schema) explainUnknown(d *yamldoc.Document, node map[string]any, at []string, names []string) {
	place := make(map[string][2]int, len(names))
	for _, p := range names {
		line, col := d.Locate(append(slices.Clone(at), p), true)
		place[p] = [2]int{line, col}
	}
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(cmp.Compare(place[a][0], place[b][0]), cmp.Compare(place[a][1], place[b][1]), cmp.Compare(a, b))
	})
	for i, p := range names {
		if i > yamldoc.MaxProblems {
			d.Dropped += len(names) - i
			break
		}
		d.AddAt(append(slices.Clone(at), p), true, s.unknownField(node, at, p))
	}
}

// unknownField describes an unknown field of a mapping.
func (s *Schema) unknownField(node map[string]any, at []string, field string, more ...string) yamldoc.Problem {
	known := append(properties(node), more...)
	slices.Sort(known)
	p := yamldoc.Problem{Message: "unknown field; expected one of: " + strings.Join(known, ", "),
		Suggestion: cmp.Or(s.within(node, field), didyoumean.Name(field, known))}
	if strings.Trim(field, "0123456789") == "" && len(at) > 0 {
		p.Field = yamldoc.FieldName(at) + "." + yamldoc.Quote(field) // without quotes it would look like a list entry
		p.Message += "; write numbers without commas"
	}
	return p
}

// within finds a mapping inside node that has the given field, and returns the path of the
// field.
func (s *Schema) within(node map[string]any, field string) string {
	props, _ := node["properties"].(map[string]any)
	for _, name := range properties(node) {
		if slices.Contains(properties(s.resolve(props[name])), field) {
			return name + "." + field
		}
	}
	return ""
}

// explainRepeated adds a problem for each duplicate entry in a list.
func (s *Schema) explainRepeated(d *yamldoc.Document, at []string) {
	list, _ := yamldoc.ValueAt(d.Value, at).([]any)
	seen := map[string]bool{}
	for i, item := range list {
		text := yamldoc.Quote(item)
		if key := fmt.Sprint(item); !seen[key] {
			seen[key] = true
			continue
		}
		d.AddAt(append(slices.Clone(at), strconv.Itoa(i)), false, yamldoc.Problem{Message: text + " is given twice"})
	}
}

// missingValue returns the message for a field without a value.
func (s *Schema) missingValue(at []string) string {
	if len(at) > 0 {
		name, set := at[len(at)-1], s.at(at[:len(at)-1])
		if required, _ := set["required"].([]any); slices.Contains(required, any(name)) {
			return "has no value; add one"
		}
		if set["items"] != nil {
			return "has no value; add one or remove the entry"
		}
	}
	return "has no value; add one or remove the field"
}

// UnknownEntityField describes an unknown field in an entity file. It returns nil if the field
// is known. more lists additional names that are allowed in the same place.
func UnknownEntityField(declared *kinds.Set, name string, more ...string) *yamldoc.Problem {
	entity := Of(declared, "entity")
	node := entity.at(nil)
	if _, known := node["properties"].(map[string]any)[name]; known || slices.Contains(more, name) {
		return nil
	}
	p := entity.unknownField(node, nil, name, more...)
	p.Field, p.Severity = yamldoc.FieldName([]string{name}), yamldoc.Error
	return &p
}

// StatusFile is the name of the JSON file next to the type folders in which kindex collect keeps
// what it has read. It is optional.
const StatusFile = "collect-status.json"

// IsRootFile reports whether a name is one of RootFiles or StatusFile.
func IsRootFile(name string) bool { return name == StatusFile || slices.Contains(RootFiles, name) }

// RootFiles lists the names of the files next to the type folders. All are optional.
var RootFiles = []string{"boards.yaml", "categories.yaml", "collect.yaml", "index.yaml", "kinds.yaml", "providers.yaml", "scoring.yaml", "synonyms.yaml", "vocabulary.yaml"}
