package mcp

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"kindex/exports/didyoumean"
	"kindex/exports/safetext"
)

// kind is the type of a tool's argument, as JSON Schema calls it.
type kind string

const (
	text   kind = "string"
	whole  kind = "integer"
	number kind = "number"
	yesNo  kind = "boolean"
	keys   kind = "array" // two to four ids in the form type/slug
)

// argument describes an argument of a tool. The schema is generated from it, and check uses it to
// validate values. It has the name of the API's parameter.
type argument struct {
	name     string
	typ      kind
	about    string
	choices  []string       // the allowed values, or nil if any value is allowed
	grammar  *regexp.Regexp // of a text: keyGrammar, slugGrammar or nil
	min, max float64        // of a number
	standard any            // the default value as values has it, or nil if there is none
	examples []any
	required bool
}

// Limits for arguments.
const (
	maxText        = 200 // characters
	maxFieldErrors = 10  // maximum number of reported errors
	minCompare     = 2   // minimum number of entities to compare
	maxCompare     = 4
)

var (
	// keyGrammar matches type/slug, which is the format of the id in results.
	keyGrammar = regexp.MustCompile(`^(model|tool)/[a-z0-9]+(-[a-z0-9]+)*$`)
	// slugGrammar matches the slugs of categories and boards.
	slugGrammar = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)
)

// schema returns the JSON Schema of a tool's arguments.
func schema(args []argument) map[string]any {
	properties, required := map[string]any{}, []string{}
	for _, a := range args {
		properties[a.name] = a.schema()
		if a.required {
			required = append(required, a.name)
		}
	}
	return map[string]any{"type": "object", "properties": properties, "additionalProperties": false, "required": required}
}

func (a *argument) schema() map[string]any {
	s := map[string]any{"type": a.typ, "description": a.about}
	switch {
	case a.choices != nil:
		s["enum"] = a.choices
	case a.grammar != nil:
		s["pattern"] = a.grammar.String()
	case a.typ == text:
		s["maxLength"] = maxText
	case a.typ == whole, a.typ == number:
		s["minimum"], s["maximum"] = a.min, a.max
	case a.typ == keys:
		s["minItems"], s["maxItems"] = minCompare, maxCompare
		s["items"] = map[string]any{"type": text, "pattern": keyGrammar.String()}
	}
	if a.standard != nil {
		s["default"] = a.standard
	}
	if a.examples != nil {
		s["examples"] = a.examples
	}
	return s
}

// values contains the arguments of a call by name, including default values.
type values map[string]any

func (v values) text(name string) string   { s, _ := v[name].(string); return s }
func (v values) offset() int               { n, _ := v["offset"].(float64); return int(n) }
func (v values) yes(name string) bool      { b, _ := v[name].(bool); return b }
func (v values) list(name string) []string { l, _ := v[name].([]string); return l }

// wrongArguments returns the error about a call's arguments.
func wrongArguments(faults ...string) error {
	return &callError{text: "Invalid arguments.\n- " + strings.Join(faults[:min(len(faults), maxFieldErrors)], "\n- ")}
}

// check reads the arguments of a call. It accepts values whose meaning is clear: null and ""
// mean that an argument is missing, and "5" means 5.
func check(raw json.RawMessage, args []argument) (values, error) {
	given := map[string]any{}
	if trimmed := bytes.TrimSpace(raw); len(trimmed) > 0 && string(trimmed) != "null" {
		if err := json.Unmarshal(trimmed, &given); err != nil {
			return nil, wrongArguments("arguments must be an object such as {\"" + args[0].name + "\": …}")
		}
	}
	v := values{}
	var known, faults []string
	for _, a := range args {
		known = append(known, a.name)
		got := given[a.name]
		delete(given, a.name)
		switch missing := got == nil || got == "" && !a.required; {
		case missing && a.required:
			faults = append(faults, a.name+" is missing: "+a.about)
		case missing && a.standard != nil:
			v[a.name] = a.standard
		case !missing:
			value, err := a.take(got)
			if err != nil {
				faults = append(faults, a.name+": "+err.Error())
			}
			v[a.name] = value
		}
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if len(faults) >= maxFieldErrors {
			break // finding the nearest names for thousands of arguments would take too long
		}
		expected := "expected one of: " + strings.Join(known, ", ")
		if near := didyoumean.Name(name, known); near != "" {
			expected = "did you mean " + near + "?"
		}
		faults = append(faults, fmt.Sprintf("unknown argument %q; %s", shorten(name), expected))
	}
	if len(faults) > 0 {
		return nil, wrongArguments(faults...)
	}
	return v, nil
}

