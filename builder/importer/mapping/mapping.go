// Package mapping reads mappings, which define how the rows of a catalogue become entities.
package mapping

import (
	"cmp"
	"regexp"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"

	"kindex/builder/content/schema"
	"kindex/builder/content/yamldoc"
	"kindex/exports/kinds"
)

// Mapping defines how the rows of a catalogue become entity files. site/docs/importing.md
// describes every part of it.
type Mapping struct {
	Source *Source   `json:"source"`
	Input  InputForm `json:"input"`

	Type      *Value      `json:"type"`
	Slug      *Value      `json:"slug"`      // by default, the slug is derived from the entity's name
	ClashSlug *Value      `json:"clashSlug"` // if nil, rows with the same slug are refused
	Where     []Condition `json:"where"`

	Signals struct {
		Benchmarks []*Group           `json:"benchmarks"`
		Figures    map[string]*Signal `json:",inline"`
	} `json:"signals"`
	Offers   []*Group                     `json:"offers"`
	Sections map[string]map[string]*Value `json:",inline"` // "fields" and the names of fields with members

	// Order lists the possible Sections but "fields" in the order in which problems are reported.
	Order []string `json:"-"`
	// Uses lists every use of a column, in no particular order. The column of a list entry is
	// prefixed with the list's name and a dot.
	Uses []ColumnUse `json:"-"`
}

// Source describes the imported collection, which must be credited.
type Source struct {
	Name    string `json:"name"`
	URL     string `json:"url"`
	License string `json:"license"`
	Date    string `json:"date"`
	Changes string `json:"changes"`
}

// InputForm is the format of the input file.
type InputForm struct {
	Delimiter string   `json:"delimiter"` // a character or "tab"; "" means that the file name determines it
	Decimal   string   `json:"decimal"`   // "", "." or ","
	Missing   []string `json:"missing"`
}

// Separator returns the character that separates columns, or 0 if the file name determines it.
func (f InputForm) Separator() rune {
	for _, r := range strings.ReplaceAll(f.Delimiter, "tab", "\t") {
		return r
	}
	return 0
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

// Signal is the source of a figure. Date and Source may be nil.
type Signal struct {
	Value  *Value `json:"value"`
	Date   *Value `json:"date"`
	Source *Value `json:"source"`
}

// Group is the source of a benchmark result, an offer, or a part of an offer. There is one per row or, if Each is set, one
// per entry in the list Each.
type Group struct {
	Each     string            `json:"each"`
	Optional bool              `json:"optional"`
	Details  []string          `json:"details"` // of benchmark results: columns that distinguish those with the same name
	Per      *Value            `json:"per"`     // how many tokens the prices are for, also those of tiers and modes; nil for a million
	Tiers    *Group            `json:"tiers"`
	Modes    map[string]*Group `json:"modes"`
	Next     *Group            `json:"next"` // announced prices
	Fields   map[string]*Value `json:",inline"`

	Place Place `json:"-"` // of an offer
}

// Value is the source of a value and its transformations, which are applied in the order of
// the fields. Exactly one of Column, Constant, Template, First and All is set.
type Value struct {
	Column   string         `json:"column"`
	Constant any            `json:"constant"` // a string, number, bool or a list of these
	Template []TemplatePart `json:"template"`
	First    []*Value       `json:"first"`
	All      []*Value       `json:"all"`

	When    []Condition       `json:"when"`
	Unit    []string          `json:"unit"`   // what is left out of texts
	List    string            `json:"list"`   // "", "python", "range" or a separator
	Take    string            `json:"take"`   // "", "first" or "last"
	Table   map[string]string `json:"values"` // replacement values; "" means no value
	As      string            `json:"as"`     // "", or one of the conversions in the schema
	Default any               `json:"default"`
}

// TemplatePart is a literal string or a column.
type TemplatePart struct {
	Literal, Column string
}

// Condition is a condition on a column. Exactly one of Is, Not and Empty is set.
type Condition struct {
	Column string `json:"column"`
	Is     []any  `json:"is"`
	Not    []any  `json:"not"`
	Empty  *bool  `json:"empty"`
}

// Parse reads a mapping. The mapping is nil if one of the problems is an error. path is used
// only in messages.
func Parse(declared *kinds.Set, path string, data []byte) (*Mapping, yamldoc.Problems) {
	d := &decoder{Schema: schema.Of(declared, "mapping"), Document: yamldoc.Parse(path, data)}
	fields, ok := d.Fields()
	if !ok {
		return nil, d.Report()
	}
	d.Check(d.Document)
	d.walk(d.Part, fields, scope{})
	if d.check(fields, declared.Names()); d.Problems.HasErrors() {
		return nil, d.Report()
	}
	m := &Mapping{Uses: d.uses, Order: []string{"links", "ids", "lifecycle", "offersRead"}}
	text, err := json.Marshal(fields)
	if err == nil {
		err = json.Unmarshal(text, m)
	}
	if err != nil {
		d.Add(1, 1, yamldoc.Problem{Message: err.Error()}) // cannot happen, since it matches the schema
		return nil, d.Report()
	}
	m.Slug = cmp.Or(m.Slug, m.Sections["fields"]["name"])
	for _, f := range declared.Fields {
		if f.IsGroup() {
			m.Order = append(m.Order, f.Name)
		}
	}
	for i, g := range m.Offers {
		g.Place = d.place([]string{"offers", strconv.Itoa(i)})
	}
	return m, d.Report()
}

// Find returns the source of a field of an entity, such as license, signals.stars.date or offers[0].id, or nil.
func (m *Mapping) Find(field string) *Value {
	path := strings.Split(indexes.ReplaceAllString(field, ""), ".")
	switch {
	case len(path) == 1:
		return m.Sections["fields"][path[0]]
	case path[0] == "offers":
		for _, g := range m.Offers {
			if v := g.Fields[path[len(path)-1]]; v != nil {
				return v
			}
		}
	}
	if figure := m.Signals.Figures[path[1]]; path[0] == "signals" && figure != nil {
		switch strings.Join(path[2:], ".") {
		case "date":
			return figure.Date
		case "source":
			return figure.Source
		}
		return figure.Value
	}
	return m.Sections[path[0]][path[1]]
}

var indexes = regexp.MustCompile(`\[\d+\]`)

// UndatedOffers returns where the mapping defines offers without the day on which they were
// read, or nil. Without it, an update would leave the date of the offers that it replaces.
func (m *Mapping) UndatedOffers() *Place {
	for _, g := range m.Offers {
		if m.Sections["offersRead"]["date"] == nil && g.Fields["date"] == nil {
			return &g.Place
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
