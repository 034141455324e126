package pages_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"

	"kindex/builder/suite"
	"kindex/edge/edgetest"
	"kindex/exports"
	"kindex/exports/record"
	"kindex/site/pages"
)

// TestMarkdownOfHostileEntity checks that no text of an entity changes the structure of its Markdown.
func TestMarkdownOfHostileEntity(t *testing.T) {
	t.Parallel()
	const hostile = "# 1. `a` *b* _c_ <b>&amp;</b> [x](javascript:y) ![i](z) | ~~d~~ $e$ \\ \u202eevil\r\n\n- item\n***\n<script>"
	shape := func(text, address string) []int {
		built := siteOf(t, edgetest.Built(t), pages.Options{})
		o, _, _ := built.Build.Find("model", "o3")
		e := *built.Build.Entity(o)
		e.Name, e.Provider, e.Description, e.License, e.Version, e.URL = text, text, text, text, text, address
		e.Tags, e.Capabilities = []string{text}, []string{text}
		e.IDs, e.Links = []record.ID{{Namespace: "github", Value: text}}, []record.Link{{Name: "repository", URL: address}}
		e.Offers = []record.Offer{{Provider: text, ID: text, Source: address, Modes: []record.Mode{{Name: text}}}}
		e.Signals.Facts = []record.Fact{{Name: "stars", Number: 5, Date: text, Source: address}}
		e.Signals.Benchmarks = []record.Benchmark{{Name: text, Value: 5, Date: text, Source: address}}
		s := siteOf(t, edgetest.Built(t), pages.Options{}, exports.Edit{Type: e.Type, Slug: e.Slug, Entity: &e})
		o, _, _ = s.Build.Find(e.Type, e.Slug)
		doc := suite.Must(s.Markdown(o, "https://index.example.org"))(t)
		var page bytes.Buffer
		suite.Check(t, goldmark.New(goldmark.WithExtensions(extension.GFM)).Convert(doc, &page))
		var counts []int
		for _, part := range []string{"<h1", "<h2", "<p>", "<ul>", "<li>", "<tr>", "<td", "<hr", "<del", "<em", "<code", "<img", "<strong", "raw HTML omitted", `href="javascript`} {
			counts = append(counts, strings.Count(page.String(), part))
		}
		return counts
	}
	plain, got := shape("plain", "https://example.org/"), shape(hostile, "javascript:alert(1)")
	if got[4]++; !slices.Equal(got, plain) { // without an address, an entity has no link
		t.Errorf("the structure is %v, and with plain text %v", got, plain)
	}
}
