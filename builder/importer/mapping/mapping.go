// Package mapping reads mappings, which define how the rows of a catalogue become entities.
package mapping

import (
	"regexp"
	"slices"
	"strings"

	"kindex/builder/content/schema"
	"kindex/builder/content/yamldoc"
	"kindex/exports/kinds"
)

// Mapping defines how the rows of a catalogue become entity files. site/docs/importing.md
// describes every part of it.
type Mapping struct {
	Source *Source
	Input  InputForm

	Type      *Value
	Slug      *Value // by default, the slug is derived from the entity's name
	ClashSlug *Value // if nil, rows with the same slug are refused
	Where     []Condition

	Targets    []Target // the fields and signals that the mapping defines
	Benchmarks []*Columns
	Offers     []*Columns

	// Uses lists every use of a column, in no particular order. The column of a list entry is
	// prefixed with the list's name and a dot.
	Uses []ColumnUse
}

// Source describes the imported collection, which must be credited.
type Source struct {
	Name, URL, License, Date, Changes string
}

// InputForm is the format of the input file.
type InputForm struct {
	Delimiter rune   // 0 means that the file name determines the separator
	Decimal   string // "", "." or ","
	Missing   []string
}

// ColumnUse is one use of a column in a mapping.
type ColumnUse struct {
	Column   string
	Optional bool // the column may be absent from the file
	Place    Place
}

// Place is a place in the mapping: a problem without its message.
type Place yamldoc.Problem

// Problem returns an error at the place.
func (p Place) Problem(message, suggestion string) yamldoc.Problem {
	p.Message, p.Suggestion = message, suggestion
	return yamldoc.Problem(p)
}

// Target is a field of an entity, such as license, links.paper or signals.stars, together with
// the source of its value.
type Target struct {
	Path  []string
	Value *Value
	// Date and Source are used only for signals. Both may be nil.
	Date, Source *Value
}

// Value is the source of a value and its transformations, which are applied in the order of
// the fields. Exactly one of Column, Constant, Template, First and All is set.
type Value struct {
	Column   string
	Constant any // a string, number, bool or a list of these
	Template []TemplatePart
	First    []*Value
	All      []*Value

	When    []Condition
	Unit    []string          // what is left out of texts
	List    string            // "", "python", "range" or a separator
	Take    string            // "", "first" or "last"
	Table   map[string]string // replacement values; "" means no value
	As      string            // "", or one of the conversions in the schema
	Default any
}

// TemplatePart is a literal string or a column.
type TemplatePart struct {
	Literal, Column string
}

// Condition is a condition on a column. Exactly one of Is, Not and Empty is set.
type Condition struct {
	Column  string
	Is, Not []any
	Empty   *bool
}

// Columns is the source of benchmark results, of offers, or of the tiers or a mode of an offer.
// There is one per row or, if Each is set, one per entry in the list Each.
type Columns struct {
	Each    string
	Fields  []Target // sorted by name
	Details []string // of benchmark results: columns that distinguish those with the same name
	Place   Place

	Per   *Value   // how many tokens the prices are for, also those of tiers and modes; nil for a million
	Tiers *Columns // nil if there are none
	Modes map[string]*Columns
	Next  *Columns // announced prices; nil if there are none
}

// Field returns the value of a field, or nil if the mapping does not define it.
func (c *Columns) Field(name string) *Value {
	for _, t := range c.Fields {
		if t.Path[0] == name {
			return t.Value
		}
	}
	return nil
}

// Parse reads a mapping. The mapping is nil if one of the problems is an error. path is used
// only in messages.
func Parse(declared *kinds.Set, path string, data []byte) (*Mapping, yamldoc.Problems) {
	d := &decoder{kinds: declared, Document: yamldoc.Parse(path, data)}
	fields, ok := d.Fields()
	if !ok {
		return nil, d.Report()
	}
	schema.Of(declared, "mapping").Check(d.Document)
	m := d.mapping(fields)
	if d.check(m); d.Problems.HasErrors() {
		m = nil
	}
	return m, d.Report()
}

// UndatedOffers returns where the mapping defines offers without the day on which they were
// read, or nil. Without it, an update would leave the date of the offers that it replaces.
func (m *Mapping) UndatedOffers() *Place {
	if slices.ContainsFunc(m.Targets, func(t Target) bool { return t.Path[0] == "offersRead" && t.Path[1] == "date" }) {
		return nil
	}
	for _, offers := range m.Offers {
		if offers.Field("date") == nil {
			return &offers.Place
		}
	}
	return nil
}

// tokenWords are what a number of tokens is named with, such as USD per million tokens.
var tokenWords = regexp.MustCompile(`usd|per|tokens?|tok|[$/_,\- ]`)

// Tokens returns the number of tokens that a text such as token, 1K tokens or million names. If it
// names none, wrong is the reason.
func Tokens(text string) (n int64, wrong string) {
	switch tokenWords.ReplaceAllString(strings.ToLower(text), "") {
	case "", "1":
		return 1, ""
	case "k", "1k", "1000", "thousand":
		return 1e3, ""
	case "m", "1m", "1000000", "million":
		return 1e6, ""
	}
	return 0, "is not a number of tokens for which prices can be; expected one of: token, thousand, million"
}
