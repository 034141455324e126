package edge_test

import (
	"html"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"kindex/builder/suite"
)

// foreignWords are words of other indexes: of tools and models, and of blocks and scores that the workshop does not
// have.
var foreignWords = regexp.MustCompile(`(?i)\b(tools?|(language )?models?|weights|tokens?|stars?|scor(e|es|ed|ing)|prices?|offers|benchmarks?|leaderboards?|rank(s|ed|ing)?)\b`)

// foreignNames are the same words in texts about the API of any index, which speak of the core of a record.
var foreignNames = regexp.MustCompile(`(?i)\b(tools?|models?|weights|tokens?|stars?|benchmarks?)\b|(model\|tool)`)

var (
	unreadParts = regexp.MustCompile(`(?s)<(script|style|template)\b.*?</(script|style|template)>|<code.*?</code>|<[^>]+>`)
	readParts   = regexp.MustCompile(`(?:title|placeholder|aria-label|content|alt)="([^"]*)"`)
	pageLinks   = regexp.MustCompile(`href="(/[^"#]*)`)
	ownWords    = regexp.MustCompile(`\b[a-z_]+\.(json|parquet|csv|jsonl)\b|llms\.txt|https://example\.org/\S+|Model Context Protocol`)
)

// testWorkshopWords: no page, no list of tools and no machine-readable text speaks of what only other indexes have.
func testWorkshopWords(t *testing.T, c *contract) {
	seen, kinds := map[string]bool{}, map[string]int{}
	for todo := []string{"/", "/robots.txt", "/sitemap.xml", "/llms.txt", "/opensearch.xml", "/search/?q=none", "/no-such-page"}; len(todo) > 0; todo = todo[1:] {
		target := todo[0]
		if seen[target] || strings.HasPrefix(target, "/docs/") || strings.HasPrefix(target, "/data/2") || strings.Count(target, "&") > 0 {
			continue
		}
		seen[target] = true
		kind, _, _ := strings.Cut(strings.Trim(target, "/"), "/")
		if kinds[kind]++; kinds[kind] > 6 && !suite.Soaking() {
			continue // make soak reads all pages of a kind
		}
		r := suite.Must(http.Get(c.url + target))(t)
		data, err := io.ReadAll(r.Body)
		if r.Body.Close(); err != nil {
			t.Fatal(err)
		}
		body := string(data)
		text := body
		if isPage := strings.HasPrefix(r.Header.Get("Content-Type"), "text/html"); isPage {
			for _, m := range pageLinks.FindAllStringSubmatch(body, -1) {
				if to := html.UnescapeString(m[1]); !strings.HasPrefix(to, "/api/") && !strings.HasPrefix(to, "/assets/") && !slices.Contains(todo, to) {
					todo = append(todo, to)
				}
			}
			text = unreadParts.ReplaceAllString(body, " ")
			for _, m := range readParts.FindAllStringSubmatch(body, -1) {
				text += " | " + m[1]
			}
		} else if target == "/robots.txt" || target == "/sitemap.xml" {
			continue // it names paths that every index may have
		}
		text = ownWords.ReplaceAllString(html.UnescapeString(text), "")
		for _, at := range foreignWords.FindAllStringIndex(text, -1) {
			t.Errorf("%s: %q", target, text[max(0, at[0]-60):min(len(text), at[1]+40)])
		}
	}
	suite.Holds(t, len(seen) >= 40, "only", len(seen), "pages were found")
	for _, method := range []string{"initialize", "tools/list", "resources/list"} {
		a := c.send(t, request{verb: "POST", target: "/mcp", status: 200, header: []string{"Accept: application/json, text/event-stream"}, body: `{"jsonrpc":"2.0","id":1,"method":"` +
			method + `","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`})
		text := regexp.MustCompile(`"tools":|other tools|pricing ?[mM]odel`).ReplaceAllString(string(a.body), "")
		for _, at := range foreignNames.FindAllStringIndex(text, -1) {
			t.Errorf("%s of /mcp: %q", method, text[max(0, at[0]-60):min(len(text), at[1]+40)])
		}
	}
	for _, target := range []string{"/api/export/croissant", "/api/kinds", "/api/calendar", "/api/feed?format=json"} {
		a := c.send(t, request{target: target, status: 200})
		text := strings.ReplaceAll(strings.ReplaceAll(string(a.body), "pricingModel", ""), "pricing model", "")
		for _, at := range foreignNames.FindAllStringIndex(text, -1) {
			t.Errorf("%s: %q", target, text[max(0, at[0]-60):min(len(text), at[1]+40)])
		}
	}
	c.send(t, request{target: "/api/offers", status: 404})
	c.send(t, request{target: "/api/cost?model=celadon&input=1", status: 404})
	for _, component := range []string{"Offer", "Tiers", "Benchmark"} {
		suite.Holds(t, c.doc.Components.Schemas[component] == nil, "/api/openapi describes", component)
	}
	for name, s := range c.doc.Components.Schemas {
		for member, p := range s.Value.Properties {
			suite.Lacks(t, p.Value.Pattern, "tool", "/api/openapi", name, ".", member, "matches")
		}
	}
}
