package pages

import (
	"slices"
	"strings"

	"kindex/site/siteurl"
	"kindex/site/textfmt"
)

// howToSubmitPage explains how to propose an entity without the form.
type howToSubmitPage struct {
	Form    string // URL of a form elsewhere, or "" if there is none
	Content string
	Files   []exampleFile
	Read    string // page of the guide to the content, or "" if there is none
}

// exampleFile is a file to start from.
type exampleFile struct{ Type, File, YAML, New string }

// Example returns the name and contents of a file to start from.
func Example(typ string) (file, yaml string) {
	file = typ + "/new-" + typ + ".yaml"
	more := "license: Apache-2.0\npricingModel: open-source\nurl: https://example.org/new-tool\nlinks:\n  repository: https://example.org/new-tool/source\ntags: [python, search]\n"
	if typ == "model" {
		more = "license: MIT\npricingModel: open-weights\nurl: https://example.org/new-model\nlinks:\n  weights: https://example.org/new-model/weights\ntags: [text, multilingual]\n"
	}
	return file, "name: New " + textfmt.Capitalize(typ) + "\nprovider: Who makes it\n" +
		"description: One or two sentences on what it is for and what sets it apart.\ncategory: CATEGORY\n" + more
}

// exampleCategory returns the category for a type's example: the first one whose entities are mostly of the
// type, or another one if there is none.
func (r *request) exampleCategory(typ string) string {
	example := "the-category"
	for _, c := range slices.Backward(r.categoryCounts()) {
		ofType := len(c.Types) > 0 && c.Types[0].Value == typ
		if strings.Trim(c.Slug, "0123456789-") != "" && (ofType || example == "the-category") { // a slug of digits would need quotes
			example = c.Slug
		}
	}
	return example
}

// howToSubmit renders the page for sites without the form.
func (r *request) howToSubmit() (*page, error) {
	d := &howToSubmitPage{Content: r.contentFolder()}
	if r.Static && r.API != "" {
		d.Form = r.API + siteurl.Submit
	}
	repository := r.Build.Manifest.Repository
	for _, t := range slices.Backward(r.Build.Kinds().Names()) {
		file, yaml := Example(t)
		category := r.exampleCategory(t)
		yaml = strings.Replace(yaml, "CATEGORY", category, 1)
		d.Files = append(d.Files, exampleFile{t, file, yaml, repository.New(file, yaml)})
	}
	d.Read = repository.View("README.md")
	return &page{Template: "how-to-submit", Title: "Propose an entry", Data: d, Scripts: []string{"submit.js"},
		Description: "How to propose an entry, or to correct one, by pull request."}, nil
}
