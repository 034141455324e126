package yamldoc

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"
)

// Node is a value of a document as it is written: a scalar, a mapping or a list, with the comments that
// [Document.Commented] has attached to it.
type Node struct {
	Name  string // the field's name, if the value is that of a field
	Named bool   // set for a field, but not for a list entry or the document

	Kind  Kind
	Text  string   // scalar: the value if it is a string, otherwise the value as written
	Raw   bool     // scalar that is not a string: a number, true, false or null
	Block []string // scalar written as a block (> or |): the header, then the lines

	Items []*Node
	Flow  bool // written in brackets, on one line

	Head          []string // comments above it; "" is a blank line
	Comment       string   // after it, on the same line
	CommentColumn int      // preferred column of Comment, or 0 if there is none
	Foot          []string // comments below the items, in the items' column

	parent *Node
	start  position // of the field name or the dash or, inside brackets, of the entry
	at     position // of the value; that of a mapping is its first name or its brace
	end    position // of the closing bracket
}

// Kind is a kind of nodes.
type Kind int

// The kinds of nodes.
const (
	Scalar Kind = iota
	Mapping
	Sequence
)

// position is a position in a file, counted from 1; columns are counted in characters.
type position struct{ line, col int }

func (p position) before(q position) bool {
	return p.line < q.line || p.line == q.line && p.col < q.col
}

func tokenPosition(t *token.Token) position { return position{t.Position.Line, t.Position.Column} }

func nodePosition(n ast.Node) position {
	switch m := n.(type) {
	case *ast.MappingNode:
		if len(m.Values) > 0 && !m.IsFlowStyle {
			return nodePosition(m.Values[0].Key)
		}
	case *ast.MappingValueNode:
		return nodePosition(m.Key)
	}
	if n == nil || n.GetToken() == nil {
		return position{1, 1}
	}
	return tokenPosition(n.GetToken())
}

// Value returns the value that a node stands for: map[string]any, []any, string, int64, float64, bool or
// nil.
func (n *Node) Value() any {
	switch n.Kind {
	case Sequence:
		values := make([]any, len(n.Items))
		for i, item := range n.Items {
			values[i] = item.Value()
		}
		return values
	case Mapping:
		values := make(map[string]any, len(n.Items))
		for _, item := range n.Items {
			values[item.Name] = item.Value()
		}
		return values
	}
	switch word := strings.ToLower(n.Text); {
	case !n.Raw:
		return n.Text
	case word == "true" || word == "false":
		return word == "true"
	case IsPlainNumber(n.Text):
		if i, err := strconv.ParseInt(n.Text, 10, 64); err == nil {
			return i
		}
		x, _ := strconv.ParseFloat(n.Text, 64) // a number that is too large cannot be read back
		return x
	}
	return nil
}

// Find returns the member of a mapping or the entry of a list with a name or an index, or nil.
func (n *Node) Find(step string) *Node {
	if n.Kind == Sequence {
		if i, err := strconv.Atoi(step); err == nil && i >= 0 && i < len(n.Items) {
			return n.Items[i]
		}
		return nil
	}
	for _, item := range n.Items {
		if item.Name == step {
			return item
		}
	}
	return nil
}

// keyName returns the name of a key and, if the dialect forbids it, a message.
func keyName(k ast.Node) (name, wrong string) {
	switch k := k.(type) {
	case *ast.StringNode:
		return k.Value, misreadReason(k, false)
	case *ast.MergeKeyNode:
		return "<<", "uses a merge key (<<); write the fields out"
	case *ast.AnchorNode:
		name, _ = keyName(k.Value)
		return name, "uses an anchor (&name) before a field; remove it"
	case *ast.TagNode:
		name, _ = keyName(k.Value)
		return name, "uses a tag (!name) before a field; remove it"
	case *ast.AliasNode:
		return "", "uses an alias (*name) as a field; write the field out"
	}
	if k == nil || k.GetToken() == nil {
		return "", ""
	}
	return k.GetToken().Value, ""
}

