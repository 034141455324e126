package yamldoc

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"
)

const complexKey = `uses a complex key (?); write "name: value"`

// KeyName returns the name of a key. If the dialect forbids the key, it also returns a
// message.
func KeyName(k ast.Node) (name, wrong string) {
	switch k := k.(type) {
	case *ast.StringNode:
		return k.Value, misreadReason(k, false)
	case *ast.MergeKeyNode:
		return "<<", "uses a merge key (<<); write the fields out"
	case *ast.MappingKeyNode:
		name, _ = KeyName(k.Value)
		return name, complexKey
	case *ast.AnchorNode:
		name, _ = KeyName(k.Value)
		return name, "uses an anchor (&name) before a field; remove it"
	case *ast.TagNode:
		name, _ = KeyName(k.Value)
		return name, "uses a tag (!name) before a field; remove it"
	case *ast.AliasNode:
		return "", "uses an alias (*name) as a field; write the field out"
	}
	if k == nil || k.GetToken() == nil {
		return "", ""
	}
	return k.GetToken().Value, ""
}

// convert converts a node to a plain value, and adds a problem for everything that the
// dialect forbids.
func (d *Document) convert(n ast.Node, path []string) any {
	if len(path) > MaxDepth {
		d.refuse(n, path, fmt.Sprintf("is nested more than %d levels deep", MaxDepth))
		return nil
	}
	if inBrackets(n) {
		d.brackets++
		defer func() { d.brackets-- }()
	}
	if members, ok := Members(n); ok {
		return d.convertMapping(members, path)
	}
	switch v := n.(type) {
	case nil, *ast.NullNode:
		return nil
	case *ast.SequenceNode:
		list := make([]any, 0, len(v.Values))
		for i, item := range v.Values {
			entry := append(path[:len(path):len(path)], strconv.Itoa(i))
			list = append(list, d.convert(item, entry))
			if _, col := NodePosition(item); !v.IsFlowStyle && col <= v.Start.Position.Column && mustIndent(item) {
				d.refuse(item, entry, "must be indented more than its -")
			}
		}
		return list
	case *ast.StringNode:
		return d.convertText(v, path)
	case *ast.LiteralNode:
		return strings.TrimRight(v.Value.Value, "\r\n")
	case *ast.BoolNode:
		return v.Value
	case *ast.IntegerNode, *ast.FloatNode:
		return d.convertNumber(n, path)
	case *ast.AnchorNode:
		d.refuse(n, path, "uses an anchor (&name); remove it, or put text that starts with & in quotes")
	case *ast.AliasNode:
		d.refuse(n, path, "uses an alias (*name); write the value out, or put text that starts with * in quotes")
	case *ast.TagNode:
		d.refuse(n, path, "uses a tag (!name); remove it, or put text that starts with ! in quotes")
	case *ast.InfinityNode, *ast.NanNode:
		d.refuse(n, path, n.GetToken().Value+" is not a finite number; put it in quotes if it is text")
	default:
		d.refuse(n, path, "uses a YAML feature that entity files do not support: "+n.Type().String())
	}
	return nil
}

func (d *Document) refuse(n ast.Node, path []string, message string) {
	line, col := NodePosition(n)
	field := FieldName(path)
	d.Faulty[field] = true
	d.Add(line, col, Problem{Field: field, Message: message})
}

func (d *Document) convertMapping(members []*ast.MappingValueNode, path []string) any {
	m := make(map[string]any, len(members))
	first := make(map[string]int, len(members))
	for _, member := range members {
		key, wrong := KeyName(member.Key)
		line, col := NodePosition(member.Key)
		field := append(path[:len(path):len(path)], key)
		if wrong != "" {
			d.Add(line, col, Problem{Field: FieldName(path), Message: wrong})
		}
		switch member.Key.(type) {
		case *ast.MergeKeyNode, *ast.AliasNode:
			continue // a merge key has no name
		}
		if at, twice := first[key]; twice {
			d.Add(line, col, Problem{Field: FieldName(field), Message: fmt.Sprintf("is given twice, first on line %d", at)})
			continue
		}
		first[key] = line
		m[key] = d.convert(member.Value, field)
		if valueLine, valueCol := NodePosition(member.Value); valueLine > line && valueCol <= col && d.brackets == 0 && mustIndent(member.Value) {
			d.refuse(member.Value, field, "must be indented more than its field")
		}
	}
	return m
}

// convertText converts a string. The parser returns whole numbers of more than 64 bits as
// strings, and accepts some unquoted strings that YAML does not allow.
func (d *Document) convertText(n *ast.StringNode, path []string) any {
	if n.Token.Type != token.StringType {
		return n.Value // in quotes
	}
	if IsPlainNumber(n.Value) {
		return d.convertNumber(n, path)
	}
	if wrong := misreadReason(n, d.brackets > 0); wrong != "" {
		d.refuse(n, path, wrong)
		return nil
	}
	return n.Value
}

func (d *Document) convertNumber(n ast.Node, path []string) any {
	raw := n.GetToken().Value
	if len(path) == 1 && slices.Contains(d.textual, path[0]) {
		return raw
	}
	if !IsPlainNumber(raw) {
		d.refuse(n, path, Quote(raw)+": write numbers in plain decimal digits, such as 1200 or 0.5")
		return nil
	}
	if i, err := strconv.ParseInt(raw, 10, 64); err == nil {
		return i
	}
	x, err := strconv.ParseFloat(raw, 64)
	if err != nil {
		d.refuse(n, path, Quote(raw)+" is too large")
		return nil
	}
	return x
}

// mustIndent reports whether YAML requires a value to be indented more than its field; the
// parser does not enforce it.
func mustIndent(n ast.Node) bool {
	switch n := n.(type) {
	case nil, *ast.NullNode:
		return false
	case *ast.SequenceNode:
		return n.IsFlowStyle
	}
	return true
}

func inBrackets(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.SequenceNode:
		return n.IsFlowStyle
	case *ast.MappingNode:
		return n.IsFlowStyle
	}
	return false
}

// misreadReason returns the reason other programs would read an unquoted string differently
// than the parser does, or "".
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

// IsPlainNumber reports whether a string is a number in a form such as -12 or 3.50. It
// rejects octal, hexadecimal, grouped and exponential forms, because different versions of
// YAML read them differently.
func IsPlainNumber(s string) bool {
	s = strings.TrimPrefix(s, "-")
	whole, fraction, dot := strings.Cut(s, ".")
	digits := func(t string) bool { return t != "" && strings.Trim(t, "0123456789") == "" }
	return digits(whole) && (whole == "0" || whole[0] != '0') && (!dot || digits(fraction))
}
