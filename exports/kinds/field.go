package kinds

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"kindex/exports/jsonenc"
)

// Type is a type of values.
type Type string

// The types of values, and the Go types of their values in memory.
const (
	Text       Type = "text"       // one line; string
	Slug       Type = "slug"       // lower-case letters and digits with single hyphens; string
	Boolean    Type = "boolean"    // bool
	Count      Type = "count"      // an integer from 0 to 2^53-1; float64
	Number     Type = "number"     // float64
	Year       Type = "year"       // from 1 to 9999; float64
	Duration   Type = "duration"   // in files, such as 1h30m; float64 in seconds
	Size       Type = "size"       // in files, such as 16 GB, or a count of bytes; float64 in bytes
	Date       Type = "date"       // YYYY-MM-DD; string
	Month      Type = "month"      // YYYY-MM, or YYYY or YYYY-MM-DD if less or more is known; string
	URL        Type = "url"        // string
	Enum       Type = "enum"       // one of some words; string
	List       Type = "list"       // of text, slug, enum, url or number; []string or, of number, []float64
	Reference  Type = "reference"  // the address of another entity, kind/slug; string
	References Type = "references" // several of them; []string
	Group      Type = "group"      // parts with names, each a field of its own
	Range      Type = "range"      // a group with the numbers from and to
)

// Field is a declared fact of entities.
type Field struct {
	Name        string            `json:"name" yaml:"-"`
	Type        Type              `json:"type"`
	Of          Type              `json:"of,omitempty"` // the type of a list's elements
	Title       string            `json:"title"`        // capitalized
	Description string            `json:"description,omitempty"`
	Unit        string            `json:"unit,omitempty"`
	Values      []string          `json:"values,omitempty" yaml:"-"` // of an enum
	Titles      map[string]string `json:"titles,omitempty" yaml:"-"` // of the Values that have one
	Kinds       []string          `json:"kinds,omitempty"`           // of entities that a reference can name; nil for any
	Inverse     string            `json:"inverse,omitempty"`         // the title of a reference, seen from the entity that it names
	Dated       bool              `json:"dated,omitempty"`           // whether it is a group of a value, a date and a source

	Path       string   `json:"-"`              // Name or, for a part of a group, the group's name, a point and Name
	Parts      []*Field `json:"-"`              // of a group
	Group      *Field   `json:"-"`              // that the field is a part of, or nil
	Limit      int      `json:"-" yaml:"limit"` // the maximum length of a text or list; 0 for that of its type
	Minimum    *float64 `json:"-" yaml:"minimum"`
	Maximum    *float64 `json:"-" yaml:"maximum"`
	AtMost     string   `json:"-" yaml:"atMost"`     // the name of another part of the group whose value is not less
	Filter     bool     `json:"-" yaml:"filter"`     // whether lists can be filtered by it
	Sort       bool     `json:"-" yaml:"sort"`       // whether lists can be sorted by it
	Page       bool     `json:"-" yaml:"page"`       // whether each of its words has a page
	Query      string   `json:"-" yaml:"query"`      // the name of the filter; for numbers and days, it follows min and max
	Signal     string   `json:"-" yaml:"signal"`     // the signal that says its value where the field is unknown
	Vocabulary string   `json:"-" yaml:"vocabulary"` // the part of vocabulary.yaml that lists its words, or ""

	ComputedFrom string   `json:"-" yaml:"computedFrom"` // the path of the number of which it is a multiple; "" if files say it
	Times        float64  `json:"-" yaml:"times"`        // the factor
	Computed     []*Field `json:"-" yaml:"-"`            // the fields that are computed from it

	index int // in Set.Leaves
}

// SetTitle sets the title of one of the field's words, unless it is "".
func (f *Field) SetTitle(word, title string) {
	if title != "" {
		if f.Titles == nil {
			f.Titles = map[string]string{}
		}
		f.Titles[word] = title
	}
}

// Compare orders fields as records do.
func (f *Field) Compare(g *Field) int { return f.index - g.index }

// Column returns the name of the field's column in tables: parametersTotal for parameters.total.
func (f *Field) Column() string {
	switch {
	case f.Group == nil:
		return f.Name
	case f.Group.Dated && f.Name == ValuePart:
		return f.Group.Name
	}
	return f.Group.Name + upper(f.Name)
}

