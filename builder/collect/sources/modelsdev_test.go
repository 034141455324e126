package sources_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kindex/builder/collect/collecttest"
	"kindex/builder/collect/sources"
	"kindex/builder/suite"
)

const models = `{
"lab/a": {"id":"lab/a","name":"A","release_date":"2026-05-13","last_updated":"2026-05-13","open_weights":false,"limit":{"context":128000,"output":16384},"modalities":{"input":["text"],"output":["text"]}},
"lab/image": {"id":"lab/image","release_date":"2026-05","limit":{"context":0,"output":0}},
"lab/year": {"id":"lab/year","release_date":"2026","limit":{"context":1000}},
"lab/odd": {"id":"lab/odd","release_date":"2026-13-45","limit":{"context":1.5,"output":-3}},
"lab/future": {"id":"lab/future","release_date":"2027-01-01","limit":{"context":5}}
}`

var want = []string{"e0 contextTokens 128000", "e0 outputTokens 16384", "e0 released 2026-05-13", "e1 released 2026-05",
	"e2 stopped contextTokens 1000", "e3 stopped contextTokens 2", "e3 stopped released 2026-13-45",
	"e4 contextTokens 5", "e4 stopped released 2027-01-01", "e5 gone"}

var asked = []string{"lab/a", "lab/image", "lab/year", "lab/odd", "lab/future", "lab/gone"}

func TestHTTP(t *testing.T) {
	requests := 0
	url := collecttest.Server(t, func(w http.ResponseWriter, r *http.Request) {
		requests++
		suite.Equal(t, r.URL.Path, "/catalog.json", r.URL)
		if r.Header.Get("If-None-Match") == `W/"1"` {
			w.WriteHeader(304)
			return
		}
		w.Header().Set("ETag", `W/"1"`)
		collecttest.JSON(w, 200, `{"models":`+models+`,"providers":{"lab":{"id":"lab","models":{}}}}`)
	})
	o := collecttest.Options(t, sources.ModelsDev(url, "", ""), "model", "modelsdev", asked...)
	lines, _ := collecttest.Run(t, o)
	collecttest.Want(t, lines, want...)
	never := 0
	o.MaxAge = &never
	_, r := collecttest.Run(t, o)
	if s := r.Sources[0]; requests != 2 || s.NotModified != 1 || s.Bytes != 0 {
		t.Errorf("%d requests, %+v", requests, s)
	}
}

func TestSavedFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "catalog.json")
	suite.Check(t, os.WriteFile(path, []byte(`{"models":`+models+`,"providers":{"lab":{}}}`), 0o666))
	o := collecttest.Options(t, sources.ModelsDev("", path, "2026-07-02"), "model", "modelsdev", asked...)
	lines, r := collecttest.Run(t, o)
	collecttest.Want(t, lines, want...)
	if r.Sources[0].Requests != 0 || r.Changes[0].Date != "2026-07-02" {
		t.Errorf("%+v", r)
	}
	if _, r = collecttest.Run(t, o); r.Files != 0 {
		t.Errorf("a second run changes %d files", r.Files)
	}
}

func TestCheckout(t *testing.T) {
	dir := unpack(t, map[string]string{
		"models/lab/a.toml":         "name = \"A\"\nrelease_date = \"2026-05-13\"\n[limit]\ncontext = 128_000\noutput = 16_384\n[[benchmarks]]\nname = \"x\"\nscore = 1.5\n",
		"models/lab/notes.md":       "x",
		"providers/x/provider.toml": "broken =",
	})
	lines, _ := collecttest.Run(t, collecttest.Options(t, sources.ModelsDev("", dir, ""), "model", "modelsdev", "lab/a", "lab/b"))
	collecttest.Want(t, lines, "e0 contextTokens 128000", "e0 outputTokens 16384", "e0 released 2026-05-13", "e1 gone")

	suite.Check(t, os.Symlink("/etc", filepath.Join(dir, "models", "etc")))
	suite.Check(t, os.Symlink("/etc/passwd", filepath.Join(dir, "models", "lab", "out.toml")))
	lines, _ = collecttest.Run(t, collecttest.Options(t, sources.ModelsDev("", dir, ""), "model", "modelsdev", "lab/out"))
	if len(lines) != 1 || !strings.Contains(lines[0], "path escapes from parent") {
		t.Errorf("a link out of the checkout: %q", lines)
	}
	dir = unpack(t, map[string]string{"models/lab/a.toml": "release_date ="})
	lines, _ = collecttest.Run(t, collecttest.Options(t, sources.ModelsDev("", dir, ""), "model", "modelsdev", "lab/a"))
	collecttest.Want(t, lines, "e0 failed: models/lab/a.toml: toml: …")
	lines, _ = collecttest.Run(t, collecttest.Options(t, sources.ModelsDev("", t.TempDir(), ""), "model", "modelsdev", "lab/a"))
	if len(lines) != 1 || !strings.Contains(lines[0], "has no files models") {
		t.Errorf("an empty folder: %q", lines)
	}
}
