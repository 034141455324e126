// Package form defines the form for submitting an entity: its fields, the entered values and
// the results of checking them.
package form

import (
	"cmp"
	"net/mail"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"kindex/exports/kinds"
	"kindex/exports/safetext"
	"kindex/site/textfmt"
)

// Field is a field of the form. It stands for a field of the entity's file, or for the
// entity's type or slug.
type Field struct {
	Name     string // the same as in a submission, such as links.homepage
	Label    string
	Hint     string
	Kind     string // "type", "line", "text", "address", "list" (words separated by commas) or "choice"
	Required bool
	Group    string // heading
	Known    string // filter field that provides suggestions, or "" if there is none
	Options  []Option
	Declared *kinds.Field // nil for a field that every entity has
}

// Option is a valid value of a choice.
type Option struct{ Value, Title string }

// Groups lists the groups of fields in order. The last one is only in corrections.
var Groups = []string{"Basics", "Description", factGroup, "Address and terms", "More links", FigureGroup}

// factGroup is the group of the declared fields.
const factGroup = "Facts"

// FigureGroup is the group of the fields that only a correction has.
const FigureGroup = "A figure"

// maxFacts is the number of declared fields that a form shows at once.
const maxFacts = 12

// Folded reports whether a group of so many fields is collapsed while they are empty.
func Folded(group string, fields int) bool {
	return group == "More links" || group == FigureGroup || group == factGroup && fields > maxFacts
}

// The fields with which a correction changes one signal.
const (
	Figure       = "figure"
	figureValue  = "figure.value"
	figureDate   = "figure.date"
	figureSource = "figure.source"
)

// common returns the fields that every entity has, and those that an index declares.
func common(declared *kinds.Set) []Field {
	list := []Field{
		{Name: "type", Label: "Type", Kind: "type", Required: true, Group: Groups[0]},
		{Name: "name", Label: "Name", Hint: "Spell it the way its makers do.", Kind: "line", Required: true, Group: Groups[0]},
		{Name: "slug", Label: "Short name", Hint: "Used in its URL: lower-case letters, digits and hyphens. If empty, it is derived from the name.", Kind: "line", Group: Groups[0]},
		{Name: "provider", Label: "Provider", Hint: "The person, project or company that makes or provides it.", Kind: "line", Group: Groups[0], Known: "provider"},
		{Name: "category", Label: "Category", Hint: "Choose the category that fits best.", Kind: "choice", Required: true, Group: Groups[0]},
		{Name: "description", Label: "Description", Hint: "One or two sentences: what it is for and what sets it apart. Use your own words, not the maker’s.", Kind: "text", Required: true, Group: Groups[1]},
		{Name: "tags", Label: "Tags", Hint: "Keywords for finding it, separated by commas.", Kind: "list", Group: Groups[1], Known: "tag"},
		{Name: "capabilities", Label: "Capabilities", Hint: "What it can do, in a word or two each, separated by commas.", Kind: "list", Group: Groups[1], Known: "capability"},
		{Name: "url", Label: "Address", Hint: "The page people should visit, starting with https://.", Kind: "address", Required: true, Group: Groups[3]},
		{Name: "license", Label: "Licence", Hint: "An SPDX expression, such as MIT or Apache-2.0. Leave empty for hosted services.", Kind: "line", Group: Groups[3], Known: "license"},
		{Name: "pricingModel", Label: "Pricing", Hint: "How people pay for it, if at all.", Kind: "choice", Group: Groups[3]},
		{Name: "version", Label: "Version", Hint: "The latest stable version, without a prefix such as v.", Kind: "line", Group: Groups[3]},
	}
	for _, f := range kinds.Stated(declared.Leaves()) {
		if f.Group == nil || !f.Group.Dated { // a dated one needs a source, like a figure
			list = append(list, declaredField(f))
		}
	}
	for _, link := range declared.Links {
		if link.Name != "deprecation" { // added later, together with the status
			list = append(list, Field{Name: "links." + link.Name, Label: link.Title, Hint: link.Description, Kind: "address", Group: Groups[4]})
		}
	}
	return list
}

