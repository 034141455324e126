package schema

import (
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"kindex/exports/safetext"
)

// A rule is a part of a schema in a form that is fast to check. Nearly all files are valid, and
// the JSON Schema library takes longer to find that out than reading the file takes. So each
// document is first checked against rules, which only say yes or "perhaps not"; unless they say
// yes, Check starts again with the library and finds out what is wrong.
type rule struct {
	types valueTypes

	// For strings.
	enum           []string
	pattern        string
	match          func(string) bool // nil if there is no pattern
	minLen, maxLen int               // in code points

	min, max float64 // for numbers

	// For mappings.
	members  map[string]*rule
	others   *rule // for names that are not in members; nil if none are allowed
	required []string
	needs    map[string][]string // for each member: the others that must be present if it is
	minCount int

	// For lists.
	items              *rule
	minItems, maxItems int
	unique             bool
}

// valueTypes is a set of the types of values.
type valueTypes uint8

const (
	isString valueTypes = 1 << iota
	isNumber
	isInteger
	isBool
	isList
	isMapping
)

var kindNames = map[string]valueTypes{"string": isString, "number": isNumber | isInteger, "integer": isInteger,
	"boolean": isBool, "array": isList, "object": isMapping}

// newRule returns the rule for a part of a schema. It panics if the part has a keyword without a
// counterpart in rule, which cannot happen since the schema is embedded.
func (s *Schema) newRule(part any) *rule {
	node := s.resolve(part)
	for keyword := range part.(map[string]any) {
		if _, same := node[keyword]; !same && keyword != "$ref" && keyword != "description" {
			panic("schema: rules do not cover a reference with the keyword " + keyword)
		}
	}
	r := &rule{maxLen: math.MaxInt, min: math.Inf(-1), max: math.Inf(1), maxItems: math.MaxInt, members: map[string]*rule{}}
	for keyword, value := range node {
		switch v := value.(type) {
		case map[string]any:
			s.setParts(r, keyword, v)
		case string:
			r.setTexts(keyword, []string{v})
		case []any:
			texts := make([]string, len(v))
			for i := range v {
				texts[i] = v[i].(string)
			}
			r.setTexts(keyword, texts)
		case json.Number:
			r.setLimit(keyword, v)
		case bool:
			r.unique = r.unique || keyword == "uniqueItems" && v
		}
	}
	if r.types == 0 || r.types&isMapping != 0 && node["additionalProperties"] == nil || r.types&isList != 0 && r.items == nil ||
		r.unique && r.items.types&(isList|isMapping) != 0 {
		panic(fmt.Sprintf("schema: rules do not cover %v", node))
	}
	return r
}

// setParts sets the field for a keyword whose value contains schemas.
func (s *Schema) setParts(r *rule, keyword string, value map[string]any) {
	switch keyword {
	case "$defs":
	case "additionalProperties":
		r.others = s.newRule(value)
	case "items":
		r.items = s.newRule(value)
	case "properties":
		for name, part := range value {
			r.members[name] = s.newRule(part)
		}
	case "dependentRequired":
		r.needs = map[string][]string{}
		for name, others := range value {
			for _, other := range others.([]any) {
				r.needs[name] = append(r.needs[name], other.(string))
			}
		}
	default:
		panic("schema: rules do not cover the keyword " + keyword)
	}
}

// setTexts sets the field for a keyword whose value is a string or a list of strings.
func (r *rule) setTexts(keyword string, texts []string) {
	switch keyword {
	case "$schema", "$id", "title", "description":
	case "enum":
		r.enum, r.types = texts, r.types|isString
	case "required":
		r.required = texts
	case "pattern":
		r.pattern, r.match = texts[0], matcher(texts[0])
	case "type":
		for _, name := range texts {
			r.types |= kindNames[name]
		}
	default:
		panic("schema: rules do not cover the keyword " + keyword)
	}
}

// setLimit sets the field for a keyword whose value is a number.
func (r *rule) setLimit(keyword string, value json.Number) {
	bound, err := value.Float64()
	if err != nil {
		panic("schema: " + err.Error()) // cannot happen: it is a JSON number within the range of those that Go writes
	}
	limit := int(bound)
	switch keyword {
	case "minimum":
		r.min = bound
	case "maximum":
		r.max = bound
	case "minLength":
		r.minLen = limit
	case "maxLength":
		r.maxLen = limit
	case "minItems":
		r.minItems = limit
	case "maxItems":
		r.maxItems = limit
	case "minProperties":
		r.minCount = limit
	default:
		panic("schema: rules do not cover the keyword " + keyword)
	}
}

