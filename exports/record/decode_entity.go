package record

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"kindex/exports/jsonenc"
)

// UnmarshalJSON decodes a record that AppendJSON or AppendAuthored wrote, of the kinds that e.Kinds declares. Pages decode dozens of records, so
// it decodes most members itself and leaves only those that few records have to encoding/json: this takes
// about half the time.
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
		return decodeText(text, value)
	}
	if string(value) == "null" {
		return nil
	}
	switch name {
	case "tags":
		return decodeTexts(&d.e.Tags, value)
	case "capabilities":
		return decodeTexts(&d.e.Capabilities, value)
	case "formerly": // only in what AppendAuthored wrote
		return decodeTexts(&d.e.Formerly, value)
	case "rest": // likewise
		d.e.Rest = DecodeRest(value)
		return nil
	case "scores":
		return d.scores(value)
	case "links":
		return d.links(value)
	case "signals":
		return d.signals(value)
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
		if f.Name == name {
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

// expect returns an error unless a value starts like an array, an object or a string.
func expect(value []byte, start byte, what string) error {
	if len(value) == 0 || value[0] != start {
		return fmt.Errorf("expected %s, got %.20q", what, value)
	}
	return nil
}

// decodeText decodes a string or null.
func decodeText(to *string, value []byte) error {
	if string(value) == "null" {
		return nil
	}
	if err := expect(value, '"', "a string"); err != nil {
		return err
	}
	*to = jsonenc.Text(value)
	return nil
}

// decodeTexts decodes an array of strings. The result is nil if there are none.
func decodeTexts(to *[]string, array []byte) error {
	if err := expect(array, '[', "an array"); err != nil {
		return err
	}
	*to = nil
	for value := range jsonenc.Elements(array) {
		var text string
		if err := decodeText(&text, value); err != nil {
			return err
		}
		*to = append(*to, text)
	}
	return nil
}

// decodeMembers calls decode with each member of an object. It returns the first error.
func decodeMembers(object []byte, decode func(name string, value []byte) error) error {
	if err := expect(object, '{', "an object"); err != nil {
		return err
	}
	for name, value := range jsonenc.Members(object) {
		if err := decode(string(name), value); err != nil {
			return err
		}
	}
	return nil
}

func (d *entityDecoder) links(object []byte) error {
	err := decodeMembers(object, func(name string, value []byte) error {
		l := Link{Name: name}
		err := decodeText(&l.URL, value)
		d.e.Links = append(d.e.Links, l)
		return err
	})
	slices.SortFunc(d.e.Links, func(a, b Link) int { return strings.Compare(a.Name, b.Name) })
	return err
}

func (d *entityDecoder) scores(object []byte) error {
	return decodeMembers(object, func(name string, value []byte) error {
		if to := d.e.Scores.slot(name); to != nil {
			return to.UnmarshalJSON(value)
		}
		return nil
	})
}

func (d *entityDecoder) signals(object []byte) error {
	err := decodeMembers(object, func(name string, value []byte) (err error) {
		if name == "benchmarks" {
			err = d.benchmarks(value)
		} else {
			f := Fact{Name: name}
			err = f.decode(value)
			d.e.Signals.Facts = append(d.e.Signals.Facts, f)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		return nil
	})
	slices.SortFunc(d.e.Signals.Facts, func(a, b Fact) int { return strings.Compare(a.Name, b.Name) })
	return err
}

func (f *Fact) decode(object []byte) error {
	known := false
	err := decodeMembers(object, func(member string, value []byte) (err error) {
		switch member {
		case "value":
			if known = true; value[0] == '"' {
				return decodeText(&f.Day, value)
			}
			f.Number, err = strconv.ParseFloat(string(value), 64)
		case "date":
			return decodeText(&f.Date, value)
		case "source":
			return decodeText(&f.Source, value)
		}
		return err
	})
	if err == nil && !known {
		err = errors.New("has no value")
	}
	return err
}

func (d *entityDecoder) benchmarks(array []byte) error {
	if err := expect(array, '[', "an array"); err != nil {
		return err
	}
	for object := range jsonenc.Elements(array) {
		b, err := parseBenchmark(object)
		if err != nil {
			return err
		}
		d.e.Signals.Benchmarks = append(d.e.Signals.Benchmarks, b)
	}
	return nil
}

func parseBenchmark(object []byte) (b Benchmark, err error) {
	details := b.details()
	texts := append(details[:], detail{"name", &b.Name}, detail{"date", &b.Date}, detail{"source", &b.Source})
	err = decodeMembers(object, func(name string, value []byte) (err error) {
		if name == "value" {
			b.Value, err = strconv.ParseFloat(string(value), 64)
		}
		for _, t := range texts {
			if t.name == name {
				err = decodeText(t.value, value)
			}
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		return nil
	})
	return b, err
}
