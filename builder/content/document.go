package content

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// Limits on one file: far above any real entity, far below what hurts.
const (
	maxFileSize = 256 << 10
	maxDepth    = 32
)

// document is one YAML file as plain values, with the places they came from.
// The dialect is small on purpose: one document, no anchors, aliases, tags or
// merge keys, every key once.
type document struct {
	path  string
	value any // map[string]any, []any, string, int64, float64, bool or nil
	root  ast.Node

	// textual names the top-level field whose plain numbers are texts, so that
	// version 1.10 does not become 1.1.
	textual  string
	problems Problems
}

// parseDocument reads a file. Where its syntax is broken the document has
// problems and no value.
func parseDocument(path string, data []byte, textual string) (d *document) {
	d = &document{path: path, textual: textual}
	defer func() {
		// The parser is fed by strangers. Should it fail on one file, all
		// other files are still checked.
		if r := recover(); r != nil {
			d.value, d.root = nil, nil
			d.add(1, 1, Problem{Message: fmt.Sprintf("cannot be read as YAML: %v", r)})
		}
	}()
	if !d.readable(data) {
		return d
	}
	file, err := parser.ParseBytes(data, 0, parser.AllowDuplicateMapKey())
	if err != nil {
		d.syntaxError(err)
		return d
	}
	var bodies []ast.Node
	for _, doc := range file.Docs {
		if doc.Body != nil && doc.Body.Type() != ast.CommentType {
			bodies = append(bodies, doc.Body)
		}
	}
	switch len(bodies) {
	case 0:
		d.add(1, 1, Problem{Message: "is empty"})
		return d
	case 1:
	default:
		line, col := place(bodies[1])
		d.add(line, col, Problem{Message: "a second document begins here; a file holds one entity"})
		return d
	}
	d.root = bodies[0]
	d.value = d.convert(d.root, nil)
	return d
}

func (d *document) readable(data []byte) bool {
	switch {
	case len(data) > maxFileSize:
		d.add(1, 1, Problem{Message: fmt.Sprintf("has %d bytes, at most %d are allowed", len(data), maxFileSize)})
	case !utf8.Valid(data):
		line, col := 1, 1
		for i := 0; i < len(data); {
			r, n := utf8.DecodeRune(data[i:])
			if r == utf8.RuneError && n == 1 {
				break
			}
			col++
			if r == '\n' {
				line, col = line+1, 1
			}
			i += n
		}
		d.add(line, col, Problem{Message: "is not UTF-8 text from here on"})
	case tooDeep(data):
		d.add(1, 1, Problem{Message: fmt.Sprintf("is nested more than %d levels deep", maxDepth)})
	default:
		return true
	}
	return false
}

// tooDeep finds nesting that the parser would follow by recursion: open
// brackets, and dashes in a row. Brackets within texts count too; nobody
// leaves 32 of them open.
func tooDeep(data []byte) bool {
	depth := 0
	for _, line := range bytes.Split(data, []byte("\n")) {
		dashes := 0
		start := true
		for i, c := range line {
			switch c {
			case '[', '{':
				depth++
				start = false
			case ']', '}':
				depth = max(0, depth-1)
				start = false
			case '-', '?':
				if start && (i+1 == len(line) || line[i+1] == ' ' || line[i+1] == '\t') {
					dashes++
				}
			case ' ', '\t':
			default:
				start = false
			}
			if depth > maxDepth || dashes > maxDepth {
				return true
			}
		}
	}
	return false
}

func (d *document) syntaxError(err error) {
	line, col, message := 1, 1, err.Error()
	var ye yaml.Error
	if errors.As(err, &ye) {
		message = ye.GetMessage()
		if t := ye.GetToken(); t != nil {
			line, col = t.Position.Line, t.Position.Column
		}
	}
	d.add(line, col, Problem{Message: "is not valid YAML: " + message})
}

func (d *document) add(line, col int, p Problem) {
	p.File, p.Line, p.Column = d.path, max(line, 1), max(col, 1)
	if p.Severity == "" {
		p.Severity = Error
	}
	d.problems = append(d.problems, p)
}

// addAt adds a problem at the value of a field, or at its key.
func (d *document) addAt(path []string, key bool, p Problem) {
	line, col := d.locate(path, key)
	if p.Field == "" {
		p.Field = FieldName(path)
	}
	d.add(line, col, p)
}

func place(n ast.Node) (line, col int) {
	if n == nil || n.GetToken() == nil {
		return 1, 1
	}
	if m, ok := n.(*ast.MappingNode); ok && len(m.Values) > 0 && !m.IsFlowStyle {
		return place(m.Values[0].Key)
	}
	if m, ok := n.(*ast.MappingValueNode); ok {
		return place(m.Key)
	}
	p := n.GetToken().Position
	return p.Line, p.Column
}

