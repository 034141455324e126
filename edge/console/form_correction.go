package console

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"

	"kindex/builder/content/yamldoc"
	"kindex/edge/submission"
	"kindex/edge/web"
	"kindex/exports/record"
	"kindex/site/form"
	"kindex/site/pages"
	"kindex/site/siteurl"
)

// amendsField is the hidden field that names the entity a correction changes.
const amendsField = "amends"

// fillCorrection fills in the values of an existing entity, or reports that there is none.
func fillCorrection(c *web.Call, f *form.Form, typ, slug string) (there bool, err error) {
	e, err := c.Served.Build.FindAuthored(typ, slug)
	if e == nil || err != nil {
		return false, err
	}
	f.Amends, f.Title = e.Key(), e.Name
	f.Values = map[string]string{"name": e.Name, "provider": e.Provider, "category": e.Category, "description": e.Description,
		"tags": strings.Join(e.Tags, ", "), "capabilities": strings.Join(e.Capabilities, ", "),
		"url": e.URL, "license": e.License, "pricingModel": e.PricingModel, "version": e.Version}
	for _, l := range e.Links {
		f.Values["links."+l.Name] = l.URL
	}
	return true, nil
}

// readCorrection finds the entity that a form corrects, if it is a correction.
func readCorrection(c *web.Call, f *form.Form, sent url.Values) error {
	key := sent.Get(amendsField)
	if key == "" {
		return nil
	}
	typ, slug, _ := strings.Cut(key, "/")
	there, err := fillCorrection(c, f, typ, slug)
	if err == nil && !there {
		err = &formError{http.StatusNotFound, "The index no longer has the entity that you are correcting. Your entries are still in the form below."}
	}
	return err
}

// currentFile returns the file of the entity that a form corrects, or "" if it cannot be written
// from the build.
func currentFile(c *web.Call, f *form.Form) string {
	typ, slug, _ := strings.Cut(f.Amends, "/")
	e, err := c.Served.Build.FindAuthored(typ, slug)
	if e == nil || err != nil {
		return ""
	}
	file, err := submission.File(e)
	if err != nil {
		return ""
	}
	return string(file)
}

// noSuchEntity answers a request for the form of an entity that does not exist.
func noSuchEntity(c *web.Call, typ, slug string) (*web.Reply, error) {
	if !web.PrefersHTML(c.Request.Header["Accept"]) {
		return nil, web.UnknownEntity(c, typ, slug)
	}
	site, err := c.Served.Site()
	if err != nil {
		return nil, err
	}
	return pageReply(site.MissingEntity(pages.Request{Path: siteurl.Submit, Base: c.BaseURL()}, slug))
}

// showCorrection fills in what a correction changes.
func showCorrection(c *web.Call, f *form.Form, _ map[string]any, _ []submission.Problem, draft *submission.Draft) (err error) {
	f.Similar, f.Path = []form.Similar{}, f.Amends+".yaml"
	f.Pull = c.Served.Build.Manifest.Repository.Edit(f.Path)
	if draft != nil {
		f.YAML, err = submission.Describe(draft.Changes)
	}
	return err
}

// addFigure adds the signal that a correction changes. Numbers become numbers, so that the rules
// for files apply to them.
func addFigure(fields map[string]any, values map[string]string) (problems []submission.Problem) {
	name, signal := "", map[string]any{}
	for field, text := range values {
		member, ok := form.IsFigure(field)
		text = strings.TrimSpace(text)
		switch {
		case !ok || text == "":
		case member == "":
			name = text
		case member == "value" && yamldoc.IsPlainNumber(text):
			signal[member] = json.Number(text)
		default:
			signal[member] = text
		}
	}
	_, known := record.SignalType(name)
	switch {
	case name == "" && len(signal) > 0:
		problems = append(problems, submission.Problem{Field: form.Figure, Message: "is not chosen, but there is a value, a date or a source"})
	case name != "" && !known:
		problems = append(problems, submission.Problem{Field: form.Figure, Message: "is not one of the choices"})
	case name != "":
		fields["signals"] = map[string]any{name: signal}
	}
	return problems
}
