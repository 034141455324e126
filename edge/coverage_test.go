package edge_test

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
)

// seen records what the contract test's requests have covered.
type seen struct {
	statuses map[string]bool // operation, status
	headers  map[string]bool // operation, status, header
	taken    map[string]bool // operation, parameter
	refused  map[string]bool // operation, parameter
	codes    map[string]bool // problem codes
}

func newSeen() seen {
	return seen{map[string]bool{}, map[string]bool{}, map[string]bool{}, map[string]bool{}, map[string]bool{}}
}

func (s *seen) request(op *operation, r request, req *http.Request) {
	if r.fault != "" {
		s.refused[op.OperationID+" "+r.fault] = true
		return
	}
	if r.status >= 400 {
		return
	}
	for _, ref := range op.Parameters {
		p := ref.Value
		if p.In == "path" || p.In == "query" && req.URL.Query().Has(p.Name) || p.In == "header" && req.Header.Get(p.Name) != "" {
			s.taken[op.OperationID+" "+p.Name] = true
		}
	}
}

func (s *seen) answer(op *operation, a *answer) {
	key := fmt.Sprint(op.OperationID, " ", a.status)
	s.statuses[key] = true
	for name := range a.header {
		s.headers[key+" "+name] = true
	}
}

// unprovoked is the status that no client can cause. Its description is the same for every
// operation, and the test causes it for getDataFile.
const unprovoked = " 500"

// anyValue contains the parameters for which no value is invalid: an outdated entity tag is not
// an error, and an unsuitable request ID is replaced.
var anyValue = []string{"If-None-Match", "If-Range", "X-Request-Id"}

// testCoverage fails if something that is described was never seen, or something that is served
// is not described.
func testCoverage(t *testing.T, c *contract) {
	for _, id := range c.sortedIDs() {
		op := c.operations[id]
		for code, response := range op.Responses.Map() {
			key := id + " " + code
			if !c.seen.statuses[key] {
				if strings.HasSuffix(key, unprovoked) && id != "getDataFile" {
					continue
				}
				t.Errorf("%s was never seen", key)
			}
			for name := range response.Value.Headers {
				if strings.Contains(name, "RateLimit") && !strings.HasPrefix(op.path, "/api/") {
					continue // these headers have one shared description, which is checked for the operations under /api
				}
				if !c.seen.headers[key+" "+http.CanonicalHeaderKey(name)] {
					t.Errorf("%s: header %s was never seen", key, name)
				}
			}
		}
		for _, ref := range op.Parameters {
			name := ref.Value.Name
			if !c.seen.taken[id+" "+name] {
				t.Errorf("%s: no request with the parameter %s succeeded", id, name)
			}
			if !c.seen.refused[id+" "+name] && !slices.Contains(anyValue, name) {
				t.Errorf("%s: no value of the parameter %s was refused", id, name)
			}
		}
	}
	coverCodes(t, c)
	coverRoutes(t, c)
}

func coverCodes(t *testing.T, c *contract) {
	var described []string
	for _, v := range c.doc.Components.Schemas["Problem"].Value.Properties["code"].Value.Enum {
		described = append(described, fmt.Sprint(v))
	}
	slices.Sort(described)
	if got := slices.Sorted(maps.Keys(c.seen.codes)); !slices.Equal(got, described) {
		t.Errorf("problem codes seen: %s\nproblem codes described: %s", got, described)
	}
}

// coverRoutes compares the server's routes with the routes in the description.
// testUnknownParameter compares their parameters.
func coverRoutes(t *testing.T, c *contract) {
	var described, served []string
	for path := range c.doc.Paths.Map() {
		if strings.HasPrefix(path, "/api/") {
			described = append(described, path)
		}
	}
	for _, path := range c.server.Paths() {
		parts := strings.Split(path, "/")
		for i, part := range parts {
			if name, ok := strings.CutPrefix(part, ":"); ok {
				parts[i] = "{" + name + "}"
			}
		}
		served = append(served, strings.Join(parts, "/"))
	}
	slices.Sort(described)
	slices.Sort(served)
	if !slices.Equal(described, served) {
		t.Errorf("served: %s\ndescribed: %s", served, described)
	}
}

// testExamples validates every example in the description against its schema.
func testExamples(t *testing.T, doc *openapi3.T) {
	n := 0
	check := func(where string, schema *openapi3.SchemaRef, example any) {
		if example == nil {
			return
		}
		n++
		if err := schema.Value.VisitJSON(example); err != nil {
			t.Errorf("%s: %v", where, err)
		}
	}
	for path, item := range doc.Paths.Map() {
		for _, op := range item.Operations() {
			for _, p := range op.Parameters {
				check(op.OperationID+" "+p.Value.Name, p.Value.Schema, p.Value.Example)
			}
			for code, r := range op.Responses.Map() {
				for name, h := range r.Value.Headers {
					check(path+" "+code+" "+name, h.Value.Schema, h.Value.Example)
				}
				for mediaType, content := range r.Value.Content {
					for name, example := range content.Examples {
						check(path+" "+code+" "+mediaType+" "+name, content.Schema, example.Value.Value)
					}
					check(path+" "+code+" "+mediaType, content.Schema, content.Example)
					if len(content.Examples) == 0 && describesJSON(mediaType) {
						t.Errorf("%s %s %s has no example", path, code, mediaType)
					}
				}
			}
		}
	}
	if n < 200 {
		t.Errorf("only %d examples were found", n)
	}
}

func describesJSON(mediaType string) bool { return strings.HasSuffix(mediaType, "json") }

// exampleTexts returns a parameter's example values in the form in which they appear in a query.
func exampleTexts(example any) []string {
	list, ok := example.([]any)
	if !ok {
		list = []any{example}
	}
	var texts []string
	for _, v := range list {
		if n, ok := v.(float64); ok {
			texts = append(texts, strconv.FormatFloat(n, 'f', -1, 64))
		} else {
			texts = append(texts, fmt.Sprint(v))
		}
	}
	return texts
}
