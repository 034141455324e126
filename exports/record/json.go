package record

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"kindex/exports/jsonenc"
	"kindex/exports/kinds"
)

// appendMembers appends the members of a record in order. All records of an index have the same: the fields of all its
// kinds, and the members of the blocks that at least one kind has. With a list that has room for them, nothing is
// allocated for each record.
func (e *Entity) appendMembers(list []member) []member {
	texts, declared := e.texts(), e.Declared()
	list = append(list, texts[:coreTexts]...)
	list = append(list, member{"tags", &e.Tags}, member{"capabilities", &e.Capabilities}, member{"scores", &e.Scores})
	list = append(list, texts[coreTexts:recordTexts]...)
	list = append(list, member{"links", &e.Links}, member{"signals", &e.Signals}, member{"ids", &e.IDs})
	values := make([]declaredValue, len(declared.Fields))
	for i, f := range declared.Fields {
		values[i] = declaredValue{e, f}
		list = append(list, member{f.Name, &values[i]})
	}
	if declared.HasBlock(kinds.Lifecycle) {
		list = append(list, member{"lifecycle", &e.Lifecycle})
	}
	if declared.HasBlock(kinds.Maintenance) {
		list = append(list, texts[recordTexts:]...)
	}
	if declared.HasBlock(kinds.Offers) {
		count := float64(len(e.Offers))
		list = append(list, member{"price", &e.Price}, member{"offerCount", &count}, member{"offers", &e.Offers})
	}
	return list
}

// usualMembers is more than the number of members of a record with the fields of kinds.Default.
const usualMembers = 64

// The number of texts at the start of a record, in a record without the block maintenance, and in all.
const (
	coreTexts   = 10
	recordTexts = 13
	allTexts    = 15
)

// texts returns the members of a record that are texts.
func (e *Entity) texts() [allTexts]member {
	return [...]member{{"type", &e.Type}, {"slug", &e.Slug}, {"name", &e.Name}, {"provider", &e.Provider},
		{"description", &e.Description}, {"category", &e.Category}, {"version", &e.Version},
		{"pricingModel", &e.PricingModel}, {"license", &e.License}, {"url", &e.URL},
		{"addedDate", &e.AddedDate}, {"lastUpdated", &e.LastUpdated}, {"status", &e.Status},
		{"maintenance", &e.Maintenance.State}, {"maintenanceAsOf", &e.Maintenance.AsOf}}
}

// RecordFields lists the members of a record's JSON object in order.
func RecordFields(declared *kinds.Set) (names []string) {
	for _, m := range (&Entity{Kinds: declared}).appendMembers(nil) {
		names = append(names, m.name)
	}
	return names
}

// AppendJSON appends the record as one compact object with the RecordFields in
// order. Unknown values are null, [] or {}, never missing or "".
func (e *Entity) AppendJSON(dst []byte) []byte {
	return appendObject(dst, e.appendMembers(make([]member, 0, usualMembers)))
}

// AppendAuthored appends the record as its author wrote it: with earlier slugs, but
// without what is computed or derived from the history. Entity.UnmarshalJSON decodes it.
func (e *Entity) AppendAuthored(dst []byte) []byte {
	authored := *e
	if e.AddedDerived {
		authored.AddedDate = ""
	}
	if e.UpdatedDerived {
		authored.LastUpdated = ""
	}
	list := slices.DeleteFunc(authored.appendMembers(nil), func(m member) bool {
		return slices.Contains([]string{"scores", "maintenance", "maintenanceAsOf", "price", "offerCount"}, m.name)
	})
	return appendObject(dst, append(list, member{"formerly", optional{&e.Formerly}}, member{"rest", optional{&e.Rest}}))
}

// UnmarshalJSON decodes a record that AppendJSON or AppendAuthored wrote, of the kinds that e.Kinds declares.
func (e *Entity) UnmarshalJSON(b []byte) error {
	if string(b) == "null" { // by convention
		return nil
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, b); err != nil {
		return fmt.Errorf("entity record: %w", err)
	}
	return e.Decode(compact.Bytes())
}

// Decode is like UnmarshalJSON for a record without white space that is known to be valid JSON.
func (e *Entity) Decode(b []byte) error {
	if len(b) == 0 || b[0] != '{' {
		return fmt.Errorf("entity record: expected an object, got %.20q", b)
	}
	*e = Entity{Kinds: e.Kinds}
	if err := decodeObject(b, append(e.appendMembers(make([]member, 0, usualMembers)), member{"formerly", &e.Formerly}, member{"rest", &e.Rest})); err != nil {
		return fmt.Errorf("entity record: %w", err)
	}
	return nil
}

// AppendJSON appends an object with all ScoreNames.
func (s *Scores) AppendJSON(dst []byte) []byte {
	var list []member
	for _, name := range ScoreNames {
		list = append(list, member{name, s.slot(name)})
	}
	return appendObject(dst, list)
}

// AppendJSON appends an object with the facts and the benchmarks by name.
func (s *Signals) AppendJSON(dst []byte) []byte {
	list := make([]member, 0, len(s.Facts)+1)
	for i := range s.Facts {
		list = append(list, member{s.Facts[i].Name, &s.Facts[i]})
	}
	list = append(list, member{"benchmarks", optional{&s.Benchmarks}})
	slices.SortFunc(list, func(a, b member) int { return strings.Compare(a.name, b.name) })
	return appendObject(dst, list)
}

func (s *Signals) decode(object []byte) error {
	err := jsonenc.DecodeMembers(object, func(name string, value []byte) (err error) {
		if name == "benchmarks" {
			err = decodeValue(value, &s.Benchmarks)
		} else {
			f := Fact{Name: name}
			err = f.decode(value)
			s.Facts = append(s.Facts, f)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		return nil
	})
	slices.SortFunc(s.Facts, func(a, b Fact) int { return strings.Compare(a.Name, b.Name) })
	return err
}

// AppendJSON appends an object with the value of a fact, and when and where it was read.
func (f *Fact) AppendJSON(dst []byte) []byte {
	return appendObject(dst, []member{{"value", f.value()}, {"date", &f.Date}, {"source", &f.Source}})
}

// value returns where the value of a fact is: a day or a number.
func (f *Fact) value() any {
	if f.Day != "" {
		return &f.Day
	}
	return &f.Number
}

func (f *Fact) decode(object []byte) error {
	var r struct {
		Value        json.RawMessage
		Date, Source string
	}
	if err := jsonenc.Borrow(object, &r); err != nil {
		return err
	}
	f.Date, f.Source = share(r.Date), share(r.Source)
	if len(r.Value) == 0 || string(r.Value) == "null" {
		return errors.New("has no value")
	}
	if r.Value[0] != '"' {
		return jsonenc.Decode(r.Value, &f.Number)
	}
	err := jsonenc.Borrow(r.Value, &f.Day)
	f.Day = share(f.Day)
	return err
}

func (b *Benchmark) members() []member {
	return slices.Concat([]member{{"name", &b.Name}, {"value", &b.Value}}, b.details(),
		[]member{{"date", &b.Date}, {"source", &b.Source}})
}

// details returns the members between a result's value and its date.
func (b *Benchmark) details() []member {
	return []member{{"metric", &b.Metric}, {"harness", &b.Harness}, {"variant", &b.Variant}, {"dataset", &b.Dataset},
		{"version", &b.Version}, {"by", &b.By}, {"publisher", &b.Publisher}}
}
