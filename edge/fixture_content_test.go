package edge_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"kindex/builder/suite"
	"kindex/edge"
)

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
	pricedFixture(t, content)
	r.Write("content/categories.yaml", r.Read("content/categories.yaml")+"  - {slug: fixtures, formerly: [former-fixtures], title: Fixtures}\n")
	if err := os.WriteFile(filepath.Join(content, "boards.yaml"), []byte(fixtureBoards), 0o666); err != nil {
		t.Fatal(err)
	}
	const tool = "content/tool/"
	mxnet, pytorch, keras := r.Read(tool+"incubator-mxnet.yaml"), r.Read(tool+"pytorch.yaml"), r.Read(tool+"keras.yaml")
	fewer := starsOf.ReplaceAllString(pytorch, "${1}60000")
	if fewer == pytorch || !versionLine.MatchString(pytorch) {
		t.Fatalf("PyTorch has no stars or no version:\n%s", pytorch)
	}
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
	if !strings.Contains(text, part) {
		t.Fatalf("%q not found in\n%s", part, text)
	}
	return strings.Replace(text, part, "", 1)
}
