package edge

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kindex/builder/suite"
	"kindex/edge/storage/storagetest"
)

// servePrices serves the models in testdata/prices. Until 2026-09-01, Claude Sonnet 5 cost more
// and GPT-5.4 had a different slug.
func servePrices(t *testing.T) *served {
	t.Helper()
	dir := prepare(t, "prices", func(dir string) {
		r := NewRepository(t)
		suite.Check(t, os.CopyFS(r.Dir, os.DirFS("testdata/prices")))
		const claude, gpt, formerGPT = "model/claude-sonnet-5.yaml", "model/gpt-5-4.yaml", "model/gpt-five-four.yaml"
		claudeNow, gptNow := r.Read(claude), r.Read(gpt)
		claudeThen := strings.Replace(claudeNow, "    input: 2\n    output: 10\n", "    input: 3\n    output: 15\n", 1)
		if claudeThen == claudeNow {
			t.Fatal("the prices of Claude Sonnet 5 have changed")
		}
		r.Commit("2026-08-22T10:00:00Z", "Prices", "README.md", "", claude, claudeThen, gpt, "", formerGPT, gptNow)
		r.Commit("2026-09-01T10:00:00Z", "Lower prices", claude, claudeNow, formerGPT, "", gpt, gptNow+"formerly: [gpt-five-four]\n")
		buildDay(t, r, filepath.Join(dir, "out"), "2026-11-01")
	})
	return serveWith(t, Options{Dir: filepath.Join(dir, "out"), State: storagetest.SQLite(t), LimitAnonymous: 1e6})
}

// costReply holds a response of GET /api/cost. Numbers are kept as they were sent.
type costReply struct {
	Data []struct {
		Provider, ID string
		Cost         json.RawMessage
		Over         *int64
		Lines        []struct {
			Item                  string
			Quantity, Price, Cost json.RawMessage
		}
		Unknown []string
		Exceeds []string
		Reason  *string
		Date    string
		Source  string
	}
	Count int
	AsOf  string
	Model struct{ Slug string }
}

