package file_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kindex/builder/collect"
	"kindex/builder/collect/collecttest"
	"kindex/builder/collect/file"
	"kindex/builder/content"
	"kindex/builder/suite"
	"kindex/exports/kinds"
)

// served opens a list whose documents a server has, by path.
func served(t *testing.T, config collect.FileConfig, mapping string, documents map[string]string) *collect.Source {
	t.Helper()
	url := collecttest.Server(t, func(w http.ResponseWriter, r *http.Request) {
		text, ok := documents[r.URL.Path]
		switch to, redirect := strings.CutPrefix(text, "to "); {
		case !ok:
			http.NotFound(w, r)
		case redirect:
			http.Redirect(w, r, to, http.StatusFound)
		default:
			w.Header().Set("Content-Type", "text/plain; charset=utf-8") // as raw files at GitHub have
			_, _ = w.Write([]byte(text))
		}
	})
	config.Name, config.Map = "list", filepath.Join(t.TempDir(), "map.yaml")
	suite.Write(t, filepath.Dir(config.Map), map[string]string{"map.yaml": mapping})
	return suite.Must(file.New(kinds.Default(), config, url))(t)
}

const asr = `type: model
fields: {name: model}
ids: {model: model}
signals:
  benchmarks:
    - {name: {constant: ASR}, value: Avg. WER, date: {constant: 2026-11-01}, by: {constant: independent}, source: {constant: "https://asr.example/list"}}
`

func TestDocuments(t *testing.T) {
	const csv = "model,Avg. WER\nLab/A,5.896666667\nopenai/whisper-9,7.5\nnobody/x,1\n"
	json := func(rows string) string { return `{"updated":"2026-11-01","data":` + rows + `}` }
	const rows = `[{"model":"lab/a","Avg. WER":5.9},{"model":"openai/whisper-9","Avg. WER":7.5}]`
	for name, c := range map[string]struct {
		config    collect.FileConfig
		documents map[string]string
		want      []string
	}{
		"CSV":                {collect.FileConfig{URL: "https://asr.example/l.csv"}, map[string]string{"/l.csv": csv}, []string{"e0 benchmarks.ASR 6", "e1 benchmarks.ASR 8"}},
		"JSON":               {collect.FileConfig{URL: "https://asr.example/l", Rows: "data"}, map[string]string{"/l": json(`{"model":"lab/a","Avg. WER":3}`)}, []string{"e0 benchmarks.ASR 3"}},
		"an array":           {collect.FileConfig{URL: "https://asr.example/l.json"}, map[string]string{"/l.json": rows}, []string{"e0 benchmarks.ASR 6", "e1 benchmarks.ASR 8"}},
		"entries":            {collect.FileConfig{URL: "https://asr.example/l.json", Rows: "data.*"}, map[string]string{"/l.json": json(rows)}, []string{"e0 benchmarks.ASR 6", "e1 benchmarks.ASR 8"}},
		"members of members": {collect.FileConfig{URL: "https://asr.example/l.json", Rows: "*.*"}, map[string]string{"/l.json": `{"x":{"1":{"model":"lab/a","Avg. WER":3}},"y":{}}`}, []string{"e0 benchmarks.ASR 3"}},
		"a table": {collect.FileConfig{URL: "https://asr.example/README.md"}, map[string]string{"/README.md": "# ASR\n\n|short|\n|---|\n\n| model | Avg. WER |\n|:---|---:|\n| **[Lab/A](https://x.example/a)** | 5.9 % |\n|openai/whisper-9|7.5%|\n\nText | not a row\n"},
			[]string{"e0 benchmarks.ASR 6", "e1 benchmarks.ASR 8"}},
		"several documents": {collect.FileConfig{URL: "https://asr.example/{}/r.json", Names: []string{"a b", "c"}}, map[string]string{"/a b/r.json": `{"model":"lab/a","Avg. WER":3}`, "/c/r.json": `{"model":"openai/whisper-9","Avg. WER":4}`},
			[]string{"e0 benchmarks.ASR 3", "e1 benchmarks.ASR 4"}},
		"an index": {collect.FileConfig{URL: "https://asr.example/{}.json", Index: &collect.IndexConfig{URL: "https://asr.example/i.json", Rows: "all.*"}}, map[string]string{"/i.json": `{"all":["a"]}`, "/a.json": `{"model":"lab/a","Avg. WER":3}`},
			[]string{"e0 benchmarks.ASR 3"}},
		"a missing document": {collect.FileConfig{URL: "https://asr.example/l.csv"}, nil, []string{"error: …"}},
		"an HTML page":       {collect.FileConfig{URL: "https://asr.example/l.csv"}, map[string]string{"/l.csv": "<!DOCTYPE html>\n<p>busy</p>"}, []string{"error: …"}},
		"not JSON":           {collect.FileConfig{URL: "https://asr.example/l.json", Rows: "data.*"}, map[string]string{"/l.json": "<!DOCTYPE html>"}, []string{"error: …"}},
		"no such rows":       {collect.FileConfig{URL: "https://asr.example/l.json", Rows: "rows.*"}, map[string]string{"/l.json": json(rows)}, []string{"error: https://asr.example/l.json: the document has no rows, which is in rows: rows.*"}},
		"rows of texts":      {collect.FileConfig{URL: "https://asr.example/l.json", Rows: "data.*"}, map[string]string{"/l.json": json(`["a"]`)}, []string{"error: …"}},
		"no table":           {collect.FileConfig{URL: "https://asr.example/l.md"}, map[string]string{"/l.md": "# ASR\n\nmoved\n"}, []string{"error: …"}},
		"other columns":      {collect.FileConfig{URL: "https://asr.example/l.csv"}, map[string]string{"/l.csv": "model,WER\nlab/a,5\n"}, []string{"error: …"}},
	} {
		t.Run(name, func(t *testing.T) {
			o := collecttest.Options(t, served(t, c.config, asr, c.documents), "model", "openrouter", "lab/a", "openai/whisper-9")
			lines, r := collecttest.Run(t, o)
			collecttest.Want(t, lines, c.want...)
			if fails := strings.HasPrefix(c.want[0], "error"); fails != (r.Files == 0) || fails != (len(r.Broken()) == 1) {
				t.Errorf("%d files, broken %v", r.Files, r.Broken())
			}
			if _, again := collecttest.Run(t, o); again.Files != 0 {
				t.Errorf("a second run changes %d files", again.Files)
			}
		})
	}
}

