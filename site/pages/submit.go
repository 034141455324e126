package pages

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"kindex/exports"
	"kindex/exports/record"
)

// SubmitPath is the page for proposing an entity, and CheckPath where its form is
// checked.
const (
	SubmitPath = "/submit/"
	CheckPath  = "/submit/check"
)

// DefaultType is the type that the form has chosen before anybody has.
const DefaultType = "tool"

// FormField is a field of the form: one of the file of an entity, or its type or
// slug.
type FormField struct {
	Name     string // as in a submission; links.homepage within links
	Label    string
	Hint     string
	Kind     string // "type", "line", "text", "address", "list" of slugs with commas, or "choice"
	Required bool
	Group    string // heading
	Known    string // filter field whose values are offered, "" for none
}

// The groups of fields, in their order; the last one is folded up.
var formGroups = []string{"What it is", "What it does", "Where, and on what terms", "Further links"}

var formFields = func() []FormField {
	list := []FormField{
		{Name: "type", Label: "Type", Kind: "type", Required: true, Group: formGroups[0]},
		{Name: "name", Label: "Name", Hint: "As its makers write it.", Kind: "line", Required: true, Group: formGroups[0]},
		{Name: "slug", Label: "Short name", Hint: "For its address here: lower-case letters, digits and hyphens. Left empty, it is made from the name.", Kind: "line", Group: formGroups[0]},
		{Name: "provider", Label: "Provider", Hint: "The person, project or company that makes or offers it.", Kind: "line", Group: formGroups[0], Known: "provider"},
		{Name: "category", Label: "Category", Hint: "The one that fits best.", Kind: "choice", Required: true, Group: formGroups[0]},
		{Name: "description", Label: "Description", Hint: "One or two sentences: what it is for and what sets it apart. Your own words, not the maker’s.", Kind: "text", Required: true, Group: formGroups[1]},
		{Name: "tags", Label: "Tags", Hint: "Keywords to find it by, separated by commas, such as python, deep-learning.", Kind: "list", Group: formGroups[1], Known: "tag"},
		{Name: "capabilities", Label: "Capabilities", Hint: "What it can do, separated by commas, such as gpu, tool-call.", Kind: "list", Group: formGroups[1], Known: "capability"},
		{Name: "url", Label: "Address", Hint: "The page that people should visit, with https:// before it.", Kind: "address", Required: true, Group: formGroups[2]},
		{Name: "license", Label: "Licence", Hint: "An SPDX expression, such as MIT or Apache-2.0. Not for the terms of a service.", Kind: "line", Group: formGroups[2], Known: "license"},
		{Name: "pricingModel", Label: "Pricing", Hint: "How one comes to use it.", Kind: "choice", Group: formGroups[2]},
		{Name: "version", Label: "Version", Hint: "The latest stable one, without a prefix such as v.", Kind: "line", Group: formGroups[2]},
	}
	hints := map[string]string{"homepage": "The project’s own site.", "repository": "The source code.", "paper": "The paper that describes it.",
		"package": "Its page in a package registry.", "weights": "Where the weights can be downloaded.", "demo": "A place to try it.", "changelog": "The list of releases."}
	for _, link := range record.LinkNames {
		if link != "deprecation" { // which comes with a status, long after the submission
			list = append(list, FormField{Name: "links." + link, Label: label(link), Hint: hints[link], Kind: "address", Group: formGroups[3]})
		}
	}
	return list
}()

// FormFields are the fields of the form, in their order.
func FormFields() []FormField { return slices.Clone(formFields) }

// Form is what the page of a submission shows: the fields as they were sent, and
// what the rules say of them.
type Form struct {
	Values map[string]string // by the names of FormFields
	Check
	Account string // who is signed in, "" for nobody
	Token   string // that the form carries where somebody is
	Checked bool   // the problems of all fields are to be shown
	Notice  string // why something else has happened than was asked for, "" for nothing
	Status  int    // 0 is 200
}

// Check is what the rules say of a submission. It is what the page's script is told.
type Check struct {
	Problems []Remark `json:"problems"`
	Warnings []Remark `json:"warnings"`
	Similar  []Like   `json:"similar"`
	Taken    *Taken   `json:"taken"`
	Complete bool     `json:"complete"` // it may be submitted
	Path     string   `json:"path"`     // of the file
	YAML     string   `json:"yaml"`     // of what is right where not all is
	Pull     string   `json:"pull"`     // page that opens a pull request with it, "" for none
	Says     string   `json:"says"`     // all of it in a sentence
}

// Remark is what is wrong with a field, or worth a look.
type Remark struct {
	Field      string `json:"field"` // with brackets for one of a list
	Input      string `json:"input"` // the FormField that has it, "" for none
	Message    string `json:"message"`
	Suggestion string `json:"suggestion"` // the nearest right thing, "" for none
	Value      string `json:"value"`      // of the input with the suggestion in it
}

// Like is an entity that may be the same.
type Like struct {
	Path string `json:"path"`
	Name string `json:"name"`
	Note string `json:"note"`
}

// Taken is what a submission would be once more.
type Taken struct {
	Text string `json:"text"`
	Path string `json:"path"` // "" where it may not be shown
}

// longestMended is up to how many bytes a list is offered with one of its entries
// mended: each offer has all of the list in it.
const longestMended = 4000

