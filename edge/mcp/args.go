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

// kind is the type of a tool's argument.
type kind int

const (
	text kind = iota
	whole
	number
	yesNo
	slug       // a category's slug
	reference  // type/slug
	references // a list of two to four ids in the form type/slug
)

// argument describes an argument of a tool. The schema is generated from it, and check uses it to
// validate values.
type argument struct {
	name     string
	typ      kind
	about    string
	choices  []string // the allowed values, or nil if any value is allowed
	max      float64  // maximum of a number, or maximum length of a string in characters
	min      float64
	standard any // the default value, or nil if there is none
	examples []any
	required bool
	param    string // the name of the API's parameter, or "" if it is the same
}

// Limits for arguments.
const (
	maxText        = 200
	maxFieldErrors = 10 // maximum number of reported errors
	minCompare     = 2  // minimum number of entities to compare
	maxCompare     = 4
)

// keyGrammar matches type/slug, which is the format of the id in results.
var keyGrammar = regexp.MustCompile(`^[a-z]{1,20}/[a-z0-9]+(-[a-z0-9]+)*$`)

// slugGrammar matches category slugs.
var slugGrammar = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

const keyPattern = "^(model|tool)/[a-z0-9]+(-[a-z0-9]+)*$"

// schema returns the JSON Schema of a tool's arguments.
func schema(args []argument) map[string]any {
	properties, required := map[string]any{}, []string{}
	for _, a := range args {
		properties[a.name] = a.schema()
		if a.required {
			required = append(required, a.name)
		}
	}
	s := map[string]any{"type": "object", "properties": properties, "additionalProperties": false}
	if len(required) > 0 {
		s["required"] = required
	}
	return s
}

func (a *argument) schema() map[string]any {
	s := map[string]any{"description": a.about}
	switch a.typ {
	case text:
		s["type"], s["maxLength"] = "string", maxText
	case whole:
		s["type"], s["minimum"], s["maximum"] = "integer", a.min, a.max
	case number:
		s["type"], s["minimum"], s["maximum"] = "number", a.min, a.max
	case yesNo:
		s["type"] = "boolean"
	case slug:
		s["type"], s["pattern"] = "string", slugGrammar.String()
	case reference:
		s["type"], s["pattern"] = "string", keyPattern
	case references:
		s["type"], s["minItems"], s["maxItems"] = "array", minCompare, maxCompare
		s["items"] = map[string]any{"type": "string", "pattern": keyPattern}
	}
	if a.choices != nil {
		s["enum"] = a.choices
		delete(s, "maxLength")
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

// argumentError contains all errors in a call's arguments.
type argumentError struct{ faults []string }

func (e *argumentError) Error() string {
	return "Invalid arguments.\n- " + strings.Join(e.faults, "\n- ")
}

// check reads the arguments of a call. It accepts values whose meaning is clear: null and ""
// mean that an argument is missing, and "5" means 5.
func check(raw json.RawMessage, args []argument) (values, error) {
	given := map[string]any{}
	if trimmed := bytes.TrimSpace(raw); len(trimmed) > 0 && string(trimmed) != "null" {
		if err := json.Unmarshal(trimmed, &given); err != nil {
			return nil, &argumentError{[]string{"arguments must be an object such as {\"" + args[0].name + "\": …}"}}
		}
	}
	v, faults := values{}, []string{}
	var known []string
	for _, a := range args {
		known = append(known, a.name)
		got, ok := given[a.name]
		delete(given, a.name)
		if !ok || got == nil || got == "" && !a.required {
			if a.required {
				faults = append(faults, a.name+" is missing: "+a.about)
			} else if a.standard != nil {
				v[a.name] = standardValue(a.standard)
			}
			continue
		}
		value, err := a.take(got)
		if err != nil {
			faults = append(faults, a.name+": "+err.Error())
			continue
		}
		v[a.name] = value
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if len(faults) >= maxFieldErrors {
			break // finding the nearest names for thousands of arguments would take too long
		}
		fault := fmt.Sprintf("unknown argument %q; expected one of: %s", shorten(name), strings.Join(known, ", "))
		if near := didyoumean.Name(name, known); near != "" {
			fault = fmt.Sprintf("unknown argument %q; did you mean %s?", shorten(name), near)
		}
		faults = append(faults, fault)
	}
	if len(faults) > 0 {
		return nil, &argumentError{faults[:min(len(faults), maxFieldErrors)]}
	}
	return v, nil
}

// standardValue converts a default value to the type that take returns.
func standardValue(s any) any {
	if n, ok := s.(int); ok {
		return float64(n)
	}
	return s
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
	case references:
		return takeReferences(got)
	}
	s, ok := got.(string)
	if !ok {
		return nil, fmt.Errorf("use a string, not %s", shown(got))
	}
	switch {
	case a.typ == reference:
		return key(s)
	case a.typ == slug && (!slugGrammar.MatchString(s) || len(s) > maxText):
		return nil, fmt.Errorf("%s is not a slug: use lower-case letters, digits and hyphens; kindex://categories lists the slugs", shown(s))
	}
	if len([]rune(s)) > maxText {
		return nil, fmt.Errorf("use at most %d characters", maxText)
	}
	if strings.TrimSpace(s) == "" {
		return nil, errors.New("must not be empty")
	}
	if a.choices != nil && !slices.Contains(a.choices, s) {
		err := fmt.Sprintf("%s is not one of %s", shown(s), strings.Join(a.choices, ", "))
		if near := didyoumean.Name(s, a.choices); near != "" {
			err += "; did you mean " + near + "?"
		}
		return nil, errors.New(err)
	}
	return s, nil
}

func (a *argument) takeNumber(got any) (any, error) {
	n, ok := got.(float64)
	if s, isText := got.(string); isText {
		var err error
		n, err = strconv.ParseFloat(strings.TrimSpace(s), 64)
		ok = err == nil
	}
	what := "a number"
	if a.typ == whole {
		what = "a whole number"
		ok = ok && n == math.Trunc(n)
	}
	if !ok || !(n >= a.min && n <= a.max) {
		return nil, fmt.Errorf("use %s from %v to %v, not %s", what, a.min, a.max, shown(got))
	}
	return n, nil
}

func takeReferences(got any) (any, error) {
	list, ok := got.([]any)
	if !ok || len(list) < minCompare || len(list) > maxCompare {
		return nil, fmt.Errorf(`use a list of %d to %d ids, such as ["tool/pytorch", "tool/jax"]`, minCompare, maxCompare)
	}
	var keys []string
	for _, item := range list {
		s, ok := item.(string)
		if !ok {
			return nil, fmt.Errorf("use strings in the list, not %s", shown(item))
		}
		k, err := key(s)
		if err != nil {
			return nil, err
		}
		if slices.Contains(keys, k) {
			return nil, fmt.Errorf("%s is given twice", k)
		}
		keys = append(keys, k)
	}
	return keys, nil
}

// key parses type/slug. It also accepts the address of an entity in the API or the URI of its
// resource.
func key(s string) (string, error) {
	k := strings.TrimSpace(s)
	for _, prefix := range []string{entityURI, "/api/entity/"} {
		k = strings.TrimPrefix(k, prefix)
	}
	k = strings.ToLower(k)
	if len(k) <= maxText && keyGrammar.MatchString(k) {
		return k, nil
	}
	if keyGrammar.MatchString("tool/" + k) {
		return "", fmt.Errorf("%s has no type: use tool/%s or model/%s; use search to find out which", shown(s), shorten(k), shorten(k))
	}
	return "", fmt.Errorf("%s does not have the form type/slug, such as tool/pytorch; use the id of a search result", shown(s))
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