// declaredField returns the field for a declared one.
func declaredField(f *kinds.Field) Field {
	field := Field{Name: f.Path, Label: f.Title, Hint: f.Description, Kind: "line", Group: factGroup, Declared: f}
	if unit := f.UnitShown(); unit != "" {
		field.Hint = strings.TrimSpace(field.Hint + " In " + unit + ".")
	}
	switch {
	case f.IsList():
		field.Kind = "list"
	case f.Choices() != nil:
		field.Kind = "choice"
		for _, value := range f.Choices() {
			field.Options = append(field.Options, Option{value, cmp.Or(f.Titles[value], map[string]string{"true": "Yes", "false": "No"}[value], textfmt.Capitalize(value))})
		}
	case f.Type == kinds.URL:
		field.Kind = "address"
	}
	if f.Filter && !f.IsNumber() && !f.IsDay() && field.Kind != "choice" {
		field.Known = f.Query
	}
	return field
}

// Text returns the value of a declared field as people type it.
func Text(f *kinds.Field, v any) string {
	switch {
	case f.Type == kinds.Duration:
		if seconds, ok := v.(float64); ok {
			return kinds.FormatDuration(seconds)
		}
	case f.IsList():
		return strings.Join(f.Texts(v), ", ")
	}
	return strings.Join(f.Texts(v), "")
}

// figureFields are the additional fields of a correction.
var figureFields = []Field{
	{Name: Figure, Label: "Figure", Hint: "Only if a figure is wrong or out of date.", Kind: "choice", Group: FigureGroup},
	{Name: figureValue, Label: "Value", Hint: "A number without separators, or a day as YYYY-MM-DD.", Kind: "line", Group: FigureGroup},
	{Name: figureDate, Label: "Read on", Hint: "The day on which you read it, as YYYY-MM-DD.", Kind: "line", Group: FigureGroup},
	{Name: figureSource, Label: "Source", Hint: "The page on which a reviewer can check it.", Kind: "address", Group: FigureGroup},
}

// Fields returns the fields of a form for an index with some kinds, in order: for a new entity, or for a
// correction, which cannot change the type and the slug. amends is the key of the entity that a correction
// changes, or "".
func Fields(declared *kinds.Set, amends string) []Field {
	fields := common(declared)
	if amends == "" {
		return fields
	}
	typ, _, _ := strings.Cut(amends, "/")
	kind := declared.Kind(typ)
	list := slices.DeleteFunc(fields, func(f Field) bool {
		return f.Name == "type" || f.Name == "slug" || f.Declared != nil && (kind == nil || !kind.Has(f.Declared))
	})
	return append(list, figureFields...)
}

// Fields returns the fields of the form.
func (f *Form) Fields() []Field { return Fields(f.Kinds, f.Amends) }

// IsFigure reports whether a field is one of those that change a signal; member is the member of the
// signal, or "" for the field that chooses it.
func IsFigure(field string) (member string, ok bool) {
	if field == Figure {
		return "", true
	}
	return strings.CutPrefix(field, Figure+".")
}

// Form is the data for the page: the values as sent, and the results of checking them.
type Form struct {
	Kinds  *kinds.Set        // of the index
	Values map[string]string // by Field.Name
	Amends string            // the entity that a correction changes, as type/slug, or "" for a new entity
	Title  string            // the name of that entity
	File   string            // the current file of that entity
	// For a correction: the values of that entity in this build, and those when the form was
	// opened, which may have been in an earlier build.
	Current, Was map[string]string
	Check
	Account string // the signed-in account, or "" if there is none
	Token   string // CSRF token if signed in
	Checked bool   // show problems for all fields
	Notice  string // why the requested action was not carried out, or "" if it was
	Status  int    // HTTP status; 0 means 200
}

// Check is the result of checking a submission. It is also sent as JSON to the page's
// script.
type Check struct {
	Problems []Remark  `json:"problems"`
	Warnings []Remark  `json:"warnings"`
	Similar  []Similar `json:"similar"`
	Taken    *Taken    `json:"taken"`
	Complete bool      `json:"complete"` // the form can be submitted
	Path     string    `json:"path"`     // path of the file
	YAML     string    `json:"yaml"`     // the file, containing the valid values
	Pull     string    `json:"pull"`     // URL that opens a pull request with the file, or "" if there is none
	Save     string    `json:"save"`     // data URL of the file, or "" if the form is not complete
	Mail     string    `json:"mail"`     // URL of a mail with the file to the operator, or "" if that is not possible
	Says     string    `json:"says"`     // one-sentence summary
}

// Remark is a problem with a field or a warning about it.
type Remark struct {
	Field      string `json:"field"` // for an item of a list, with the index of the item
	Input      string `json:"input"` // name of the Field, or "" if there is none
	Message    string `json:"message"`
	Suggestion string `json:"suggestion"` // the closest valid value, or "" if there is none
	Value      string `json:"value"`      // value of the input with the suggestion applied
}

