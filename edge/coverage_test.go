package edge_test

import (
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"kindex/builder/suite"
	"kindex/edge"
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
			suite.Holds(t, c.seen.taken[id+" "+name], id, "no request with the parameter", name, "succeeded")
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
	suite.Equal(t, slices.Sorted(maps.Keys(c.seen.codes)), described, "problem codes")
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
	suite.Equal(t, described, served, "served")
}

// testExamples: every response in JSON has an example. Package openapi validates them.
func testExamples(t *testing.T, c *contract) {
	for id, op := range c.operations {
		for code, r := range op.Responses.Map() {
			for mediaType, content := range r.Value.Content {
				if len(content.Examples) == 0 && strings.HasSuffix(mediaType, "json") {
					t.Errorf("%s %s %s has no example", id, code, mediaType)
				}
			}
		}
	}
}

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

// fixtureBoards has a board of each type, and one that is not published.
const fixtureBoards = `boards:
  - slug: open-language-models
    title: Open language models
    description: Language models, ranked by results from sources other than their makers.
    type: model
    where: {category: language, status: active}
    needs: {sources: 1}
  - slug: growing-tools
    title: Growing tools
    description: Tools by stars and by their latest release.
    type: tool
    where: {category: [ml-frameworks, nlp], signal: "stars>=1000"}
    formula:
      minimumCoverage: 0.5
      dimensions:
        adoption:
          weight: 2
          prior: 20
          measures:
            - {signal: stars, map: log, full: 75000, weight: 1}
        freshness:
          weight: 1
          prior: 30
          measures:
            - {signal: lastRelease, map: age, halfLife: 730, weight: 1}
  - slug: retired-tools
    title: Retired tools
    description: Tools that their makers no longer recommend.
    type: tool
    where: {status: deprecated, license: Zlib}
`

// fixtureHistory creates a repository that has the content for tests in the folder content, and a
// history that includes everything that can happen to an entity: it is created, updated,
// renamed, deleted, and created again.
func fixtureHistory(t *testing.T) string {
	t.Helper()
	r := edge.NewRepository(t)
	content := filepath.Join(r.Dir, "content")
	suite.CopyContent(t, content)
	pricedFixture(r)
	r.Write("content/index.yaml", r.Read("content/index.yaml")+"repository: https://git.example.org/group/index.git\nbranch: release/2\n")
	r.Write("content/categories.yaml", r.Read("content/categories.yaml")+"  - {slug: fixtures, formerly: [former-fixtures], title: Fixtures}\n")
	suite.Check(t, os.WriteFile(filepath.Join(content, "boards.yaml"), []byte(fixtureBoards), 0o666))
	const tool = "content/tool/"
	mxnet, pytorch, keras := r.Read(tool+"incubator-mxnet.yaml"), r.Read(tool+"pytorch.yaml"), r.Read(tool+"keras.yaml")
	fewer := starsOf.ReplaceAllString(pytorch, "${1}60000")
	suite.Require(t, fewer != pytorch &&
		versionLine.MatchString(pytorch), "PyTorch has no stars or no version", pytorch)
	brief := "name: Phoenix\ncategory: ml-frameworks\ndescription: A library that comes and goes.\n"
	r.Commit("2026-08-03T09:00:00Z", "The catalogue",
		tool+"incubator-mxnet.yaml", "", tool+"mxnet.yaml", without(t, mxnet, "formerly: [mxnet]\nstatus: deprecated\n"),
		tool+"pytorch.yaml", versionLine.ReplaceAllString(fewer, ""),
		tool+"keras.yaml", "", tool+"phoenix.yaml", brief,
		tool+"short-lived.yaml", "name: Short-lived\ncategory: ml-frameworks\ndescription: A library that nobody took up.\n",
		"content/model/retired-fixture.yaml", "name: Retired fixture\ncategory: language\ndescription: A model that is no longer sold.\n")
	r.Commit("2026-09-15T12:00:00Z", "What is gone (#12)", tool+"phoenix.yaml", "", tool+"short-lived.yaml", "", "content/model/retired-fixture.yaml", "")
	r.Commit("2026-10-10T12:00:00Z", "MXNet as its makers call it", tool+"mxnet.yaml", "", tool+"incubator-mxnet.yaml", mxnet)
	r.Commit("2026-10-20T12:00:00Z", "Phoenix again", tool+"phoenix.yaml", brief)
	r.Commit("2026-10-28T23:59:59Z", "A version of PyTorch", tool+"pytorch.yaml", fewer)
	r.Commit("2026-10-29T00:00:00Z", "Stars of PyTorch; Keras", tool+"pytorch.yaml", pytorch, tool+"keras.yaml", keras)
	return content
}

var (
	versionLine = regexp.MustCompile(`(?m)^version: .*\n`)
	starsOf     = regexp.MustCompile(`(stars: \{value: )\d+`)
)

// without removes part from text. It fails the test if text does not contain part.
func without(t *testing.T, text, part string) string {
	t.Helper()
	suite.Require(t, strings.Contains(text, part), part, "not found in", text)
	return strings.Replace(text, part, "", 1)
}