// accepts reports whether Check would find nothing wrong with the value of a field.
func (r *rule) accepts(field string, value any) bool {
	switch v := value.(type) {
	case string:
		return r.types&isString != 0 && r.acceptsText(field, v)
	case int64:
		// Beyond 2^53, a float64 does not represent every whole number.
		return r.types&isInteger != 0 && -1<<53 <= v && v <= 1<<53 && r.min <= float64(v) && float64(v) <= r.max
	case float64:
		return r.types&isNumber != 0 && r.min <= v && v <= r.max && !math.IsInf(v, 0)
	case bool:
		return r.types&isBool != 0
	case []any:
		return r.types&isList != 0 && r.acceptsList(field, v)
	case map[string]any:
		return r.types&isMapping != 0 && r.acceptsMapping(v)
	}
	return false
}

func (r *rule) acceptsMapping(fields map[string]any) bool {
	if len(fields) < r.minCount {
		return false
	}
	if !containsAll(fields, r.required) {
		return false
	}
	for name, others := range r.needs {
		if _, ok := fields[name]; ok && !containsAll(fields, others) {
			return false
		}
	}
	for name, value := range fields {
		member := r.members[name]
		if member == nil {
			member = r.others
			if member == nil || isHidden(name) {
				return false
			}
		}
		if !member.accepts(name, value) {
			return false
		}
	}
	return true
}

func containsAll(fields map[string]any, names []string) bool {
	for _, name := range names {
		if _, ok := fields[name]; !ok {
			return false
		}
	}
	return true
}

func (r *rule) acceptsList(field string, list []any) bool {
	if len(list) < r.minItems || len(list) > r.maxItems {
		return false
	}
	for i, item := range list {
		if !r.items.accepts(field, item) || r.unique && slices.Contains(list[:i], item) {
			return false
		}
	}
	return true
}

// acceptsText reports whether neither the schema nor checkTexts objects to a string.
func (r *rule) acceptsText(field, text string) bool {
	if r.enum != nil && !slices.Contains(r.enum, text) || r.match != nil && !r.match(text) {
		return false
	}
	// A code point has at most four bytes.
	if len(text) < r.minLen*utf8.UTFMax || len(text) > r.maxLen {
		if n := utf8.RuneCountInString(text); n < r.minLen || n > r.maxLen {
			return false
		}
	}
	if isHidden(text) {
		return false
	}
	switch r.pattern {
	case linePattern:
		return !isBlank(text) && (field != "license" || validLicense(text))
	case urlPattern, servicePattern:
		return validURL(text)
	case repositoryPattern:
		return validURL(text) && validRepository(text)
	case branchPattern:
		return validBranch(text)
	case dayPattern, monthPattern, periodPattern:
		// As if it were a reading: plans for the future are left to the slower check.
		return validDate(text) && doubtfulDate(text, pastOnly, time.Now()) == ""
	}
	return true
}

// isHidden reports whether a text has a character that is not visible.
func isHidden(text string) bool {
	for i := range len(text) {
		if text[i] < ' ' || text[i] > '~' {
			for range safetext.Hidden(text) {
				return true
			}
			return false
		}
	}
	return false
}

// validLicense reports whether a text is an SPDX licence expression in the spelling of the list.
func validLicense(text string) bool {
	ok, guess := licenseExpression(strings.TrimSpace(text))
	return ok && guess == ""
}

// matcher returns a function that reports whether a string matches a pattern. For the patterns
// of most strings, it is faster than a regular expression on ASCII strings.
func matcher(pattern string) func(string) bool {
	expression := regexp.MustCompile(pattern)
	switch pattern {
	case urlPattern:
		return func(s string) bool { return plainURL(s) || expression.MatchString(s) }
	case linePattern:
		return func(s string) bool { return isPrintable(s) || expression.MatchString(s) }
	case dayPattern:
		return isDay
	}
	return expression.MatchString
}

// isPrintable reports whether all characters are printable ASCII characters.
func isPrintable(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

// isDay reports whether a string has the form YYYY-MM-DD.
func isDay(s string) bool {
	if len(s) != len("2006-01-02") {
		return false
	}
	for i := range len(s) {
		if dash := i == 4 || i == 7; dash && s[i] != '-' || !dash && (s[i] < '0' || s[i] > '9') {
			return false
		}
	}
	return true
}

// plainURL reports whether a string is an address of the most common form: http or https, a host
// of letters, digits, hyphens and dots, and then printable ASCII characters without spaces and
// percent signs. Such a string matches urlPattern and is a valid URL.
func plainURL(s string) bool {
	rest, ok := strings.CutPrefix(s, "https://")
	if !ok {
		if rest, ok = strings.CutPrefix(s, "http://"); !ok {
			return false
		}
	}
	end := strings.IndexByte(rest, '/')
	if end < 0 {
		end = len(rest)
	}
	host, path := rest[:end], rest[end:]
	for i := range len(host) {
		if c := host[i]; c != '-' && (c < '0' || c > '9') && (c|0x20 < 'a' || c|0x20 > 'z') &&
			(c != '.' || i == 0 || host[i-1] == '.') {
			return false
		}
	}
	for i := range len(path) {
		if c := path[i]; c <= ' ' || c > '~' || c == '%' {
			return false
		}
	}
	return host != ""
}
