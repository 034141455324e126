package pages

import (
	"cmp"
	"html/template"
	"path"
	"slices"
	"strings"

	"kindex/exports/kinds"
	"kindex/exports/record"
	"kindex/exports/view"
	"kindex/site/form"
	"kindex/site/siteurl"
	"kindex/site/textfmt"
)

type formPage struct {
	*form.Form
	Groups  []formGroup
	Known   map[string][]string // existing values that fields suggest, by filter
	Other   []form.Remark       // problems that do not belong to a field
	Content string              // the content folder
	Edit    string              // for a correction, URL of a page that opens an editor for the file, or "" if there is none
	View    string              // URL of a page that shows the file and its history, or ""
	Entity  string              // path of the entity's page
	Action  string              // path that checks the entered values
	Send    string              // path to which the entered values are submitted
}

// SaveTo returns the URL of the file.
func (d *formPage) SaveTo() template.URL {
	return template.URL(d.Save) //nolint:gosec // made of escaped text
}

// SavedAs returns the name under which the file is saved, or "" as long as there is none. Only what changes is
// saved of a correction.
func (d *formPage) SavedAs() string {
	if d.Form.Path == "" {
		return ""
	}
	if d.Amends != "" {
		return strings.TrimSuffix(path.Base(d.Form.Path), ".yaml") + ".changes.yaml"
	}
	return path.Base(d.Form.Path)
}

type formGroup struct {
	Title  string
	Folded bool
	Inputs []formInput
}

// formInput is a field with the value entered in it.
type formInput struct {
	form.Field
	ID       string
	Value    string
	Options  []option
	Problems []form.Remark
	Warnings []form.Remark
	Likes    []form.Similar // similar entities, shown below the name field
	Was      string         // in a correction, the value that it begins with
	Amends   bool
}

// Says returns the IDs of the elements that describe the field.
func (i formInput) Says() string {
	if i.Hint == "" {
		return i.ID + "-says"
	}
	return i.ID + "-hint " + i.ID + "-says"
}

// Submit renders the page with the form. Only an edge has it: on a static site, Get
// renders a page on how to propose an entity without it.
func (s *Site) Submit(q Request, f *form.Form) (*Answer, error) {
	r := &request{Site: s, Request: q}
	d := &formPage{Form: f, Content: r.contentFolder(), Action: siteurl.CheckSubmission, Send: siteurl.Submit}
	for _, title := range form.Groups {
		g := formGroup{Title: title}
		for _, field := range f.Fields() {
			if field.Group == title {
				g.Inputs = append(g.Inputs, r.input(field, f))
			}
		}
		g.Folded = form.Folded(title, len(g.Inputs)) && !slices.ContainsFunc(g.Inputs, func(in formInput) bool {
			return in.Value != "" && (f.Amends == "" || f.Checked) || len(in.Problems) > 0
		})
		if g.Inputs != nil {
			d.Groups = append(d.Groups, g)
		}
	}
	d.Other = slices.DeleteFunc(slices.Clone(f.Problems), func(p form.Remark) bool { return p.Input != "" })
	d.Known = s.knownValues()
	if f.Amends != "" {
		return r.render(r.correction(d))
	}
	return r.render(&page{Template: "submit", Title: "Propose an entry", Data: d, Answer: Answer{Status: f.Status}, NoIndex: len(f.Values) > 0, Canonical: siteurl.Submit,
		Scripts: []string{"submit.js"}, Description: "Propose an entry: the form checks your entries as you type and writes the file."})
}

// correction returns the page with the form for correcting an entity.
func (r *request) correction(d *formPage) *page {
	typ, slug, _ := strings.Cut(d.Amends, "/")
	file := d.Amends + ".yaml"
	d.Entity = siteurl.Entity(typ, slug)
	d.Edit, d.View = r.Build.Manifest.Repository.Edit(file), r.Build.Manifest.Repository.View(file)
	return &page{Template: "submit", Title: "Suggest a change to " + textfmt.Name(d.Title), Data: d, Answer: Answer{Status: d.Status}, NoIndex: true,
		Canonical: d.Entity, Section: siteurl.Submit, Scripts: []string{"submit.js"},
		Description: "Correct what this index says about " + textfmt.Name(d.Title) + ": change what is wrong and name a source. A maintainer reviews it."}
}

// MissingEntity renders the page for an entity that does not exist, with similar ones.
func (s *Site) MissingEntity(q Request, slug string) (*Answer, error) {
	r := &request{Site: s, Request: q}
	list := s.suggestEntities(slug, &view.Filter{})
	return r.render(r.missing("Entity not found", "If it is missing from the index, you can propose it on the Submit page.", list...))
}

