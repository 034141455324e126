package mdrender_test

import (
	"strings"
	"testing"

	"kindex/builder/suite"
	"kindex/site/mdrender"
)

const text = `# A *title*

The lead, with [a page](other.md#there),
and more.

## One
<script>alert(1)</script>

[nowhere](gone.md) [outside](https://example.org/) ![a picture](x.png) <b>bold</b>

` + "```sh\necho '<b>' & \"x\"\n```\n" + `
## Two

| file | for |
| --- | :-: |
| [a](a.md) | people |
`

func TestRender(t *testing.T) {
	g := suite.Must(mdrender.Render([]byte(text), func(address string) string {
		switch address {
		case "other.md#there":
			return "/docs/other/#there"
		case "https://example.org/":
			return address
		}
		return ""
	}))(t)
	if g.Title != "A title" || g.Lead != "The lead, with a page, and more." {
		t.Errorf("title %q, lead %q", g.Title, g.Lead)
	}
	if len(g.Headings) != 2 || g.Headings[0] != (mdrender.Heading{ID: "one", Text: "One"}) || g.Headings[1].ID != "two" {
		t.Errorf("headings %v", g.Headings)
	}
	for _, want := range []string{`<a href="/docs/other/#there">a page</a>`, `<a href="https://example.org/" rel="noopener">outside</a>`, `<h2 id="one">One</h2>`,
		"nowhere", "a picture", `<pre tabindex="0" role="region" aria-label="Block 1, sh"><code>echo '&lt;b&gt;' &amp; &quot;x&quot;`, `aria-label="Table 2"`, `align="center"`} {
		suite.Contains(t, g.HTML, want)
	}
	for _, not := range []string{"<script", "alert", "<b>", "style=", "<img", "gone.md", "<h1"} {
		if strings.Contains(g.HTML, not) {
			t.Errorf("%q is in %s", not, g.HTML)
		}
	}
}