// String returns the calculation as a person would write it.
func (c *costReply) String() string {
	var b strings.Builder
	for _, d := range c.Data {
		fmt.Fprintf(&b, "%s/%s %s", d.Provider, d.ID, d.Cost)
		if d.Over != nil {
			fmt.Fprintf(&b, " over %d", *d.Over)
		}
		for _, l := range d.Lines {
			fmt.Fprintf(&b, ", %s %s×%s=%s", l.Item, l.Quantity, l.Price, l.Cost)
		}
		for _, name := range d.Unknown {
			fmt.Fprintf(&b, ", no %s", name)
		}
		for _, name := range d.Exceeds {
			fmt.Fprintf(&b, ", beyond its %s", name)
		}
		if (d.Reason == nil) != (string(d.Cost) != "null") {
			b.WriteString(", but the reason is missing or superfluous")
		}
		b.WriteByte('\n')
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// TestCost compares costs with calculations by hand, for real models. /M is a million
// tokens.
func TestCost(t *testing.T) {
	s := servePrices(t)
	for _, c := range []struct{ query, want string }{
		// 100,000 − 80,000 = 20,000 tokens are not cached.
		// 20,000 × $5/M = $0.10; 80,000 × $0.50/M = $0.04; 2,000 × $30/M = $0.06.
		// One request costs $0.20, three cost $0.60. Azure asks the same.
		{"model=gpt-5-5&input=100000&cached=80000&output=2000&requests=3",
			"azure/gpt-5.5 0.6, input 60000×5=0.3, output 6000×30=0.18, cacheRead 240000×0.5=0.12\n" +
				"openai/gpt-5.5 0.6, input 60000×5=0.3, output 6000×30=0.18, cacheRead 240000×0.5=0.12"},
		// Exactly 272,000 tokens are not over 272,000: 272,000 × $2.50/M = $0.68; 1,000 × $15/M = $0.015.
		{"model=gpt-5-4&input=272000&output=1000", "openai/gpt-5.4 0.695, input 272000×2.5=0.68, output 1000×15=0.015"},
		// One more token: 272,001 × $5/M = $1.360005; 1,000 × $22.50/M = $0.0225.
		{"model=gpt-5-4&input=272001&output=1000", "openai/gpt-5.4 1.382505 over 272000, input 272001×5=1.360005, output 1000×22.5=0.0225"},
		// Google states no price for reasoning, so all 8,000 tokens are output:
		// 50,000 × $2.50/M = $0.125; 200,000 × $0.25/M = $0.05; 8,000 × $15/M = $0.12.
		{"model=gemini-2-5-pro&input=250000&cached=200000&output=8000&reasoning=6000",
			"google/gemini-2.5-pro 0.295 over 200000, input 50000×2.5=0.125, output 8000×15=0.12, cacheRead 200000×0.25=0.05"},
		// 10,000 − 4,000 − 5,000 = 1,000 tokens are neither read from the cache nor written to it. AIHubMix:
		// 1,000 × $0.28/M = $0.00028; 500 × $1.69/M = $0.000845; 4,000 × $0.0282/M = $0.0001128;
		// 5,000 × $0.3525/M = $0.0017625. Sum: $0.0030003, rounded $0.003000. Alibaba:
		// 1,000 × $0.50/M = $0.0005; 500 × $3/M = $0.0015; 4,000 × $0.05/M = $0.0002; 5,000 × $0.625/M = $0.003125.
		{"model=qwen3-6-plus&input=10000&cached=4000&cacheWrite=5000&output=500",
			"aihubmix/qwen3.6-plus 0.003, input 1000×0.28=0.00028, output 500×1.69=0.000845, cacheRead 4000×0.0282=0.0001128, cacheWrite 5000×0.3525=0.0017625\n" +
				"alibaba/qwen3.6-plus 0.005325, input 1000×0.5=0.0005, output 500×3=0.0015, cacheRead 4000×0.05=0.0002, cacheWrite 5000×0.625=0.003125"},
		// 4 × $0.435/M = $0.00000174; 1 × $0.87/M = $0.00000087; 3 × $0.003625/M = $0.000000010875.
		// Sum: $0.000002620875, rounded $0.000003.
		{"model=deepseek-v4-pro&input=7&cached=3&output=1",
			"deepseek/deepseek-v4-pro 0.000003, input 4×0.435=0.00000174, output 1×0.87=0.00000087, cacheRead 3×0.003625=0.000000010875"},
		// Prices that are needed and not known.
		{"model=gemini-3-6-flash&mode=batch&input=1000&cached=400&output=0",
			"google/gemini-3.6-flash null, input 600×0.75=0.00045, cacheRead 400×null=null, no cacheRead"},
		// A name, an identifier of a provider, and the units that cannot be calculated.
		{"model=GPT-5.4&input=1000000", "openai/gpt-5.4 5 over 272000, input 1000000×5=5"},
		{"model=gpt-5.4&input=1000000&at=2026-08-25", "openai/gpt-5.4 5 over 272000, input 1000000×5=5"},
		// The offer's context is 1,050,000 tokens, and its output limit 128,000.
		{"model=gpt-5-5&provider=openai&input=1050001&output=128001", "openai/gpt-5.5 null, beyond its context, beyond its outputLimit"},
		// The largest use: 10⁹ requests of 10⁹ tokens at $10/M are 10¹⁸ × 10⁻⁵ = 10¹³ dollars.
		{"model=gpt-5-5&provider=azure&input=1000000000&requests=1000000000", "azure/gpt-5.5 10000000000000 over 272000, input 1000000000000000000×10=10000000000000"},
		// Until 2026-09-01, Claude Sonnet 5 cost $3 and $15:
		// 1,000 × $3/M = $0.003; 3,000 × $15/M = $0.045; $0.0018 and $0.10 for the cache as above.
		{"model=claude-sonnet-5&input=50000&cached=9000&cacheWrite=40000&output=3000&at=2026-08-31",
			"anthropic/claude-sonnet-5 0.1498, input 1000×3=0.003, output 3000×15=0.045, cacheRead 9000×0.2=0.0018, cacheWrite 40000×2.5=0.1"},
		{"model=claude-sonnet-5&input=50000&cached=9000&cacheWrite=40000&output=3000&at=2026-09-01",
			"anthropic/claude-sonnet-5 0.1338, input 1000×2=0.002, output 3000×10=0.03, cacheRead 9000×0.2=0.0018, cacheWrite 40000×2.5=0.1"},
	} {
		a := s.ask(t, "GET", "/api/cost?"+c.query)
		var got costReply
		unpack(t, a.body, &got)
		if a.status != 200 || got.String() != c.want || got.Count != len(got.Data) {
			t.Errorf("%s: %d\n%s, want\n%s", c.query, a.status, got.String(), c.want)
		}
		for _, d := range got.Data {
			if !strings.HasPrefix(d.Source, "https://github.com/") || d.Date < "2026-07-02" {
				t.Errorf("%s: read on %q from %q", c.query, d.Date, d.Source)
			}
		}
	}
	var got costReply
	unpack(t, s.ask(t, "GET", "/api/cost?model=gpt-5-4&input=1&at=2026-08-25").body, &got)
	suite.Equal(t, got.AsOf, "2026-08-25")
	suite.Equal(t, got.Model.Slug, "gpt-five-four")
}

// TestPriceRefusals checks what the errors of offers and costs say.
func TestPriceRefusals(t *testing.T) {
	s := servePrices(t)
	for path, want := range map[string]string{
		"cost?input=1":                              `"field":"model","message":"is required`,
		"cost?model=gpt-5-4":                        `"field":"input","message":"is required`,
		"cost?model=gpt-5.4x&input=1":               `"field":"model","message":"\"gpt-5.4x\" names no model`,
		"cost?model=gpt-5.4-2026-03-05&input=1":     `"suggestion":"gpt-5-4"`,
		"cost?model=gpt-55&input=1&at=2026-08-25":   `"field":"model","message":"\"gpt-55\" names no model`,
		"cost?model=tool/gpt-5-4&input=1":           `names no model`,
		"cost?model=gpt-5-4&model=gpt-5-5&input=1":  `"field":"model","message":"must be given only once`,
		"cost?model=gpt-5-4&input=1000000001":       `"suggestion":"1000000000"`,
		"cost?model=gpt-5-4&input=10&cached=11":     `"field":"cached","message":"cached, cacheWrite, cacheWrite1h, inputAudio and inputImage together are more than input`,
		"cost?model=gpt-5-4&input=1&provider=opnai": `"suggestion":"openai"`,
		"offers?maxInput=1.0000001":                 "with at most six decimals",
		"offers?maxOutput=1000000000":               "from 0 to 1000000",
		"offers?provider=opnai":                     `"suggestion":"openai"`,
		"offers?model=grok-43":                      `"suggestion":"grok-4-3"`,
		"offers?maxinput=1":                         `"suggestion":"maxInput"`,
	} {
		s.ask(t, "GET", "/api/"+path).want(t, 400, want)
	}
}
