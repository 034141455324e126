package kinds

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"kindex/exports/jsonenc"
)

// Type is a type of values.
type Type string

// The types of values, and the Go types of their values in memory.
const (
	Text    Type = "text"    // one line; string
	Slug    Type = "slug"    // lower-case letters and digits with single hyphens; string
	Boolean Type = "boolean" // bool
	Count   Type = "count"   // an integer from 0 to 2^53-1; float64
	Number  Type = "number"  // float64
	Date    Type = "date"    // YYYY-MM-DD; string
	Month   Type = "month"   // YYYY-MM, or YYYY or YYYY-MM-DD if less or more is known; string
	URL     Type = "url"     // string
	Enum    Type = "enum"    // one of some words; string
	List    Type = "list"    // of text, slug, url or enum; []string
	Group   Type = "group"   // parts with names, each a field of its own
)

// Field is a declared fact of entities.
type Field struct {
	Name        string
	Path        string // Name or, for a part of a group, the group's name, a point and Name
	Type        Type
	Of          Type     // the type of a list's elements
	Values      []string // of an enum
	Title       string   // capitalized
	Description string
	Unit        string
	Parts       []*Field // of a group
	Group       *Field   // that the field is a part of, or nil
	Limit       int      // the maximum length of a text or list; 0 for that of its type
	Minimum     *float64
	Maximum     *float64
	AtMost      string // the name of another part of the group whose value is not less
	Filter      bool   // whether lists can be filtered by it
	Query       string // the name of the filter; for numbers, it follows min and max
	Signal      string // the signal that says its value where the field is unknown

	index int // in Set.Leaves
}

// Compare orders fields as records do.
func (f *Field) Compare(g *Field) int { return f.index - g.index }

// Column returns the name of the field's column in tables: parametersTotal for parameters.total.
func (f *Field) Column() string {
	if f.Group == nil {
		return f.Name
	}
	return f.Group.Name + strings.ToUpper(f.Name[:1]) + f.Name[1:]
}

// Words returns the type of the field's words: the type of a list's elements, or its own.
func (f *Field) Words() Type {
	if f.Type == List {
		return f.Of
	}
	return f.Type
}

// Choices returns the words that the field can have, or nil if they are not limited.
func (f *Field) Choices() []string {
	switch f.Words() {
	case Boolean:
		return []string{"true", "false"}
	case Enum:
		return f.Values
	}
	return nil
}

// IsNumber reports whether values of the field are numbers.
func (f *Field) IsNumber() bool { return f.Type == Count || f.Type == Number }

// Accept converts a decoded YAML or JSON value to the form in memory. It returns nil for a value of
// another type, for null and for an empty text or list. Whether the value is valid otherwise is for the
// schema to say.
func (f *Field) Accept(v any) any {
	switch v := v.(type) {
	case string:
		if v = strings.TrimSpace(v); v != "" && f.isText() {
			return strings.Clone(v)
		}
	case bool:
		if f.Type == Boolean {
			return v
		}
	case int64:
		if f.IsNumber() {
			return float64(v)
		}
	case float64:
		if f.IsNumber() && !math.IsInf(v, 0) && !math.IsNaN(v) {
			return v
		}
	case []string:
		if f.Type == List && len(v) > 0 {
			return v
		}
	case []any:
		var list []string
		for _, item := range v {
			if text, _ := item.(string); strings.TrimSpace(text) != "" {
				list = append(list, strings.Clone(strings.TrimSpace(text)))
			}
		}
		if f.Type == List && list != nil {
			return list
		}
	}
	return nil
}

func (f *Field) isText() bool {
	switch f.Type {
	case Text, Slug, Date, Month, URL, Enum:
		return true
	}
	return false
}

// AppendJSON appends a value, or null or [] for nil.
func (f *Field) AppendJSON(dst []byte, v any) []byte {
	switch v := v.(type) {
	case string:
		return jsonenc.AppendString(dst, v)
	case bool:
		return strconv.AppendBool(dst, v)
	case float64:
		return jsonenc.AppendNumber(dst, v)
	case []string:
		return jsonenc.AppendStrings(dst, v)
	}
	if f.Type == List {
		return append(dst, "[]"...)
	}
	return append(dst, "null"...)
}

// Texts returns the words of a value by which it is filtered and counted.
func (f *Field) Texts(v any) []string {
	switch v := v.(type) {
	case string:
		return []string{v}
	case bool:
		return []string{strconv.FormatBool(v)}
	case float64:
		return []string{strconv.FormatFloat(v, 'f', -1, 64)}
	case []string:
		return v
	}
	return nil
}

// Equal reports whether two values of one field are the same.
func Equal(a, b any) bool {
	list, isList := a.([]string)
	if other, both := b.([]string); isList || both {
		return isList && both && slices.Equal(list, other)
	}
	return a == b
}
