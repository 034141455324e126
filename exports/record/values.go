package record

import (
	"slices"

	"kindex/exports/jsonenc"
	"kindex/exports/kinds"
)

// Value is what is known of a declared field: not nil, and of the Go type that the field's type names.
type Value struct {
	Field *kinds.Field
	Value any
}

// Values are the known values of an entity's declared fields, in the order of records.
type Values []Value

// Get returns the value of the field with a path, such as parameters.total, or nil if it is unknown.
func (l Values) Get(path string) any {
	for i := range l {
		if l[i].Field.Path == path {
			return l[i].Value
		}
	}
	return nil
}

// Text returns the text in a field, or "" if it is unknown.
func (l Values) Text(path string) string {
	text, _ := l.Get(path).(string)
	return text
}

// Texts returns the list in a field, or nil if it is unknown.
func (l Values) Texts(path string) []string {
	list, _ := l.Get(path).([]string)
	return list
}

// Number returns the number in a field, or 0 if it is unknown.
func (l Values) Number(path string) float64 {
	n, _ := l.Get(path).(float64)
	return n
}

// Set stores what is known of a field, in the form in memory, and what follows from it for computed fields. nil
// makes it unknown.
func (l *Values) Set(f *kinds.Field, v any) {
	l.set(f, v)
	for _, computed := range f.Computed {
		l.set(computed, computed.Compute(v))
	}
}

func (l *Values) set(f *kinds.Field, v any) {
	i, found := slices.BinarySearchFunc(*l, f, func(x Value, f *kinds.Field) int { return x.Field.Compare(f) })
	switch {
	case v == nil && found:
		*l = slices.Delete(*l, i, i+1)
	case v != nil && found:
		(*l)[i].Value = v
	case v != nil:
		*l = slices.Insert(*l, i, Value{f, v})
	}
}

// Equal reports whether two entities know the same of their declared fields.
func (l Values) Equal(m Values) bool {
	return slices.EqualFunc(l, m, func(a, b Value) bool { return a.Field.Path == b.Field.Path && kinds.Equal(a.Value, b.Value) })
}

// Declared returns what the index of an entity declares.
func (e *Entity) Declared() *kinds.Set {
	if e.Kinds == nil {
		return kinds.Default()
	}
	return e.Kinds
}

// Answer returns the answer in a boolean field: "true", "false", or "" if it is unknown.
func (l Values) Answer(path string) string {
	switch l.Get(path) {
	case true:
		return "true"
	case false:
		return "false"
	}
	return ""
}

// decode takes the value of a field, or the values of a group's parts, from decoded YAML or JSON. It skips
// values of another type, and of computed fields: their values follow from others.
func (l *Values) decode(f *kinds.Field, value any) {
	switch parts, _ := value.(map[string]any); {
	case f.IsGroup():
		for _, part := range f.Parts {
			l.decode(part, parts[part.Name])
		}
	case f.ComputedFrom == "":
		l.Set(f, f.Accept(value))
	}
}

// ValuesOf returns the values of the fields that a set declares among the fields of a file. It skips
// values of another type.
func ValuesOf(declared *kinds.Set, fields map[string]any) (l Values) {
	for _, f := range declared.Fields {
		if v, ok := fields[f.Name]; ok {
			l.decode(f, v)
		}
	}
	return l
}

// Reference is a field of an entity that names another one.
type Reference struct {
	Field *kinds.Field
	Key   string // type/slug
	Index int    // in the list of the field, or -1 if it is no list
}

// References returns what the declared fields of an entity name, in the order of the record.
func (e *Entity) References() (list []Reference) {
	for _, v := range e.Values {
		if v.Field.Words() != kinds.Reference {
			continue
		}
		for i, key := range v.Field.Texts(v.Value) {
			if !v.Field.IsList() {
				i = -1
			}
			list = append(list, Reference{v.Field, key, i})
		}
	}
	return list
}

// PriceSummary is what a model costs per million tokens: at its maker, or the median of
// all offers.
type PriceSummary struct {
	Input, Output Price
	Blended       Price  // (3·input + output)/4
	Provider      string // slug of the maker, "" for a median
	Date          string // the earliest day on which one of its offers was read, "" if unknown
}

// AppendJSON appends the summary as one compact object, or null if no price is known.
func (p *PriceSummary) AppendJSON(dst []byte) []byte {
	if !p.Input.Known() && !p.Output.Known() {
		return append(dst, "null"...)
	}
	return appendObject(dst, []member{{"input", &p.Input}, {"output", &p.Output}, {"blended", &p.Blended}, {"provider", &p.Provider}, {"date", &p.Date}})
}

// Lifecycle is the announced end of an entity.
type Lifecycle struct {
	Deprecated, Retires string // days
	ReplacedBy          string // type/slug of its successor
	Source              string // URL of the announcement
}

// AppendJSON appends the lifecycle as one compact object, or null if l is nil.
func (l *Lifecycle) AppendJSON(dst []byte) []byte {
	if l == nil {
		return append(dst, "null"...)
	}
	return append(jsonenc.AppendTexts(append(dst, '{'), "deprecated", l.Deprecated, "retires", l.Retires, "replacedBy", l.ReplacedBy, "source", l.Source), '}')
}

// The values of Maintenance.State.
const (
	Maintained = "active"
	Slow       = "slow"
	Dormant    = "dormant"
	Archived   = "archived"
)

// MaintenanceStates lists the values of Maintenance.State, best first.
var MaintenanceStates = []string{Maintained, Slow, Dormant, Archived}

// Maintenance is how recently the repository of an entity changed.
type Maintenance struct {
	State string // one of MaintenanceStates, "" if unknown
	AsOf  string // the day when that was read, "" if unknown
}

// Bounds of maintenance, in days, between the latest commit and the day when it was read.
const (
	maxMaintainedDays = 180
	maxSlowDays       = 365
)

// MaxMaintenanceDays is the number of days after which a reading of maintenance no longer counts.
const MaxMaintenanceDays = 400

// MaintenanceOf returns the maintenance of an entity with these signals on a day. It
// depends on the day only because an old reading no longer counts.
func MaintenanceOf(s *Signals, day int32) Maintenance {
	archived, _ := s.Fact("archived")
	last, _ := s.Fact("lastCommit")
	m := Maintenance{Dormant, last.Date}
	if archived.Number == 1 {
		m = Maintenance{Archived, archived.Date}
	} else if age, ok := DaysApart(last.Day, last.Date); !ok {
		return Maintenance{}
	} else if age <= maxMaintainedDays {
		m.State = Maintained
	} else if age <= maxSlowDays {
		m.State = Slow
	}
	// Without a known day, a reading is never too old.
	if read, err := DayNumber(m.AsOf); err != nil || read == NoDate || day != NoDate && day-read > MaxMaintenanceDays {
		return Maintenance{}
	}
	return m
}
