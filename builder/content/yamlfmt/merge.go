package yamlfmt

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"

	"kindex/builder/content/yamldoc"
	"kindex/exports/kinds"
)

// Merge returns an entity file with new values for some of its fields, in the same format as
// Format. Each link, identifier and signal, and each part of a group
// counts as a field; a signal is replaced as a whole, since its date and source apply only to
// its current value, and so are the offers, except that an offer that stays keeps its comments.
// The value nil removes a field. All other fields and all comments are preserved. A file that
// already has all the values is returned unchanged.
//
// Merge returns the problems from Format if the file cannot be formatted, and an error if a
// comment would be lost.
func Merge(declared *kinds.Set, path string, data []byte, fields map[string]any) ([]byte, error) {
	set, removed := splitRemovals(fields, memberwise)
	fresh, err := layoutOfFields(set)
	if err != nil {
		return nil, err
	}
	formatted, err := Format(declared, path, data)
	if err != nil {
		return nil, err
	}
	form, err := canonicalize(path, formatted, entityShape(declared))
	if err != nil {
		return nil, err
	}
	want := apply(form.value, fresh, removed)
	if reflect.DeepEqual(want, form.value) {
		return data, nil
	}
	before := form.root.comments(nil)
	at := form.root.merge(fresh, form.value, nil)
	for i := 0; at == nil && i < len(removed); i++ {
		at = form.root.remove(removed[i], nil)
	}
	if at != nil {
		return nil, fmt.Errorf("%s cannot be updated: a comment in %s would be lost; move it above the field", path, yamldoc.FieldName(at))
	}
	form.root.order(entityShape(declared))
	form.root.placeComments(true)
	form.root.chooseFlow(true, 0)
	result, err := Format(declared, path, printLayout(form.root, entityShape(declared)))
	if err != nil {
		return nil, err
	}
	after, err := canonicalize(path, result, entityShape(declared))
	if err != nil {
		return nil, err
	}
	if !reflect.DeepEqual(after.value, want) || !slices.Equal(before, after.root.comments(nil)) {
		return nil, fmt.Errorf("%s cannot be updated without losing data; edit it by hand", path)
	}
	return result, nil
}

// Apply merges changes, which are as in Merge, into the values of an entity file, without changing
// either. It returns the values after that, and the changes made: without those whose values are
// already there, and empty if there are none. An error is a *FieldError.
func Apply(values, changes map[string]any) (result, made map[string]any, err error) {
	set, removed := splitRemovals(changes, memberwise)
	fresh, err := layoutOfFields(set)
	if err != nil {
		return nil, nil, err
	}
	result, _ = apply(values, fresh, removed).(map[string]any)
	return result, difference(values, result, memberwise), nil
}

func apply(values any, fresh *layout, removed [][]string) any {
	result := merged(values, fresh.value(), nil)
	for _, at := range removed {
		result = without(result, at)
	}
	return result
}

// difference returns the changes that lead from old values to new ones. Mappings in the fields that
// split reports are compared by member, others are replaced as a whole.
func difference(old, now map[string]any, split func(field string) bool) map[string]any {
	changes := map[string]any{}
	for name := range maps.Keys(old) {
		if now[name] == nil {
			changes[name] = nil
		}
	}
	for name, value := range now {
		before, there := old[name].(map[string]any)
		after, _ := value.(map[string]any)
		switch {
		case reflect.DeepEqual(old[name], value):
		case there && after != nil && split(name):
			changes[name] = difference(before, after, whole)
		default:
			changes[name] = value
		}
	}
	return changes
}

// splitRemovals separates the fields that have a value from the paths of those that are nil; split
// is as in difference.
func splitRemovals(fields map[string]any, split func(field string) bool) (set map[string]any, removed [][]string) {
	set = map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		members, ok := fields[name].(map[string]any)
		switch {
		case fields[name] == nil:
			removed = append(removed, []string{name})
		case ok && split(name):
			inner, gone := splitRemovals(members, whole)
			for _, path := range gone {
				removed = append(removed, append([]string{name}, path...))
			}
			if len(inner) > 0 {
				set[name] = inner
			}
		default:
			set[name] = fields[name]
		}
	}
	return set, removed
}

// without returns a mapping without a field, and without mappings of which nothing is left.
func without(value any, path []string) any {
	members, ok := value.(map[string]any)
	if !ok {
		return value
	}
	out := maps.Clone(members)
	if len(path) > 1 {
		inner := without(members[path[0]], path[1:])
		out[path[0]] = inner
		if left, ok := inner.(map[string]any); inner != nil && (!ok || len(left) > 0) {
			return out
		}
	}
	delete(out, path[0])
	return out
}

// remove removes a field, and mappings of which nothing is left. It returns the path of a node
// with a comment that would be lost, or nil if there is none.
func (l *layout) remove(path, above []string) (lost []string) {
	item := l.member(path[0])
	if item == nil {
		return nil
	}
	above = append(above[:len(above):len(above)], path[0])
	if len(path) > 1 {
		if lost := item.remove(path[1:], above); lost != nil || len(item.items) > 0 {
			return lost
		}
	}
	if len(item.headComments) > 0 || item.lineComment != "" || item.hasComments() {
		return above
	}
	l.items = slices.DeleteFunc(l.items, func(i *layout) bool { return i == item })
	return nil
}

