package submission

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"sync"

	"kindex/builder/content/schema"
	"kindex/exports/kinds"
)

// Limits on the size of what is checked against the rules. They are far larger than any valid
// submission, and keep the cost of checking an invalid one in proportion to its size: for each
// invalid value, the rules compare names and format a message.
const (
	maxValues  = 4000 // values of any kind and at any depth in one field
	maxMembers = 100  // fields in one object; also the unknown fields that are reported
)

// listBounds maps each field of an entity file to the maximum number of list entries
// according to the schema, or to 0 if there is no maximum.
func listBounds(declared *kinds.Set) map[string]int {
	if known, ok := boundsOf.Load(declared); ok {
		return known.(map[string]int)
	}
	data, err := schema.JSON("entity", declared)
	var s struct {
		Properties map[string]struct {
			MaxItems int `json:"maxItems"`
		}
	}
	if err == nil {
		err = json.Unmarshal(data, &s)
	}
	if err != nil {
		panic(err) // the schema is embedded
	}
	bounds := map[string]int{}
	for name, p := range s.Properties {
		bounds[name] = p.MaxItems
	}
	boundsOf.Store(declared, bounds)
	return bounds
}

// boundsOf holds the list bounds of each set of kinds, because making its schema takes milliseconds.
var boundsOf sync.Map // of map[string]int, by *kinds.Set

// take copies the fields that belong in the file. It reports fields that are too large, and
// the first unknown fields, instead of copying them.
func (p *parser) take(fields map[string]any) {
	unknown, bounds := 0, listBounds(p.kinds)
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if slices.Contains(addressFields, name) {
			continue
		}
		if _, ok := bounds[name]; !ok {
			if unknown++; unknown <= maxMembers {
				p.add(*schema.UnknownEntityField(p.kinds, name, addressFields...))
			}
			continue
		}
		if message := checkSize(fields[name], bounds[name]); message != "" {
			p.problem(name, message, "")
			continue
		}
		p.fields[name] = fields[name]
	}
}

// checkSize returns a message if a value is too large to be checked, and "" otherwise.
func checkSize(value any, bound int) string {
	if list, ok := value.([]any); ok && bound > 0 && len(list) > bound {
		return fmt.Sprintf("has %d entries; at most %d are allowed", len(list), bound)
	}
	left := maxValues
	return count(value, &left)
}

// count subtracts the number of values within a value from left, and returns a message if
// there are too many.
func count(value any, left *int) string {
	if *left--; *left < 0 {
		return fmt.Sprintf("has more than %d values", maxValues)
	}
	switch v := value.(type) {
	case []any:
		for _, item := range v {
			if message := count(item, left); message != "" {
				return message
			}
		}
	case map[string]any:
		if len(v) > maxMembers {
			return fmt.Sprintf("has %d fields in one object; at most %d are allowed", len(v), maxMembers)
		}
		for _, item := range v {
			if message := count(item, left); message != "" {
				return message
			}
		}
	}
	return ""
}
