package manifest

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"
	"github.com/tidwall/jsonc"
	"go.yaml.in/yaml/v3"
)

// Limits for the values of a file, whose parsers are recursive.
const (
	maxNesting = 200
	maxValues  = 2_000_000
	maxFaults  = 20 // lines with wrong syntax that are left out
)

// kind is what a value of a file is.
type kind int

const (
	text  kind = iota
	other      // a number, a truth value or a date
	list
	table
	null
)

// node is a value of a JSON, TOML, YAML or XML file. A nil node is a missing value.
type node struct {
	key   string // in a table
	kind  kind
	text  string
	line  int
	items []*node // the elements of a list, or the members of a table, which can repeat keys
}

// get returns the value at a path of keys, or nil.
func (n *node) get(keys ...string) *node {
	for _, key := range keys {
		if n == nil {
			return nil
		}
		i := slices.IndexFunc(n.items, func(m *node) bool { return m.key == key })
		if i < 0 {
			return nil
		}
		n = n.items[i]
	}
	return n
}

// str returns a text or a number, or "".
func (n *node) str(keys ...string) string {
	if n = n.get(keys...); n == nil {
		return ""
	}
	return strings.TrimSpace(n.text)
}

// all returns the elements of a list or the members of a table.
func (n *node) all(keys ...string) []*node {
	if n = n.get(keys...); n == nil {
		return nil
	}
	return n.items
}

// each calls visit with the values at a path, in which * stands for any key. Lists are not visited,
// but their elements, which have the path of the list.
func (n *node) each(path string, visit func(*node)) {
	n.walk(strings.Split(path, "."), visit)
}

func (n *node) walk(path []string, visit func(*node)) {
	switch {
	case n == nil:
	case n.kind == list:
		for _, m := range n.items {
			m.walk(path, visit)
		}
	case len(path) == 0:
		visit(n)
	default:
		for _, m := range n.items {
			if path[0] == "*" || path[0] == m.key {
				m.walk(path[1:], visit)
			}
		}
	}
}

// deep calls visit with all tables in a value, the outer ones first.
func (n *node) deep(visit func(*node)) {
	if n == nil {
		return
	}
	if n.kind == table {
		visit(n)
	}
	for _, m := range n.items {
		m.deep(visit)
	}
}

// syntax reads the values of a file. With an error, it returns the values before it, and its line or
// 0.
type syntax struct {
	parse  func(data []byte) (root *node, line int, err error)
	byLine bool // whether a file makes sense without a line that is wrong
}

var (
	jsonSyntax = syntax{parseJSONTree, false}
	tomlSyntax = syntax{parseTOMLTree, true}
	yamlSyntax = syntax{parseYAMLTree, true}
	xmlSyntax  = syntax{parseXMLTree, false}
)

// tree reads the values of the file. It lists what has a wrong syntax as unreadable: a line, which is
// left out, or the rest of the file.
func (f *file) tree(s syntax) *node {
	lines := strings.SplitAfter(f.data, "\n")
	for range maxFaults {
		root, line, err := s.parse([]byte(strings.Join(lines, "")))
		if err == nil {
			return root
		}
		f.unreadable(line, err.Error())
		if !s.byLine || line < 1 || line > len(lines) || strings.TrimSpace(lines[line-1]) == "" || len(f.data) > 1<<20 {
			return root
		}
		lines[line-1] = "\n"
	}
	f.unreadable(0, "too many lines are wrong")
	return nil
}

// builder adds values to a tree within the limits.
type builder struct{ values, depth int }

var errValues = fmt.Errorf("more than %d values", maxValues)

func (b *builder) add(to, n *node) (*node, error) {
	if b.values++; b.values > maxValues {
		return n, errValues
	}
	if to != nil {
		to.items = append(to.items, n)
	}
	return n, nil
}

func (b *builder) enter() error {
	if b.depth++; b.depth > maxNesting {
		return fmt.Errorf("nested more than %d deep", maxNesting)
	}
	return nil
}

