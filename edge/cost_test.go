package edge

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"kindex/builder/suite"
)

// servePrices serves the models in testdata/prices. Until 2026-09-01, Claude Sonnet 5 cost more
// and GPT-5.4 had a different slug.
func servePrices(t *testing.T) *served {
	t.Helper()
	return share(t, "prices", func(t testing.TB) *served {
		r := NewRepository(t)
		suite.Check(t, os.CopyFS(r.Dir, os.DirFS("testdata/prices")))
		const claude, gpt, formerGPT = "model/claude-sonnet-5.yaml", "model/gpt-5-4.yaml", "model/gpt-five-four.yaml"
		claudeNow, gptNow := r.Read(claude), r.Read(gpt)
		claudeThen := strings.Replace(claudeNow, "    input: 2\n    output: 10\n", "    input: 3\n    output: 15\n", 1)
		suite.Require(t, claudeThen != claudeNow, "the prices of Claude Sonnet 5 have changed")
		r.Commit("2026-08-22T10:00:00Z", "Prices", "README.md", "", claude, claudeThen, gpt, "", formerGPT, gptNow)
		r.Commit("2026-09-01T10:00:00Z", "Lower prices", claude, claudeNow, formerGPT, "", gpt, gptNow+"formerly: [gpt-five-four]\n")
		return serveRepository(t, r, "2026-11-01")
	})
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
		suite.Holds(t, a.status == 200 && got.String() == c.want &&
			got.Count == len(got.Data), c.query, a.status, got.String(), c.want)
		for _, d := range got.Data {
			suite.Holds(t, strings.HasPrefix(d.Source, "https://github.com/") &&
				d.Date >= "2026-07-02", c.query, "read on", d.Date, "from", d.Source)
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

// offerKeys returns slug@provider of the offers in a list.
func offerKeys(t *testing.T, list []json.RawMessage) string {
	t.Helper()
	var keys []string
	for _, item := range list {
		var o struct{ Slug, Provider string }
		unpack(t, item, &o)
		keys = append(keys, o.Slug+"@"+o.Provider)
	}
	return strings.Join(keys, " ")
}

// TestOffers filters, sorts and pages through the offers of real models.
func TestOffers(t *testing.T) {
	s := servePrices(t)
	for _, c := range []struct{ query, want string }{
		// Blended prices: MiniMax (3×0.30 + 1.20)/4 = 0.525, DeepSeek (3×0.435 + 0.87)/4 = 0.54375, AIHubMix
		// (3×0.28 + 1.69)/4 = 0.6325, Alibaba (3×0.50 + 3)/4 = 1.125 and so on.
		{"", "minimax-m3@minimax deepseek-v4-pro@deepseek qwen3-6-plus@aihubmix gemini-3-flash-preview@google qwen3-6-plus@alibaba grok-4-3@xai " +
			"gemini-3-6-flash@google gemini-3-5-flash@google gemini-2-5-pro@google claude-sonnet-5@anthropic gemini-3-1-pro-preview@google gpt-5-4@openai gpt-5-5@azure gpt-5-5@openai"},
		{"sort=input&maxInput=0.5", "qwen3-6-plus@aihubmix minimax-m3@minimax deepseek-v4-pro@deepseek gemini-3-flash-preview@google qwen3-6-plus@alibaba"},
		{"sort=output&maxOutput=2.5", "deepseek-v4-pro@deepseek minimax-m3@minimax qwen3-6-plus@aihubmix grok-4-3@xai"},
		{"model=gpt-five-four&model=model/grok-4-3", "grok-4-3@xai gpt-5-4@openai"},
		{"family=qwen&family=grok", "qwen3-6-plus@aihubmix qwen3-6-plus@alibaba grok-4-3@xai"},
		{"minContext=1000001", "gemini-3-1-pro-preview@google gpt-5-4@openai gpt-5-5@openai"},
		{"model=claude-sonnet-5&maxInput=2&at=2026-08-30", ""},
		{"model=gpt-5-4&at=2026-08-30", "gpt-five-four@openai"},
	} {
		suite.Equal(t, offerKeys(t, s.pages(t, "/api/offers?"+c.query)), c.want, c.query)
	}
	l := s.list(t, "/api/offers?model=claude-sonnet-5&at=2026-08-31")
	var o struct {
		Type, Name, ID, Date string
		Input, Blended       json.RawMessage
	}
	unpack(t, l.Data[0], &o)
	suite.Holds(t, l.AsOf != nil && *l.AsOf == "2026-08-31" && string(o.Input) == "3" &&
		string(o.Blended) == "6", "as", l.AsOf, l.Data[0])
	suite.Holds(t, o.Type == "model" && o.Name == "Claude Sonnet 5" && o.ID == "claude-sonnet-5" &&
		o.Date == "2026-07-02", l.Data[0])
	page := s.ask(t, "GET", "/api/offers?limit=2")
	suite.Contains(t, page.header.Get("Link"), `rel="next"`)
	s.ask(t, "GET", "/api/offers?limit=2", "If-None-Match", page.header.Get("Etag")).want(t, 304)
}

// TestAnnouncedPrices serves offers whose prices end, are announced, hold at some hours or are not for tokens:
// before the day and after it, and what they were on the day before.
func TestAnnouncedPrices(t *testing.T) {
	r := NewRepository(t)
	suite.Check(t, os.CopyFS(r.Dir, os.DirFS("testdata/prices")))
	const model = "category: language\ndescription: A model with a price.\nprovider: OpenAI\nurl: https://example.org/\noffersRead: {date: 2026-11-01, source: https://example.org/prices}\noffers:\n"
	r.Commit("2026-11-02T10:00:00Z", "Prices",
		"model/changing.yaml", "name: Changing\n"+model+`  - provider: openai
    id: changing
    input: 2
    output: 8
    modes:
      offPeak: {hours: "16:30 to 00:30 UTC", input: 1, output: 4}
    next: {from: 2026-12-01, input: 3, output: 12}
  - {provider: azure, id: changing, input: 2.5, output: 9, until: 2026-11-30}
  - {provider: xai, id: changing, input: 9, output: 9, until: 2026-10-31, next: {from: 2026-11-01, input: 7, output: 7}}
  - {provider: minimax, id: changing, input: 50, output: 50, until: 2026-10-31, next: {from: 2027-01-01, input: 1, output: 1}}
`,
		"model/reader.yaml", "name: Reader\n"+model+`  - {provider: openai, id: reader, page: 0.002}
  - {provider: azure, id: reader, minute: 0.006, character: 0.000015, image: 0.01}
  - {provider: xai, id: reader, second: 0.0002, input: 1, output: 2, inputImage: 3, cacheWrite1h: 5}
`)
	s := serveRepository(t, r, "2026-11-30")
	cost := func(query, want string) {
		t.Helper()
		var got costReply
		if a := s.ask(t, "GET", "/api/cost?"+query); json.Unmarshal(a.body, &got) != nil {
			t.Fatalf("%s: %d %s", query, a.status, a.body)
		}
		suite.Equal(t, got.String(), want, query)
	}
	has := func(path string, texts ...string) {
		t.Helper()
		a := s.ask(t, "GET", path)
		for _, text := range texts {
			a.want(t, 200, text)
		}
	}
	const before = "openai/changing 10, input 1000000×2=2, output 1000000×8=8\n" +
		"azure/changing 11.5, input 1000000×2.5=2.5, output 1000000×9=9\n" +
		"xai/changing 18, input 1000000×9=9, output 1000000×9=9\n" + // read on the day from which less was announced
		"minimax/changing 100, input 1000000×50=50, output 1000000×50=50" // read after the day on which it was to end
	const million = "model=changing&input=1000000&output=1000000"
	cost(million, before)
	cost(million+"&mode=offPeak&provider=openai", "openai/changing 5, input 1000000×1=1, output 1000000×4=4")
	has("/api/cost?"+million, `"until":"2026-11-30"`, `"until":"2026-12-31"`)
	has("/api/entity/model/changing", `"price":{"input":2,"output":8,`, `"next":{"from":"2026-12-01","input":3,"output":12}`,
		`"modes":{"offPeak":{"hours":"16:30 to 00:30 UTC","input":1,"output":4}}`)
	has("/api/offers?sort=input&provider=openai&model=changing", `"input":2,`, `"until":"2026-11-30"`, `"next":{"from":"2026-12-01"`)
	has("/model/changing/", "Off-peak: $1.00 input, $4.00 output", "Off-peak hours: 16:30 to 00:30 UTC", "From 1 Dec 2026: $3.00 input, $12.00 output")
	// Pages; 90 seconds by the minute and by the second; a thousand characters; tokens of images, and an hour in the cache.
	cost("model=reader&input=0&pages=500&provider=openai", "openai/reader 1, page 500×0.002=1")
	cost("model=reader&input=0&seconds=90&provider=azure", "azure/reader 0.009, minute 90×0.006=0.009")
	cost("model=reader&input=0&seconds=90&provider=xai", "xai/reader 0.018, second 90×0.0002=0.018")
	cost("model=reader&input=0&characters=1000&images=2&provider=azure", "azure/reader 0.035, image 2×0.01=0.02, character 1000×0.000015=0.015")
	cost("model=reader&input=1000&inputImage=400&cacheWrite1h=500&provider=xai",
		"xai/reader 0.0038, input 100×1=0.0001, cacheWrite1h 500×5=0.0025, inputImage 400×3=0.0012")
	cost("model=reader&input=0&pages=1&provider=azure", "azure/reader null, page 1×null=null, no page")
	has("/model/reader/", "$0.002 a page", "$0.006 a minute")
	has("/api/export/offers?format=csv", "model,changing,openai,changing,,,,,2,8,", "model,changing,openai,changing,offPeak,,,,1,4,", "model,changing,openai,changing,,,2026-12-01,,3,12,")

	s.publishDay(t, r, "2026-12-02")
	cost(million, "openai/changing 15, input 1000000×3=3, output 1000000×12=12\n"+
		"xai/changing 18, input 1000000×9=9, output 1000000×9=9\n"+
		"minimax/changing 100, input 1000000×50=50, output 1000000×50=50\n"+
		"azure/changing null, input 1000000×null=null, output 1000000×null=null, no input, no output")
	cost(million+"&at=2026-11-30", before)
	has("/api/cost?"+million, "The prices ended on 2026-11-30")
	has("/api/entity/model/changing", `"price":{"input":3,"output":12,`)
	has("/api/offers?sort=input&provider=openai&model=changing", `"input":3,`)
	has("/api/offers?sort=input&provider=openai&model=changing&at=2026-11-30", `"input":2,`)
	has("/api/entities?type=model&maxPrice=6&sort=price", `"slug":"changing"`)
	has("/model/changing/", "$3", "1 Dec 2026")
	has("/api/entity/model/changing/changelog", `"count":1,`) // an announced price that takes effect is no change of the content
}
