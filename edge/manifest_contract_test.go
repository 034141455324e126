package edge_test

import (
	"io"
	"net/http"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"kindex/builder/suite"
	"kindex/edge"
	"kindex/edge/openapi"
	"kindex/edge/storage/storagetest"
)

// TestManifestNamesRepository checks a manifest that names the content's repository against the
// description. TestContract checks the manifest of the content for tests, which does not name a
// repository.
func TestManifestNamesRepository(t *testing.T) {
	suite.InTest(t)
	r := edge.NewRepository(t)
	r.Commit("2026-10-20T12:00:00Z", "The catalogue",
		"content/index.yaml", "title: Mine\nrepository: https://git.example.org/group/index.git\nbranch: release/2\n",
		"content/tool/a.yaml", "name: A\ncategory: nlp\ndescription: What it is for.\n")
	out := t.TempDir()
	buildFixture(t, r.Dir+"/content", out, "2026-11-01")
	_, address := serve(t, edge.Options{Dir: out, State: storagetest.SQLite(t), LimitAnonymous: 10}, false)
	response, err := client.Get(address + "/api/export/manifest")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	a := answer{status: response.StatusCode, header: response.Header}
	if a.body, err = io.ReadAll(response.Body); err != nil || a.status != http.StatusOK {
		t.Fatalf("%d %s (%v)", a.status, a.body, err)
	}
	defineFormats()
	doc, err := openapi3.NewLoader().LoadFromData(openapi.YAML)
	if err != nil {
		t.Fatal(err)
	}
	var manifest map[string]any
	a.decode(t, &manifest)
	if err := doc.Components.Schemas["Manifest"].Value.VisitJSON(manifest); err != nil {
		t.Error(err)
	}
	var own struct {
		Repository struct{ URL, Branch, Path string }
	}
	a.decode(t, &own)
	if got := own.Repository; got.URL != "https://git.example.org/group/index" || got.Branch != "release/2" || got.Path != "content" {
		t.Errorf("the repository is %+v", got)
	}
}