// parseJSONTree reads JSON, with or without comments and trailing commas.
func parseJSONTree(data []byte) (*node, int, error) {
	data = jsonc.ToJSON(data)
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var b builder
	line, counted := 1, 0
	count := func() int {
		at := min(int(d.InputOffset()), len(data))
		line += bytes.Count(data[counted:at], []byte("\n"))
		counted = at
		return line
	}
	var value func(to *node, key string) (*node, error)
	value = func(to *node, key string) (*node, error) {
		t, err := d.Token()
		if err != nil {
			return nil, err
		}
		n, err := b.add(to, &node{key: key, kind: other, line: count()})
		if err != nil {
			return n, err
		}
		switch t := t.(type) {
		case string:
			n.kind, n.text = text, t
		case nil:
			n.kind = null
		default:
			n.text = fmt.Sprint(t)
		case json.Delim:
			if n.kind = list; t == '{' {
				n.kind = table
			}
			if err := b.enter(); err != nil {
				return n, err
			}
			for d.More() {
				key := ""
				if n.kind == table {
					t, err := d.Token()
					if err != nil {
						return n, err
					}
					key, _ = t.(string)
				}
				if _, err := value(n, key); err != nil {
					return n, err
				}
			}
			b.depth--
			if _, err := d.Token(); err != nil {
				return n, err
			}
		}
		return n, nil
	}
	root, err := value(nil, "")
	if err == nil {
		if _, end := d.Token(); !errors.Is(end, io.EOF) {
			err = errors.New("data follows the JSON value")
		}
	}
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		err = fmt.Errorf("invalid JSON: %w", err)
	}
	return root, count(), err
}

// tomlTree is a TOML file that is being read.
type tomlTree struct {
	builder
	parser        unstable.Parser
	data          []byte
	tables        map[string]*node // tables and lists of tables, by their paths
	line, counted int
}

func parseTOMLTree(data []byte) (*node, int, error) {
	root := &node{kind: table}
	t := &tomlTree{data: data, tables: map[string]*node{}, line: 1}
	if line := deepNesting(data); line > 0 {
		return root, line, fmt.Errorf("brackets are nested more than %d deep", maxNesting)
	}
	t.parser.Reset(data)
	at, path := root, ""
	for t.parser.NextExpression() {
		var err error
		switch n := t.parser.Expression(); n.Kind {
		case unstable.Table, unstable.ArrayTable:
			at, path, err = t.descend(root, "", n.Key(), n.Kind == unstable.ArrayTable)
		case unstable.KeyValue:
			err = t.member(at, path, n)
		}
		if err != nil {
			return root, 0, err
		}
	}
	err := t.parser.Error()
	line := 0
	if wrong := (*unstable.ParserError)(nil); errors.As(err, &wrong) && len(wrong.Highlight) > 0 {
		line = t.parser.Shape(t.parser.Range(wrong.Highlight)).Start.Line
	}
	return root, line, err
}

// descend returns the table at the keys below another one, and makes what is missing. element is
// whether to add an element to the list of tables there.
func (t *tomlTree) descend(at *node, path string, keys unstable.Iterator, element bool) (_ *node, _ string, err error) {
	for keys.Next() {
		key, line, adds := string(keys.Node().Data), t.lineOf(keys.Node()), element && keys.IsLast()
		path += "\x00" + key
		elements := t.tables[path+"\x00"]
		if adds && elements == nil {
			if elements, err = t.add(at, &node{key: key, kind: list, line: line}); err != nil {
				return at, path, err
			}
			t.tables[path+"\x00"] = elements
		}
		if elements != nil { // its elements have tables of their own
			at = elements
			index := len(elements.items) - 1
			if adds {
				index++
			}
			path += "\x00" + strconv.Itoa(index)
		}
		if next := t.tables[path]; next != nil {
			at = next
			continue
		}
		if at, err = t.add(at, &node{key: key, kind: table, line: line}); err != nil {
			return at, path, err
		}
		t.tables[path] = at
	}
	return at, path, nil
}

// member adds a key with its value to a table. All but the last part of the key are tables.
func (t *tomlTree) member(at *node, path string, n *unstable.Node) (err error) {
	key, line := "", 0
	for it := n.Key(); it.Next(); {
		key, line = string(it.Node().Data), t.lineOf(it.Node())
		if it.IsLast() {
			break
		}
		path += "\x00" + key
		if next := t.tables[path]; next != nil {
			at = next
			continue
		}
		if at, err = t.add(at, &node{key: key, kind: table, line: line}); err != nil {
			return err
		}
		t.tables[path] = at
	}
	return t.value(at, key, line, n.Value())
}

