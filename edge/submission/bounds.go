package submission

import (
	"fmt"
	"maps"
	"slices"

	"kindex/builder/content/schema"
)

// Limits on the size of what is checked against the rules. They are far larger than any valid
// submission, and keep the cost of checking an invalid one in proportion to its size: for each
// invalid value, the rules compare names and format a message.
const (
	maxValues  = 4000 // values of any kind and at any depth in one field
	maxMembers = 100  // fields in one object; also the unknown fields that are reported
)

// take copies the fields that belong in the file. It reports fields that are too large, and
// the first unknown fields, instead of copying them.
func (p *parser) take(fields map[string]any) {
	unknown, entity := 0, schema.Of(p.kinds, "entity")
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if slices.Contains(addressFields, name) {
			continue
		}
		if entity.Members.Of[name] == nil {
			if unknown++; unknown <= maxMembers {
				p.add(*schema.UnknownEntityField(p.kinds, name, addressFields...))
			}
			continue
		}
		if message := checkSize(fields[name], entity.Member(name).MaxItems); message != "" {
			p.problem(name, message, "")
			continue
		}
		p.fields[name] = fields[name]
	}
}

func checkSize(value any, bound int) string {
	values, members := measure(value)
	switch list, ok := value.([]any); {
	case ok && bound > 0 && len(list) > bound:
		return fmt.Sprintf("has %d entries; at most %d are allowed", len(list), bound)
	case values > maxValues:
		return fmt.Sprintf("has more than %d values", maxValues)
	case members > maxMembers:
		return fmt.Sprintf("has %d fields in one object; at most %d are allowed", members, maxMembers)
	}
	return ""
}

// measure returns the number of values within a value, itself included, and the number of fields
// of its largest object.
func measure(value any) (values, members int) {
	var items []any
	switch v := value.(type) {
	case []any:
		items = v
	case map[string]any:
		items, members = slices.Collect(maps.Values(v)), len(v)
	}
	values = 1
	for _, item := range items {
		n, m := measure(item)
		values, members = values+n, max(members, m)
	}
	return values, members
}
