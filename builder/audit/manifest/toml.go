package manifest

import (
	"errors"
	"fmt"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"
)

// tomlValue is a string in a TOML file. Numbers and other values are left out.
type tomlValue struct {
	path []string // keys; elements of arrays have the key of their array
	text string
	line int
}

// key returns the path of the value, joined with dots.
func (v *tomlValue) key() string { return strings.Join(v.path, ".") }

// maxNesting is how deep brackets can be nested: the parser is recursive.
const maxNesting = 200

// readTOML calls visit with the strings in a TOML file, in order.
func (f *file) readTOML(visit func(v *tomlValue) error) error {
	if line := deepNesting(f.data, "[{", "]}"); line > 0 {
		return f.wrong(line, fmt.Sprintf("brackets are nested more than %d deep", maxNesting))
	}
	t := &tomlReader{file: f, visit: visit}
	t.parser.Reset(f.data)
	for t.parser.NextExpression() {
		n := t.parser.Expression()
		switch n.Kind {
		case unstable.Table, unstable.ArrayTable:
			t.table = keys(n)
		case unstable.KeyValue:
			if err := t.keyValue(n, t.table); err != nil {
				return err
			}
		}
	}
	err := t.parser.Error()
	if err == nil {
		return nil
	}
	line := 0
	var wrong *unstable.ParserError
	if errors.As(err, &wrong) && len(wrong.Highlight) > 0 {
		line = t.parser.Shape(t.parser.Range(wrong.Highlight)).Start.Line
	}
	return f.wrong(line, "invalid TOML: "+err.Error())
}

// tomlReader is a TOML file that is being read.
type tomlReader struct {
	file   *file
	parser unstable.Parser
	visit  func(v *tomlValue) error
	table  []string
	offset int // of the latest value whose line was counted
	line   int
}

func keys(n *unstable.Node) (list []string) {
	for it := n.Key(); it.Next(); {
		list = append(list, string(it.Node().Data))
	}
	return list
}

func (t *tomlReader) keyValue(n *unstable.Node, within []string) error {
	return t.value(n.Value(), append(within[:len(within):len(within)], keys(n)...))
}

func (t *tomlReader) value(n *unstable.Node, path []string) error {
	switch n.Kind {
	case unstable.String:
		return t.visit(&tomlValue{path, string(n.Data), t.lineOf(n)})
	case unstable.Array:
		for it := n.Children(); it.Next(); {
			if err := t.value(it.Node(), path); err != nil {
				return err
			}
		}
	case unstable.InlineTable:
		for it := n.Children(); it.Next(); {
			if err := t.keyValue(it.Node(), path); err != nil {
				return err
			}
		}
	}
	return nil
}

// lineOf returns the line of a value. Values come in order, so each line is counted once.
func (t *tomlReader) lineOf(n *unstable.Node) int {
	at := int(n.Raw.Offset)
	if t.line == 0 {
		t.line = 1
	}
	if at > t.offset && at <= len(t.file.data) {
		t.line += strings.Count(string(t.file.data[t.offset:at]), "\n")
		t.offset = at
	}
	return t.line
}

// deepNesting returns the first line where brackets are nested more than maxNesting deep,
// or 0. Brackets in strings count too.
func deepNesting(data []byte, opening, closing string) int {
	depth, line := 0, 1
	for _, c := range data {
		switch {
		case c == '\n':
			line++
		case strings.IndexByte(opening, c) >= 0:
			if depth++; depth > maxNesting {
				return line
			}
		case strings.IndexByte(closing, c) >= 0:
			depth = max(0, depth-1)
		}
	}
	return 0
}
