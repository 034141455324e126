package openapi_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"kindex/builder/suite"
	"kindex/edge/openapi"
	"kindex/exports/kinds"
	"kindex/exports/record"
	"kindex/exports/where"

	"github.com/getkin/kin-openapi/openapi3"
)

// declarations returns what a content folder declares.
func declarations(t *testing.T, dir string) *kinds.Set {
	t.Helper()
	data := suite.Must(os.ReadFile(filepath.Join(dir, "kinds.yaml")))(t)
	return suite.Must(kinds.Parse(data))(t)
}

// TestServedDefault checks that an index that declares nothing has the description as it is written.
func TestServedDefault(t *testing.T) {
	if got, err := openapi.Served(kinds.Default()); err != nil || !bytes.Equal(got, openapi.YAML) {
		t.Errorf("the description of the default kinds is another one: %v", err)
	}
}

// TestServed checks the descriptions of an index of glazes and of the tools and models with one more field:
// they are valid, lint-clean, and have the members, filters and kinds of the index, and no others.
func TestServed(t *testing.T) {
	suite.InTest(t)
	more := suite.Must(kinds.Parse([]byte(strings.Replace(string(defaultYAML(t)), "fields:\n", "fields:\n  glow: {type: count, title: Glow, filter: true}\n", 1))))(t)
	for name, declared := range map[string]*kinds.Set{"workshop": declarations(t, suite.Workshop(t)), "more": more} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text := suite.Must(openapi.Served(declared))(t)
			suite.Equal(t, len(lint(t, text)), 0, "Redocly found")
			doc := load(t, text)
			suite.Check(t, doc.Validate(context.Background()))
			checkServed(t, doc, declared)
			if name == "workshop" {
				for _, word := range []string{"openWeights", "contextTokens", "stars", "maxPrice", "/api/cost", "tool/", "pytorch"} {
					if i := bytes.Index(text, []byte(word)); i >= 0 {
						t.Errorf("the description says %s: …%s…", word, text[max(0, i-80):min(len(text), i+80)])
					}
				}
			}
		})
	}
}

func checkServed(t *testing.T, doc *openapi3.T, declared *kinds.Set) {
	t.Helper()
	var types []string
	for _, v := range doc.Components.Schemas["EntityType"].Value.Enum {
		types = append(types, v.(string))
	}
	suite.Equal(t, types, declared.Names(), "types")
	whole := doc.Components.Schemas["EntityDocument"].Value
	for _, member := range record.RecordFields(declared) {
		if whole.Properties[member] == nil || !slices.Contains(whole.Required, member) {
			t.Errorf("a record has no %s, or it is optional", member)
		}
	}
	if n := len(record.RecordFields(declared)) + 1; len(whole.Properties) != n { // and build
		t.Errorf("a record has %d members, want %d", len(whole.Properties), n)
	}
	var filters []string
	for _, p := range doc.Paths.Find("/api/entities").Get.Parameters {
		filters = append(filters, p.Value.Name)
	}
	for _, name := range where.Filters(declared) {
		if !slices.Contains(filters, name) {
			t.Errorf("/api/entities has no parameter %s", name)
		}
	}
	for _, name := range where.Filters(kinds.Default()) {
		if slices.Contains(filters, name) && !slices.Contains(where.Filters(declared), name) {
			t.Errorf("/api/entities has the parameter %s", name)
		}
	}
}

// defaultYAML returns the declarations of an index without a kinds.yaml.
func defaultYAML(t *testing.T) []byte {
	t.Helper()
	return suite.Must(os.ReadFile(filepath.Join(suite.Root(t), "exports", "kinds", "default.yaml")))(t)
}