// TestPrices checks prices for one token in a list such as OpenRouter's, which keeps current only the
// offers that were read from it.
func TestPrices(t *testing.T) {
	const mapping = `source: {name: Router, url: "https://router.example/models", license: CC0-1.0}
type: model
fields: {name: name}
offersRead: {source: _url}
offers:
  - {provider: {constant: router}, id: id, per: token, input: pricing.prompt, output: pricing.completion, cacheRead: {column: pricing.input_cache_read, optional: true}}
`
	documents := map[string]string{
		"/models":     "to /models/v7/",
		"/models/v7/": `{"data":[{"id":"lab/a","name":"A","pricing":{"prompt":"0.0000009","completion":"0.0000016","input_cache_read":"0"}},{"id":"lab/b","name":"B","pricing":{"prompt":"900","completion":"1600"}}]}`}
	s := served(t, collect.FileConfig{URL: "https://router.example/models", Rows: "data.*"}, mapping, documents)
	o := collecttest.Options(t, s, "model", "openrouter", "lab/a")
	path := filepath.Join(o.Content, "model", "e0.yaml")
	text := suite.Must(os.ReadFile(path))(t)
	text = append(text, `offers:
  - {provider: router, id: lab/a, input: 0.8, output: 1.6, context: 1000, image: 0.001, date: 2026-10-01, source: "https://router.example/models/v6/"}
  - {provider: router, id: lab/gone, input: 1, output: 2, date: 2026-10-01, source: "https://router.example/models/v6/"}
  - {provider: other, id: lab/a, input: 1, output: 2, date: 2026-10-01, source: "https://other.example/"}
`...)
	providers := "providers:\n  - {slug: router, name: Router, url: https://router.example}\n  - {slug: other, name: Other, url: https://other.example}\n"
	suite.Write(t, o.Content, map[string]string{"model/e0.yaml": string(text), "providers.yaml": providers})
	lines, _ := collecttest.Run(t, o)
	collecttest.Want(t, lines, "e0 offers.router/lab%2Fa.input 1", "e0 stopped offers.router/lab%2Fgone <nil>")
	got := suite.Must(os.ReadFile(path))(t)
	if !strings.Contains(string(got), "{provider: router, id: lab/a, input: 0.9, output: 1.6, image: 0.001, context: 1000, date: 2026-11-23, source: http://127.0.0.1:") || !strings.Contains(string(got), "/models/v7/}") {
		t.Errorf("got\n%s", got)
	}
	// What was stopped stays so while the list cannot be read.
	clear(documents)
	_, r := collecttest.Run(t, o)
	if c, _, err := content.Load(o.Content, nil); err != nil || len(c.Status.Stopped) != 1 || len(r.Broken()) != 1 {
		t.Errorf("%v, %+v, broken %v", err, c, r.Broken())
	}
}

// TestEnds checks that the end of a snapshot is not that of the model.
func TestEnds(t *testing.T) {
	const mapping = `source: {name: Ends, url: "https://ends.example", license: MIT}
type: model
fields: {name: model}
ids: {openrouter: model}
lifecycle: {deprecated: {column: deprecated_on, optional: true}, retires: {column: shutdown_on, optional: true}, source: {column: sources.0.url, optional: true}}
`
	s := served(t, collect.FileConfig{URL: "https://ends.example/models.json", Rows: "models.*"}, mapping, map[string]string{
		"/models.json": `{"models":[{"model":"lab/a","deprecated_on":"2026-10-01","shutdown_on":"2027-03-01","sources":[{"url":"https://lab.example/ends"}]},{"model":"lab/b-0613","shutdown_on":"2026-12-01","sources":[{"url":"https://lab.example/ends"}]}]}`})
	o := collecttest.Options(t, s, "model", "openrouter", "lab/a", "lab/b")
	path := filepath.Join(o.Content, "model", "e1.yaml")
	text := suite.Must(os.ReadFile(path))(t)
	suite.Write(t, o.Content, map[string]string{"model/e1.yaml": strings.Replace(string(text), `"lab/b"`, "[lab/b, lab/b-0613]", 1)})
	lines, r := collecttest.Run(t, o)
	collecttest.Want(t, lines, "e0 lifecycle.deprecated 2026-10-01", "e0 lifecycle.retires 2027-03-01")
	got, err := os.ReadFile(filepath.Join(o.Content, "model", "e0.yaml"))
	if err != nil || !strings.Contains(string(got), "lifecycle:\n  deprecated: 2026-10-01\n  retires: 2027-03-01\n  source: https://lab.example/ends\n") || r.Routine {
		t.Errorf("%v, routine %t\n%s", err, r.Routine, got)
	}
}
