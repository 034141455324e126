package view

import (
	"slices"

	"kindex/exports/ids"
	"kindex/exports/kinds"
	"kindex/exports/pricing"
	"kindex/exports/record"
)

// Terms holds what the content declares besides entities, and what all views of a build share.
type Terms struct {
	declared  *kinds.Set
	providers pricing.Providers
	preferred map[fieldValue]string   // replaced value → its replacement
	others    map[fieldValue][]string // replacement → the values that it replaces

	// AsOf is the day of a view of the present, YYYY-MM-DD: announced prices replace others on their day.
	AsOf string
}

// fieldValue is a value of a filter field, folded like the values that it is compared with.
type fieldValue struct{ field, value string }

func foldedValue(field, value string) fieldValue { return fieldValue{field, record.Fold(value)} }

// NewTerms returns terms with the kinds and the providers of offers that the content declares.
func NewTerms(declared *kinds.Set, providers pricing.Providers) *Terms {
	return &Terms{declared: declared, providers: providers, preferred: map[fieldValue]string{}, others: map[fieldValue][]string{}}
}

// Kinds returns the kinds of the index.
func (t *Terms) Kinds() *kinds.Set { return t.declared }

// Replace records that a value of a filter field has replaced others: the former slugs of a category,
// or the synonyms of a capability or tag. It must not be called once a view has the terms.
func (t *Terms) Replace(field, to string, from []string) {
	for _, old := range from {
		t.preferred[foldedValue(field, old)] = to
	}
	if len(from) > 0 {
		t.others[foldedValue(field, to)] = from
	}
}

// Preferred returns the value that replaces a value of a filter field: the current slug of a
// category, given a former one, or a capability or tag, given a synonym. If nothing replaces the
// value, it is returned unchanged and replaced is false.
func (t *Terms) Preferred(field, value string) (preferred string, replaced bool) {
	if preferred, replaced = t.preferred[foldedValue(field, value)]; replaced {
		return preferred, true
	}
	return value, false
}

// ReplacedBy returns the values that a value of a filter field replaces.
func (t *Terms) ReplacedBy(field, value string) []string { return t.others[foldedValue(field, value)] }

// Same returns a value's replacement and all values that this replaces. Records of earlier days can
// have any of them.
func (t *Terms) Same(field, value string) []string {
	value, _ = t.Preferred(field, value)
	return append([]string{value}, t.ReplacedBy(field, value)...)
}

// Providers returns the providers of offers, in the order of providers.yaml.
func (t *Terms) Providers() pricing.Providers { return t.providers }

// Namespace returns the namespace of identifiers with a name: one that the content declares or a
// built-in one. It returns nil if there is none.
func (t *Terms) Namespace(name string) *ids.Namespace {
	return ids.In(t.declared, name)
}

// Namespaces lists the names of all namespaces of identifiers, sorted.
func (t *Terms) Namespaces() []string {
	names := ids.Names()
	for _, n := range t.declared.IDs {
		names = append(names, n.Name)
	}
	slices.Sort(names)
	return names
}
