package record

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"kindex/exports/jsonenc"
)

// UnmarshalJSON decodes a record that AppendJSON or AppendAuthored wrote, of the kinds that e.Kinds declares.
func (e *Entity) UnmarshalJSON(b []byte) error {
	if !json.Valid(b) {
		return fmt.Errorf("entity record: %w", json.Unmarshal(b, new(any)))
	}
	if string(b) == "null" { // by convention
		return nil
	}
	b = jsonenc.Compact(b)
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
	for _, name := range slices.Sorted(maps.Keys(d.links)) {
		e.Links = append(e.Links, Link{name, d.links[name]})
	}
	e.Tags, e.Capabilities, e.Formerly = orNil(e.Tags), orNil(e.Capabilities), orNil(e.Formerly)
	e.IDs, e.Offers = decodeIDs(d.ids), decodeOffers(d.offers)
	return nil
}

// entityDecoder decodes the members of a record.
type entityDecoder struct {
	e      *Entity
	links  map[string]string
	ids    map[string][]string
	offers []offerJSON
}

func (d *entityDecoder) member(name string, value []byte) error {
	if text := d.e.text(name); text != nil {
		return json.Unmarshal(value, text)
	}
	switch name {
	case "tags":
		return json.Unmarshal(value, &d.e.Tags)
	case "capabilities":
		return json.Unmarshal(value, &d.e.Capabilities)
	case "formerly": // only in what AppendAuthored wrote
		return json.Unmarshal(value, &d.e.Formerly)
	case "rest": // likewise
		d.e.Rest = DecodeRest(value)
		return nil
	case "scores":
		return json.Unmarshal(value, &d.e.Scores)
	case "links":
		return json.Unmarshal(value, &d.links)
	case "signals":
		return d.e.Signals.decode(value)
	case "lifecycle":
		return json.Unmarshal(value, &d.e.Lifecycle)
	case "price":
		return json.Unmarshal(value, &d.e.Price)
	case "ids":
		return json.Unmarshal(value, &d.ids)
	case "offers":
		return json.Unmarshal(value, &d.offers)
	}
	for _, f := range d.e.Declared().Fields {
		if f.Name == name && string(value) != "null" {
			var v any
			if err := json.Unmarshal(value, &v); err != nil {
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
	var all map[string]json.RawMessage
	if err := json.Unmarshal(object, &all); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		var err error
		if name == "benchmarks" {
			err = json.Unmarshal(all[name], &s.Benchmarks)
		} else {
			f := Fact{Name: name}
			err = f.decode(all[name])
			s.Facts = append(s.Facts, f)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

func (f *Fact) decode(object []byte) error {
	var stated struct {
		Value        any
		Date, Source string
	}
	if err := json.Unmarshal(object, &stated); err != nil {
		return err
	}
	f.Date, f.Source = stated.Date, stated.Source
	switch v := stated.Value.(type) {
	case string:
		f.Day = v
	case float64:
		f.Number = v
	default:
		return errors.New("has no value")
	}
	return nil
}
