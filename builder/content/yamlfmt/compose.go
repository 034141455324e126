package yamlfmt

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"kindex/builder/content/schema"
	"kindex/builder/content/yamldoc"
	"kindex/exports/kinds"
	"kindex/exports/store"
)

// Compose returns an entity file in the format of Format, with its fields in the order of the schema. The values are
// JSON values: string, bool, nil, json.Number, float64, int, int64, []any, []string and map[string]any. A version that is
// a number becomes a string. The output is deterministic and read back as the same values, but need not be valid.
func Compose(declared *kinds.Set, fields map[string]any) ([]byte, error) {
	root, err := nodeOf(fields, nil)
	if err != nil {
		return nil, err
	}
	entity := schema.Of(declared, "entity").Part
	arrange(root, entity)
	data := printFile(root, entity)
	d := yamldoc.Parse("", data)
	if len(d.Problems) > 0 {
		p := d.Problems[0]
		return nil, &FieldError{cmp.Or(p.Field, "the fields"), "cannot be written as YAML: " + p.Message}
	}
	if !reflect.DeepEqual(d.Value, root.Value()) {
		return nil, errors.New("the fields cannot be written as YAML and read back unchanged")
	}
	return data, nil
}

// Normalize returns the values that would be read back from the file that Compose writes for
// fields. It does not parse any YAML.
func Normalize(fields map[string]any) (map[string]any, error) {
	root, err := nodeOf(fields, nil)
	if err != nil {
		return nil, err
	}
	return root.Value().(map[string]any), nil
}

func nodeOf(v any, path []string) (*yamldoc.Node, error) {
	fail := func(message string) (*yamldoc.Node, error) {
		return nil, &FieldError{yamldoc.FieldName(path), message}
	}
	word := func(text string) (*yamldoc.Node, error) {
		textual := len(path) == 1 && path[0] == yamldoc.TextField && yamldoc.IsPlainNumber(text)
		return &yamldoc.Node{Raw: !textual, Text: text}, nil
	}
	if len(path) > yamldoc.MaxDepth {
		return fail(fmt.Sprintf("is nested more than %d levels deep", yamldoc.MaxDepth))
	}
	switch v := v.(type) {
	case nil:
		return word("null")
	case bool:
		return word(strconv.FormatBool(v))
	case string:
		if !utf8.ValidString(v) {
			return fail("is not UTF-8 text")
		}
		return &yamldoc.Node{Text: v}, nil
	case json.Number:
		if yamldoc.IsPlainNumber(string(v)) {
			return word(string(v))
		}
		x, err := strconv.ParseFloat(string(v), 64)
		if err != nil {
			return fail(yamldoc.Quote(string(v)) + " is not a valid number")
		}
		return nodeOf(x, path)
	case float64:
		if math.IsInf(v, 0) || math.IsNaN(v) {
			return fail(fmt.Sprint(v) + " is not a finite number")
		}
		return word(strconv.FormatFloat(v, 'f', -1, 64))
	case int:
		return word(strconv.Itoa(v))
	case int64:
		return word(strconv.FormatInt(v, 10))
	case []string:
		list := make([]any, len(v))
		for i, text := range v {
			list[i] = text
		}
		return nodeOf(list, path)
	case []any:
		n := &yamldoc.Node{Kind: yamldoc.Sequence}
		for i, item := range v {
			entry, err := nodeOf(item, append(path, strconv.Itoa(i)))
			if err != nil {
				return nil, err
			}
			n.Items = append(n.Items, entry)
		}
		return n, nil
	case map[string]any:
		n := &yamldoc.Node{Kind: yamldoc.Mapping}
		for _, name := range slices.Sorted(maps.Keys(v)) {
			at := append(path, name)
			item, err := nodeOf(v[name], at)
			if err == nil && !utf8.ValidString(name) {
				err = &FieldError{yamldoc.FieldName(at), "is not UTF-8 text"}
			}
			if err != nil {
				return nil, err
			}
			item.Name, item.Named = name, true
			n.Items = append(n.Items, item)
		}
		return n, nil
	}
	return fail(fmt.Sprintf("a %T cannot be written to a file", v))
}

// FieldError is the error for a field value that cannot be written to a file.
type FieldError struct {
	Field   string // path with dots and brackets
	Message string
}

// Error returns the field and the message.
func (e *FieldError) Error() string { return e.Field + ": " + e.Message }

// SourceYAML formats a source as an entry in the sources field of index.yaml.
func SourceYAML(s store.Source) string {
	fields := map[string]any{"name": s.Name, "url": s.URL, "license": s.License, "changes": s.Changes, "types": s.Types}
	maps.DeleteFunc(fields, func(_ string, v any) bool { return v == "" || len(s.Types) == 0 && reflect.DeepEqual(v, s.Types) })
	list, part := normalNode([]any{fields}), schema.Of(kinds.Default(), "index").Member("sources")
	order(list, part)
	chooseFlow(list, true, 0)
	text := strings.TrimRight(string(printFile(list, part)), "\n")
	return "  " + strings.ReplaceAll(text, "\n", "\n  ") + "\n"
}

