package content

import (
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"
)

// position is a place in a file, counted from 1; columns in characters.
type position struct{ line, col int }

func (p position) before(q position) bool {
	return p.line < q.line || p.line == q.line && p.col < q.col
}

func at(t *token.Token) position { return position{t.Position.Line, t.Position.Column} }

// placed is a layout with the places it has in a file, for comments to be put
// where they belong.
type placed struct {
	*layout
	parent *placed
	depth  int
	start  position // of its name, of its dash, or of an entry in brackets
	value  position // of its value
	end    position // of its closing bracket
	inner  int      // the column of its items
}

// open tells whether a place lies within the brackets of a set or list.
func (p *placed) open(c position) bool { return p.flow && c.before(p.end) }

// reader makes the layout of a document.
type reader struct {
	lines  []string
	placed []*placed // in the order of the file, the document itself left out
}

// layout returns how the document is written, comments included. There must be
// nothing wrong with the document.
func (d *document) layout(text string) (*layout, error) {
	r := &reader{lines: strings.Split(text, "\n")}
	root := &placed{layout: &layout{}, start: position{1, 1}, inner: 1}
	r.read(root, d.root)
	comments, err := d.comments(text, r.lines)
	if err != nil {
		return nil, err
	}
	r.attach(root, comments)
	return root.layout, nil
}

// read fills in a layout from the value that the parser has for it.
func (r *reader) read(p *placed, n ast.Node) {
	if members, ok := pairs(n); ok {
		p.kind = set
		line, col := place(n)
		p.value = position{line, col}
		if m, ok := n.(*ast.MappingNode); ok && m.IsFlowStyle {
			p.flow, p.value, p.end = true, at(m.Start), at(m.End)
		} else if p.parent != nil && p.parent.flow {
			p.flow, p.end = true, p.value // a: b as an entry of [ ]
		}
		for _, m := range members {
			name, _ := keyOf(m.Key)
			line, col := place(m.Key)
			r.add(p, &layout{name: name, named: true}, position{line, col}, m.Value)
		}
		return
	}
	line, col := place(n)
	p.value = position{line, col}
	switch v := n.(type) {
	case *ast.SequenceNode:
		p.kind, p.flow = list, v.IsFlowStyle
		if p.flow {
			p.value, p.end = at(v.Start), at(v.End)
		} else if p.parent != nil && p.parent.flow {
			p.flow, p.end = true, p.value // the parser does not mind - a in brackets
		}
		for i, item := range v.Values {
			line, col := place(item)
			start := position{line, col}
			if !v.IsFlowStyle {
				start = at(v.Entries[i].Start)
			}
			r.add(p, &layout{}, start, item)
		}
	default:
		r.readLeaf(p, n)
	}
}

// readLeaf fills in a layout from a text, a number, true, false or null.
func (r *reader) readLeaf(p *placed, n ast.Node) {
	textual := p.depth == 1 && p.name == textualField
	switch v := n.(type) {
	case *ast.LiteralNode:
		p.value = at(v.Start)
		p.text = strings.TrimRight(v.Value.Value, "\r\n")
		p.fold = r.folded(v)
	case *ast.StringNode:
		p.text = v.Value
		p.raw = v.Token.Type == token.StringType && plainNumber(v.Value) && !textual // of more than 64 bits
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

// add reads one item of a set or list.
func (r *reader) add(parent *placed, l *layout, start position, value ast.Node) {
	p := &placed{layout: l, parent: parent, depth: parent.depth + 1, start: start}
	if len(parent.items) == 0 {
		parent.inner = start.col
	}
	parent.items = append(parent.items, l)
	r.placed = append(r.placed, p)
	r.read(p, value)
}

// folded returns a text in block form (> or |) as it is written, without its
// indentation; nil where it can only be written in quotes.
func (r *reader) folded(n *ast.LiteralNode) []string {
	header := strings.TrimSuffix(n.Start.Value, "+")
	if strings.Trim(header, "|>-") != "" {
		return nil // the indentation is given as a number
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
	for len(lines) > 1 && lines[len(lines)-1] == "" { // blanks beyond the indentation are part of the text
		lines = lines[:len(lines)-1]
	}
	first := slices.IndexFunc(lines[1:], func(s string) bool { return s != "" })
	if first < 0 {
		return nil
	}
	return lines
}
