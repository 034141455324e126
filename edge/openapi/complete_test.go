package openapi_test

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"kindex/builder/suite"
	"kindex/edge/openapi"
)

// described is an operation with its path and method.
type described struct {
	path, method string
	*openapi3.Operation
}

func operations(doc *openapi3.T) []described {
	var list []described
	for path, item := range doc.Paths.Map() {
		for method, op := range item.Operations() {
			list = append(list, described{path, method, op})
		}
	}
	slices.SortFunc(list, func(a, b described) int { return strings.Compare(a.OperationID, b.OperationID) })
	return list
}

// TestComplete checks that every operation, parameter, body, response and header has the
// descriptions and examples that new users need, which OpenAPI does not require.
func TestComplete(t *testing.T) {
	doc := load(t, openapi.YAML)
	tags := map[string]int{}
	for _, tag := range doc.Tags {
		tags[tag.Name] = 0
		suite.Holds(t, tag.Description != "", "the tag", tag.Name, "has no description")
	}
	for _, op := range operations(doc) {
		id := op.OperationID
		if len(op.Tags) != 1 {
			t.Errorf("%s has the tags %s, not one", id, op.Tags)
			continue
		}
		if _, known := tags[op.Tags[0]]; !known {
			t.Errorf("%s has the undescribed tag %s", id, op.Tags[0])
		}
		tags[op.Tags[0]]++
		suite.Holds(t, op.Summary != "" && len(op.Summary) <= 60 &&
			!strings.HasSuffix(op.Summary, "."), id, "summary", op.Summary, "is not a short line")
		suite.Holds(t, len(op.Description) >= 60 &&
			op.Description != op.Summary, id, "description", op.Description, "is too short")
		checkParameters(t, op)
		if body := op.RequestBody; body != nil {
			content := body.Value.Content["application/json"]
			suite.Holds(t, content != nil && len(content.Examples) != 0 &&
				body.Value.Description != "", id, "the body lacks a description or an example")
		}
		checkStatuses(t, op)
		for code, r := range op.Responses.Map() {
			checkResponse(t, id+" "+code, r.Value)
		}
	}
	for tag, n := range tags {
		suite.Holds(t, n != 0, "no operation uses the tag", tag)
	}
}

func checkParameters(t *testing.T, op described) {
	t.Helper()
	for _, ref := range op.Parameters {
		p := ref.Value
		// A cursor has no example: it is valid for only one query, so clients that send the
		// example would get an error.
		if p.Description == "" || (p.Example == nil) != (p.Name == "cursor") || p.Schema == nil {
			t.Errorf("%s: the parameter %s lacks a description, an example or a schema", op.OperationID, p.Name)
		}
	}
	for name := range strings.SplitSeq(op.path, "{") {
		if name, _, ok := strings.Cut(name, "}"); ok && op.Parameters.GetByInAndName("path", name) == nil {
			t.Errorf("%s: the parameter %s is not described", op.OperationID, name)
		}
	}
}

// checkStatuses checks that an operation describes every status that its address can return.
func checkStatuses(t *testing.T, op described) {
	t.Helper()
	want := []string{"400", "405", "500", "503"}
	if strings.HasPrefix(op.path, "/api/") {
		want = append(want, "401", "403")
	}
	if op.method == "GET" && op.Responses.Status(200).Value.Headers["ETag"] != nil {
		want = append(want, "304")
	}
	if strings.Contains(op.path, "{") {
		want = append(want, "404")
	}
	if op.RequestBody != nil {
		want = append(want, "413", "415")
	}
	for _, code := range want {
		suite.Holds(t, op.Responses.Value(code) != nil, op.OperationID, "does not describe", code)
	}
}

func checkResponse(t *testing.T, where string, r *openapi3.Response) {
	t.Helper()
	suite.Holds(t, r.Description != nil && *r.Description != "", where, "has no description")
	for name, h := range r.Headers {
		suite.Holds(t, h.Value.Description != "" &&
			h.Value.Example != nil, where, "the header", name, "lacks a description or an example")
	}
	for mediaType, content := range r.Content {
		binary := content.Schema.Value.Format == "binary"
		suite.Holds(t, len(content.Examples) != 0 || binary, where, mediaType, "has no example")
		for name, e := range content.Examples {
			suite.Holds(t, e.Value.Summary != "", where, "the example", name, mediaType, "has no summary")
		}
	}
}

var inCode = regexp.MustCompile("`([a-z-]+)`")

// TestProblemsHaveExamples checks that the examples of a response have exactly the codes that
// its description names.
func TestProblemsHaveExamples(t *testing.T) {
	suite.InTest(t)
	doc := load(t, openapi.YAML)
	codes := map[string]bool{}
	for _, v := range doc.Components.Schemas["Problem"].Value.Properties["code"].Value.Enum {
		codes[fmt.Sprint(v)] = true
	}
	shown := map[string]bool{"not-found": true} // only for addresses without an operation
	for _, op := range operations(doc) {
		for status, r := range op.Responses.Map() {
			content := r.Value.Content["application/problem+json"]
			if content == nil {
				continue
			}
			var named, examples []string
			for _, m := range inCode.FindAllStringSubmatch(*r.Value.Description, -1) {
				if codes[m[1]] {
					named = append(named, m[1])
				}
			}
			for _, e := range content.Examples {
				v := e.Value.Value.(map[string]any)
				examples = append(examples, fmt.Sprint(v["code"]))
				if fmt.Sprint(v["status"]) != status || v["type"] != "urn:kindex:problem:"+fmt.Sprint(v["code"]) {
					t.Errorf("%s %s: example %v does not match", op.OperationID, status, v)
				}
			}
			slices.Sort(named)
			slices.Sort(examples)
			suite.Equal(t, slices.Compact(named), slices.Compact(examples), op.OperationID, status, "codes", "examples")
			for _, code := range examples {
				shown[code] = true
			}
		}
	}
	for code := range maps.Keys(codes) {
		suite.Holds(t, shown[code], "code", code, "has no example")
	}
}

// TestSchemasAreExplained checks that every schema has a description, and that every member of
// an object has one, either its own or that of the schema it refers to.
func TestSchemasAreExplained(t *testing.T) {
	suite.InTest(t)
	doc := load(t, openapi.YAML)
	for name, ref := range doc.Components.Schemas {
		suite.Holds(t, ref.Value.Description != "", "schema", name, "has no description")
		for member, p := range ref.Value.Properties {
			suite.Holds(t, p.Value.Description != "", name, ".", member, "has no description")
		}
		for _, required := range ref.Value.Required {
			if ref.Value.Properties[required] == nil {
				t.Errorf("%s requires %s, which it does not have", name, required)
			}
		}
	}
}
