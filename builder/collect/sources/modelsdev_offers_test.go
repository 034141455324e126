package sources_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kindex/builder/collect"
	"kindex/builder/collect/collecttest"
	"kindex/builder/collect/sources"
	"kindex/builder/suite"
)

// priced returns the options of a run over one model with offers.
func priced(t *testing.T, s *collect.Source, offers string) collect.Options {
	t.Helper()
	o := collecttest.Options(t, s, "model", "modelsdev", "lab/a")
	appendTo(t, filepath.Join(o.Content, "model", "e0.yaml"), []byte(offers))
	return o
}

func TestOffersOfACheckout(t *testing.T) {
	dir := unpack(t, map[string]string{
		"models/lab/a.toml":              "release_date = \"2026-05-13\"\n[limit]\ncontext = 128_000\noutput = 16_384\n",
		"providers/own/models/a.toml":    "base_model = \"lab/a\"\n[cost]\ninput = 1.50\noutput = 6\n[[cost.tiers]]\ntier = { size = 200_000 }\ninput = 2\noutput = 8\n",
		"providers/less/models/a.toml":   "base_model = \"lab/a\"\n[cost]\ninput = 1\noutput = 6\n[limit]\noutput = 4096\n",
		"providers/omit/models/a.toml":   "base_model = \"lab/a\"\nbase_model_omit = [\"limit.output\"]\n[cost]\ninput = 1\noutput = inf\n",
		"providers/broken/models/a.toml": "[cost\n",
		"providers/linked/models/b.toml": "x = 1\n",
	})
	link := func(name, to string) {
		suite.Check(t, os.Symlink(to, filepath.Join(dir, filepath.FromSlash(name))))
	}
	link("providers/linked/models/a.toml", "../../own/models/a.toml")
	link("providers/linked/models/lost.toml", "../../gone/models/a.toml")
	link("providers/linked/models/out.toml", "/etc/passwd")
	o := priced(t, sources.ModelsDev("", dir, "2026-08-01"), `offersRead: {date: 2026-07-02}
offers:
  - {provider: own, id: a, input: 1, output: 6}
  - {provider: less, id: a, input: 1, output: 6}
  - {provider: omit, id: a}
  - {provider: broken, id: a}
  - {provider: linked, id: a, input: 1.5, output: 6}
  - {provider: linked, id: lost}
  - {provider: linked, id: out}
  - {provider: linked, id: ../../own/models/a}
  - {provider: own, id: b}
`)
	lines, r := collecttest.Run(t, o)
	collecttest.Want(t, lines,
		"e0 contextTokens 128000",
		"e0 failed: broken/a: toml: …",
		"e0 failed: linked/out: …",
		"e0 failed: omit/a: cost.output: +Inf is not a price…",
		"e0 offers.less/a.outputLimit 4096",
		"e0 offers.linked/a.tiers.200000.input 2", "e0 offers.linked/a.tiers.200000.output 8",
		"e0 offers.own/a.input 2", "e0 offers.own/a.tiers.200000.input 2", "e0 offers.own/a.tiers.200000.output 8",
		"e0 outputTokens 16384", "e0 released 2026-05-13",
		"e0 stopped offers.linked/%2E%2E%2F%2E%2E%2Fown%2Fmodels%2Fa <nil>", "e0 stopped offers.linked/lost <nil>", "e0 stopped offers.own/b <nil>")
	suite.Equal(t, r.Changes[0].Date, "2026-08-01", r.Changes[0])
}

// A checkout that cannot be read covers nothing.
func TestOffersOfNothing(t *testing.T) {
	o := priced(t, sources.ModelsDev("", filepath.Join(t.TempDir(), "nowhere"), ""), "offersRead: {date: 2026-07-02}\noffers: [{provider: plain, id: a, input: 1}, {provider: half, id: a}]\n")
	path := filepath.Join(o.Content, "model", "e0.yaml")
	data, err := os.ReadFile(path)
	if err == nil {
		err = os.WriteFile(path, []byte(strings.Replace(string(data), "modelsdev:", "huggingface:", 1)), 0o666)
	}
	suite.Check(t, err)
	_, r := collecttest.Run(t, o)
	if s := r.Sources[0]; s.Covers != 0 || s.Offers != 0 || len(r.Broken()) != 1 || !strings.Contains(s.Error, "no such file") {
		t.Errorf("%+v", s)
	}
}