// Similar is an existing entity that may be the same as the proposed one.
type Similar struct {
	Path string `json:"path"`
	Name string `json:"name"`
	Note string `json:"note"`
}

// Taken describes what already exists under the name or slug of a submission.
type Taken struct {
	Text string `json:"text"`
	Path string `json:"path"` // "" if it must not be shown
}

// maxMailLen is the length of the longest file, in bytes, that is the text of a mail: programs cut long URLs off.
const maxMailLen = 1200

// Offer sets the ways to hand in a complete form without an account. contact is the operator's address, which may
// also be that of a page, or "".
func (c *Check) Offer(contact string) {
	if !c.Complete || c.YAML == "" {
		return
	}
	escape := func(s string) string { return strings.ReplaceAll(url.QueryEscape(s), "+", "%20") }
	c.Save = "data:text/yaml;charset=utf-8," + escape(c.YAML)
	to, err := mail.ParseAddress(contact)
	if err != nil {
		return
	}
	text := c.YAML
	if len(text) > maxMailLen {
		text = "Please attach the file that you saved."
	}
	c.Mail = "mailto:" + url.PathEscape(to.Address) + "?subject=" + escape(c.Path) + "&body=" + escape(text)
}

// maxMendedLen is the longest list, in bytes, for which corrections to items are suggested:
// each suggestion contains the whole list.
const maxMendedLen = 4000

// Remark turns a message from the validation rules into a remark on a field.
func (f *Form) Remark(field, message, suggestion string) Remark {
	r := Remark{Field: textfmt.Name(field), Suggestion: suggestion}
	if name := f.Values[Figure]; name != "" && f.Amends != "" {
		if member, ok := strings.CutPrefix(field, "signals."+name); ok {
			field = Figure + member
		}
	}
	fields := f.Fields()
	at := slices.IndexFunc(fields, func(i Field) bool {
		return i.Name == field || i.Kind == "list" && strings.HasPrefix(field, i.Name+"[")
	})
	if at < 0 {
		r.Message, r.Suggestion = Sentence(textfmt.Name(field)+": "+message), ""
		return r
	}
	input := fields[at]
	r.Input, r.Value = input.Name, suggestion
	if first, _, _ := strings.Cut(message, " "); slices.Contains([]string{"is", "must", "has", "holds", "contains"}, first) {
		message = input.Label + " " + message
	}
	r.Message = Sentence(message)
	if item, ok := strings.CutPrefix(field, input.Name+"["); ok && suggestion != "" {
		list := []string(nil)
		if len(f.Values[input.Name]) <= maxMendedLen {
			list = SplitList(f.Values[input.Name])
		}
		if i, err := strconv.Atoi(strings.TrimSuffix(item, "]")); err == nil && i < len(list) {
			list[i] = suggestion
			r.Value = strings.Join(list, ", ")
		} else {
			r.Suggestion, r.Value = "", ""
		}
	}
	return r
}

// Sentence turns a message from the validation rules into a sentence.
func Sentence(s string) string {
	return textfmt.Capitalize(strings.TrimSuffix(textfmt.Truncate(safetext.OneLine(s), 2*textfmt.MaxLineLen), ".")) + "."
}

// SplitList splits a list as typed into a field.
func SplitList(s string) []string {
	var list []string
	for item := range strings.FieldsFuncSeq(s, func(r rune) bool { return r == ',' || r == '\n' || r == '\r' }) {
		if item = strings.TrimSpace(item); item != "" {
			list = append(list, item)
		}
	}
	return list
}

// Summarize sets Says from the remarks.
func (f *Form) Summarize() {
	fields := f.Fields()
	var names []string
	for _, r := range f.Problems {
		i := slices.IndexFunc(fields, func(i Field) bool { return i.Name == r.Input })
		if i < 0 {
			names = append(names, "a field that is not in this form")
		} else if l := fields[i].Label; !slices.Contains(names, l) {
			names = append(names, l)
		}
	}
	switch {
	case f.Taken != nil:
		f.Says = f.Taken.Text
	case len(names) > 0:
		f.Says = "Please correct: " + strings.Join(names, ", ") + "."
	case f.Complete && len(f.Warnings) > 0:
		f.Says = "Complete, with warnings."
	case f.Amends != "" && !f.Complete:
		f.Says = "Nothing has changed yet."
	case f.Amends != "" && len(f.Warnings) == 0:
		f.Says = "Valid. Check what changes before you submit it."
	case f.Complete:
		f.Says = "Complete and valid."
	}
}
