// Package schema contains the JSON Schemas of content files and validates documents.
package schema

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"sync"

	"kindex/builder/content/yamldoc"
	"kindex/exports/jsonenc"
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

// Schema is a JSON Schema.
type Schema struct {
	Name string // one of Names
	*Part
	declared *kinds.Set
}

// Part is a part of a schema: what holds for the document, or for one of its values. It has all
// keywords that the schemas use; a limit of 0 is none.
type Part struct {
	Types                        oneOrMore `json:"type"`
	Enum                         []string
	Pattern                      string
	MinLength, MaxLength         int // in characters
	Minimum, Maximum             *float64
	ExclusiveMinimum             *float64
	Members                      properties `json:"properties"`
	Others                       others     `json:"additionalProperties"` // of members with other names; its Part is nil if they are not allowed
	PropertyNames                *Part      // its pattern and maximum length hold for the names of Others
	Required                     []string
	DependentRequired            map[string][]string
	MinProperties, MaxProperties int
	Items                        *Part
	MinItems, MaxItems           int
	UniqueItems                  bool

	Ref         string           `json:"$ref"`
	Defs        map[string]*Part `json:"$defs"`
	Schema      string           `json:"$schema"`
	ID          string           `json:"$id"`
	Title       string
	Description string

	match *regexp.Regexp // nil if there is no pattern
}

// oneOrMore is a word or a list of words.
type oneOrMore []string

// UnmarshalJSON implements json.Unmarshaler.
func (w *oneOrMore) UnmarshalJSON(b []byte) error {
	if b[0] == '"' {
		*w = oneOrMore{""}
		return json.Unmarshal(b, &(*w)[0])
	}
	return json.Unmarshal(b, (*[]string)(w))
}

// properties are the parts of a mapping, with their names in order.
type properties struct {
	Names []string
	Of    map[string]*Part
}

// UnmarshalJSON implements json.Unmarshaler.
func (m *properties) UnmarshalJSON(b []byte) error {
	m.Of = map[string]*Part{}
	for name, value := range jsonenc.Members(b) {
		part := new(Part)
		if err := decode(value, part); err != nil {
			return err
		}
		m.Names, m.Of[string(name)] = append(m.Names, string(name)), part
	}
	return nil
}

// others is a schema, or false.
type others struct{ *Part }

// UnmarshalJSON implements json.Unmarshaler.
func (o *others) UnmarshalJSON(b []byte) error {
	if string(b) == "false" {
		return nil
	}
	o.Part = new(Part)
	return decode(b, o.Part)
}

// decode refuses keywords that Part does not have.
func decode(data []byte, into *Part) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	return d.Decode(into)
}

var schemas sync.Map // of *Schema, by schemaKey

type schemaKey struct {
	declared *kinds.Set
	name     string
}

// Of returns one of the schemas for an index with some kinds.
func Of(declared *kinds.Set, name string) *Schema {
	made, ok := schemas.Load(schemaKey{declared, name})
	if !ok {
		made, _ = schemas.LoadOrStore(schemaKey{declared, name}, newSchema(declared, name))
	}
	return made.(*Schema)
}

func newSchema(declared *kinds.Set, name string) *Schema {
	data, err := JSON(name, declared)
	s := &Schema{name, new(Part), declared}
	if err == nil {
		err = decode(jsonenc.Compact(data), s.Part)
	}
	if err != nil {
		panic(fmt.Sprintf("schema %s: %v", name, err)) // cannot happen, since the schema is embedded
	}
	for _, def := range s.Defs {
		def.prepare(s.Defs)
	}
	s.prepare(s.Defs)
	return s
}

// prepare replaces the references in a part by the definitions, and compiles its pattern.
func (p *Part) prepare(defs map[string]*Part) {
	resolve := func(inner *Part) *Part {
		if inner == nil {
			return nil
		}
		if inner.Ref != "" {
			return defs[inner.Ref[len("#/$defs/"):]]
		}
		inner.prepare(defs)
		return inner
	}
	for name, member := range p.Members.Of {
		p.Members.Of[name] = resolve(member)
	}
	p.Others.Part, p.Items, p.PropertyNames = resolve(p.Others.Part), resolve(p.Items), resolve(p.PropertyNames)
	if p.Pattern != "" {
		p.match = regexp.MustCompile(p.Pattern)
	}
}

func (p *Part) known() []string { return slices.Sorted(maps.Keys(p.Members.Of)) }

// empty is the part of what there is none for.
var empty = new(Part)

// Member returns the part for a member, or an empty one if there is none.
func (p *Part) Member(name string) *Part {
	if member := p.Members.Of[name]; member != nil {
		return member
	}
	return empty
}

// Entry returns the part for the entries of a list, or an empty one if there is none.
func (p *Part) Entry() *Part {
	if p.Items != nil {
		return p.Items
	}
	return empty
}

// IsDate reports whether the value is a day, month or year, which files have without quotes.
func (p *Part) IsDate() bool { return slices.Contains(datePatterns, p.Pattern) }

// UnknownEntityField describes an unknown field in an entity file. It returns nil if the field
// is known. more lists additional names that are allowed in the same place.
func UnknownEntityField(declared *kinds.Set, name string, more ...string) *yamldoc.Problem {
	entity := Of(declared, "entity")
	if entity.Members.Of[name] != nil || slices.Contains(more, name) {
		return nil
	}
	p := entity.unknownField(nil, name, more...)
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
