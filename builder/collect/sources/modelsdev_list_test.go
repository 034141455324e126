package sources_test

import (
	"os"
	"path/filepath"
	"testing"

	"kindex/builder/collect/collecttest"
	"kindex/builder/collect/sources"
	"kindex/builder/suite"
)

// TestNew checks that a model becomes a file with its facts and the offer of its maker, and counts as sold
// by those whose offers name it.
func TestNewModels(t *testing.T) {
	const catalog = `{"models":{
"lab/big-2":{"id":"lab/big-2","name":"Big 2","family":"big","release_date":"2026-11-13","knowledge":"2026-05","open_weights":true,"reasoning":true,"license":"mit","limit":{"context":128000,"output":16384},"modalities":{"input":["text","pdf","smell"],"output":["text"]}},
"lab/e0":{"id":"lab/e0","name":"E0","release_date":"2026-10-13"},
"nameless":{"release_date":"2026-10-13"}},
"providers":{"lab":{"models":{"big-2":{"base_model":"lab/big-2","cost":{"input":2,"output":8,"cache_read":0}}}},
"shop":{"models":{"x/big-2":{"base_model":"lab/big-2","cost":{"input":3,"output":9}},"broken":7}}}}`
	path := filepath.Join(t.TempDir(), "catalog.json")
	suite.Check(t, os.WriteFile(path, []byte(catalog), 0o666))
	o := collecttest.Options(t, sources.ModelsDev("", path, "2026-11-20"), "model", "modelsdev", "lab/e0")
	o.New = true
	_, r := collecttest.Run(t, o)
	if len(r.New) != 1 {
		t.Fatalf("%+v", r.New)
	}
	const want = `name: Big 2
description: "TODO: describe it in one or two sentences of your own, for what it is good and what sets it apart."
category: todo
license: MIT
ids:
  modelsdev: lab/big-2
family: big
openWeights: true
modalities:
  input: [text, pdf]
  output: [text]
knowledge: 2026-05
reasoning: true
signals:
  contextTokens: {value: 128000, date: 2026-11-20, source: https://github.com/anomalyco/models.dev/blob/dev/models/lab/big-2.toml}
  outputTokens: {value: 16384, date: 2026-11-20, source: https://github.com/anomalyco/models.dev/blob/dev/models/lab/big-2.toml}
  released: {value: 2026-11-13, date: 2026-11-20, source: https://github.com/anomalyco/models.dev/blob/dev/models/lab/big-2.toml}
offers:
  - {provider: lab, id: big-2, input: 2, output: 8, date: 2026-11-20, source: https://github.com/anomalyco/models.dev/blob/dev/providers/lab/models/big-2.toml}
`
	if e := r.New[0]; e.YAML != want || e.Entity != "model/big-2" || e.Sellers != 2 || e.Released != "2026-11-13" {
		t.Errorf("%s, %d sellers, %s\n%s", e.Entity, e.Sellers, e.Released, e.YAML)
	}
}
