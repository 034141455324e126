package submission

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"kindex/builder/content/schema"
)

// Limits on what is checked against the rules. They are far above any valid submission,
// and keep the work for an invalid one in proportion to its size: the rules compare
// names, and format a problem, for each invalid value.
const (
	maxValues  = 4000 // of all kinds and at any depth, in one field
	maxMembers = 100  // of one object; unknown fields that are looked at
)

// listBounds has the fields of an entity file, each with the maximum number of list entries
// according to the schema; 0 for other fields.
var listBounds = func() map[string]int {
	data, err := schema.JSON("entity")
	var s struct {
		Properties map[string]struct {
			MaxItems int `json:"maxItems"`
		}
	}
	if err == nil {
		err = json.Unmarshal(data, &s)
	}
	if err != nil {
		panic(err) // it is embedded
	}
	bounds := map[string]int{}
	for name, p := range s.Properties {
		bounds[name] = p.MaxItems
	}
	return bounds
}()

// take copies the fields of the file. Oversized fields are reported and left out; of
// unknown fields, only the first are reported.
func (p *parser) take(fields map[string]any) {
	unknown := 0
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if slices.Contains(addressFields, name) {
			continue
		}
		if _, ok := listBounds[name]; !ok {
			if unknown++; unknown <= maxMembers {
				p.add(*schema.UnknownEntityField(name, addressFields...))
			}
			continue
		}
		if message := checkSize(name, fields[name]); message != "" {
			p.problem(name, message, "")
			continue
		}
		p.fields[name] = fields[name]
	}
}

// checkSize returns why a value is too large to be checked, "" if it is not.
func checkSize(name string, value any) string {
	if list, ok := value.([]any); ok && listBounds[name] > 0 && len(list) > listBounds[name] {
		return fmt.Sprintf("has %d entries; at most %d are allowed", len(list), listBounds[name])
	}
	left := maxValues
	return count(value, &left)
}

// count subtracts the number of values within a value from the remaining number.
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
