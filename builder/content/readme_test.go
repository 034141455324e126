package content_test

import (
	"encoding/json"
	"os"
	"reflect"
	"strings"
	"testing"

	"kindex/builder/content"
	"kindex/builder/content/schema"
	"kindex/builder/suite"
	"kindex/exports/kinds"
)

// TestReadme checks that the pages for contributors name every field in the schemas.
func TestReadme(t *testing.T) {
	readme := suite.Must(os.ReadFile("../../content/README.md"))(t)
	pages := string(readme)
	for _, name := range []string{"content-files", "importing", "collecting"} {
		guide := suite.Must(os.ReadFile("../../site/docs/" + name + ".md"))(t)
		pages += string(guide)
	}
	checked, examples := 0, 0
	for _, name := range schema.Names {
		data := suite.Must(schema.JSON(name, kinds.Default()))(t)
		var s any
		suite.Check(t, json.Unmarshal(data, &s))
		for _, property := range propertyNames(s) {
			checked++
			suite.Contains(t, pages, "`"+property+"`", name)
		}
	}
	if checked < 100 {
		t.Errorf("found only %d properties in the schemas", checked)
	}
	// The examples are complete, valid entity files.
	for i, text := range strings.Split(string(readme), "```yaml\n")[1:] {
		text, _, _ = strings.Cut(text, "```")
		typ := "tool"
		if strings.HasPrefix(text, "# content/model/") {
			typ = "model"
		}
		if text = unnamed(text); !strings.HasPrefix(text, "name:") {
			continue
		}
		examples++
		if _, problems := content.ParseEntity(kinds.Default(), "README.md", typ, "x", []byte(text)); len(problems) > 0 {
			t.Errorf("example %d of content/README.md: %v", i+1, problems)
		}
	}
	if examples < 2 {
		t.Errorf("content/README.md has %d examples, want one of a tool and one of a model", examples)
	}
}

// unnamed returns an example without the line that names its file.
func unnamed(text string) string {
	if first, rest, _ := strings.Cut(text, "\n"); strings.HasPrefix(first, "# content/") {
		return rest
	}
	return text
}

// propertyNames collects the keys of all "properties" of a schema, at any depth.
func propertyNames(node any) (names []string) {
	switch n := node.(type) {
	case map[string]any:
		if properties, ok := n["properties"].(map[string]any); ok {
			for name := range properties {
				names = append(names, name)
			}
		}
		for _, child := range n {
			names = append(names, propertyNames(child)...)
		}
	case []any:
		for _, child := range n {
			names = append(names, propertyNames(child)...)
		}
	}
	return names
}

// TestBoardFormula checks that a board's formula has the same schema as that of a type in
// scoring.yaml.
func TestBoardFormula(t *testing.T) {
	var schemas [2]struct {
		Defs map[string]any `json:"$defs"`
	}
	for i, name := range []string{"scoring", "boards"} {
		data := suite.Must(schema.JSON(name, kinds.Default()))(t)
		suite.Check(t, json.Unmarshal(data, &schemas[i]))
	}
	for name, want := range schemas[0].Defs {
		if !reflect.DeepEqual(schemas[1].Defs[name], want) {
			t.Errorf("$defs.%s of boards.schema.json differs from that of scoring.schema.json", name)
		}
	}
}
