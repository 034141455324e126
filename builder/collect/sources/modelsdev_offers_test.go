package sources_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kindex/builder/collect"
	"kindex/builder/collect/collecttest"
	"kindex/builder/collect/sources"
)

// The offers of one model at a dozen providers, as catalog.json has them: with what the files
// inherit. The misspelt key is one of the real ones.
const sold = `{
"plain": {"models": {"a": {"cost": {"input": 1.5, "output": 6, "cache_read": 0.15, "cached_input": 9}, "limit": {"context": 128000, "output": 16384}}}},
"wafer.ai": {"models": {"Lab/A": {"cost": {"input": 0.183333333, "output": 2, "reasoning": 2, "cache_write": 0.1, "input_audio": 3, "output_audio": 4}, "limit": {"context": 64000, "output": 0}}}},
"tiers": {"models": {"a": {"cost": {"input": 1, "output": 2, "reasoning": 3, "tiers": [{"tier": {"type": "time", "size": 7}, "input": 9}, {"tier": {"size": 200000}, "input": 2, "output": 4}, {"tier": {"type": "context", "size": 32000}, "input": 1.5}], "context_over_200k": {"input": 2, "output": 4}}}}},
"over": {"models": {"a": {"cost": {"input": 1, "output": 2, "context_over_200k": {"input": 2, "output": 4, "cache_read": 0.2}}}}},
"fast": {"models": {"a": {"status": "deprecated", "cost": {"input": 1, "output": 2}, "experimental": {"modes": {"fast": {"cost": {"input": 3, "output": 6}, "provider": {"body": {"service_tier": "priority"}}}}}}}},
"faster": {"models": {"a": {"cost": {"input": 1, "output": 2}, "experimental": {"modes": {"fast": {"cost": {"input": 3, "output": 6}, "provider": {"body": {"speed": "fast"}}}}}}}},
"negative": {"models": {"a": {"cost": {"input": -1, "output": 2}}}},
"words": {"models": {"a": {"cost": "free"}}},
"half": {"models": {"a": {"limit": {"context": 1.5}}}},
"tiny": {"models": {"a": {"cost": {"input": 0.0000001, "output": 2}}}},
"unpriced": {"models": {"a": {}}},
"empty": {"models": {}}
}`

const listed = `offersRead: {date: 2026-07-02}
offers:
  - {provider: plain, id: a, input: 1, output: 4}
  - {provider: wafer-ai, id: Lab/A, input: 0.2}
  - {provider: tiers, id: a, input: 1}
  - {provider: over, id: a, input: 1}
  - {provider: fast, id: a, input: 1}
  - {provider: faster, id: a, input: 1}
  - {provider: negative, id: a}
  - {provider: words, id: a}
  - {provider: half, id: a}
  - {provider: tiny, id: a}
  - {provider: unpriced, id: a}
  - {provider: empty, id: a}
  - {provider: nowhere, id: a}
  - {provider: elsewhere, id: a, source: https://elsewhere.example/prices}
`