// take converts one value to the type of the argument.
func (a *argument) take(got any) (any, error) {
	switch a.typ {
	case whole, number:
		return a.takeNumber(got)
	case yesNo:
		if b, err := strconv.ParseBool(fmt.Sprint(got)); err == nil {
			return b, nil
		}
		return nil, fmt.Errorf("use true or false, not %s", shown(got))
	case keys:
		return takeKeys(got)
	}
	s, ok := got.(string)
	switch {
	case !ok:
		return nil, fmt.Errorf("use a string, not %s", shown(got))
	case a.grammar == keyGrammar:
		return key(s)
	case a.grammar != nil && (!a.grammar.MatchString(s) || len(s) > maxText):
		return nil, fmt.Errorf("%s is not a slug: use lower-case letters, digits and hyphens; kindex://categories lists the slugs", shown(s))
	case len([]rune(s)) > maxText:
		return nil, fmt.Errorf("use at most %d characters", maxText)
	case strings.TrimSpace(s) == "":
		return nil, errors.New("must not be empty")
	case a.choices != nil && !slices.Contains(a.choices, s):
		err := fmt.Sprintf("%s is not one of %s", shown(s), strings.Join(a.choices, ", "))
		if near := didyoumean.Name(s, a.choices); near != "" {
			err += "; did you mean " + near + "?"
		}
		return nil, errors.New(err)
	}
	return s, nil
}

func (a *argument) takeNumber(got any) (any, error) {
	n, err := strconv.ParseFloat(strings.TrimSpace(fmt.Sprint(got)), 64)
	what := "a number"
	if a.typ == whole {
		what = "a whole number"
	}
	if err != nil || !(n >= a.min && n <= a.max) || a.typ == whole && n != math.Trunc(n) {
		return nil, fmt.Errorf("use %s from %v to %v, not %s", what, a.min, a.max, shown(got))
	}
	return n, nil
}

func takeKeys(got any) (any, error) {
	list, _ := got.([]any)
	if len(list) < minCompare || len(list) > maxCompare {
		return nil, fmt.Errorf(`use a list of %d to %d ids, such as ["tool/pytorch", "tool/jax"]`, minCompare, maxCompare)
	}
	var found []string
	for _, item := range list {
		s, ok := item.(string)
		if !ok {
			return nil, fmt.Errorf("use strings in the list, not %s", shown(item))
		}
		k, err := key(s)
		if err != nil {
			return nil, err
		}
		if slices.Contains(found, k) {
			return nil, fmt.Errorf("%s is given twice", k)
		}
		found = append(found, k)
	}
	return found, nil
}

// key parses type/slug. It also accepts the address of an entity in the API or the URI of its
// resource.
func key(s string) (string, error) {
	k := strings.ToLower(strings.TrimPrefix(strings.TrimPrefix(strings.TrimSpace(s), entityURI), "/api/entity/"))
	switch {
	case len(k) > maxText:
	case keyGrammar.MatchString(k):
		return k, nil
	case slugGrammar.MatchString(k):
		return "", fmt.Errorf("%s has no type: use tool/%s or model/%s; use search to find out which", shown(s), shorten(k), shorten(k))
	}
	return "", fmt.Errorf("%s does not have the form type/slug, such as tool/pytorch or model/gpt-5; use the id of a search result", shown(s))
}

// shown returns a value as it was given, but shortened.
func shown(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return "this"
	}
	return shorten(string(b))
}

// shorten keeps messages short, whatever was sent.
func shorten(s string) string { return safetext.Shorten(s, 100) }
