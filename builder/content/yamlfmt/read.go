package yamlfmt

import (
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"

	"kindex/builder/content/yamldoc"
)

// position is a position in a file. Lines and columns are counted from 1, and columns are
// counted in characters.
type position struct{ line, col int }

func (p position) before(q position) bool {
	return p.line < q.line || p.line == q.line && p.col < q.col
}

func tokenPosition(t *token.Token) position { return position{t.Position.Line, t.Position.Column} }

// node is a layout with its positions in the file, for attaching comments.
type node struct {
	*layout
	parent     *node
	depth      int
	start      position // start of the field name or the dash or, inside brackets, of the entry
	value      position // start of the value
	end        position // position of the closing bracket
	itemColumn int      // the column of its items
}

// inBrackets reports whether a position is within the brackets of a mapping or list.
func (p *node) inBrackets(c position) bool { return p.flow && c.before(p.end) }

// layoutReader reads the layout of a document.
type layoutReader struct {
	lines []string
	nodes []*node // in file order, without the document itself
}

// readLayout returns the layout of a document, including comments. The document must have
// no problems.
func readLayout(d *yamldoc.Document, text string) (*layout, error) {
	r := &layoutReader{lines: strings.Split(text, "\n")}
	root := &node{layout: &layout{}, start: position{1, 1}, itemColumn: 1}
	r.read(root, d.Root())
	comments, err := readComments(d, text, r.lines)
	if err != nil {
		return nil, err
	}
	r.attachComments(root, comments)
	return root.layout, nil
}

// read fills in a layout from a parsed value.
func (r *layoutReader) read(p *node, n ast.Node) {
	if members, ok := yamldoc.Members(n); ok {
		p.kind = mapping
		line, col := yamldoc.NodePosition(n)
		p.value = position{line, col}
		if m, ok := n.(*ast.MappingNode); ok && m.IsFlowStyle {
			p.flow, p.value, p.end = true, tokenPosition(m.Start), tokenPosition(m.End)
		} else if p.parent != nil && p.parent.flow {
			p.flow, p.end = true, p.value // an entry such as "a: b" in [ ]
		}
		for _, m := range members {
			name, _ := yamldoc.KeyName(m.Key)
			line, col := yamldoc.NodePosition(m.Key)
			r.add(p, &layout{name: name, named: true}, position{line, col}, m.Value)
		}
		return
	}
	line, col := yamldoc.NodePosition(n)
	p.value = position{line, col}
	switch v := n.(type) {
	case *ast.SequenceNode:
		p.kind, p.flow = sequence, v.IsFlowStyle
		if p.flow {
			p.value, p.end = tokenPosition(v.Start), tokenPosition(v.End)
		} else if p.parent != nil && p.parent.flow {
			p.flow, p.end = true, p.value // the parser accepts an entry such as "- a" in brackets
		}
		for i, item := range v.Values {
			line, col := yamldoc.NodePosition(item)
			start := position{line, col}
			if !v.IsFlowStyle {
				start = tokenPosition(v.Entries[i].Start)
			}
			r.add(p, &layout{}, start, item)
		}
	default:
		r.readLeaf(p, n)
	}
}

// readLeaf fills in a layout from a string, number, true, false or null.
func (r *layoutReader) readLeaf(p *node, n ast.Node) {
	textual := p.depth == 1 && slices.Contains(yamldoc.TextFields, p.name)
	switch v := n.(type) {
	case *ast.LiteralNode:
		p.value = tokenPosition(v.Start)
		p.text = strings.TrimRight(v.Value.Value, "\r\n")
		p.block = r.blockLines(v)
	case *ast.StringNode:
		p.text = v.Value
		p.raw = v.Token.Type == token.StringType && yamldoc.IsPlainNumber(v.Value) && !textual // an integer of more than 64 bits
	case *ast.IntegerNode, *ast.FloatNode:
		p.text, p.raw = n.GetToken().Value, !textual
	case *ast.NullNode:
		p.raw, p.text = true, v.Token.Value
		if v.Token.Type == token.ImplicitNullType {
			p.text, p.value = "", p.start
		}
	case nil:
		p.raw, p.value = true, p.start
	default:
		p.raw, p.text = true, n.GetToken().Value
	}
}

// add reads one item of a mapping or list.
func (r *layoutReader) add(parent *node, l *layout, start position, value ast.Node) {
	p := &node{layout: l, parent: parent, depth: parent.depth + 1, start: start}
	if len(parent.items) == 0 {
		parent.itemColumn = start.col
	}
	parent.items = append(parent.items, l)
	r.nodes = append(r.nodes, p)
	r.read(p, value)
}

// blockLines returns the lines of a string in block form (> or |) without their indentation,
// or nil if the string can only be written in quotes.
func (r *layoutReader) blockLines(n *ast.LiteralNode) []string {
	header := strings.TrimSuffix(n.Start.Value, "+")
	if strings.Trim(header, "|>-") != "" {
		return nil // explicit indentation
	}
	lines := []string{header}
	indent := -1
	for _, line := range r.lines[n.Start.Position.Line:] {
		text := strings.TrimLeft(line, " ")
		width := len(line) - len(text)
		if indent < 0 && text != "" {
			indent = width
		}
		if text != "" && width < indent || indent == 0 {
			break
		}
		lines = append(lines, line[min(len(line), max(indent, 0)):])
	}
	for len(lines) > 1 && lines[len(lines)-1] == "" { // any spaces after the indentation are part of the string
		lines = lines[:len(lines)-1]
	}
	first := slices.IndexFunc(lines[1:], func(s string) bool { return s != "" })
	if first < 0 {
		return nil
	}
	return lines
}
