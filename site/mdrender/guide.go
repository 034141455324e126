// Package mdrender renders the project's guides from GitHub Flavored Markdown to HTML.
// Raw HTML in them is dropped.
package mdrender

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// Guide is a rendered guide.
type Guide struct {
	Title    string // the top-level heading, as plain text
	Lead     string // the first paragraph, as plain text
	HTML     string // the guide without its title
	Headings []Heading
}

// Heading is a second-level heading. ID is its anchor.
type Heading struct{ ID, Text string }

// converter parses and renders. It is stateless.
var converter = goldmark.New(
	goldmark.WithExtensions(extension.Linkify,
		extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignAttribute))), // style attributes violate the Content-Security-Policy
	goldmark.WithParserOptions(parser.WithAutoHeadingID()),
	goldmark.WithRendererOptions(renderer.WithNodeRenderers(util.Prioritized(&scrolling{}, 1))))

// Render renders a guide. It replaces each URL in the guide with the result of calling link.
// If the result is "", only the text of the link is kept.
func Render(markdown []byte, link func(address string) string) (*Guide, error) {
	doc := converter.Parser().Parse(text.NewReader(markdown))
	g := &Guide{}
	var title ast.Node
	var links []ast.Node
	blocks := 0
	err := ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Heading:
			switch {
			case n.Level == 1 && title == nil:
				title, g.Title = n, plain(n, markdown)
			case n.Level == 2:
				id, _ := n.AttributeString("id")
				raw, _ := id.([]byte)
				g.Headings = append(g.Headings, Heading{string(raw), plain(n, markdown)})
			}
		case *ast.Paragraph:
			if g.Lead == "" {
				g.Lead = plain(n, markdown)
			}
		case *ast.Link, *ast.Image, *ast.AutoLink:
			links = append(links, n)
		case *ast.FencedCodeBlock, *ast.CodeBlock, *extast.Table:
			blocks++
			n.SetAttributeString("number", blocks)
		}
		return ast.WalkContinue, nil
	})
	if err != nil {
		return nil, err
	}
	for _, n := range links {
		lead(n, link)
	}
	if title != nil {
		title.Parent().RemoveChild(title.Parent(), title)
	}
	var out bytes.Buffer
	err = converter.Renderer().Render(&out, markdown, doc)
	g.HTML = out.String()
	return g, err
}

// lead replaces the target of a link, or replaces the link with its text.
func lead(n ast.Node, link func(string) string) {
	switch n := n.(type) {
	case *ast.Link:
		if to := link(string(n.Destination)); to != "" {
			n.Destination = []byte(to)
			if strings.HasPrefix(to, "http") {
				n.SetAttributeString("rel", []byte("noopener"))
			}
			return
		}
	case *ast.AutoLink: // a bare URL
		return
	}
	for n.HasChildren() {
		n.Parent().InsertBefore(n.Parent(), n, n.FirstChild())
	}
	n.Parent().RemoveChild(n.Parent(), n) // images, too, are replaced by their text
}

// plain returns the text of a node without markup.
func plain(n ast.Node, source []byte) string {
	var b strings.Builder
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) { // the function never fails
		switch n := n.(type) {
		case *ast.Text:
			if entering {
				b.Write(n.Segment.Value(source))
				if n.SoftLineBreak() || n.HardLineBreak() {
					b.WriteByte(' ')
				}
			}
		case *ast.String:
			if entering {
				b.Write(n.Value)
			}
		}
		return ast.WalkContinue, nil
	})
	return b.String()
}

// scrolling renders code blocks and tables, which may be wider than the page, in boxes
// that scroll. The boxes are focusable, so that they can be scrolled with the keyboard.
type scrolling struct{}

// RegisterFuncs implements renderer.NodeRenderer.
func (*scrolling) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(ast.KindFencedCodeBlock, code)
	r.Register(ast.KindCodeBlock, code)
	r.Register(extast.KindTable, table)
}

func code(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	language := ""
	if f, ok := n.(*ast.FencedCodeBlock); ok {
		language = string(f.Language(source))
	}
	number, _ := n.AttributeString("number")
	label := fmt.Sprintf("Block %v", number)
	if language != "" {
		label += ", " + language
	}
	fmt.Fprintf(w, `<div class="code" data-code><pre tabindex="0" role="region" aria-label="%s"><code>`, util.EscapeHTML([]byte(label)))
	for i := range n.Lines().Len() {
		line := n.Lines().At(i)
		_, _ = w.Write(util.EscapeHTML(line.Value(source)))
	}
	_, err := w.WriteString("</code></pre></div>\n")
	return ast.WalkSkipChildren, err
}

func table(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		_, err := w.WriteString("</table></div>\n")
		return ast.WalkContinue, err
	}
	number, _ := n.AttributeString("number")
	_, err := fmt.Fprintf(w, `<div class="scroll" tabindex="0" role="region" aria-label="Table %v"><table>`+"\n", number)
	return ast.WalkContinue, err
}