// Remark makes a remark on a field of the form from what the rules say.
func (f *Form) Remark(field, message, suggestion string) Remark {
	r := Remark{Field: name(field), Suggestion: suggestion}
	at := slices.IndexFunc(formFields, func(i FormField) bool {
		return i.Name == field || i.Kind == "list" && strings.HasPrefix(field, i.Name+"[")
	})
	if at < 0 {
		r.Message, r.Suggestion = sentence(name(field)+": "+message), ""
		return r
	}
	input := formFields[at]
	r.Input, r.Value = input.Name, suggestion
	switch first, _, _ := strings.Cut(message, " "); {
	case slices.Contains([]string{"is", "must", "has", "holds"}, first):
		message = input.Label + " " + message
	}
	r.Message = sentence(message)
	if item, ok := strings.CutPrefix(field, input.Name+"["); ok && suggestion != "" {
		list := []string(nil)
		if len(f.Values[input.Name]) <= longestMended {
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

// sentence makes one of what the rules say.
func sentence(s string) string {
	return upper(strings.TrimSuffix(cut(clean(s), 2*longLine), ".")) + "."
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

// Sum fills in what the remarks come to.
func (f *Form) Sum() {
	var names []string
	for _, r := range f.Problems {
		i := slices.IndexFunc(formFields, func(i FormField) bool { return i.Name == r.Input })
		if i < 0 {
			names = append(names, "a field that the form does not have")
		} else if l := formFields[i].Label; !slices.Contains(names, l) {
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

// formPage is the form with what stands around it.
type formPage struct {
	*Form
	Groups  []formGroup
	Known   []known
	Other   []Remark // problems of no field
	Content string   // the content folder
	Action  string   // path that checks
	Send    string   // path that submits
}

type formGroup struct {
	Title  string
	Folded bool
	Inputs []formInput
}

// formInput is a field with what was entered.
type formInput struct {
	FormField
	ID       string
	Value    string
	Options  []option
	Problems []Remark
	Warnings []Remark
	Likes    []Like // below the name
}

// Says lists the ids of what describes the field.
func (i formInput) Says() string {
	if i.Hint == "" {
		return i.ID + "-says"
	}
	return i.ID + "-hint " + i.ID + "-says"
}

// known are values in use that a field offers.
type known struct {
	ID     string
	Values []string
}

// Submit is the page with a form. Only an edge has it: a static site explains what
// else there is, as Get does.
func (s *Site) Submit(q Request, f *Form) (*Answer, error) {
	r := &request{Site: s, Request: q}
	d := &formPage{Form: f, Content: r.contentFolder(), Action: CheckPath, Send: SubmitPath}
	for _, title := range formGroups {
		d.Groups = append(d.Groups, formGroup{Title: title, Folded: title == formGroups[len(formGroups)-1]})
	}
	for _, field := range formFields {
		in := r.input(field, f)
		g := &d.Groups[slices.Index(formGroups, field.Group)]
		g.Inputs = append(g.Inputs, in)
		g.Folded = g.Folded && in.Value == "" && len(in.Problems) == 0
	}
	for _, p := range f.Problems {
		if p.Input == "" {
			d.Other = append(d.Other, p)
		}
	}
	var err error
	if d.Known, err = s.inUse(); err != nil {
		return nil, err
	}
	return r.render(&page{Template: "submit", Title: "Propose a tool or a model", Data: d, Status: f.Status, NoIndex: len(f.Values) > 0, Canonical: SubmitPath,
		Scripts: []string{"submit.js"}, Description: "Propose a tool or a model: the form checks it while you type and writes its file."})
}

// input is a field with what was entered.
func (r *request) input(field FormField, f *Form) formInput {
	in := formInput{FormField: field, ID: "f-" + strings.ReplaceAll(field.Name, ".", "-"), Value: f.Values[field.Name]}
	of := func(list []Remark) []Remark {
		return slices.DeleteFunc(slices.Clone(list), func(p Remark) bool { return p.Input != field.Name })
	}
	in.Problems, in.Warnings = of(f.Problems), of(f.Warnings)
	switch field.Name {
	case "type":
		in.Value = cmp.Or(in.Value, DefaultType)
		for _, t := range slices.Backward(record.Types) { // tools first
			in.Options = append(in.Options, option{Name: label(t), Value: t, Chosen: t == in.Value})
		}
	case "category":
		for _, c := range r.Categories {
			in.Options = append(in.Options, option{Name: name(c.Title), Value: c.Slug, Chosen: c.Slug == in.Value})
		}
	case "pricingModel":
		for _, p := range record.PricingModels {
			in.Options = append(in.Options, option{Name: label(p), Value: p, Chosen: p == in.Value})
		}
	case "name":
		in.Likes = f.Similar
	}
	// What was sent stays to be seen, though nobody can choose it.
	if field.Kind == "choice" && in.Value != "" && !slices.ContainsFunc(in.Options, func(o option) bool { return o.Chosen }) {
		in.Options = append(in.Options, option{Name: name(in.Value), Value: in.Value, Chosen: true})
	}
	return in
}

// maxKnown is how many values in use a field offers: the most frequent.
const maxKnown = 200

// knownValues are the values in use, counted once a build.
type knownValues struct {
	once sync.Once
	list []known
	err  error
}

func (s *Site) inUse() ([]known, error) {
	s.known.once.Do(func() {
		all, err := s.Build.Select(&exports.Filter{})
		if err != nil {
			s.known.err = err
			return
		}
		for _, field := range formFields {
			if field.Known == "" {
				continue
			}
			k := known{ID: "known-" + field.Known}
			for _, v := range s.Build.Facet(all, field.Known, maxKnown) {
				k.Values = append(k.Values, name(v.Value))
			}
			slices.SortFunc(k.Values, func(a, b string) int { return cmp.Compare(record.Fold(a), record.Fold(b)) })
			s.known.list = append(s.known.list, k)
		}
	})
	return s.known.list, s.known.err
}

// contentFolder is what the folder of the content is called.
func (s *Site) contentFolder() string {
	if r := s.Build.Manifest.Repository; r != nil && r.Path != "" {
		return name(r.Path)
	}
	return "content"
}
