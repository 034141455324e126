package record

import (
	"encoding/json"
	"fmt"
	"strconv"

	"kindex/exports/jsonenc"
)

// UnmarshalJSON decodes a record that AppendJSON or AppendAuthored wrote. Pages decode dozens of records, so
// this selects the members itself, and leaves only those that few records have to encoding/json: that takes
// a third of the time.
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
	*e = Entity{}
	d := entityDecoder{e: e}
	for name, value := range jsonenc.Members(b) {
		if err := d.member(string(name), value); err != nil {
			return fmt.Errorf("entity record: %s: %w", name, err)
		}
	}
	e.Model, e.IDs, e.Offers = d.model.model(), decodeIDs(d.ids), decodeOffers(d.offers)
	return nil
}

// entityDecoder decodes the members of a record.
type entityDecoder struct {
	e      *Entity
	model  modelJSON
	ids    map[string][]string
	offers []offerJSON
}

func (d *entityDecoder) member(name string, value []byte) error {
	if text := d.text(name); text != nil {
		*text = jsonenc.Text(value)
		return nil
	}
	if string(value) == "null" {
		return nil
	}
	switch name {
	case "tags":
		d.e.Tags = texts(value)
	case "capabilities":
		d.e.Capabilities = texts(value)
	case "formerly": // only in what AppendAuthored wrote
		d.e.Formerly = texts(value)
	case "scores":
		return d.scores(value)
	case "links":
		for name, url := range jsonenc.Members(value) { // sorted by name
			d.e.Links = append(d.e.Links, Link{Name: string(name), URL: jsonenc.Text(url)})
		}
	case "signals":
		return d.signals(value)
	default:
		if to := d.other(name); to != nil {
			return json.Unmarshal(value, to)
		}
	}
	return nil
}

// text returns where the text with a name is stored, or nil if the member is not a text.
func (d *entityDecoder) text(name string) *string {
	e := d.e
	switch name {
	case "type":
		return &e.Type
	case "slug":
		return &e.Slug
	case "name":
		return &e.Name
	case "provider":
		return &e.Provider
	case "description":
		return &e.Description
	case "category":
		return &e.Category
	case "version":
		return &e.Version
	case "pricingModel":
		return &e.PricingModel
	case "license":
		return &e.License
	case "url":
		return &e.URL
	case "addedDate":
		return &e.AddedDate
	case "lastUpdated":
		return &e.LastUpdated
	case "status":
		return &e.Status
	case "maintenance":
		return &e.Computed.Maintenance.State
	case "maintenanceAsOf":
		return &e.Computed.Maintenance.AsOf
	case "family":
		return &d.model.Family
	case "knowledge":
		return &d.model.Knowledge
	}
	return nil
}

// other returns what encoding/json decodes a member into, or nil if there is no such member.
func (d *entityDecoder) other(name string) any {
	switch name {
	case "lifecycle":
		return &d.e.Lifecycle
	case "price":
		return &d.e.Computed.Price
	case "ids":
		return &d.ids
	case "offers":
		return &d.offers
	case "openWeights":
		return &d.model.OpenWeights
	case "modalities":
		return &d.model.Modalities
	case "parameters":
		return &d.model.Parameters
	case "reasoning":
		return &d.model.Reasoning
	case "reasoningEfforts":
		return &d.model.ReasoningEfforts
	}
	return nil
}

// texts returns the strings in an array, not nil.
func texts(array []byte) []string {
	list := make([]string, 0, 8)
	for value := range jsonenc.Elements(array) {
		list = append(list, jsonenc.Text(value))
	}
	return list
}

func (d *entityDecoder) scores(object []byte) error {
	for name, value := range jsonenc.Members(object) {
		if to := d.e.Scores.slot(string(name)); to != nil {
			if err := to.UnmarshalJSON(value); err != nil {
				return err
			}
		}
	}
	return nil
}

func (d *entityDecoder) signals(object []byte) error {
	for name, value := range jsonenc.Members(object) { // sorted by name
		if string(name) == "benchmarks" {
			if err := d.benchmarks(value); err != nil {
				return err
			}
			continue
		}
		f, err := parseFact(string(name), value)
		if err != nil {
			return err
		}
		d.e.Signals.Facts = append(d.e.Signals.Facts, f)
	}
	return nil
}

func parseFact(name string, object []byte) (f Fact, err error) {
	f.Name = name
	for member, value := range jsonenc.Members(object) {
		switch string(member) {
		case "value":
			if value[0] == '"' {
				f.Day = jsonenc.Text(value)
			} else if f.Number, err = strconv.ParseFloat(string(value), 64); err != nil {
				return f, fmt.Errorf("signal %s: %w", name, err)
			}
		case "date":
			f.Date = jsonenc.Text(value)
		case "source":
			f.Source = jsonenc.Text(value)
		}
	}
	return f, nil
}

func (d *entityDecoder) benchmarks(array []byte) error {
	for object := range jsonenc.Elements(array) {
		var b Benchmark
		details := b.details()
		for name, value := range jsonenc.Members(object) {
			switch name := string(name); name {
			case "value":
				var err error
				if b.Value, err = strconv.ParseFloat(string(value), 64); err != nil {
					return fmt.Errorf("benchmarks: %w", err)
				}
			case "name":
				b.Name = jsonenc.Text(value)
			case "date":
				b.Date = jsonenc.Text(value)
			case "source":
				b.Source = jsonenc.Text(value)
			default:
				for _, d := range details {
					if d.name == name {
						*d.value = jsonenc.Text(value)
					}
				}
			}
		}
		d.e.Signals.Benchmarks = append(d.e.Signals.Benchmarks, b)
	}
	return nil
}