// input returns a field with the value entered in it.
func (r *request) input(field form.Field, f *form.Form) formInput {
	in := formInput{Field: field, ID: "f-" + strings.ReplaceAll(field.Name, ".", "-"), Value: f.Values[field.Name],
		Was: f.Current[field.Name], Amends: f.Amends != "" && field.Group != form.FigureGroup}
	of := func(list []form.Remark) []form.Remark {
		return slices.DeleteFunc(slices.Clone(list), func(p form.Remark) bool { return p.Input != field.Name })
	}
	in.Problems, in.Warnings = of(f.Problems), of(f.Warnings)
	switch field.Name {
	case "url":
		in.Required = !slices.ContainsFunc(r.types(), func(t string) bool { return !r.Build.Addressed(t) })
	case "type":
		if list := r.largest(); in.Value == "" && len(list) > 0 {
			in.Value = list[0]
		}
		for _, t := range slices.Backward(r.kinds().Order) {
			in.Options = append(in.Options, option{Name: t.Title, Value: t.Name})
		}
	case "category":
		in.Options = each(r.Categories, func(c record.Category) option { return option{Name: textfmt.Name(c.Title), Value: c.Slug} })
	case "pricingModel":
		in.Options = each(r.kinds().PricingModels, func(p string) option { return option{Name: r.label(p), Value: p} })
	case "name":
		in.Likes = f.Similar
	case form.Figure:
		typ, _, _ := strings.Cut(f.Amends, "/")
		in.Options = each(r.kinds().Kind(typ).Signals, func(x *kinds.Signal) option { return option{Name: r.label(x.Name), Value: x.Name} })
	}
	for _, o := range field.Options {
		in.Options = append(in.Options, option{Name: textfmt.Name(o.Title), Value: o.Value})
	}
	if !markChosen(in.Options, in.Value) && field.Kind == "choice" && in.Value != "" { // an invalid value stays visible
		in.Options = append(in.Options, option{Name: textfmt.Name(in.Value), Value: in.Value, Chosen: true})
	}
	return in
}

// maxKnown is the maximum number of existing values that a field suggests, most frequent
// first.
const maxKnown = 200

func (s *Site) knownValues() map[string][]string {
	all, known := s.Build.Select(&view.Filter{}), map[string][]string{}
	for _, field := range form.Fields(s.kinds(), "") {
		if field.Known == "" {
			continue
		}
		values := each(s.Build.Facet(all, field.Known, maxKnown), func(v view.FacetCount) string { return textfmt.Name(v.Value) })
		if words := s.Build.Words(field.Known); len(words) > 0 && field.Known != byTag.Field { // there are no others
			values = each(words, func(w record.Word) string { return w.Slug })
		}
		slices.SortFunc(values, func(a, b string) int { return cmp.Compare(record.Fold(a), record.Fold(b)) })
		known[field.Known] = values
	}
	return known
}

func (s *Site) contentFolder() string {
	if r := s.Build.Manifest.Repository; r != nil && r.Path != "" {
		return textfmt.Name(r.Path)
	}
	return "content"
}

type exampleFile struct{ Type, File, YAML, New string }

// example returns the name and contents of a file of a kind to start from. Its category is the first one whose
// entities are mostly of the kind, or another one if there is none.
func (r *request) example(typ string) (file, yaml string) {
	page, category := "https://example.org/new-"+typ, "the-category"
	for _, c := range slices.Backward(r.categoryCounts()) {
		ofType := len(c.Types) > 0 && c.Types[0].Value == typ
		if strings.Trim(c.Slug, "0123456789-") != "" && (ofType || category == "the-category") { // a slug of digits would need quotes
			category = c.Slug
		}
	}
	return typ + "/new-" + typ + ".yaml", "name: New " + textfmt.Capitalize(typ) + "\nprovider: Who makes it\n" +
		"description: One or two sentences on what it is for and what sets it apart.\ncategory: " + category + "\n" +
		"license: MIT\npricingModel: " + r.kinds().PricingModels[0] + "\nurl: " + page +
		"\nlinks:\n  " + r.kinds().Links[0].Name + ": " + page + "/about\ntags: [first-tag, second-tag]\n"
}

// howToSubmit renders the page for sites without the form.
func (r *request) howToSubmit() (*page, error) {
	form, files, repository := "", []exampleFile(nil), r.Build.Manifest.Repository
	if r.Static && r.API != "" {
		form = r.API + siteurl.Submit
	}
	for _, t := range slices.Backward(r.Build.Kinds().Names()) {
		file, yaml := r.example(t)
		files = append(files, exampleFile{t, file, yaml, repository.New(file, yaml)})
	}
	return &page{Template: "how-to-submit", Title: "Propose an entry", Scripts: []string{"submit.js"},
		Data:        map[string]any{"Form": form, "Content": r.contentFolder(), "Files": files, "Read": repository.View("README.md")},
		Description: "How to propose an entry, or to correct one, by pull request."}, nil
}
