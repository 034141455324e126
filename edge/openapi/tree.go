package openapi

import (
	"maps"
	"slices"

	"github.com/goccy/go-yaml"
)

// object is a JSON object that keeps the order of its members.
type object struct {
	names   []string
	members map[string]any // *object, []any, or a scalar
}

func decode(inYAML []byte) (*object, error) {
	var doc yaml.MapSlice
	if err := yaml.UnmarshalWithOptions(inYAML, &doc, yaml.UseOrderedMap()); err != nil {
		return nil, err
	}
	return tree(doc).(*object), nil
}

func tree(v any) any {
	switch v := v.(type) {
	case yaml.MapSlice:
		o := newObject()
		for _, item := range v {
			name, _ := item.Key.(string)
			o.put(name, tree(item.Value))
		}
		return o
	case []any:
		list := make([]any, len(v))
		for i, item := range v {
			list[i] = tree(item)
		}
		return list
	}
	return v
}

// newObject returns an object with members, given as names and values in turn.
func newObject(members ...any) *object {
	o := &object{members: map[string]any{}}
	for pair := range slices.Chunk(members, 2) {
		name, _ := pair[0].(string)
		o.put(name, pair[1])
	}
	return o
}

func (o *object) clone() *object { return &object{slices.Clone(o.names), maps.Clone(o.members)} }

// at returns the object at a path, or nil if there is none. A nil object has no members.
func (o *object) at(path ...string) *object {
	for _, name := range path {
		if o == nil {
			return nil
		}
		o, _ = o.members[name].(*object)
	}
	return o
}

func (o *object) get(name string) any {
	if o == nil {
		return nil
	}
	return o.members[name]
}

func (o *object) text(name string) string { s, _ := o.get(name).(string); return s }

// put sets a member, at the end if it is new.
func (o *object) put(name string, value any) {
	if _, ok := o.members[name]; !ok {
		o.names = append(o.names, name)
	}
	o.members[name] = value
}

// keep drops the members for which keep returns false.
func (o *object) keep(keep func(name string, value any) bool) {
	o.names = slices.DeleteFunc(o.names, func(name string) bool {
		if keep(name, o.members[name]) {
			return false
		}
		delete(o.members, name)
		return true
	})
}

// walk calls visit for each object below and including v, parents first.
func walk(v any, visit func(o *object)) {
	switch v := v.(type) {
	case *object:
		visit(v)
		for _, name := range v.names {
			walk(v.members[name], visit)
		}
	case []any:
		for _, item := range v {
			walk(item, visit)
		}
	}
}

// MarshalYAML implements yaml.InterfaceMarshaler: the members keep their order.
func (o *object) MarshalYAML() (any, error) {
	var members yaml.MapSlice
	for _, name := range o.names {
		members = append(members, yaml.MapItem{Key: name, Value: o.members[name]})
	}
	return members, nil
}
