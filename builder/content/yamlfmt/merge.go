package yamlfmt

import (
	"fmt"
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
	changes, err := layoutOfFields(fields)
	if err != nil {
		return nil, err
	}
	formatted, err := Format(declared, path, data)
	if err != nil {
		return nil, err
	}
	entity := schema.Of(declared, "entity").Part
	form, err := canonicalize(path, formatted, entity)
	if err != nil {
		return nil, err
	}
	before := form.root.comments(nil)
	if at := form.root.merge(declared, changes, nil); at != nil {
		return nil, fmt.Errorf("%s cannot be updated: a comment in %s would be lost; move it above the field", path, yamldoc.FieldName(at))
	}
	want := form.root.value()
	if reflect.DeepEqual(want, form.value) {
		return data, nil
	}
	form.root.order(entity)
	form.root.placeComments(true)
	form.root.chooseFlow(true, 0)
	result, err := Format(declared, path, printLayout(form.root, entity))
	if err != nil {
		return nil, err
	}
	after, err := canonicalize(path, result, entity)
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
func Apply(declared *kinds.Set, values, changes map[string]any) (result, made map[string]any, err error) {
	root, err := layoutOfFields(values)
	if err != nil {
		return nil, nil, err
	}
	merged, err := layoutOfFields(changes)
	if err != nil {
		return nil, nil, err
	}
	root.merge(declared, merged, nil)
	result, _ = root.value().(map[string]any)
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

// merge puts new values into the fields of an entity, or into the members of one of them. It returns
// the path of a node with a comment that would be lost, or nil if there is none.
func (l *layout) merge(declared *kinds.Set, changes *layout, path []string) (lost []string) {
	for _, change := range changes.items {
		at := append(path[:len(path):len(path)], change.name)
		old := l.member(change.name)
		inner := len(path) == 0 && change.kind == mapping && memberwise(declared, change.name)
		if old == nil && (inner || !change.isNull()) {
			old = &layout{name: change.name, named: true, raw: true, kind: change.kind}
			l.items = append(l.items, old)
		}
		switch {
		case old == nil: // it is not there
		case change.isNull():
			lost = l.remove(old, at)
		case inner && old.kind == mapping:
			if lost = old.merge(declared, change, at); lost == nil && len(old.items) == 0 {
				lost = l.remove(old, at)
			}
		case len(at) == 1 && change.name == "offers" && old.kind == sequence && change.kind == sequence && len(old.items) > 0 && len(change.items) > 0:
			lost = old.mergeOffers(change)
		default:
			lost = old.replace(change, at)
		}
		if lost != nil {
			return lost
		}
	}
	return nil
}

// remove removes an item. It returns its path if a comment would be lost.
func (l *layout) remove(item *layout, path []string) (lost []string) {
	if item.isCommented() {
		return path
	}
	l.items = slices.DeleteFunc(l.items, func(i *layout) bool { return i == item })
	return nil
}

// replace gives a layout a new value. The members of a mapping keep their comments if they stay.
func (l *layout) replace(fresh *layout, path []string) (lost []string) {
	if reflect.DeepEqual(l.value(), fresh.value()) {
		return nil
	}
	l.commentColumn = 0 // the text before the comment has changed
	if l.kind != mapping || fresh.kind != mapping || len(l.items) == 0 {
		if l.hasComments() {
			return path
		}
		l.kind, l.text, l.raw, l.block, l.items, l.flow = fresh.kind, fresh.text, fresh.raw, nil, fresh.items, fresh.flow
		return nil
	}
	for _, item := range slices.Clone(l.items) {
		if fresh.member(item.name) == nil {
			if lost := l.remove(item, append(path[:len(path):len(path)], item.name)); lost != nil {
				return lost
			}
		}
	}
	for _, item := range fresh.items {
		if old := l.member(item.name); old == nil {
			l.items = append(l.items, item)
		} else if lost := old.replace(item, append(path[:len(path):len(path)], item.name)); lost != nil {
			return lost
		}
	}
	return nil
}

// mergeOffers puts new offers into a list of offers. Offers that are in both keep their comments.
func (l *layout) mergeOffers(fresh *layout) (lost []string) {
	if reflect.DeepEqual(l.value(), fresh.value()) {
		return nil
	}
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
		if lost := old.replace(item, []string{"offers", strconv.Itoa(i)}); lost != nil {
			return lost
		}
		items = append(items, old)
	}
	for i, old := range l.items {
		if !used[old] && old.isCommented() {
			return []string{"offers", strconv.Itoa(i)}
		}
	}
	l.items = items
	return nil
}

// offerKey identifies an offer in a list.
func (l *layout) offerKey() (key [2]string) {
	for i, name := range []string{"provider", "id"} {
		if m := l.member(name); m != nil {
			key[i] = m.text
		}
	}
	return key
}

func (l *layout) member(name string) *layout {
	i := slices.IndexFunc(l.items, func(item *layout) bool { return item.name == name })
	if i < 0 {
		return nil
	}
	return l.items[i]
}

// isNull reports whether a layout is that of the value nil.
func (l *layout) isNull() bool { return l.kind == scalar && l.raw && l.value() == nil }

// isCommented reports whether a layout has comments.
func (l *layout) isCommented() bool {
	return len(l.headComments) > 0 || l.lineComment != "" || l.hasComments()
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
