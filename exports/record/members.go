package record

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unique"

	"kindex/exports/jsonenc"
	"kindex/exports/kinds"
)

// member is a member of a JSON object, and a pointer to its value. Records and their parts state their members once:
// they are encoded, decoded, listed and compared by them.
type member struct {
	name  string
	value any
}

// optional is a pointer to a value without which the member is left out; otherwise, what is unknown is null or empty.
type optional struct{ value any }

// declaredValue is the value of a declared field of an entity, or the values of a group.
type declaredValue struct {
	entity *Entity
	field  *kinds.Field
}

// appendObject appends members as one compact object.
func appendObject(dst []byte, members []member) []byte {
	dst = append(dst, '{')
	for _, m := range members {
		before := len(dst)
		dst = jsonenc.AppendMember(dst, m.name)
		value := len(dst)
		dst = appendValue(dst, m.value)
		if _, ok := m.value.(optional); ok && !isSet(dst[value:]) {
			dst = dst[:before]
		}
	}
	return append(dst, '}')
}

// isSet reports whether a value is known.
func isSet(text []byte) bool {
	s := string(text)
	return s != "null" && s != "[]" && s != "{}"
}

func appendValue(dst []byte, value any) []byte {
	switch v := value.(type) {
	case optional:
		return appendValue(dst, v.value)
	case *string:
		return jsonenc.AppendNullable(dst, *v)
	case *[]string:
		return jsonenc.AppendStrings(dst, *v)
	case *bool:
		return strconv.AppendBool(dst, *v)
	case *float64:
		return jsonenc.AppendNumber(dst, *v)
	case *int64:
		if *v != 0 {
			return strconv.AppendInt(dst, *v, 10)
		}
	case interface{ AppendJSON(dst []byte) []byte }:
		return v.AppendJSON(dst)
	case *[]Tier:
		return appendList(dst, *v, (*Tier).members)
	case *[]Offer:
		return appendList(dst, *v, (*Offer).members)
	case *[]Benchmark:
		return appendList(dst, *v, (*Benchmark).members)
	case *[]Mode:
		dst = append(dst, '{')
		for i := range *v {
			dst = appendObject(jsonenc.AppendMember(dst, (*v)[i].Name), (*v)[i].members())
		}
		return append(dst, '}')
	case *[]Link:
		dst = append(dst, '{')
		for _, l := range *v {
			dst = jsonenc.AppendString(jsonenc.AppendMember(dst, l.Name), l.URL)
		}
		return append(dst, '}')
	case *[]ID:
		dst = append(dst, '{')
		for i, id := range *v {
			if i == 0 || id.Namespace != (*v)[i-1].Namespace {
				dst = jsonenc.AppendStrings(jsonenc.AppendMember(dst, id.Namespace), idsIn(*v, id.Namespace))
			}
		}
		return append(dst, '}')
	case **Lifecycle:
		return (*v).AppendJSON(dst)
	case **Terms:
		if *v != nil {
			return appendObject(dst, (*v).members())
		}
	}
	return append(dst, "null"...)
}

func appendList[T any](dst []byte, list []T, members func(*T) []member) []byte {
	dst = append(dst, '[')
	for i := range list {
		dst = appendObject(jsonenc.AppendComma(dst, i), members(&list[i]))
	}
	return append(dst, ']')
}

// AppendJSON appends the value as in a record.
func (v declaredValue) AppendJSON(dst []byte) []byte {
	f, values := v.field, v.entity.Values
	if !f.IsGroup() {
		return f.AppendJSON(dst, values.Get(f.Path))
	}
	known := slices.ContainsFunc(values, func(x Value) bool { return x.Field.Group == f })
	if !known && (f.Dated || f.Type == kinds.Range) {
		return append(dst, "null"...)
	}
	dst = append(dst, '{')
	for _, part := range f.Parts {
		dst = part.AppendJSON(jsonenc.AppendMember(dst, part.Name), values.Get(part.Path))
	}
	return append(dst, '}')
}