func (t *tomlTree) value(to *node, key string, line int, n *unstable.Node) error {
	v := &node{key: key, kind: other, text: string(n.Data), line: line}
	switch n.Kind {
	case unstable.String:
		v.kind, v.line = text, t.lineOf(n)
	case unstable.Array:
		v.kind = list
	case unstable.InlineTable:
		v.kind = table
	}
	if _, err := t.add(to, v); err != nil || v.kind < list {
		return err
	}
	for it := n.Children(); it.Next(); {
		var err error
		if v.kind == list {
			err = t.value(v, "", t.lineOf(it.Node()), it.Node())
		} else {
			path := fmt.Sprintf("\x00%p", v) // of no other table
			err = t.member(v, path, it.Node())
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// lineOf returns the line of a key or a value. They mostly come in order, so that each line is
// counted once.
func (t *tomlTree) lineOf(n *unstable.Node) int {
	if at := int(n.Raw.Offset); at > t.counted && at <= len(t.data) {
		t.line += bytes.Count(t.data[t.counted:at], []byte("\n"))
		t.counted = at
	}
	return t.line
}

// deepNesting returns the first line where brackets are nested more than maxNesting deep,
// or 0. Brackets in strings count too.
func deepNesting(data []byte) int {
	depth, line := 0, 1
	for _, c := range data {
		switch c {
		case '\n':
			line++
		case '[', '{':
			if depth++; depth > maxNesting {
				return line
			}
		case ']', '}':
			depth = max(0, depth-1)
		}
	}
	return 0
}

// yamlTabs matches a tab in the indentation, which YAML forbids, but people write.
var yamlTabs = lazily(`(?m)^( *)\t+`)

var yamlLine = lazily(`^yaml: (?:line ([0-9]+): )?`)

// parseYAMLTree reads YAML. Several documents become one.
func parseYAMLTree(data []byte) (root *node, line int, err error) {
	if line := deepNesting(data); line > 0 {
		return nil, line, fmt.Errorf("brackets are nested more than %d deep", maxNesting)
	}
	if bytes.Count(data, []byte("\n"))+bytes.Count(data, []byte(",")) > maxValues/4 { // the parser needs much memory for each
		return nil, 0, errValues
	}
	var b builder
	d := yaml.NewDecoder(bytes.NewReader(yamlTabs().ReplaceAll(data, []byte("$1  "))))
	for {
		var doc yaml.Node
		if err := d.Decode(&doc); err != nil {
			if errors.Is(err, io.EOF) {
				return root, 0, nil
			}
			m := yamlLine().FindStringSubmatch(err.Error())
			line, _ := strconv.Atoi(append(m, "", "")[1])
			return root, line, errors.New(yamlLine().ReplaceAllString(err.Error(), ""))
		}
		n, err := b.yamlValue(nil, "", &doc)
		if err != nil {
			return root, 0, err
		}
		if root == nil {
			root = n
		} else if n != nil {
			root.items = append(root.items, n.items...)
		}
	}
}

func (b *builder) yamlValue(to *node, key string, y *yaml.Node) (*node, error) {
	if err := b.enter(); err != nil { // also an alias within itself
		return nil, err
	}
	defer func() { b.depth-- }()
	switch y.Kind {
	case yaml.DocumentNode:
		return b.yamlValue(to, key, y.Content[0])
	case yaml.AliasNode:
		return b.yamlValue(to, key, y.Alias)
	}
	n, err := b.add(to, &node{key: key, kind: other, text: y.Value, line: y.Line})
	switch {
	case y.Kind == yaml.SequenceNode:
		n.kind = list
	case y.Kind == yaml.MappingNode:
		n.kind = table
	case y.Tag == "!!str":
		n.kind = text
	case y.Tag == "!!null":
		n.kind = null
	}
	for i := 0; i < len(y.Content) && err == nil; i++ {
		key := ""
		if n.kind == table {
			key = y.Content[i].Value
			i++
		}
		_, err = b.yamlValue(n, key, y.Content[i])
	}
	return n, err
}

// parseXMLTree reads XML, whose attributes become members like elements. The text is UTF-8 whatever
// it declares, and the decoder expands only the five predefined entities.
func parseXMLTree(data []byte) (*node, int, error) {
	d := xml.NewDecoder(bytes.NewReader(data))
	d.CharsetReader = func(_ string, in io.Reader) (io.Reader, error) { return in, nil }
	var b builder
	root := &node{kind: table}
	open := []*node{root}
	for {
		t, err := d.Token()
		line, _ := d.InputPos()
		if errors.Is(err, io.EOF) {
			return root, 0, nil
		}
		at := open[len(open)-1]
		switch t := t.(type) {
		case xml.StartElement:
			if err = b.enter(); err != nil {
				break
			}
			if at, err = b.add(at, &node{key: t.Name.Local, kind: table, line: line}); err != nil {
				break
			}
			for _, a := range t.Attr {
				if _, err = b.add(at, &node{key: a.Name.Local, text: a.Value, line: line}); err != nil {
					break
				}
			}
			open = append(open, at)
		case xml.EndElement:
			b.depth--
			open = open[:len(open)-1]
		case xml.CharData:
			at.text += strings.TrimSpace(string(t))
		}
		if err != nil {
			return root, line, fmt.Errorf("invalid XML: %w", err)
		}
	}
}
