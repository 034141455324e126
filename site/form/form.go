// Package form holds the form for submitting an entity: its fields, what was entered,
// and what the rules say of it.
package form

import (
	"slices"
	"strconv"
	"strings"

	"kindex/exports/record"
	"kindex/exports/safetext"
	"kindex/site/textfmt"
)

// DefaultType is the type that the form has chosen before anybody has.
const DefaultType = "tool"

// Field is a field of the form: one of the file of an entity, or its type or
// slug.
type Field struct {
	Name     string // as in a submission; links.homepage within links
	Label    string
	Hint     string
	Kind     string // "type", "line", "text", "address", "list" of slugs with commas, or "choice"
	Required bool
	Group    string // heading
	Known    string // filter field whose values are offered, "" for none
}

// Groups are the groups of fields, in their order; the last one is folded up.
var Groups = []string{"What it is", "What it does", "Where, and on what terms", "Further links"}

var fields = func() []Field {
	list := []Field{
		{Name: "type", Label: "Type", Kind: "type", Required: true, Group: Groups[0]},
		{Name: "name", Label: "Name", Hint: "As its makers write it.", Kind: "line", Required: true, Group: Groups[0]},
		{Name: "slug", Label: "Short name", Hint: "For its address here: lower-case letters, digits and hyphens. Left empty, it is made from the name.", Kind: "line", Group: Groups[0]},
		{Name: "provider", Label: "Provider", Hint: "The person, project or company that makes or offers it.", Kind: "line", Group: Groups[0], Known: "provider"},
		{Name: "category", Label: "Category", Hint: "The one that fits best.", Kind: "choice", Required: true, Group: Groups[0]},
		{Name: "description", Label: "Description", Hint: "One or two sentences: what it is for and what sets it apart. Your own words, not the maker’s.", Kind: "text", Required: true, Group: Groups[1]},
		{Name: "tags", Label: "Tags", Hint: "Keywords to find it by, separated by commas, such as python, deep-learning.", Kind: "list", Group: Groups[1], Known: "tag"},
		{Name: "capabilities", Label: "Capabilities", Hint: "What it can do, separated by commas, such as gpu, tool-call.", Kind: "list", Group: Groups[1], Known: "capability"},
		{Name: "url", Label: "Address", Hint: "The page that people should visit, with https:// before it.", Kind: "address", Required: true, Group: Groups[2]},
		{Name: "license", Label: "Licence", Hint: "An SPDX expression, such as MIT or Apache-2.0. Not for the terms of a service.", Kind: "line", Group: Groups[2], Known: "license"},
		{Name: "pricingModel", Label: "Pricing", Hint: "How one comes to use it.", Kind: "choice", Group: Groups[2]},
		{Name: "version", Label: "Version", Hint: "The latest stable one, without a prefix such as v.", Kind: "line", Group: Groups[2]},
	}
	hints := map[string]string{"homepage": "The project’s own site.", "repository": "The source code.", "paper": "The paper that describes it.",
		"package": "Its page in a package registry.", "weights": "Where the weights can be downloaded.", "demo": "A place to try it.", "changelog": "The list of releases."}
	for _, link := range record.LinkNames {
		if link != "deprecation" { // which comes with a status, long after the submission
			list = append(list, Field{Name: "links." + link, Label: textfmt.Label(link), Hint: hints[link], Kind: "address", Group: Groups[3]})
		}
	}
	return list
}()

// Fields are the fields of the form, in their order.
func Fields() []Field { return slices.Clone(fields) }

// Form is what the page of a submission shows: the fields as they were sent, and
// what the rules say of them.
type Form struct {
	Values map[string]string // by the names of Fields
	Check
	Account string // who is signed in, "" for nobody
	Token   string // that the form carries where somebody is
	Checked bool   // the problems of all fields are to be shown
	Notice  string // why something else has happened than was asked for, "" for nothing
	Status  int    // 0 is 200
}

// Check is what the rules say of a submission. It is what the page's script is told.
type Check struct {
	Problems []Remark  `json:"problems"`
	Warnings []Remark  `json:"warnings"`
	Similar  []Similar `json:"similar"`
	Taken    *Taken    `json:"taken"`
	Complete bool      `json:"complete"` // it may be submitted
	Path     string    `json:"path"`     // of the file
	YAML     string    `json:"yaml"`     // of what is right where not all is
	Pull     string    `json:"pull"`     // page that opens a pull request with it, "" for none
	Says     string    `json:"says"`     // all of it in a sentence
}

// Remark is what is wrong with a field, or worth a look.
type Remark struct {
	Field      string `json:"field"` // with brackets for one of a list
	Input      string `json:"input"` // the Field that has it, "" for none
	Message    string `json:"message"`
	Suggestion string `json:"suggestion"` // the nearest right thing, "" for none
	Value      string `json:"value"`      // of the input with the suggestion in it
}

// Similar is an entity that may be the same.
type Similar struct {
	Path string `json:"path"`
	Name string `json:"name"`
	Note string `json:"note"`
}

// Taken is what a submission would be once more.
type Taken struct {
	Text string `json:"text"`
	Path string `json:"path"` // "" where it may not be shown
}

// maxMendedLen is up to how many bytes a list is offered with one of its entries
// mended: each offer has all of the list in it.
const maxMendedLen = 4000

// Remark makes a remark on a field of the form from what the rules say.
func (f *Form) Remark(field, message, suggestion string) Remark {
	r := Remark{Field: textfmt.Name(field), Suggestion: suggestion}
	at := slices.IndexFunc(fields, func(i Field) bool {
		return i.Name == field || i.Kind == "list" && strings.HasPrefix(field, i.Name+"[")
	})
	if at < 0 {
		r.Message, r.Suggestion = Sentence(textfmt.Name(field)+": "+message), ""
		return r
	}
	input := fields[at]
	r.Input, r.Value = input.Name, suggestion
	switch first, _, _ := strings.Cut(message, " "); {
	case slices.Contains([]string{"is", "must", "has", "holds"}, first):
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

// Sentence makes one of what the rules say.
func Sentence(s string) string {
	return textfmt.Capitalize(strings.TrimSuffix(textfmt.Truncate(safetext.OneLine(s), 2*textfmt.MaxLineLen), ".")) + "."
}

// SplitList takes a list apart that was typed into a field.
func SplitList(s string) []string {
	var list []string
	for item := range strings.FieldsFuncSeq(s, func(r rune) bool { return r == ',' || r == '\n' || r == '\r' }) {
		if item = strings.TrimSpace(item); item != "" {
			list = append(list, item)
		}
	}
	return list
}

// Summarize fills in what the remarks come to.
func (f *Form) Summarize() {
	var names []string
	for _, r := range f.Problems {
		i := slices.IndexFunc(fields, func(i Field) bool { return i.Name == r.Input })
		if i < 0 {
			names = append(names, "a field that the form does not have")
		} else if l := fields[i].Label; !slices.Contains(names, l) {
			names = append(names, l)
		}
	}
	switch {
	case f.Taken != nil:
		f.Says = f.Taken.Text
	case len(names) > 0:
		f.Says = "Not right yet: " + strings.Join(names, ", ") + "."
	case f.Complete && len(f.Warnings) > 0:
		f.Says = "Complete; something is worth a look."
	case f.Complete:
		f.Says = "Complete, and by the rules."
	}
}
