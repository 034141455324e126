package mapping

import (
	"maps"
	"slices"
	"strings"

	"kindex/builder/content/yamldoc"
)

// OfferColumns is the source of offers, of the tiers of an offer, or of one of its modes. There
// is one per row or, if Each is set, one per entry in the list Each.
type OfferColumns struct {
	Each     string
	Per      *Value                   // how many tokens the prices are for, also those of tiers and modes; nil for a million
	Fields   []Target                 // the fields of an offer, such as provider, input and over, sorted by name
	Tiers    *OfferColumns            // nil if there are none
	Modes    map[string]*OfferColumns // by name
	Optional bool
	Location Location
}

// Field returns the value of a field, or nil if the mapping does not define it.
func (o *OfferColumns) Field(name string) *Value {
	for _, t := range o.Fields {
		if t.Path[len(t.Path)-1] == name {
			return t.Value
		}
	}
	return nil
}

// UndatedOffers returns where the mapping defines offers without the day on which they were
// read, or nil. Without it, an update would leave the date of the offers that it replaces.
func (m *Mapping) UndatedOffers() *Location {
	for _, t := range m.Targets {
		if t.Path[0] == "offersRead" && t.Path[1] == "date" {
			return nil
		}
	}
	for i := range m.Offers {
		if m.Offers[i].Field("date") == nil {
			return &m.Offers[i].Location
		}
	}
	return nil
}

// offerOf returns nil if there is no value.
func offerOf(d *yamldoc.Document, v any, at []string) *OfferColumns {
	m := setOf(v)
	if v == nil {
		return nil
	}
	inner := func(names ...string) []string { return append(slices.Clone(at), names...) }
	o := &OfferColumns{Each: yamldoc.Text(m["each"]), Location: locationOf(d, at...),
		Fields: targetsOf(d, v, at, "each", "optional", "per", "tiers", "modes"), Per: perOf(d, m["per"], inner("per")),
		Tiers: offerOf(d, m["tiers"], inner("tiers")), Modes: map[string]*OfferColumns{}}
	o.Optional, _ = m["optional"].(bool)
	for name, mode := range setOf(m["modes"]) {
		o.Modes[name] = offerOf(d, mode, inner("modes", name))
	}
	return o
}

// perOf is like valueOf, but treats a plain string as the unit itself.
func perOf(d *yamldoc.Document, v any, at []string) *Value {
	s, ok := v.(string)
	if !ok {
		return valueOf(d, v, at...)
	}
	if _, wrong := Tokens(s); wrong != "" {
		d.AddAt(at, false, yamldoc.Problem{Message: yamldoc.Quote(s) + " " + wrong + ", or {column: …}"})
	}
	return &Value{Constant: s, Location: locationOf(d, at...)}
}

// Tokens returns the number of tokens that a text such as token, 1K tokens or million names. If it
// names none, wrong is the reason.
func Tokens(text string) (n int64, wrong string) {
	plain := strings.NewReplacer("usd", "", "$", "", "per", "", "/", "", "tokens", "", "token", "", "tok", "", "_", "", "-", "", ",", "", " ", "").Replace(strings.ToLower(text))
	switch plain {
	case "", "1":
		return 1, ""
	case "k", "1k", "1000", "thousand":
		return 1e3, ""
	case "m", "1m", "1000000", "million":
		return 1e6, ""
	}
	return 0, "is not a number of tokens for which prices can be; expected one of: token, thousand, million"
}

// columns adds the uses of columns. prefix is that of the columns around the offer.
func (o *OfferColumns) columns(prefix string, uses *[]ColumnUse) {
	first := len(*uses)
	if o.Each != "" {
		*uses = append(*uses, ColumnUse{Column: prefix + o.Each, Location: o.Location})
		prefix += o.Each + "."
	}
	o.Per.columns(prefix, uses)
	for _, t := range o.Fields {
		t.Value.columns(prefix, uses)
	}
	if o.Tiers != nil {
		o.Tiers.columns(prefix, uses)
	}
	for _, name := range slices.Sorted(maps.Keys(o.Modes)) {
		if o.Modes[name] != nil {
			o.Modes[name].columns(prefix, uses)
		}
	}
	for i := range (*uses)[first:] {
		(*uses)[first+i].Optional = (*uses)[first+i].Optional || o.Optional
	}
}