// pairs returns the members of a mapping, in either form the parser gives it.
func pairs(n ast.Node) ([]*ast.MappingValueNode, bool) {
	switch m := n.(type) {
	case *ast.MappingNode:
		return m.Values, true
	case *ast.MappingValueNode:
		return []*ast.MappingValueNode{m}, true
	}
	return nil, false
}

// locate finds the place of a field; of the nearest enclosing one where the
// field is not there.
func (d *document) locate(path []string, key bool) (line, col int) {
	n := d.root
	line, col = place(n)
	for i, p := range path {
		var next ast.Node
		if members, ok := pairs(n); ok {
			for _, m := range members {
				if keyText(m.Key) == p {
					next = m.Value
					if key && i == len(path)-1 {
						return place(m.Key)
					}
				}
			}
		} else if s, ok := n.(*ast.SequenceNode); ok {
			if j, err := strconv.Atoi(p); err == nil && j < len(s.Values) {
				next = s.Values[j]
			}
		}
		if next == nil {
			return line, col
		}
		n = next
		line, col = place(n)
	}
	return line, col
}

func keyText(k ast.MapKeyNode) string {
	if s, ok := k.(*ast.StringNode); ok {
		return s.Value
	}
	return k.GetToken().Value
}

// convert turns a node into a plain value, and notes what the dialect forbids.
func (d *document) convert(n ast.Node, path []string) any {
	if len(path) > maxDepth {
		d.refuse(n, path, fmt.Sprintf("is nested more than %d levels deep", maxDepth))
		return nil
	}
	if members, ok := pairs(n); ok {
		return d.convertMapping(members, path)
	}
	switch v := n.(type) {
	case nil, *ast.NullNode:
		return nil
	case *ast.SequenceNode:
		list := make([]any, 0, len(v.Values))
		for i, item := range v.Values {
			list = append(list, d.convert(item, append(path[:len(path):len(path)], strconv.Itoa(i))))
		}
		return list
	case *ast.StringNode:
		return v.Value
	case *ast.LiteralNode:
		return strings.TrimRight(v.Value.Value, "\r\n")
	case *ast.BoolNode:
		return v.Value
	case *ast.IntegerNode, *ast.FloatNode:
		return d.convertNumber(n, path)
	case *ast.AnchorNode:
		d.refuse(n, path, "uses an anchor (&name); write the value out")
	case *ast.AliasNode:
		d.refuse(n, path, "uses an alias (*name); write the value out")
	case *ast.TagNode:
		d.refuse(n, path, "uses a tag (!name); leave it out")
	case *ast.InfinityNode, *ast.NanNode:
		d.refuse(n, path, "is not a finite number")
	default:
		d.refuse(n, path, "uses a YAML form that entity files do not have: "+n.Type().String())
	}
	return nil
}

func (d *document) refuse(n ast.Node, path []string, message string) {
	line, col := place(n)
	d.add(line, col, Problem{Field: FieldName(path), Message: message})
}

func (d *document) convertMapping(members []*ast.MappingValueNode, path []string) any {
	m := make(map[string]any, len(members))
	first := make(map[string]int, len(members))
	for _, member := range members {
		key := keyText(member.Key)
		line, col := place(member.Key)
		field := append(path[:len(path):len(path)], key)
		switch member.Key.(type) {
		case *ast.StringNode:
		case *ast.MergeKeyNode:
			d.add(line, col, Problem{Field: FieldName(path), Message: "uses a merge key (<<); write the fields out"})
			continue
		default:
			if member.Key.GetToken().Type == token.MappingKeyType {
				d.add(line, col, Problem{Field: FieldName(path), Message: "uses a complex key (?); write key: value"})
				continue
			}
		}
		if at, twice := first[key]; twice {
			d.add(line, col, Problem{Field: FieldName(field), Message: fmt.Sprintf("is given twice; the first is on line %d", at)})
			continue
		}
		first[key] = line
		m[key] = d.convert(member.Value, field)
	}
	return m
}

func (d *document) convertNumber(n ast.Node, path []string) any {
	raw := n.GetToken().Value
	if len(path) == 1 && path[0] == d.textual {
		return raw
	}
	if !plainNumber(raw) {
		d.refuse(n, path, fmt.Sprintf("%s: write numbers in plain decimal digits", raw))
		return nil
	}
	if i, err := strconv.ParseInt(raw, 10, 64); err == nil {
		return i
	}
	x, err := strconv.ParseFloat(raw, 64)
	if err != nil {
		d.refuse(n, path, raw+" is too large a number")
		return nil
	}
	return x
}

// plainNumber accepts -12 and 3.50, and no octal, hexadecimal, grouped or
// exponential form: YAML versions do not agree on what those mean.
func plainNumber(s string) bool {
	s = strings.TrimPrefix(s, "-")
	whole, fraction, dot := strings.Cut(s, ".")
	digits := func(t string) bool { return t != "" && strings.Trim(t, "0123456789") == "" }
	return digits(whole) && (whole == "0" || whole[0] != '0') && (!dot || digits(fraction))
}
