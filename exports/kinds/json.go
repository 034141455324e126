package kinds

import "slices"

// FieldJSON is a declared field as the API shows it.
type FieldJSON struct {
	*Field
	Column  string      `json:"column,omitempty"`  // of its table, unless it has parts
	Filters []string    `json:"filters,omitempty"` // the parameters that filter by it
	Sort    string      `json:"sort,omitempty"`    // the key that sorts by it
	Parts   []FieldJSON `json:"parts,omitempty"`
}

// KindJSON is a kind as the API shows it.
type KindJSON struct {
	Name        string            `json:"name"`
	Title       string            `json:"title"`
	Plural      string            `json:"plural"`
	Path        string            `json:"path"` // of its list on the website
	Description string            `json:"description,omitempty"`
	Fields      []string          `json:"fields"`
	Signals     []string          `json:"signals"`
	Blocks      []string          `json:"blocks"`
	Card        []string          `json:"card,omitempty"`
	Columns     []string          `json:"columns,omitempty"`
	Dimensions  map[string]string `json:"dimensions,omitempty"`
}

// JSON returns the kind as the API shows it.
func (k *Kind) JSON() KindJSON {
	j := KindJSON{Name: k.Name, Title: k.Title, Plural: k.Plural, Path: "/" + k.Slug() + "/", Description: k.Description,
		Fields: []string{}, Signals: []string{}, Blocks: append([]string{}, k.Blocks...), Card: k.Card, Columns: k.Columns, Dimensions: k.Dimensions}
	for _, f := range k.Fields {
		j.Fields = append(j.Fields, f.Name)
	}
	for _, s := range k.Signals {
		j.Signals = append(j.Signals, s.Name)
	}
	return j
}

// FieldsJSON returns the fields as the API shows them, in the order of records.
func (s *Set) FieldsJSON() []FieldJSON { return fieldsJSON(s.Fields) }

func fieldsJSON(fields []*Field) []FieldJSON {
	list := []FieldJSON{}
	for _, f := range fields {
		j := FieldJSON{Field: f}
		if f.IsGroup() {
			j.Parts = fieldsJSON(f.Parts)
		} else {
			j.Column = f.Column()
		}
		lowest, highest := f.Limits()
		j.Filters = slices.DeleteFunc([]string{lowest, highest}, func(name string) bool { return name == "" })
		if f.Filter && len(j.Filters) == 0 && !f.IsGroup() {
			j.Filters = []string{f.Query}
		}
		if f.Sort && !f.IsGroup() {
			j.Sort = f.SortKey()
		}
		list = append(list, j)
	}
	return list
}

// SignalsJSON returns the signals as the API shows them, in the order of the declaration.
func (s *Set) SignalsJSON() []*Signal {
	return append([]*Signal{}, s.Declared...)
}