// read fills in a node from a parsed value, and adds a problem for everything that the dialect forbids.
func (d *Document) read(p *Node, n ast.Node, path []string) {
	if len(path) > MaxDepth {
		d.refuse(p, n, path, fmt.Sprintf("is nested more than %d levels deep", MaxDepth))
		return
	}
	p.at = nodePosition(n)
	p.end = p.at // unless it has brackets
	inBrackets := p.parent != nil && p.parent.Flow
	switch v := n.(type) {
	case *ast.MappingNode:
		if p.Flow = v.IsFlowStyle || inBrackets; v.IsFlowStyle {
			p.end = tokenPosition(v.End)
		}
		d.readMapping(p, v.Values, path)
	case *ast.MappingValueNode: // the parser's form of a mapping with one member
		p.Flow = inBrackets // an entry such as "a: b" in [ ]
		d.readMapping(p, []*ast.MappingValueNode{v}, path)
	case *ast.SequenceNode:
		p.Kind = Sequence
		if p.Flow = v.IsFlowStyle || inBrackets; v.IsFlowStyle {
			p.end = tokenPosition(v.End)
		}
		for i, item := range v.Values {
			entry := append(path[:len(path):len(path)], strconv.Itoa(i))
			start := nodePosition(item)
			if !v.IsFlowStyle && start.col <= v.Start.Position.Column && mustIndent(item) {
				d.refuse(new(Node), item, entry, "must be indented more than its -")
			}
			if !v.IsFlowStyle {
				start = tokenPosition(v.Entries[i].Start)
			}
			d.read(p.add("", start), item, entry)
		}
	default:
		d.readScalar(p, n, path)
	}
}

// add adds an item to a mapping or, without a name, to a list.
func (n *Node) add(name string, start position) *Node {
	item := &Node{Name: name, Named: n.Kind == Mapping, parent: n, start: start}
	n.Items = append(n.Items, item)
	return item
}

func (d *Document) readMapping(p *Node, members []*ast.MappingValueNode, path []string) {
	p.Kind = Mapping
	first := make(map[string]int, len(members))
	for _, member := range members {
		name, wrong := keyName(member.Key)
		start, value := nodePosition(member.Key), nodePosition(member.Value)
		field := append(path[:len(path):len(path)], name)
		if wrong != "" {
			d.Add(start.line, start.col, Problem{Field: FieldName(path), Message: wrong})
		}
		switch member.Key.(type) {
		case *ast.MergeKeyNode, *ast.AliasNode:
			continue // a merge key has no name
		}
		if at, twice := first[name]; twice {
			d.Add(start.line, start.col, Problem{Field: FieldName(field), Message: fmt.Sprintf("is given twice, first on line %d", at)})
			continue
		}
		first[name] = start.line
		item := p.add(name, start)
		d.read(item, member.Value, field)
		if value.line > start.line && value.col <= start.col && !p.Flow && mustIndent(member.Value) {
			d.refuse(new(Node), member.Value, field, "must be indented more than its field")
		}
	}
}