// Slug returns the first part of the addresses of the pages of its values: food-safe for foodSafe.
func (f *Field) Slug() string {
	var b strings.Builder
	for _, r := range f.Column() {
		if unicode.IsUpper(r) {
			b.WriteByte('-')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// Compute returns the value of a computed field for the number that it is computed from: a multiple, rounded up
// where the type has no fractions; nil for what is not a number.
func (f *Field) Compute(from any) any {
	x, ok := from.(float64)
	switch {
	case !ok:
		return nil
	case f.Type == Number || f.Type == Duration:
		return x * f.Times
	}
	return math.Ceil(x * f.Times)
}

func upper(name string) string { return strings.ToUpper(name[:1]) + name[1:] }

// Words returns the type of the field's words: the type of a list's elements, or its own.
func (f *Field) Words() Type {
	switch f.Type {
	case List:
		return f.Of
	case References:
		return Reference
	}
	return f.Type
}

// IsGroup reports whether the field has parts instead of a value.
func (f *Field) IsGroup() bool { return f.Parts != nil }

// IsList reports whether the field has several values.
func (f *Field) IsList() bool { return f.Type == List || f.Type == References }

// Splits reports whether a comma in a value of the field's filter separates words, all of which an entity must
// have: those of lists, except of texts, which may contain commas.
func (f *Field) Splits() bool { return f.IsList() && f.Words() != Text }

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

// Address returns the address of an entity that a text names in a reference: kind/slug or, if references can name
// only one kind, the slug alone. It returns "" if the text is neither.
func (f *Field) Address(text string) string {
	text = strings.ToLower(text)
	kind, slug, whole := strings.Cut(text, "/")
	if !whole && len(f.Kinds) == 1 {
		kind, slug = f.Kinds[0], text
	}
	if slug == "" || strings.Trim(slug, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" || f.Kinds != nil && !slices.Contains(f.Kinds, kind) {
		return ""
	}
	return kind + "/" + slug
}

// AddressForms returns what the addresses of the entities that a reference can name look like.
func (f *Field) AddressForms() (list []string) {
	for _, kind := range f.Kinds {
		list = append(list, kind+"/slug")
	}
	if list == nil {
		list = []string{"kind/slug"}
	}
	return list
}

// IsNumber reports whether values of the field are numbers.
func (f *Field) IsNumber() bool { return f.Type.IsNumber() }

// IsNumber reports whether values of the type are numbers.
func (t Type) IsNumber() bool {
	return t == Count || t == Number || t == Year || t == Duration || t == Size
}

// UnitShown returns the unit of the field's numbers, unless its title or, as 1h30m and 16 GB do, their text says it.
func (f *Field) UnitShown() string {
	if (f.IsNumber() && f.Type != Duration && f.Type != Size || f.Of == Number) && !strings.Contains(strings.ToLower(f.Title), strings.ToLower(f.Unit)) {
		return f.Unit
	}
	return ""
}

// IsDay reports whether values of the field are days or months.
func (f *Field) IsDay() bool { return f.Type == Date || f.Type == Month }

// Limits returns the names of the parameters that limit the field from below and above: minParameters and
// maxParameters. A name is "" if there is no such parameter. A range is limited so that it overlaps.
func (f *Field) Limits() (lowest, highest string) {
	if !f.Filter || !f.IsNumber() && !f.IsDay() {
		return "", ""
	}
	lowest, highest = "min"+upper(f.Query), "max"+upper(f.Query)
	if f.Group != nil && f.Group.Type == Range {
		if f.Name == FromPart {
			return "", highest
		}
		return lowest, ""
	}
	return lowest, highest
}

// LimitNames returns the names of Limits for a message, or "".
func (f *Field) LimitNames() string {
	lowest, highest := f.Limits()
	if lowest == "" || highest == "" {
		return lowest + highest
	}
	return lowest + " or " + highest
}

// SortKey returns the name by which lists are sorted by the field.
func (f *Field) SortKey() string { return strings.ToLower(f.Query[:1]) + f.Query[1:] }

// Accept converts a decoded YAML or JSON value to the form in memory. It returns nil for a value of
// another type, for null and for an empty text or list. Whether the value is valid otherwise is for the
// schema to say.
func (f *Field) Accept(v any) any {
	switch v := v.(type) {
	case string:
		return f.acceptText(strings.TrimSpace(v))
	case bool:
		if f.Type == Boolean {
			return v
		}
	case int64:
		switch {
		case f.IsNumber():
			return float64(v)
		case f.Type == Text || f.Type == Month: // nobody writes quotes around a year
			return strconv.FormatInt(v, 10)
		}
	case float64:
		if f.IsNumber() && !math.IsInf(v, 0) && !math.IsNaN(v) {
			return v
		}
	case []string:
		if f.IsList() && len(v) > 0 {
			return v
		}
	case []any:
		return f.acceptList(v)
	}
	return nil
}

func (f *Field) acceptText(text string) any {
	switch f.Type {
	case Text, Slug, Date, Month, URL, Enum, Reference:
		if text != "" {
			return strings.Clone(text)
		}
	case Duration:
		if seconds, ok := ParseDuration(text); ok {
			return seconds
		}
	case Size:
		if bytes, ok := ParseSize(text); ok {
			return bytes
		}
	}
	return nil
}

func (f *Field) acceptList(items []any) any {
	if !f.IsList() {
		return nil
	}
	var texts []string
	var numbers []float64
	for _, item := range items {
		switch v := item.(type) {
		case string:
			if v = strings.TrimSpace(v); v != "" && f.Of != Number {
				texts = append(texts, strings.Clone(v))
			}
		case int64:
			numbers = append(numbers, float64(v))
		case float64:
			numbers = append(numbers, v)
		}
	}
	switch {
	case f.Of == Number && numbers != nil:
		return numbers
	case f.Of != Number && texts != nil:
		return texts
	}
	return nil
}

// AppendJSON appends a value, or null or [] for nil.
func (f *Field) AppendJSON(dst []byte, v any) []byte {
	if v == nil && f.IsList() {
		return append(dst, "[]"...)
	}
	return jsonenc.AppendValue(dst, v)
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
	case []float64:
		list := make([]string, len(v))
		for i, x := range v {
			list[i] = strconv.FormatFloat(x, 'f', -1, 64)
		}
		return list
	}
	return nil
}

// Equal reports whether two values of one field are the same.
func Equal(a, b any) bool {
	switch a := a.(type) {
	case []string:
		other, ok := b.([]string)
		return ok && slices.Equal(a, other)
	case []float64:
		other, ok := b.([]float64)
		return ok && slices.Equal(a, other)
	}
	switch b.(type) {
	case []string, []float64:
		return false
	}
	return a == b
}
