package edge_test

import (
	"strings"
	"testing"

	"kindex/edge/web"
)

// TestPrefersMarkdown checks which values of Accept prefer Markdown to JSON.
func TestPrefersMarkdown(t *testing.T) {
	for accept, want := range map[string]bool{
		"": false, "*/*": false, "application/json": false, "text/markdown": true, "Text/Markdown ; charset=utf-8": true,
		"text/*": true, "text/html": false, "text/plain": false, "application/*": false, "text/markdown, application/json": false,
		"text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8": false,
		"text/markdown, text/html;q=0.9, */*;q=0.1":                       true,
		"text/markdown;q=0.5, application/json;q=0.4":                     true, "text/markdown;q=0.4, application/json;q=0.5": false,
		"text/markdown;q=0": false, "text/markdown;q=0, */*": false, "application/json;q=0, */*": true, "*/*;q=0.5, text/markdown": true,
		"text/*;q=0.3, application/json;q=0.2": true, "text/*, text/markdown;q=0.1, application/json;q=0.5": false,
		"text/markdown;q=much": true, "text/markdown;q=2": true, "text/markdown;variant=GFM;q=0.1, */*;q=0.2": false,
		";;,,=": false, "text/markdown;Q=0.1, application/json;q=0.5": false, "application/problem+json, text/markdown": true,
	} {
		lines := strings.Split(accept, "\n")
		if accept == "" {
			lines = nil
		}
		if got := web.PrefersMarkdown(lines); got != want {
			t.Errorf("Accept: %s: Markdown is %v, want %v", accept, got, want)
		}
	}
	if !web.PrefersMarkdown([]string{"application/json;q=0.1", "text/markdown;q=0.2"}) {
		t.Error("the second header line is ignored")
	}
}
