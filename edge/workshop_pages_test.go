package edge_test

import (
	"strings"
	"testing"

	"kindex/builder/suite"
)

// TestWorkshopPages: pages of an index of other kinds show what it declares.
func TestWorkshopPages(t *testing.T) {
	suite.InTest(t)
	c, _ := workshop(t)
	testWorkshopPages(t, c)
}

// testWorkshopPages: pages show the declared facts, and no word of tools, models, tokens or stars.
func testWorkshopPages(t *testing.T, c *contract) {
	for target, want := range map[string][]string{
		"/":                                 {"Glazes", "Kilns", "Materials"},
		"/glazes/":                          {"Celadon", "Finish", "Food-safe", "Firings"},
		"/glazes/?finish=gloss&sort=silica": {"Celadon", "Tenmoku"},
		"/glaze/celadon/":                   {"Fired in", "Large gas kiln", "Feldspar", "11h30m", "Silica", "3.6 mol", `<a href="/finish/gloss/"><bdi>Gloss</bdi></a>`},
		"/api/entity/glaze/celadon.md":      {"Finish: [Gloss](", "/finish/gloss/>)"},
		"/material/silica/":                 {"Used in", "Majolica", "SiO2"},
		"/kiln/large/":                      {"1,100 litres", "Fires", "Firebrick"},
		"/compare/?e=glaze/celadon&e=glaze/tenmoku": {"Celadon", "Tenmoku", "Cone"},
		"/search/?q=kiln":        {"Small electric"},
		"/categories/":           {"Stoneware"},
		"/quality/":              {"Data quality"},
		"/api/entity/kiln/large": {`"firings":{"value":812,"date":"2026-10-01","source":"https://example.org/book"}`, `"source":"https://example.org/log"`}, // by default sources
		"/finish/":               {"How the surface looks.", `href="/finish/gloss/"`, "Colours"},
		"/finish/gloss/":         {"Gloss", "Celadon", "Tenmoku", "2 glazes"},
		"/colours/white/":        {"Majolica", "Food-safe"},
		"/sitemap/2.xml":         {"/finish/gloss/<", "/colours/white/<"},
	} {
		a := c.send(t, request{target: target, status: 200, header: []string{"Accept: text/html"}})
		text := string(a.body)
		for _, word := range want {
			if !strings.Contains(text, word) {
				t.Errorf("%s does not say %s", target, word)
			}
		}
		for _, word := range []string{"token", "GitHub stars", "open weights", "context window", " model", "AI tool", "not ranked", "benchmark"} {
			if i := strings.Index(strings.ToLower(text), strings.ToLower(word)); i >= 0 {
				t.Errorf("%s says %s: …%s…", target, word, text[max(0, i-120):min(len(text), i+60)])
			}
		}
	}
}
