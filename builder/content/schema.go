package content

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"kindex/exports/nearest"
)

//go:embed schema/*.json
var schemaFiles embed.FS

// Schemas are the names of the published schemas.
var Schemas = []string{"entity", "categories", "index", "scoring"}

// SchemaJSON returns the JSON Schema (draft 2020-12) that files are checked
// with: of an entity, of categories.yaml, of index.yaml or of scoring.yaml.
func SchemaJSON(name string) ([]byte, error) {
	return schemaFiles.ReadFile("schema/" + name + ".schema.json")
}

// schema is a compiled schema together with its text, which error messages
// take valid names from.
type schema struct {
	compiled *jsonschema.Schema
	raw      any
}

var (
	entitySchema     = mustCompile("entity")
	categoriesSchema = mustCompile("categories")
	indexSchema      = mustCompile("index")
	scoringSchema    = mustCompile("scoring")
)

func mustCompile(name string) *schema {
	data, err := SchemaJSON(name)
	if err != nil {
		panic(err) // it is embedded
	}
	raw, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		panic(fmt.Sprintf("content: schema %s: %v", name, err))
	}
	url := "urn:kindex:schema:" + name
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	if err := c.AddResource(url, raw); err != nil {
		panic(fmt.Sprintf("content: schema %s: %v", name, err))
	}
	return &schema{compiled: c.MustCompile(url), raw: raw}
}

// check adds what is wrong with the document by its schema.
func (s *schema) check(d *document) {
	err := s.compiled.Validate(d.value)
	if err == nil {
		return
	}
	failed, ok := err.(*jsonschema.ValidationError)
	if !ok {
		d.add(1, 1, Problem{Message: err.Error()})
		return
	}
	s.explain(d, failed)
}

// explain turns the leaves of a validation error into problems.
func (s *schema) explain(d *document, e *jsonschema.ValidationError) {
	if len(e.Causes) > 0 {
		for _, c := range e.Causes {
			s.explain(d, c)
		}
		return
	}
	at := e.InstanceLocation
	switch k := e.ErrorKind.(type) {
	case *kind.AdditionalProperties:
		known := s.properties(e.SchemaURL)
		for _, p := range slices.Sorted(slices.Values(k.Properties)) {
			d.addAt(append(slices.Clone(at), p), true, Problem{
				Message: "unknown field; known are " + strings.Join(known, ", "), Suggestion: nearest.Name(p, known)})
		}
	case *kind.Required:
		for _, m := range k.Missing {
			d.addAt(at, false, Problem{Field: FieldName(append(slices.Clone(at), m)), Message: "is missing"})
		}
	case *kind.UniqueItems:
		second := append(slices.Clone(at), strconv.Itoa(k.Duplicates[1]))
		d.addAt(second, false, Problem{Message: fmt.Sprintf("%s is given twice", shown(valueAt(d.value, second)))})
	default:
		p := describe(e.ErrorKind)
		d.addAt(at, false, p)
	}
}

// properties lists the members that the schema at a location allows.
func (s *schema) properties(url string) []string {
	_, pointer, _ := strings.Cut(url, "#")
	node := s.raw
	for _, part := range strings.Split(strings.Trim(pointer, "/"), "/") {
		if part == "" {
			continue
		}
		switch n := node.(type) {
		case map[string]any:
			node = n[strings.NewReplacer("~1", "/", "~0", "~").Replace(part)]
		case []any:
			i, err := strconv.Atoi(part)
			if err != nil || i >= len(n) {
				return nil
			}
			node = n[i]
		}
	}
	var names []string
	if m, ok := node.(map[string]any); ok {
		if props, ok := m["properties"].(map[string]any); ok {
			for name := range props {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return names
}

// Patterns of the schemas and what they ask for, in words.
var patternWords = map[string]string{
	"^[a-z0-9]+(-[a-z0-9]+)*$":                                           "use lower-case letters and digits, joined by single hyphens",
	"^https?://[^\\s/?#@]+([/?#][^\\s]*)?$":                              "use a full address that begins with https:// and holds no spaces and no user name",
	"^[0-9]{4}-[0-9]{2}-[0-9]{2}$":                                       "use YYYY-MM-DD",
	"^[0-9]{4}-[0-9]{2}(-[0-9]{2})?$":                                    "use YYYY-MM-DD, or YYYY-MM where only the month is known",
	"^[^\\x00-\\x1f\\x7f-\\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]*$": "use one line without control characters",
}

var typeWords = map[string]string{
	"string": "text", "number": "a number", "integer": "a whole number",
	"array": "a list", "object": "a set of fields", "boolean": "true or false",
}

// describe words one failed keyword.
func describe(k jsonschema.ErrorKind) Problem {
	switch k := k.(type) {
	case *kind.Type:
		want := make([]string, len(k.Want))
		for i, w := range k.Want {
			want[i] = typeWords[w]
		}
		message := "must be " + strings.Join(want, " or ")
		switch {
		case k.Got == "null":
			message = "has no value; give one or leave the field out"
		case slices.Contains(k.Want, "string") && (k.Got == "number" || k.Got == "boolean"):
			message += "; put it in quotes"
		case typeWords[k.Got] != "":
			message += ", not " + typeWords[k.Got]
		}
		return Problem{Message: message}
	case *kind.Enum:
		var names []string
		for _, w := range k.Want {
			names = append(names, fmt.Sprint(w))
		}
		got, _ := k.Got.(string)
		return Problem{Message: shown(k.Got) + " is not one of " + strings.Join(names, ", "), Suggestion: nearest.Name(got, names)}
	case *kind.Pattern:
		if words, ok := patternWords[k.Want]; ok {
			return Problem{Message: shown(k.Got) + ": " + words}
		}
		return Problem{Message: shown(k.Got) + " does not match " + k.Want}
	case *kind.MinLength:
		return Problem{Message: "must not be empty"}
	case *kind.MaxLength:
		return Problem{Message: fmt.Sprintf("has %d characters, at most %d are allowed", k.Got, k.Want)}
	case *kind.MinItems, *kind.MinProperties:
		return Problem{Message: "must not be empty"}
	case *kind.MaxItems:
		return Problem{Message: fmt.Sprintf("has %d entries, at most %d are allowed", k.Got, k.Want)}
	case *kind.Minimum:
		got, _ := k.Got.Float64()
		want, _ := k.Want.Float64()
		return Problem{Message: fmt.Sprintf("%v is below %v", got, want)}
	case *kind.Maximum:
		got, _ := k.Got.Float64()
		want, _ := k.Want.Float64()
		return Problem{Message: fmt.Sprintf("%v is above %v", got, want)}
	case *kind.ExclusiveMinimum:
		got, _ := k.Got.Float64()
		want, _ := k.Want.Float64()
		return Problem{Message: fmt.Sprintf("%v is not above %v", got, want)}
	}
	return Problem{Message: fmt.Sprintf("does not fit the schema (%s)", strings.Join(k.KeywordPath(), "/"))}
}

// shown quotes a value for a message, long ones cut.
func shown(v any) string {
	if s, ok := v.(string); ok {
		if r := []rune(s); len(r) > 60 {
			s = string(r[:60]) + "…"
		}
		return strconv.Quote(s)
	}
	b, err := json.Marshal(v)
	if err != nil {
		return "the value"
	}
	return string(b)
}

func valueAt(v any, path []string) any {
	for _, p := range path {
		switch n := v.(type) {
		case map[string]any:
			v = n[p]
		case []any:
			i, err := strconv.Atoi(p)
			if err != nil || i >= len(n) {
				return nil
			}
			v = n[i]
		default:
			return nil
		}
	}
	return v
}