// Merge returns an entity file with new values for some of its fields, in the format of Format. Each link, identifier
// and signal, and each part of a group counts as a field; signals, dated fields and the offers are replaced as a
// whole, but offers that stay keep their comments. The value nil removes a field. All else is preserved, and a file
// that has all the values is returned unchanged. It is an error if the file cannot be formatted, or if a comment would
// be lost.
func Merge(declared *kinds.Set, path string, data []byte, fields map[string]any) ([]byte, error) {
	_, root, err := format(declared, path, data)
	if err != nil {
		return nil, err
	}
	want, _, err := Apply(declared, root.Value().(map[string]any), fields)
	if err != nil {
		return nil, err
	}
	if same(root, want) {
		return data, nil
	}
	comments := commentsOf(root, nil)
	if at := replace(root, normalNode(want), nil); at != nil {
		return nil, fmt.Errorf("%s cannot be updated: a comment in %s would be lost; move it above the field", path, yamldoc.FieldName(at))
	}
	entity := schema.Of(declared, "entity").Part
	arrange(root, entity)
	result, after, err := format(declared, path, printFile(root, entity))
	if err != nil {
		return nil, err
	}
	if !same(after, want) || !slices.Equal(comments, commentsOf(after, nil)) {
		return nil, fmt.Errorf("%s cannot be updated without losing data; edit it by hand", path)
	}
	return result, nil
}

// Apply merges changes, as in Merge, into the values of an entity file, without changing either. It returns the result
// and the changes made, without values that are already there. An error is a *FieldError.
func Apply(declared *kinds.Set, values, changes map[string]any) (result, made map[string]any, err error) {
	if values, err = Normalize(values); err != nil {
		return nil, nil, err
	}
	if changes, err = Normalize(changes); err != nil {
		return nil, nil, err
	}
	result = merged(declared, values, changes, true)
	made = difference(values, result)
	for name, value := range made {
		before, there := values[name].(map[string]any)
		if after, ok := value.(map[string]any); there && ok && memberwise(declared, name) {
			made[name] = difference(before, after)
		}
	}
	return result, made, nil
}

// difference returns the members that lead from an old mapping to a new one.
func difference(old, now map[string]any) map[string]any {
	changes := map[string]any{}
	for name := range old {
		if now[name] == nil {
			changes[name] = nil
		}
	}
	for name, value := range now {
		if !reflect.DeepEqual(old[name], value) {
			changes[name] = value
		}
	}
	return changes
}

// memberwise reports whether the members of a field are independent of each other if it is a mapping.
func memberwise(declared *kinds.Set, field string) bool {
	dated := slices.ContainsFunc(declared.Fields, func(f *kinds.Field) bool { return f.Name == field && f.Dated })
	return field != "offersRead" && !dated
}

// merged returns the fields of an entity, or the members of one of them, with new values.
func merged(declared *kinds.Set, old, changes map[string]any, top bool) map[string]any {
	result := map[string]any{}
	maps.Copy(result, old)
	for name, change := range changes {
		members, isMapping := change.(map[string]any)
		before, wasMapping := old[name].(map[string]any)
		_, there := old[name]
		if top && isMapping && (wasMapping || !there) && memberwise(declared, name) {
			if members = merged(declared, before, members, false); len(members) == 0 {
				change = nil
			} else {
				change = members
			}
		}
		if change == nil {
			delete(result, name)
		} else {
			result[name] = change
		}
	}
	return result
}

// same reports whether a node has a value from Normalize: 70.0 is the same as 70.
func same(n *yamldoc.Node, value any) bool {
	return reflect.DeepEqual(normalNode(n.Value()).Value(), value)
}

// replace gives a node the value of a fresh one. Members of a mapping, and offers, keep their comments if they stay. It
// returns the path of a node with a comment that would be lost, or nil if there is none.
func replace(n, fresh *yamldoc.Node, path []string) (lost []string) {
	if same(n, fresh.Value()) {
		return nil
	}
	if n.Kind != fresh.Kind || n.Kind != yamldoc.Mapping && !slices.Equal(path, []string{"offers"}) || len(n.Items)*len(fresh.Items) == 0 {
		if hasComments(n) {
			return path
		}
		n.Kind, n.Text, n.Raw, n.Block, n.Items, n.Flow, n.CommentColumn = fresh.Kind, fresh.Text, fresh.Raw, nil, fresh.Items, fresh.Flow, 0
		return nil
	}
	if n.Flow {
		n.CommentColumn = 0 // the text before the comment has changed
	}
	stays := map[*yamldoc.Node]bool{}
	for i, item := range fresh.Items {
		at := slices.IndexFunc(n.Items, func(old *yamldoc.Node) bool { return keyOf(old) == keyOf(item) })
		if at < 0 || stays[n.Items[at]] {
			continue
		}
		old := n.Items[at]
		if lost := replace(old, item, step(path, old, at)); lost != nil {
			return lost
		}
		stays[old], fresh.Items[i] = true, old
	}
	for i, old := range n.Items {
		if !stays[old] && (isCommented(old.Head) || old.Comment != "" || hasComments(old)) {
			return step(path, old, i)
		}
	}
	n.Items = fresh.Items
	return nil
}

// keyOf returns what identifies a member of a mapping, or an offer.
func keyOf(n *yamldoc.Node) (key [2]string) {
	if n.Named {
		return [2]string{n.Name}
	}
	for i, name := range []string{"provider", "id"} {
		if m := n.Find(name); m != nil {
			key[i] = m.Text
		}
	}
	return key
}

func step(path []string, item *yamldoc.Node, index int) []string {
	name := item.Name
	if !item.Named {
		name = strconv.Itoa(index)
	}
	return append(path[:len(path):len(path)], name)
}

// normalNode returns the node of a value of a file or from Normalize.
func normalNode(value any) *yamldoc.Node {
	n, err := nodeOf(value, nil)
	if err != nil {
		panic("yamlfmt: " + err.Error()) // cannot happen: such values can be written
	}
	return n
}

// commentsOf lists all comments of a node, sorted.
func commentsOf(n *yamldoc.Node, list []string) []string {
	for _, text := range slices.Concat(n.Head, []string{n.Comment}, n.Foot) {
		if text != "" {
			list = append(list, text)
		}
	}
	for _, item := range n.Items {
		list = commentsOf(item, list)
	}
	slices.Sort(list)
	return list
}
