package pages_test

import (
	"html"
	"net/http"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"kindex/builder/suite"
	"kindex/edge/edgetest"
	"kindex/site/pages"
)

var (
	anyRow  = regexp.MustCompile(`(?s)<tr[^>]*>(.*?)</tr>`)
	anyCell = regexp.MustCompile(`(?s)<t[hd][^>]*>(.*?)</t[hd]>`)
)

// tableRows returns the rows of the table that follows a text, their cells joined by bars.
func tableRows(body, after string) (rows []string) {
	_, body, _ = strings.Cut(body, after)
	_, body, _ = strings.Cut(body, "<tbody>")
	body, _, _ = strings.Cut(body, "</tbody>")
	for _, row := range anyRow.FindAllStringSubmatch(body, -1) {
		var cells []string
		for _, cell := range anyCell.FindAllStringSubmatch(row[1], -1) {
			cells = append(cells, strings.Join(strings.Fields(html.UnescapeString(anyTag.ReplaceAllString(cell[1], " "))), " "))
		}
		rows = append(rows, strings.Join(cells, " | "))
	}
	return rows
}

func TestPrices(t *testing.T) {
	suite.InTest(t)
	t.Parallel()
	out := t.TempDir()
	edgetest.Build(t, filepath.Join(suite.Root(t), "edge/testdata/prices"), out)
	s := siteOf(t, out, pages.Options{})
	const minimax = "M MiniMax-M3 MiniMax MiniMax-M3 Calculate the cost of MiniMax-M3 | $0.30 | $1.20 | 1M | $0.525 | 2 Jul 2026 Source"
	for _, c := range []struct {
		query string
		found int
		first string
		says  string
	}{
		{"", 14, minimax, `<p class="facts num">14 offers`},
		{"?sort=output", 14, "D DeepSeek V4 Pro", `aria-sort="ascending"><span>Output`},
		{"?model=model/gpt-5-5", 2, "O GPT-5.5 Azure gpt-5.5 Calculate the cost of GPT-5.5 | $5.00 | $30.00 | – unknown | $11.25 |", `aria-label="Remove Model: model/gpt-5-5">`},
		{"?model=gpt-5.5", 2, "O GPT-5.5", `value="gpt-5.5"`},
		{"?provider=xAI", 1, "X Grok 4.3", ""},
		{"?family=qwen&maxInput=0.3", 1, "A Qwen3.6 Plus", `name="maxInput" value="0.3"`},
		{"?modality=audio&sort=input", 5, "G Gemini 3 Flash Preview", `<option value="audio" selected>Audio (5)</option>`},
		{"?maxOutput=1.2&minContext=1000000", 2, "M MiniMax-M3", ""},
		{"?family=qwen&maxInput=0.01", 0, "", "No offers match these filters."},
		{"?family=nothing", 0, "", "No family, maker or model has this name."},
		{"?family=kwen", 0, "", `<a href="/prices/?family=qwen">`},
		{"?provider=nobody", 0, "", "No provider has this name."},
		{"?model=gpt+5.5", 2, "O GPT-5.5", ""},
		{"?family=gpt+5.5", 2, "O GPT-5.5", ""},
		{"?provider=open+ai&model=gpt5.5", 1, "O GPT-5.5", ""},
		{"?provider=X.AI", 1, "X Grok 4.3", ""},
		{"?family=Alibaba+Cloud", 2, "A Qwen3.6 Plus", ""},
		{"?maxOutput=%241,2&minContext=1M", 2, "M MiniMax-M3", ""},
		{"?maxOutput=1.20+USD&minContext=1%C2%A0000%C2%A0000", 2, "M MiniMax-M3", ""},
		{"?maxOutput=1,2&minContext=1.000.000", 2, "M MiniMax-M3", ""},
		{"?maxInput=cheap", 14, minimax, "is not an amount of US dollars from 0 to 1000000 with at most six decimals"},
		{"?maxInput=0.0000001", 14, minimax, "is not an amount of US dollars"},
		{"?minContext=-1", 14, minimax, "is not a whole number from 1 to 2147483648, such as 200000 or 200k."},
		{"?modality=smell", 14, minimax, "Choose a value from the list."},
		{"?model=grok", 0, "", `<a href="/prices/?model=grok-4-3">`},
		{"?model=%3Cb%3E%FF%00", 0, "", "No model has this name."},
	} {
		a := pageAt(t, s, "/prices/"+c.query)
		rows := tableRows(string(a.Body), `<table class="list`)
		if a.Status != http.StatusOK || len(rows) != c.found || c.found > 0 && !strings.HasPrefix(rows[0], c.first) || !strings.Contains(string(a.Body), c.says) {
			t.Errorf("%s: %d, %d offers:\n%s\nwant %d: %s, %q", c.query, a.Status, len(rows), strings.Join(rows, "\n"), c.found, c.first, c.says)
		}
		if filters := c.found < 14; filters != strings.Contains(string(a.Body), "chosen-chip") {
			t.Errorf("%s: whether it is listed among the chosen filters: %t, want %t", c.query, !filters, filters)
		}
	}
	for _, c := range []struct{ query, costs, says string }{
		{"calculate=gpt-5-5&input=100000&cached=80000&output=2000&requests=3",
			"Azure gpt-5.5 | $0.6 | Input: 60,000 tokens × $5/M = $0.3 Output: 6,000 tokens × $30/M = $0.18 Read from a cache: 240,000 tokens × $0.5/M = $0.12 | 2 Jul 2026 Source\n" +
				"OpenAI gpt-5.5 | $0.6 | Input: 60,000 tokens × $5/M = $0.3 Output: 6,000 tokens × $30/M = $0.18 Read from a cache: 240,000 tokens × $0.5/M = $0.12 | 2 Jul 2026 Source", ">GPT-5.5</bdi></a>, 2 offers"},
		{"calculate=GPT-5.4&input=272001&output=1000&cached=&requests=", "OpenAI gpt-5.4 | $1.382505 | Prices for more than 272,000 input tokens: Input: 272,001 tokens × $5/M = $1.360005 Output: 1,000 tokens × $22.5/M = $0.0225 | 2 Jul 2026 Source", ""},
		{"calculate=gemini-2-5-pro&input=10&cacheWrite=10", "Google gemini-2.5-pro | – unknown | Written to a cache: 10 tokens × an unknown price | 2 Jul 2026 Source", ""},
		{"calculate=grok-4-3&input=10&mode=batch", "xAI grok-4.3 | – unknown | The offer states no prices for batch requests. | 2 Jul 2026 Source", `<option value="batch" selected>`},
		{"calculate=grok-4-3", "xAI grok-4.3 | $0.0025 | Input: 1,000 tokens × $1.25/M = $0.00125 Output: 500 tokens × $2.5/M = $0.00125 | 2 Jul 2026 Source", `name="input" value="1000"`},
		{"calculate=grok-4-3&input=10&cached=11", "", "Cached, cacheWrite, cacheWrite1h, inputAudio and inputImage together are more than input, of which they are parts."},
		{"calculate=grok-4-3&input=1e9", "", "Enter a whole number up to 1,000,000,000."},
		{"calculate=qwen", "", `<a href="/prices/?calculate=qwen3-6-plus">`},
	} {
		body := string(pageAt(t, s, "/prices/?"+c.query).Body)
		if got := strings.Join(tableRows(body, `aria-label="Costs">`), "\n"); got != c.costs || !strings.Contains(body, c.says) {
			t.Errorf("%s: %s, want\n%s, %q", c.query, got, c.costs, c.says)
		}
	}
	for _, o := range []pages.Options{{Static: true}, {Static: true, API: "https://api.example.org"}} {
		body := string(pageAt(t, siteOf(t, out, o), "/prices/").Body)
		if rows := tableRows(body, `<table class="list`); len(rows) != 14 || strings.Contains(body, "Calculate") {
			t.Errorf("%d offers on a static site: %s", len(rows), body)
		}
	}
}
