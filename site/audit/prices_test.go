package audit_test

import (
	"path/filepath"
	"testing"

	"kindex/builder/suite"
	"kindex/edge"
	"kindex/edge/edgetest"
)

// TestPrices opens the page of prices with the offers of real models: axe finds nothing, and
// nothing overflows a phone.
func TestPrices(t *testing.T) {
	suite.InTest(t)
	t.Parallel()
	out := t.TempDir()
	edgetest.Build(t, filepath.Join(edgetest.Root(t), "edge/testdata/prices"), out)
	e := edgetest.Start(t, edge.Options{Dir: out})
	w := &website{Edge: e, URL: e.URL}
	tab := w.open(t, desktop, false)
	for i, k := range []kind{
		{name: "prices", path: "/prices/", at: served},
		{name: "prices-filtered", path: "/prices/?modality=image&maxInput=2&sort=output", at: served},
		{name: "prices-wrong", path: "/prices/?model=gemni&maxInput=cheap&calculate=qwen&input=5", at: served},
		{name: "prices-cost", path: "/prices/?calculate=qwen3-6-plus&input=300000&cached=4000&cacheWrite=5000&output=500&requests=12", at: served},
		{name: "prices-unknown", path: "/prices/?calculate=gpt-5-5&input=10&cacheWrite=5&mode=batch", at: served},
	} {
		if d := w.get(t, k.path, false); d.status != 200 {
			t.Errorf("%s: %d", k.name, d.status)
		} else {
			for _, f := range d.faults() {
				t.Errorf("%s: %s", k.name, f)
			}
		}
		w.look(t, tab, k, i)
	}
}