// readScalar reads a value that is neither a mapping nor a list. The parser returns whole numbers of more
// than 64 bits as strings, and accepts some unquoted strings that YAML does not allow.
func (d *Document) readScalar(p *Node, n ast.Node, path []string) {
	switch v := n.(type) {
	case nil:
		p.Raw, p.at = true, p.start
	case *ast.NullNode:
		if p.Raw = true; v.Token.Type != token.ImplicitNullType {
			p.Text = v.Token.Value
		}
	case *ast.StringNode:
		plain := v.Token.Type == token.StringType // without quotes
		if p.Text = v.Value; plain && IsPlainNumber(v.Value) {
			d.readNumber(p, v, path)
		} else if wrong := misreadReason(v, p.parent != nil && p.parent.Flow); wrong != "" {
			d.refuse(p, n, path, wrong)
		}
	case *ast.LiteralNode:
		p.Text, p.Block = strings.TrimRight(v.Value.Value, "\r\n"), d.blockLines(v)
	case *ast.BoolNode:
		p.Raw, p.Text = true, v.Token.Value
	case *ast.IntegerNode, *ast.FloatNode:
		d.readNumber(p, n, path)
	case *ast.AnchorNode:
		d.refuse(p, n, path, "uses an anchor (&name); remove it, or put text that starts with & in quotes")
	case *ast.AliasNode:
		d.refuse(p, n, path, "uses an alias (*name); write the value out, or put text that starts with * in quotes")
	case *ast.TagNode:
		d.refuse(p, n, path, "uses a tag (!name); remove it, or put text that starts with ! in quotes")
	case *ast.InfinityNode, *ast.NanNode:
		d.refuse(p, n, path, n.GetToken().Value+" is not a finite number; put it in quotes if it is text")
	default:
		d.refuse(p, n, path, "uses a YAML feature that entity files do not support: "+n.Type().String())
	}
}

func (d *Document) readNumber(p *Node, n ast.Node, path []string) {
	p.Text = n.GetToken().Value
	if len(path) == 1 && path[0] == TextField {
		return
	}
	p.Raw = true
	if !IsPlainNumber(p.Text) {
		d.refuse(p, n, path, Quote(p.Text)+": write numbers in plain decimal digits, such as 1200 or 0.5")
	} else if _, err := strconv.ParseFloat(p.Text, 64); err != nil {
		d.refuse(p, n, path, Quote(p.Text)+" is too large")
	}
}

// refuse adds a problem with a value, which becomes null.
func (d *Document) refuse(p *Node, n ast.Node, path []string, message string) {
	p.Kind, p.Raw, p.Text, p.at = Scalar, true, "", nodePosition(n)
	field := FieldName(path)
	d.Faulty[field] = true
	d.Add(p.at.line, p.at.col, Problem{Field: field, Message: message})
}

// mustIndent reports whether a value must be indented more than its field, which the parser does not enforce.
func mustIndent(n ast.Node) bool {
	switch n := n.(type) {
	case nil, *ast.NullNode:
		return false
	case *ast.SequenceNode:
		return n.IsFlowStyle
	}
	return true
}

// misreadReason returns the reason other programs would read an unquoted string differently than the parser, or "".
func misreadReason(n *ast.StringNode, brackets bool) string {
	switch {
	case n.Token.Type != token.StringType || n.Value == "":
		return ""
	case strings.ContainsRune(",]}%@`", rune(n.Value[0])):
		return "starts with " + Quote(n.Value[:1]) + "; put the text in quotes"
	case strings.Contains(n.Value, ": ") || strings.HasSuffix(n.Value, ":"):
		return `contains ": "; put the text in quotes`
	case brackets && strings.ContainsAny(n.Value, "[]{}"):
		return "contains a bracket or a brace; put the text in quotes"
	}
	return ""
}

// IsPlainNumber reports whether a string is a number such as -12 or 3.50, but not in octal, hexadecimal, grouped or
// exponential form, which versions of YAML read differently.
func IsPlainNumber(s string) bool {
	s = strings.TrimPrefix(s, "-")
	whole, fraction, dot := strings.Cut(s, ".")
	digits := func(t string) bool { return t != "" && strings.Trim(t, "0123456789") == "" }
	return digits(whole) && (whole == "0" || whole[0] != '0') && (!dot || digits(fraction))
}

// blockLines returns the lines of a block (> or |) without indentation, or nil if it can only be written in quotes.
func (d *Document) blockLines(n *ast.LiteralNode) []string {
	header := strings.TrimSuffix(n.Start.Value, "+")
	if strings.Trim(header, "|>-") != "" {
		return nil // explicit indentation
	}
	lines := []string{header}
	indent := -1
	for _, line := range d.lines[min(n.Start.Position.Line, len(d.lines)):] {
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
	if !slices.ContainsFunc(lines[1:], func(s string) bool { return s != "" }) {
		return nil
	}
	return lines
}
