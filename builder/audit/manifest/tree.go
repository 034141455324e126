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
	depth int
	items []*node // the elements of a list, or the members of a table, which can repeat keys
}

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

func (n *node) str(keys ...string) string {
	if n = n.get(keys...); n == nil {
		return ""
	}
	return strings.TrimSpace(n.text)
}

func (n *node) all(keys ...string) []*node {
	if n = n.get(keys...); n == nil {
		return nil
	}
	return n.items
}

// elements returns the elements of a list, or any other value as the only one.
func (n *node) elements() []*node {
	switch {
	case n == nil:
		return nil
	case n.kind == list:
		return n.items
	}
	return []*node{n}
}

// at returns the values at paths with spaces between them. A path is keys with dots between them, in which *
// stands for any key. In place of lists, it has their elements, which have the path of the list.
func (n *node) at(paths string) (found []*node) {
	for _, path := range strings.Fields(paths) {
		found = append(found, n.follow(strings.Split(path, "."))...)
	}
	return found
}

func (n *node) follow(keys []string) (found []*node) {
	for _, n := range n.elements() {
		switch {
		case n.kind == list:
			found = append(found, n.follow(keys)...)
		case len(keys) == 0:
			found = append(found, n)
		default:
			for _, m := range n.items {
				if keys[0] == "*" || keys[0] == m.key {
					found = append(found, m.follow(keys[1:])...)
				}
			}
		}
	}
	return found
}

// members returns the members of the tables at paths.
func (n *node) members(paths string) (found []*node) {
	for _, m := range n.at(paths) {
		found = append(found, m.items...)
	}
	return found
}

// deep calls visit with all tables in a value, the outer ones first.
func (n *node) deep(visit func(*node)) {
	if n.kind == table {
		visit(n)
	}
	for _, m := range n.items {
		m.deep(visit)
	}
}

// tree reads the values of the file with one of the methods of builder. It lists what has a wrong syntax
// as unreadable: a line, which is left out if the file makes sense without it (byLine), or the rest of the file.
func (f *file) tree(parse func(b *builder, data []byte) (line int, err error), byLine bool) *node {
	var b builder
	f.eachTry(byLine, func(data []byte) (line int, err error) {
		b = builder{lineOf: lineCounter(data), tables: map[tomlKey]*node{}}
		return parse(&b, data)
	})
	return b.root
}

// eachTry calls parse with the text of the file until it has no error, each time without the line that was
// wrong. With an error, parse returns its line or 0.
func (f *file) eachTry(byLine bool, parse func(data []byte) (line int, err error)) {
	lines := strings.SplitAfter(f.data, "\n")
	for range maxFaults {
		line, err := parse([]byte(strings.Join(lines, "")))
		if err == nil {
			return
		}
		f.unreadable(line, err.Error())
		if !byLine || line < 1 || line > len(lines) || strings.TrimSpace(lines[line-1]) == "" || len(f.data) > 1<<20 {
			return
		}
		lines[line-1] = "\n"
	}
	f.unreadable(0, "too many lines are wrong")
}

// builder makes a tree. It panics at a limit, so that the file cannot be read.
type builder struct {
	root   *node
	values int
	lineOf func(offset int) int
	tables map[tomlKey]*node
}

const (
	manyValues  = "more than 2000000 values"
	deepNesting = "nested more than 200 deep"
)

// add adds a value to another one. Without that, it is the root.
func (b *builder) add(to, n *node) *node {
	if b.values++; b.values > maxValues {
		panic(manyValues)
	}
	if to == nil {
		b.root = n
		return n
	}
	if n.depth = to.depth + 1; n.depth > maxNesting {
		panic(deepNesting)
	}
	to.items = append(to.items, n)
	return n
}

// lineCounter returns the lines of offsets, which mostly rise, so that each line is counted once.
func lineCounter(data []byte) func(offset int) int {
	line, counted := 1, 0
	return func(offset int) int {
		if offset = min(offset, len(data)); offset > counted {
			line += bytes.Count(data[counted:offset], []byte("\n"))
			counted = offset
		}
		return line
	}
}

