package edge

import (
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"kindex/builder/suite"
	"kindex/edge/api"
	"kindex/edge/openapi"
	"kindex/edge/web"
	"kindex/exports/kinds"
	"kindex/exports/record"
	"kindex/exports/table"
	"kindex/exports/view"
	"kindex/exports/where"
)

// TestNamesAreReserved: the names that kinds.yaml must not declare are those of the tables of routes, of their
// parameters, of the members of responses and of the columns. Package kinds cannot import them.
func TestNamesAreReserved(t *testing.T) {
	s := serve(t, 5)
	standard := kinds.Default()
	declared := slices.Clone(kinds.OfferFilters) // offers take the filters of their entities
	for _, f := range standard.Leaves() {
		lowest, highest := f.Limits()
		declared = append(declared, f.Name, f.Query, lowest, highest, f.Column())
		if f.Group != nil {
			declared = append(declared, f.Group.Name)
		}
	}
	reserved := func(list string, names []string, name, what string) {
		t.Helper()
		if !slices.Contains(names, name) && !slices.Contains(declared, name) {
			t.Errorf("%s is %s, and is missing from kinds.%s", name, what, list)
		}
	}
	paths := []string{agentPath}
	params := slices.Concat(where.Filters(standard), api.OfferParams, api.CostParams) // the page of prices has both
	for _, r := range s.routeTable() {
		paths = append(paths, r.path)
		if slices.Contains(r.params, web.FilterParams) {
			params = append(params, r.params...)
		}
	}
	for _, r := range s.console.Routes {
		paths = append(paths, r.Path)
	}
	for _, path := range paths {
		if first, _, _ := strings.Cut(strings.Trim(path, "/"), "/"); !strings.Contains(first, ".") {
			reserved("Paths", kinds.Paths, first, "the beginning of a path of the service")
		}
	}
	for _, name := range params {
		if name != web.FilterParams {
			reserved("Parameters", kinds.Parameters, name, "a parameter beside filters")
		}
	}
	for _, key := range view.SortKeys(standard) {
		if !strings.HasPrefix(key, view.SignalKey("")) && !slices.Contains(kinds.Members, key) {
			reserved("Parameters", kinds.Parameters, key, "a key to sort by")
		}
	}
	for _, name := range record.RecordFields(standard) {
		reserved("Members", kinds.Members, name, "a member of records")
	}
	for _, c := range table.FullColumns(standard) {
		if !strings.HasPrefix(c.Name, "link") && !strings.HasPrefix(c.Name, "signal") {
			reserved("Members", kinds.Members, c.Name, "a column")
		}
	}
	var doc struct {
		Components struct {
			Schemas map[string]struct{ Properties map[string]any }
		}
	}
	suite.Check(t, yaml.Unmarshal(openapi.YAML, &doc))
	lists := 0
	for _, schema := range doc.Components.Schemas {
		if schema.Properties["openWeights"] == nil || schema.Properties["slug"] == nil {
			continue
		}
		lists++
		for name := range schema.Properties {
			if !strings.HasPrefix(name, "link") && !strings.HasPrefix(name, "signal") {
				reserved("Members", kinds.Members, name, "a member of what lists entities")
			}
		}
	}
	if lists < 5 {
		t.Errorf("only %d schemas of the API have the members of records", lists)
	}
}
