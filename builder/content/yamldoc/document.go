// Package yamldoc reads files written in a small dialect of YAML as plain values, and reports
// each problem with its line, column and field.
package yamldoc

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// Limits for one file: far above any real entity, but low enough to keep the cost small.
const (
	MaxFileSize = 128 << 10
	maxLines    = 8 << 10  // the lexer takes quadratic time
	maxTokens   = 16 << 10 // the parser takes quadratic time
	MaxDepth    = 32
	maxBlank    = 100 // consecutive blank lines; inside a string, the lexer is even slower
	MaxProblems = 100 // listed problems
)

// TextField is the top-level field whose plain number is read as a string, so that version 1.10 does not become 1.1.
const TextField = "version"

// Document contains the plain values in a YAML file, and their positions. The dialect is small
// on purpose: one document, no anchors, aliases, tags or merge keys, and no duplicate keys.
type Document struct {
	Path     string // for messages
	Value    any    // map[string]any, []any, string, int64, float64, bool or nil
	Problems Problems
	Faulty   map[string]bool // fields already reported as invalid, so that no field is reported twice

	root   *Node
	tokens token.Tokens
	lines  []string
	source string // of a value that was read without the parser, until root is needed
}

// New returns a document without a value, for data that does not come from YAML.
func New(path string) *Document { return &Document{Path: path, Faulty: map[string]bool{}} }

// Parse reads a file. If its syntax is invalid, the document has problems and no value.
func Parse(path string, data []byte) (d *Document) {
	d = New(path)
	data = bytes.TrimPrefix(data, []byte("\ufeff")) // some editors write a byte order mark
	defer d.recovered()
	if !d.checkReadable(data) {
		return d
	}
	text := string(data)
	if value, ok := readPlain(text); ok {
		d.Value, d.source = value, text
		return d
	}
	if d.parse(text); d.root != nil {
		d.Value = d.root.Value()
	}
	return d
}

// recovered is deferred around the parser: if it panics on one file, other files are still checked.
func (d *Document) recovered() {
	if r := recover(); r != nil {
		d.Value, d.root, d.source = nil, nil, ""
		d.Add(1, 1, Problem{Message: fmt.Sprintf("cannot be read as YAML: %v", r)})
	}
}

// parse sets the document's root, unless its syntax is invalid.
func (d *Document) parse(text string) {
	d.tokens, d.lines = lexer.Tokenize(text), strings.Split(lineBreaks.Replace(text), "\n")
	if len(d.tokens) > maxTokens {
		d.Add(1, 1, Problem{Message: fmt.Sprintf("has more than %d tokens (names, values and punctuation), the maximum for a file", maxTokens)})
		return
	}
	if !d.checkTokens() {
		return
	}
	file, err := parser.Parse(d.tokens, 0, parser.AllowDuplicateMapKey())
	if err != nil {
		d.addSyntaxError(err)
		return
	}
	var bodies []ast.Node
	for _, doc := range file.Docs {
		switch body := doc.Body.(type) {
		case nil, *ast.CommentGroupNode:
		case *ast.DirectiveNode:
			at := nodePosition(body)
			d.Add(at.line, at.col, Problem{Message: "starts with a directive (%); remove it"})
			return
		default:
			bodies = append(bodies, body)
		}
	}
	switch len(bodies) {
	case 0:
		d.Add(1, 1, Problem{Message: "is empty"})
		return
	case 1:
	default:
		at := nodePosition(bodies[1])
		d.Add(at.line, at.col, Problem{Message: "a second document starts here; a file must have only one"})
		return
	}
	root := &Node{start: position{1, 1}}
	d.read(root, bodies[0], nil)
	d.root = root
}

// checkTokens refuses what the parser would handle recursively: complex keys, brackets, and dashes in a row.
func (d *Document) checkTokens() bool {
	brackets, dashes, line := 0, 0, 0
	for _, t := range d.tokens {
		if t.Position.Line != line {
			dashes, line = 0, t.Position.Line
		}
		switch t.Type {
		case token.MappingKeyType:
			d.Add(t.Position.Line, t.Position.Column, Problem{Message: `uses a complex key (?); write "name: value"`})
			return false
		case token.SequenceStartType, token.MappingStartType:
			brackets++
		case token.SequenceEndType, token.MappingEndType:
			brackets = max(0, brackets-1)
		case token.SequenceEntryType:
			dashes++
		}
		if max(brackets, dashes) > MaxDepth {
			d.Add(t.Position.Line, t.Position.Column, Problem{Message: fmt.Sprintf("is nested more than %d levels deep", MaxDepth)})
			return false
		}
	}
	return true
}

