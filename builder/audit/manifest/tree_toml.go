package manifest

import (
	"errors"

	"github.com/pelletier/go-toml/v2/unstable"
)

type tomlTree struct {
	*builder
	tables map[tomlKey]*node // tables, and lists of tables
	lineOf func(offset int) int
}

type tomlKey struct {
	table *node
	key   string
}

func (b *builder) toml(data []byte) (line int, err error) {
	t := &tomlTree{b, map[tomlKey]*node{}, lineCounter(data)}
	root := b.add(nil, &node{kind: table})
	checkNesting(data)
	var p unstable.Parser
	p.Reset(data)
	at := root
	for p.NextExpression() {
		switch n := p.Expression(); n.Kind {
		case unstable.Table, unstable.ArrayTable:
			of, key, line := t.descend(root, n.Key())
			if n.Kind == unstable.Table {
				at = t.table(of, key, line)
				continue
			}
			elements := t.tables[tomlKey{of, key}]
			if elements == nil {
				elements = t.add(of, &node{key: key, kind: list, line: line})
				t.tables[tomlKey{of, key}] = elements
			}
			at = t.add(elements, &node{key: key, kind: table, line: line})
		case unstable.KeyValue:
			t.member(at, n)
		}
	}
	err = p.Error()
	if wrong := (*unstable.ParserError)(nil); errors.As(err, &wrong) && len(wrong.Highlight) > 0 {
		line = p.Shape(p.Range(wrong.Highlight)).Start.Line
	}
	return line, err
}

// table returns the table at a key of another one, or the last of a list of tables.
func (t *tomlTree) table(of *node, key string, line int) *node {
	n := t.tables[tomlKey{of, key}]
	if n == nil {
		n = t.add(of, &node{key: key, kind: table, line: line})
		t.tables[tomlKey{of, key}] = n
	}
	if n.kind == list {
		return n.items[len(n.items)-1]
	}
	return n
}

// descend returns the last of some keys, and the table that it is in.
func (t *tomlTree) descend(of *node, keys unstable.Iterator) (_ *node, key string, line int) {
	for keys.Next() {
		key, line = string(keys.Node().Data), t.lineOf(int(keys.Node().Raw.Offset))
		if keys.IsLast() {
			break
		}
		of = t.table(of, key, line)
	}
	return of, key, line
}

func (t *tomlTree) member(of *node, n *unstable.Node) {
	of, key, line := t.descend(of, n.Key())
	t.value(of, key, line, n.Value())
}

func (t *tomlTree) value(to *node, key string, line int, n *unstable.Node) {
	v := t.add(to, &node{key: key, kind: other, text: string(n.Data), line: line})
	switch n.Kind {
	case unstable.String:
		v.kind, v.line = text, t.lineOf(int(n.Raw.Offset))
	case unstable.Array:
		v.kind = list
		for it := n.Children(); it.Next(); {
			t.value(v, "", t.lineOf(int(it.Node().Raw.Offset)), it.Node())
		}
	case unstable.InlineTable:
		v.kind = table
		for it := n.Children(); it.Next(); {
			t.member(v, it.Node())
		}
	}
}