// memberwise reports whether the members of a field are independent of each other if it is a mapping.
func memberwise(field string) bool { return field != "offersRead" }

// whole is true of no member of a field: each is replaced as a whole, such as a figure with its
// date and source.
func whole(string) bool { return false }

// mergedByMember reports whether the mapping at a path is merged member by member and, if so,
// whether members without a new value are kept.
func mergedByMember(path []string) (yes, stay bool) {
	stay = len(path) == 0 || len(path) == 1 && memberwise(path[0])
	return stay || len(path) == 2 && (path[0] == "signals" || isOffer(path)), stay
}

// isOffer reports whether the value at a path is an offer.
func isOffer(path []string) bool { return len(path) == 2 && path[0] == "offers" }

// offerKey identifies an offer in a list.
func (l *layout) offerKey() (key [2]string) {
	for i, name := range []string{"provider", "id"} {
		if m := l.member(name); m != nil {
			key[i] = m.text
		}
	}
	return key
}

// mergeOffers puts new offers into a list of offers. Offers that are in both keep their comments.
func (l *layout) mergeOffers(fresh *layout, have any) (lost []string) {
	list, _ := have.([]any)
	items := make([]*layout, 0, len(fresh.items))
	used := map[*layout]bool{}
	for _, item := range fresh.items {
		i := slices.IndexFunc(l.items, func(old *layout) bool {
			return !used[old] && old.kind == mapping && item.kind == mapping && old.offerKey() == item.offerKey()
		})
		if i < 0 {
			items = append(items, item)
			continue
		}
		old := l.items[i]
		used[old] = true
		if lost := old.merge(item, list[i], []string{"offers", strconv.Itoa(i)}); lost != nil {
			return lost
		}
		items = append(items, old)
	}
	for i, old := range l.items {
		if !used[old] && (len(old.headComments) > 0 || old.lineComment != "" || old.hasComments()) {
			return []string{"offers", strconv.Itoa(i)}
		}
	}
	l.items = items
	return nil
}

// merged returns a value after a merge.
func merged(old, fresh any, path []string) any {
	members, ok1 := old.(map[string]any)
	news, ok2 := fresh.(map[string]any)
	_, stay := mergedByMember(path)
	if !ok1 || !ok2 || !stay {
		return fresh
	}
	out := maps.Clone(members)
	for name, v := range news {
		if previous, ok := members[name]; ok {
			v = merged(previous, v, append(path[:len(path):len(path)], name))
		}
		out[name] = v
	}
	return out
}

// merge puts new values into a layout; have contains its current values. It returns the path
// of a node with a comment that would be lost, or nil if there is none.
func (l *layout) merge(fresh *layout, have any, path []string) (lost []string) {
	members, _ := have.(map[string]any)
	yes, stay := mergedByMember(path)
	if reflect.DeepEqual(have, fresh.value()) {
		return nil
	}
	if len(path) == 1 && path[0] == "offers" && l.kind == sequence && fresh.kind == sequence && len(l.items) > 0 && len(fresh.items) > 0 {
		return l.mergeOffers(fresh, have)
	}
	l.commentColumn = 0 // the text before the comment has changed
	if !yes || l.kind != mapping || fresh.kind != mapping || len(l.items) == 0 {
		if l.hasComments() {
			return path
		}
		l.kind, l.text, l.raw, l.block, l.items, l.flow = fresh.kind, fresh.text, fresh.raw, nil, fresh.items, fresh.flow
		return nil
	}
	if !stay {
		for _, item := range l.items {
			if fresh.member(item.name) == nil && (len(item.headComments) > 0 || item.lineComment != "" || item.hasComments()) {
				return append(path[:len(path):len(path)], item.name)
			}
		}
		l.items = slices.DeleteFunc(l.items, func(item *layout) bool { return fresh.member(item.name) == nil })
	}
	for _, item := range fresh.items {
		old := l.member(item.name)
		if old == nil {
			l.items = append(l.items, item)
			continue
		}
		if lost := old.merge(item, members[item.name], append(path[:len(path):len(path)], item.name)); lost != nil {
			return lost
		}
	}
	return nil
}

func (l *layout) member(name string) *layout {
	i := slices.IndexFunc(l.items, func(item *layout) bool { return item.name == name })
	if i < 0 {
		return nil
	}
	return l.items[i]
}

// comments lists all comments of a layout, sorted.
func (l *layout) comments(list []string) []string {
	for _, text := range slices.Concat(l.headComments, []string{l.lineComment}, l.footComments) {
		if text != "" {
			list = append(list, text)
		}
	}
	for _, item := range l.items {
		list = item.comments(list)
	}
	slices.Sort(list)
	return list
}