// priced returns the options of a run over one model with offers.
func priced(t *testing.T, s *collect.Source, offers string) collect.Options {
	t.Helper()
	o := collecttest.Options(t, s, "model", "modelsdev", "lab/a")
	path := filepath.Join(o.Content, "model", "e0.yaml")
	data, err := os.ReadFile(path)
	if err == nil {
		err = os.WriteFile(path, append(data, offers...), 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func TestOffers(t *testing.T) {
	url := collecttest.Server(t, func(w http.ResponseWriter, _ *http.Request) {
		collecttest.JSON(w, 200, `{"models":{"lab/a":{"release_date":"2026-05-13","limit":{"context":128000,"output":16384}}},"providers":`+sold+`}`)
	})
	o := priced(t, sources.ModelsDev(url, "", ""), listed)
	lines, r := collecttest.Run(t, o)
	collecttest.Want(t, lines,
		"e0 contextTokens 128000",
		"e0 failed: half/a: limit.context: 1.5 is not a number of tokens",
		"e0 failed: negative/a: cost.input: -1 is not a price…",
		"e0 failed: tiny/a: cost.input: 0.0000001 is too small…",
		"e0 failed: words/a: cost: free is not an object",
		"e0 offers.fast/a.deprecated true", "e0 offers.fast/a.modes.priority.input 3", "e0 offers.fast/a.modes.priority.output 6", "e0 offers.fast/a.output 2",
		"e0 offers.faster/a.output 2",
		"e0 offers.over/a.output 2", "e0 offers.over/a.tiers.200000.cacheRead 0", "e0 offers.over/a.tiers.200000.input 2", "e0 offers.over/a.tiers.200000.output 4",
		"e0 offers.plain/a.cacheRead 0", "e0 offers.plain/a.input 2", "e0 offers.plain/a.output 6",
		"e0 offers.tiers/a.output 2", "e0 offers.tiers/a.reasoningOutput 3", "e0 offers.tiers/a.tiers.200000.input 2", "e0 offers.tiers/a.tiers.200000.output 4",
		"e0 offers.tiers/a.tiers.32000.input 2",
		"e0 offers.wafer-ai/Lab%2FA.cacheWrite 0", "e0 offers.wafer-ai/Lab%2FA.context 64000", "e0 offers.wafer-ai/Lab%2FA.input 0", "e0 offers.wafer-ai/Lab%2FA.inputAudio 3",
		"e0 offers.wafer-ai/Lab%2FA.output 2", "e0 offers.wafer-ai/Lab%2FA.outputAudio 4",
		"e0 outputTokens 16384", "e0 released 2026-05-13",
		"e0 stopped offers.empty/a <nil>", "e0 stopped offers.nowhere/a <nil>")
	data, err := os.ReadFile(filepath.Join(o.Content, "model", "e0.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{
		"  - {provider: plain, id: a, input: 1.5, output: 6, cacheRead: 0.15, source: https://github.com/anomalyco/models.dev/blob/dev/providers/plain/models/a.toml}\n",
		"/providers/wafer.ai/models/Lab/A.toml", "input: 0.183333, output: 2, cacheWrite: 0.1", "  date: 2026-11-23\n",
		"  - {provider: elsewhere, id: a, date: 2026-07-02, source: https://elsewhere.example/prices}\n",
		"  - {provider: nowhere, id: a, date: 2026-07-02}\n",
	} {
		if !strings.Contains(string(data), line) {
			t.Errorf("the file lacks %q:\n%s", line, data)
		}
	}
	if s := r.Sources[0]; s.Offers != 13 || s.Requests != 1 || s.Covers != 1 {
		t.Errorf("%+v", s)
	}
	// What was asked today is not asked again, and gives the same.
	if _, r := collecttest.Run(t, o); r.Files != 0 || r.Sources[0].Kept != 10 {
		t.Errorf("%+v", r.Sources[0])
	}
}

func TestOffersOfACheckout(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	link := func(name, to string) {
		if err := os.Symlink(to, filepath.Join(dir, filepath.FromSlash(name))); err != nil {
			t.Fatal(err)
		}
	}
	write("models/lab/a.toml", "release_date = \"2026-05-13\"\n[limit]\ncontext = 128_000\noutput = 16_384\n")
	write("providers/own/models/a.toml", "base_model = \"lab/a\"\n[cost]\ninput = 1.50\noutput = 6\n[[cost.tiers]]\ntier = { size = 200_000 }\ninput = 2\noutput = 8\n")
	write("providers/less/models/a.toml", "base_model = \"lab/a\"\n[cost]\ninput = 1\noutput = 6\n[limit]\noutput = 4096\n")
	write("providers/omit/models/a.toml", "base_model = \"lab/a\"\nbase_model_omit = [\"limit.output\"]\n[cost]\ninput = 1\noutput = inf\n")
	write("providers/broken/models/a.toml", "[cost\n")
	write("providers/linked/models/b.toml", "x = 1\n")
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
	if r.Changes[0].Date != "2026-08-01" {
		t.Errorf("%+v", r.Changes[0])
	}
}

// Of several wrong numbers, the first is named, in every run.
func TestWrongNumbers(t *testing.T) {
	for range 30 {
		path := filepath.Join(t.TempDir(), "saved.json")
		if err := os.WriteFile(path, []byte(`{"models":{"lab/a":{"release_date":"2026-05"}},"providers":{
"prices": {"models": {"a": {"cost": {"output_audio": -5, "cache_write": -4, "cache_read": -3, "output": -2, "input": -1}}}},
"limits": {"models": {"a": {"limit": {"output": 2.5, "context": 1.5}}}},
"range": {"models": {"a": {"cost": {"input": 1e400}}}},
"twice": {"models": {"a": {"cost": {"input": 1, "tiers": [{"tier": {"size": 1000}, "input": 2}, {"tier": {"size": 1e3}, "input": 3}]}}}},
"nothing": {"models": {"a": null}},
"large": {"models": {"a": {"cost": {"input": 1e6}}}}}}`), 0o666); err != nil {
			t.Fatal(err)
		}
		lines, _ := collecttest.Run(t, priced(t, sources.ModelsDev("", path, "2026-07-03"), `offersRead: {date: 2026-07-02}
offers:
  - {provider: prices, id: a}
  - {provider: limits, id: a}
  - {provider: range, id: a}
  - {provider: twice, id: a, input: 1}
  - {provider: nothing, id: a, input: 1}
  - {provider: large, id: a}
`))
		collecttest.Want(t, lines, "e0 failed: limits/a: limit.context: 1.5 is not a number of tokens", "e0 failed: prices/a: cost.input: -1 is not a price…",
			"e0 failed: range/a: json: cannot unmarshal number 1e400…", "e0 released 2026-05",
			"e0 stopped offers.large/a <nil>", "e0 stopped offers.nothing/a.input <nil>", "e0 stopped offers.twice/a <nil>")
	}
}

// Offers of a checkout that cannot be read have failed, even those of models that have no
// identifier.
func TestOffersOfNothing(t *testing.T) {
	o := priced(t, sources.ModelsDev("", filepath.Join(t.TempDir(), "nowhere"), ""), listed)
	path := filepath.Join(o.Content, "model", "e0.yaml")
	data, err := os.ReadFile(path)
	if err == nil {
		err = os.WriteFile(path, []byte(strings.Replace(string(data), "modelsdev:", "huggingface:", 1)), 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
	_, r := collecttest.Run(t, o)
	if s := r.Sources[0]; s.Covers != 0 || s.Offers != 13 || s.Failed != 13 || len(r.Broken()) != 1 || !strings.Contains(r.Failed[0].Reason, "no such file") {
		t.Errorf("%+v", s)
	}
}
