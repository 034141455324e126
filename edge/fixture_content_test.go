package edge_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kindex/edge"
)

// fixtureHistory creates a repository that has the shipped content in the folder content, and a
// history that includes everything that can happen to an entity: it is created, updated,
// renamed, deleted, and created again.
func fixtureHistory(t *testing.T) string {
	t.Helper()
	r := edge.NewRepository(t)
	content := filepath.Join(r.Dir, "content")
	if err := os.CopyFS(content, os.DirFS("../content")); err != nil {
		t.Fatal(err)
	}
	pricedFixture(t, content)
	r.Write("content/categories.yaml", r.Read("content/categories.yaml")+"  - {slug: fixtures, formerly: [former-fixtures], title: Fixtures}\n")
	const tool = "content/tool/"
	mxnet, pytorch, keras := r.Read(tool+"incubator-mxnet.yaml"), r.Read(tool+"pytorch.yaml"), r.Read(tool+"keras.yaml")
	brief := "name: Phoenix\ncategory: ml-frameworks\ndescription: A library that comes and goes.\n"
	r.Commit("2026-08-03T09:00:00Z", "The catalogue",
		tool+"incubator-mxnet.yaml", "", tool+"mxnet.yaml", without(t, mxnet, "formerly: [mxnet]\nstatus: deprecated\n"),
		tool+"pytorch.yaml", strings.Replace(without(t, pytorch, "version: 2.3.1\n"), "79207", "60000", 1),
		tool+"keras.yaml", "", tool+"phoenix.yaml", brief,
		tool+"short-lived.yaml", "name: Short-lived\ncategory: ml-frameworks\ndescription: A library that nobody took up.\n",
		"content/model/retired-fixture.yaml", "name: Retired fixture\ncategory: language\ndescription: A model that is no longer sold.\n")
	r.Commit("2026-09-15T12:00:00Z", "What is gone (#12)", tool+"phoenix.yaml", "", tool+"short-lived.yaml", "", "content/model/retired-fixture.yaml", "")
	r.Commit("2026-10-10T12:00:00Z", "MXNet as its makers call it", tool+"mxnet.yaml", "", tool+"incubator-mxnet.yaml", mxnet)
	r.Commit("2026-10-20T12:00:00Z", "Phoenix again", tool+"phoenix.yaml", brief)
	r.Commit("2026-10-28T23:59:59Z", "PyTorch 2.3.1", tool+"pytorch.yaml", strings.Replace(pytorch, "79207", "60000", 1))
	r.Commit("2026-10-29T00:00:00Z", "Stars of PyTorch; Keras", tool+"pytorch.yaml", pytorch, tool+"keras.yaml", keras)
	return content
}

// without removes part from text. It fails the test if text does not contain part.
func without(t *testing.T, text, part string) string {
	t.Helper()
	if !strings.Contains(text, part) {
		t.Fatalf("the shipped content has changed: %q not found in\n%s", part, text)
	}
	return strings.Replace(text, part, "", 1)
}