// decodeObject decodes an object that appendObject wrote. It ignores other members.
func decodeObject(object []byte, members []member) error {
	return jsonenc.DecodeMembers(object, func(name string, value []byte) error {
		i := slices.IndexFunc(members, func(m member) bool { return m.name == name })
		if i < 0 || string(value) == "null" { // the most frequent value
			return nil
		}
		to := members[i].value
		if o, ok := to.(optional); ok {
			to = o.value
		}
		if err := decodeValue(value, to); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if text, ok := to.(*string); ok && slices.Contains(ownTexts, name) {
			*text = strings.Clone(*text)
		} else if ok {
			*text = share(*text)
		}
		return nil
	})
}

// ownTexts are the members that few objects share. Others, such as days and sources, are in memory once.
var ownTexts = []string{"slug", "name", "description", "url", "id"}

func share(text string) string { return unique.Make(text).Value() }

func decodeValue(b []byte, value any) error {
	switch v := value.(type) {
	case *[]string:
		var texts []string // whose capacity is larger than needed
		err := jsonenc.Borrow(b, &texts)
		for i, text := range texts {
			texts[i] = share(text)
		}
		if len(texts) > 0 {
			*v = append(make([]string, 0, len(texts)), texts...)
		}
		return err
	case *string:
		return jsonenc.Borrow(b, v) // the caller copies it
	case *[]Tier:
		return decodeList(b, v, (*Tier).members)
	case *[]Offer:
		return decodeList(b, v, (*Offer).members)
	case *[]Benchmark:
		return decodeList(b, v, (*Benchmark).members)
	case *[]Mode:
		err := jsonenc.DecodeMembers(b, func(name string, value []byte) error {
			*v = append(*v, Mode{Name: name})
			return decodeObject(value, (*v)[len(*v)-1].members())
		})
		slices.SortFunc(*v, func(a, b Mode) int { return strings.Compare(a.Name, b.Name) })
		return err
	case *[]Link:
		err := jsonenc.DecodeMembers(b, func(name string, url []byte) error {
			*v = append(*v, Link{Name: name})
			return jsonenc.Decode(url, &(*v)[len(*v)-1].URL)
		})
		slices.SortFunc(*v, func(a, b Link) int { return strings.Compare(a.Name, b.Name) })
		return err
	case *[]ID:
		defer func() { SortIDs(*v) }()
		return jsonenc.DecodeMembers(b, func(namespace string, values []byte) error {
			var list []string
			err := jsonenc.Decode(values, &list)
			for _, id := range list {
				*v = append(*v, ID{namespace, id})
			}
			return err
		})
	case **Terms:
		*v = new(Terms)
		return decodeObject(b, (*v).members())
	case *Signals:
		return v.decode(b)
	case *Rest:
		*v = DecodeRest(b)
		return nil
	case *declaredValue:
		return v.decode(b)
	}
	return jsonenc.Decode(b, value)
}

// decode takes the value as in a record. Like Values.decode, it skips values of another type: the record may be of a day
// when the field was declared otherwise.
func (v *declaredValue) decode(b []byte) error {
	f := v.field
	if f.IsGroup() && b[0] == '{' {
		return jsonenc.DecodeMembers(b, func(name string, value []byte) error {
			i := slices.IndexFunc(f.Parts, func(part *kinds.Field) bool { return part.Name == name })
			if i < 0 || string(value) == "null" {
				return nil
			}
			return (&declaredValue{v.entity, f.Parts[i]}).decode(value)
		})
	}
	var texts []string
	if f.IsList() && f.Of != kinds.Number && decodeValue(b, &texts) == nil {
		v.entity.Values.decode(f, texts)
		return nil
	}
	var x any
	err := jsonenc.Decode(b, &x)
	v.entity.Values.decode(f, x)
	return err
}

func decodeList[T any](b []byte, list *[]T, members func(*T) []member) error {
	var objects []json.RawMessage
	if err := jsonenc.Borrow(b, &objects); err != nil || len(objects) == 0 {
		return err
	}
	*list = make([]T, len(objects))
	for i, object := range objects {
		if err := decodeObject(object, members(&(*list)[i])); err != nil {
			return err
		}
	}
	return nil
}
