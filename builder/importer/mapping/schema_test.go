package mapping_test

import (
	"encoding/json"
	"slices"
	"testing"

	"kindex/builder/content/schema"
	"kindex/builder/suite"
	"kindex/exports/kinds"
)

// TestMappingCoversEntity checks that a mapping can define every field of an entity, except those
// that only people decide, and sources, since a mapping states the source of each signal.
func TestMappingCoversEntity(t *testing.T) {
	entity, mapping := schemaOf(t, "entity"), schemaOf(t, "mapping")
	sections := []string{"links", "ids", "modalities", "parameters", "lifecycle", "signals", "offersRead", "offers"}
	for name, field := range entity.Properties {
		if name == "sources" {
			continue // a mapping gives each figure its own
		}
		if !slices.Contains(sections, name) {
			if name != "sources" && mapping.Properties["fields"].Properties[name] == nil {
				t.Errorf("fields.%s is missing", name)
			}
			continue
		}
		to := mapping.Properties[name]
		if to == nil {
			t.Errorf("%s is missing", name)
			continue
		}
		if field.Items != nil {
			field, to = field.Items, to.Items
		}
		for member := range field.Properties {
			if to.Properties[member] == nil && name != "ids" && member != "reviewed" {
				t.Errorf("%s.%s is missing", name, member)
			}
		}
	}
	results, columns := entity.Properties["signals"].Properties["benchmarks"].Items, mapping.Properties["signals"].Properties["benchmarks"].Items
	for member := range results.Properties {
		if columns.Properties[member] == nil {
			t.Errorf("signals.benchmarks.%s is missing", member)
		}
	}
}

type node struct {
	Properties map[string]*node
	Items      *node
}

func schemaOf(t *testing.T, name string) *node {
	t.Helper()
	data := suite.Must(schema.JSON(name, kinds.Default()))(t)
	var n node
	suite.Check(t, json.Unmarshal(data, &n))
	return &n
}
