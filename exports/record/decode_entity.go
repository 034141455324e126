package record

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"kindex/exports/jsonenc"
)

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

// Decode is like UnmarshalJSON for a record without white space that is known to be valid JSON. The entity's
// texts stay parts of b, which must not change afterwards: a catalogue is in memory only once.
func (e *Entity) Decode(b []byte) error {
	if len(b) == 0 || b[0] != '{' {
		return fmt.Errorf("entity record: expected an object, got %.20q", b)
	}
	*e = Entity{Kinds: e.Kinds}
	d := entityDecoder{e: e}
	for name, value := range jsonenc.Members(b) {
		if err := d.member(string(name), value); err != nil {
			return fmt.Errorf("entity record: %s: %w", name, err)
		}
	}
	slices.SortFunc(e.Links, func(a, b Link) int { return strings.Compare(a.Name, b.Name) })
	slices.SortFunc(e.Signals.Facts, func(a, b Fact) int { return strings.Compare(a.Name, b.Name) })
	e.Tags, e.Capabilities, e.Formerly = fitted(e.Tags), fitted(e.Capabilities), fitted(e.Formerly)
	e.Links, e.Signals.Facts, e.Signals.Benchmarks = fitted(e.Links), fitted(e.Signals.Facts), fitted(e.Signals.Benchmarks)
	e.IDs, e.Offers = decodeIDs(d.ids), decodeOffers(d.offers)
	return nil
}

// entityDecoder decodes the members of a record.
type entityDecoder struct {
	e      *Entity
	ids    map[string][]string
	offers []offerJSON
}

func (d *entityDecoder) member(name string, value []byte) error {
	if text := d.e.text(name); text != nil {
		return jsonenc.Decode(value, text)
	}
	switch name {
	case "tags":
		return jsonenc.Decode(value, &d.e.Tags)
	case "capabilities":
		return jsonenc.Decode(value, &d.e.Capabilities)
	case "formerly": // only in what AppendAuthored wrote
		return jsonenc.Decode(value, &d.e.Formerly)
	case "rest": // likewise
		d.e.Rest = DecodeRest(value)
		return nil
	case "scores":
		return jsonenc.Decode(value, &d.e.Scores)
	case "links":
		return jsonenc.DecodeMembers(value, func(name string, url []byte) error {
			d.e.Links = append(d.e.Links, Link{Name: name})
			return jsonenc.Decode(url, &d.e.Links[len(d.e.Links)-1].URL)
		})
	case "signals":
		return d.e.Signals.decode(value)
	case "lifecycle":
		return jsonenc.Decode(value, &d.e.Lifecycle)
	case "price":
		return jsonenc.Decode(value, &d.e.Price)
	case "ids":
		return jsonenc.Decode(value, &d.ids)
	case "offers":
		return jsonenc.Decode(value, &d.offers)
	}
	for _, f := range d.e.Declared().Fields {
		if f.Name == name && string(value) != "null" {
			var v any
			if err := jsonenc.Decode(value, &v); err != nil {
				return err
			}
			d.e.Values.decode(f, v)
		}
	}
	return nil
}

// text returns where the text with a name is stored, or nil if the member is not a text.
func (e *Entity) text(name string) *string {
	switch name {
	case "addedDate":
		return &e.AddedDate
	case "lastUpdated":
		return &e.LastUpdated
	case "status":
		return &e.Status
	case "maintenance":
		return &e.Maintenance.State
	case "maintenanceAsOf":
		return &e.Maintenance.AsOf
	}
	for _, t := range e.texts() {
		if t.name == name {
			return t.value
		}
	}
	return nil
}

func (s *Signals) decode(object []byte) error {
	return jsonenc.DecodeMembers(object, func(name string, value []byte) (err error) {
		if name == "benchmarks" {
			err = jsonenc.Decode(value, &s.Benchmarks)
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
}

func (f *Fact) decode(object []byte) error {
	known := false
	err := jsonenc.DecodeMembers(object, func(name string, value []byte) error {
		switch name {
		case "value":
			if known = string(value) != "null"; value[0] == '"' {
				return jsonenc.Decode(value, &f.Day)
			}
			return jsonenc.Decode(value, &f.Number)
		case "date":
			return jsonenc.Decode(value, &f.Date)
		case "source":
			return jsonenc.Decode(value, &f.Source)
		}
		return nil
	})
	if err == nil && !known {
		err = errors.New("has no value")
	}
	return err
}
