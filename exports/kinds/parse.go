package kinds

import (
	"fmt"

	"github.com/goccy/go-yaml"
)

// Parse reads a kinds.yaml that passed the checks of its schema.
func Parse(data []byte) (*Set, error) {
	var file struct {
		Fields  ordered[fieldYAML]
		Signals ordered[signalYAML]
		Kinds   ordered[kindYAML]
	}
	if err := yaml.UnmarshalWithOptions(data, &file, yaml.Strict()); err != nil {
		return nil, fmt.Errorf("kinds: %w", err)
	}
	s := &Set{}
	for _, x := range file.Fields {
		s.Fields = append(s.Fields, x.value.field(x.name, nil))
	}
	for _, x := range file.Signals {
		v := x.value
		s.Signals = append(s.Signals, &Signal{Name: x.name, Type: v.Type, Title: v.Title, Description: v.Description,
			Unit: v.Unit, Grows: v.Grows, Steady: v.Steady, Maximum: v.Maximum})
	}
	for _, x := range file.Kinds {
		k := &Kind{Name: x.name, Title: x.value.Title, Plural: x.value.Plural, Description: x.value.Description, Blocks: x.value.Blocks}
		wanted := map[string]bool{}
		for _, name := range x.value.Fields {
			wanted[name] = true
		}
		for _, f := range s.Fields {
			if wanted[f.Name] {
				k.Fields = append(k.Fields, f)
				delete(wanted, f.Name)
			}
		}
		for name := range wanted {
			return nil, fmt.Errorf("kinds: %s: the field %q is not declared", k.Name, name)
		}
		s.Kinds = append(s.Kinds, k)
	}
	s.index()
	return s, nil
}

type fieldYAML struct {
	Type, Of, Title, Description, Unit string
	Values                             []string
	Parts                              ordered[fieldYAML]
	Limit                              int
	Minimum, Maximum                   *float64
	AtMost                             string `yaml:"atMost"`
	Filter                             bool
	Query, Signal                      string
}

type signalYAML struct {
	Type                     Type
	Title, Description, Unit string
	Grows, Steady            bool
	Maximum                  *float64
}

type kindYAML struct {
	Title, Plural, Description string
	Fields, Blocks             []string
}

func (v *fieldYAML) field(name string, group *Field) *Field {
	f := &Field{Name: name, Path: name, Type: Type(v.Type), Of: Type(v.Of), Values: v.Values, Title: v.Title, Description: v.Description,
		Unit: v.Unit, Group: group, Limit: v.Limit, Minimum: v.Minimum, Maximum: v.Maximum, AtMost: v.AtMost, Filter: v.Filter,
		Query: v.Query, Signal: v.Signal}
	if group != nil {
		f.Path = group.Name + "." + name
	}
	if f.Query == "" {
		f.Query = f.Column()
	}
	for _, part := range v.Parts {
		f.Parts = append(f.Parts, part.value.field(part.name, f))
	}
	return f
}

// ordered is a mapping whose order counts.
type ordered[T any] []struct {
	name  string
	value T
}

// UnmarshalYAML decodes the mapping twice: once for the values, once for the order.
func (l *ordered[T]) UnmarshalYAML(unmarshal func(any) error) error {
	var values map[string]T
	var order yaml.MapSlice
	if err := unmarshal(&values); err != nil {
		return err
	}
	if err := unmarshal(&order); err != nil {
		return err
	}
	for _, item := range order {
		name := fmt.Sprint(item.Key)
		*l = append(*l, struct {
			name  string
			value T
		}{name, values[name]})
	}
	return nil
}