// json reads JSON, with or without comments and trailing commas.
func (b *builder) json(data []byte) (line int, err error) {
	d := json.NewDecoder(bytes.NewReader(jsonc.ToJSON(data)))
	d.UseNumber()
	if err = b.jsonValue(d, nil, ""); err == nil {
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
	return b.lineOf(int(d.InputOffset())), err
}

func (b *builder) jsonValue(d *json.Decoder, to *node, key string) error {
	token, err := d.Token()
	if err != nil {
		return err
	}
	n := &node{key: key, kind: other, line: b.lineOf(int(d.InputOffset()))}
	switch token := token.(type) {
	case nil:
		n.kind = null
	case string:
		n.kind, n.text = text, token
	case json.Delim:
		if n.kind = list; token == '{' {
			n.kind = table
		}
	default:
		n.text = fmt.Sprint(token)
	}
	if b.add(to, n); n.kind != list && n.kind != table {
		return nil
	}
	for d.More() {
		key := ""
		if n.kind == table {
			if token, err = d.Token(); err != nil {
				return err
			}
			key, _ = token.(string)
		}
		if err = b.jsonValue(d, n, key); err != nil {
			return err
		}
	}
	_, err = d.Token()
	return err
}

// checkNesting panics if brackets are nested more than maxNesting deep, because the parsers of YAML and TOML
// are recursive. Brackets in strings count too.
func checkNesting(data []byte) {
	depth := 0
	for _, c := range data {
		switch c {
		case '[', '{':
			if depth++; depth > maxNesting {
				panic(deepNesting)
			}
		case ']', '}':
			depth = max(0, depth-1)
		}
	}
}

// yamlTabs matches a tab in the indentation, which YAML forbids, but people write.
var yamlTabs = lazily(`(?m)^( *)\t+`)

var yamlLine = lazily(`^yaml: (?:line ([0-9]+): )?`)

// yaml reads YAML. Several documents become one.
func (b *builder) yaml(data []byte) (line int, err error) {
	checkNesting(data)
	if bytes.Count(data, []byte("\n"))+bytes.Count(data, []byte(",")) > maxValues/4 { // the parser needs much memory for each
		panic(manyValues)
	}
	d := yaml.NewDecoder(bytes.NewReader(yamlTabs().ReplaceAll(data, []byte("$1  "))))
	for {
		var doc yaml.Node
		if err := d.Decode(&doc); errors.Is(err, io.EOF) {
			return 0, nil
		} else if err != nil {
			m := yamlLine().FindStringSubmatch(err.Error())
			line, _ := strconv.Atoi(append(m, "", "")[1])
			return line, errors.New(yamlLine().ReplaceAllString(err.Error(), ""))
		}
		before := b.root
		if b.yamlValue(nil, "", &doc); before != nil {
			before.items = append(before.items, b.root.items...)
			b.root = before
		}
	}
}

func (b *builder) yamlValue(to *node, key string, y *yaml.Node) {
	switch y.Kind {
	case yaml.DocumentNode:
		b.yamlValue(to, key, y.Content[0])
		return
	case yaml.AliasNode: // also one within itself
		b.yamlValue(to, key, y.Alias)
		return
	}
	n := b.add(to, &node{key: key, kind: other, text: y.Value, line: y.Line})
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
	for i := 0; i < len(y.Content); i++ {
		key := ""
		if n.kind == table {
			key = y.Content[i].Value
			i++
		}
		b.yamlValue(n, key, y.Content[i])
	}
}

// xml reads XML, whose attributes become members like elements. The text is UTF-8 whatever it
// declares, and the decoder expands only the five predefined entities.
func (b *builder) xml(data []byte) (line int, err error) {
	d := xml.NewDecoder(bytes.NewReader(data))
	d.CharsetReader = func(_ string, in io.Reader) (io.Reader, error) { return in, nil }
	open := []*node{b.add(nil, &node{kind: table})}
	for {
		token, err := d.Token()
		line, _ := d.InputPos()
		if errors.Is(err, io.EOF) {
			return 0, nil
		} else if err != nil {
			return line, fmt.Errorf("invalid XML: %w", err)
		}
		in := open[len(open)-1]
		switch token := token.(type) {
		case xml.StartElement:
			n := b.add(in, &node{key: token.Name.Local, kind: table, line: line})
			for _, a := range token.Attr {
				b.add(n, &node{key: a.Name.Local, text: a.Value, line: line})
			}
			open = append(open, n)
		case xml.EndElement:
			open = open[:len(open)-1]
		case xml.CharData:
			in.text += strings.TrimSpace(string(token))
		}
	}
}

// tomlKey is where a table is, or a list of tables.
type tomlKey struct {
	table *node
	key   string
}

func (b *builder) toml(data []byte) (line int, err error) {
	checkNesting(data)
	at := b.add(nil, &node{kind: table})
	var p unstable.Parser
	p.Reset(data)
	for p.NextExpression() {
		switch n := p.Expression(); n.Kind {
		case unstable.Table:
			of, key, line := b.tomlParent(b.root, n.Key())
			at = b.tomlTable(of, key, line, table)
		case unstable.ArrayTable:
			of, key, line := b.tomlParent(b.root, n.Key())
			at = b.add(b.tomlTable(of, key, line, list), &node{key: key, kind: table, line: line})
		case unstable.KeyValue:
			of, key, line := b.tomlParent(at, n.Key())
			b.tomlValue(of, key, line, n.Value())
		}
	}
	err = p.Error()
	if wrong := (*unstable.ParserError)(nil); errors.As(err, &wrong) && len(wrong.Highlight) > 0 {
		line = p.Shape(p.Range(wrong.Highlight)).Start.Line
	}
	return line, err
}

// tomlTable returns the table or the list of tables at a key. The table of a list is its last one.
func (b *builder) tomlTable(of *node, key string, line int, k kind) *node {
	n := b.tables[tomlKey{of, key}]
	if n == nil {
		n = b.add(of, &node{key: key, kind: k, line: line})
		b.tables[tomlKey{of, key}] = n
	}
	if n.kind == list && k == table {
		return n.items[len(n.items)-1]
	}
	return n
}

// tomlParent returns the last of some keys, and the table that it is in.
func (b *builder) tomlParent(of *node, keys unstable.Iterator) (_ *node, key string, line int) {
	for keys.Next() {
		key, line = string(keys.Node().Data), b.lineOf(int(keys.Node().Raw.Offset))
		if keys.IsLast() {
			break
		}
		of = b.tomlTable(of, key, line, table)
	}
	return of, key, line
}

func (b *builder) tomlValue(to *node, key string, line int, n *unstable.Node) {
	v := b.add(to, &node{key: key, kind: other, text: string(n.Data), line: line})
	switch n.Kind {
	case unstable.String:
		v.kind, v.line = text, b.lineOf(int(n.Raw.Offset))
	case unstable.Array:
		v.kind = list
		for it := n.Children(); it.Next(); {
			b.tomlValue(v, "", b.lineOf(int(it.Node().Raw.Offset)), it.Node())
		}
	case unstable.InlineTable:
		v.kind = table
		for it := n.Children(); it.Next(); {
			of, key, line := b.tomlParent(v, it.Node().Key())
			b.tomlValue(of, key, line, it.Node().Value())
		}
	}
}
