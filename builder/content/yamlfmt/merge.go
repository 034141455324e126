package yamlfmt

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"

	"kindex/builder/content/schema"
	"kindex/builder/content/yamldoc"
	"kindex/exports/kinds"
)

// Merge returns an entity file with new values for some of its fields, in the same format as
// Format. Each link, identifier and signal, and each part of a group counts as a field; a signal
// or dated field is replaced as a whole, since its date and source apply only to its current value,
// and so are the offers, except that an offer that stays keeps its comments.
// The value nil removes a field. All other fields and all comments are preserved. A file that
// already has all the values is returned unchanged.
//
// Merge returns the problems from Format if the file cannot be formatted, and an error if a
// comment would be lost.
func Merge(declared *kinds.Set, path string, data []byte, fields map[string]any) ([]byte, error) {
	changes, err := Normalize(fields)
	if err != nil {
		return nil, err
	}
	_, root, err := format(declared, path, data)
	if err != nil {
		return nil, err
	}
	old, comments := root.Value().(map[string]any), commentsOf(root, nil)
	want := merged(declared, old, changes, true)
	if reflect.DeepEqual(want, old) {
		return data, nil
	}
	if at := replace(root, want, nil); at != nil {
		return nil, fmt.Errorf("%s cannot be updated: a comment in %s would be lost; move it above the field", path, yamldoc.FieldName(at))
	}
	entity := schema.Of(declared, "entity").Part
	arrange(root, entity)
	result, after, err := format(declared, path, printFile(root, entity))
	if err != nil {
		return nil, err
	}
	if !reflect.DeepEqual(after.Value(), any(want)) || !slices.Equal(comments, commentsOf(after, nil)) {
		return nil, fmt.Errorf("%s cannot be updated without losing data; edit it by hand", path)
	}
	return result, nil
}

// Apply merges changes, which are as in Merge, into the values of an entity file, without changing
// either. It returns the values after that, and the changes made: without those whose values are
// already there, and empty if there are none. An error is a *FieldError.
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

// replace gives a node a new value. Members of a mapping, and offers, keep their comments if they stay. It
// returns the path of a node with a comment that would be lost, or nil if there is none.
func replace(n *yamldoc.Node, value any, path []string) (lost []string) {
	if reflect.DeepEqual(n.Value(), value) {
		return nil
	}
	fresh := normalNode(value)
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
		if lost := replace(old, memberOf(value, item.Name, i), step(path, old, at)); lost != nil {
			return lost
		}
		stays[old], fresh.Items[i] = true, old
	}
	for i, old := range n.Items {
		if !stays[old] && (len(old.Head) > 0 || old.Comment != "" || hasComments(old)) {
			return step(path, old, i)
		}
	}
	n.Items = fresh.Items
	return nil
}

// memberOf returns the member or entry from which an item was made: 70.0 is written as 70.
func memberOf(value any, name string, index int) any {
	if list, isList := value.([]any); isList {
		return list[index]
	}
	return value.(map[string]any)[name]
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

// normalNode returns the node of a value from Normalize.
func normalNode(value any) *yamldoc.Node {
	n, err := nodeOf(value, nil)
	if err != nil {
		panic("yamlfmt: " + err.Error()) // cannot happen, since Normalize has returned no error
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
