package openapi

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/goccy/go-yaml"
)

// object is a JSON object that keeps the order of its members.
type object struct {
	names   []string
	members map[string]any // *object, []any, or a scalar
}

// decode returns the tree of a description.
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
	o.set(members...)
	return o
}

// set sets members, given as names and values in turn.
func (o *object) set(members ...any) {
	for pair := range slices.Chunk(members, 2) {
		name, _ := pair[0].(string)
		o.put(name, pair[len(pair)-1])
	}
}

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

// MarshalJSON returns the object with its members in order.
func (o *object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, name := range o.names {
		if i > 0 {
			b.WriteByte(',')
		}
		key, err := json.Marshal(name)
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(o.members[name])
		if err != nil {
			return nil, err
		}
		b.Write(append(append(key, ':'), value...))
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}