// lineBreaks replaces the line breaks that the parser knows by line feeds.
var lineBreaks = strings.NewReplacer("\r\n", "\n", "\r", "\n")

// line returns a line of the file, from 1. The lexer's numbers are too high after a comment that ends with CR LF.
func (d *Document) line(number int) string {
	if number > len(d.lines) {
		return ""
	}
	return d.lines[number-1]
}

// Root returns the parsed document, or nil if its syntax is invalid.
func (d *Document) Root() *Node {
	if d.root == nil && d.source != "" {
		defer d.recovered()
		d.parse(d.source)
		d.source = ""
	}
	return d.root
}

// Fields returns the fields of the document. If it is not a mapping, Fields adds a problem
// and returns false.
func (d *Document) Fields() (map[string]any, bool) {
	m, ok := d.Value.(map[string]any)
	if !ok && d.Root() != nil && !d.Faulty[""] {
		d.Fail(nil, `must be a set of fields, one "name: value" per line`)
	}
	return m, ok
}

// Report returns the document's problems, sorted. Problems beyond MaxProblems are only
// counted.
func (d *Document) Report() Problems {
	d.Problems.Sort()
	if len(d.Problems) <= MaxProblems {
		return d.Problems
	}
	more := d.Problems[MaxProblems:]
	rest := Problem{File: d.Path, Line: more[0].Line, Column: more[0].Column, Severity: Warning,
		Message: fmt.Sprintf("this file has %d more problems", len(more))}
	if more.HasErrors() {
		rest.Severity = Error
	}
	return append(d.Problems[:MaxProblems:MaxProblems], rest)
}

// Add adds a problem at a position. Its severity defaults to Error.
func (d *Document) Add(line, col int, p Problem) {
	p.File, p.Line, p.Column = d.Path, max(line, 1), max(col, 1)
	if p.Severity == "" {
		p.Severity = Error
	}
	d.Problems = append(d.Problems, p)
}

// AddAt adds a problem at the position of a field's value or of its key.
func (d *Document) AddAt(path []string, key bool, p Problem) {
	line, col := d.Locate(path, key)
	if p.Field == "" {
		p.Field = FieldName(path)
	}
	if p.Severity != Warning {
		d.Faulty[p.Field] = true
	}
	d.Add(line, col, p)
}

// Fail adds an error at the position of a field's value.
func (d *Document) Fail(path []string, message string) {
	d.AddAt(path, false, Problem{Message: message})
}

// Warn adds a warning at the position of a field's value.
func (d *Document) Warn(path []string, message string) {
	d.AddAt(path, false, Problem{Severity: Warning, Message: message})
}

// Reported reports whether the value at a path has been reported as invalid.
func (d *Document) Reported(path ...string) bool {
	return len(d.Faulty) > 0 && d.Faulty[FieldName(path)]
}

// Locate returns the position of a field, or of the nearest enclosing field if there is no
// such field. Both numbers are counted from 1; columns are counted in characters.
func (d *Document) Locate(path []string, key bool) (line, col int) {
	n := d.Root()
	if n == nil {
		return 1, 1
	}
	for i, step := range path {
		next := n.Find(step)
		if next == nil {
			break
		}
		if n = next; key && n.Named && i == len(path)-1 {
			return n.start.line, n.start.col
		}
	}
	return n.at.line, n.at.col
}

// Text returns a value as a trimmed string, or "" if it is not a string. The string is a copy, so that it
// does not keep the file in memory.
func Text(v any) string {
	s, _ := v.(string)
	return strings.Clone(strings.TrimSpace(s))
}

// Texts returns the strings in a list, each converted by Text.
func Texts(v any) []string {
	list, _ := v.([]any)
	if len(list) == 0 {
		return nil
	}
	out := make([]string, 0, len(list))
	for _, item := range list {
		out = append(out, Text(item))
	}
	return out
}

// ValueAt returns the part of a value at a path, or nil if there is none.
func ValueAt(v any, path []string) any {
	for _, p := range path {
		switch n := v.(type) {
		case map[string]any:
			v = n[p]
		case []any:
			i, err := strconv.Atoi(p)
			if err != nil || i < 0 || i >= len(n) {
				return nil
			}
			v = n[i]
		default:
			return nil
		}
	}
	return v
}
