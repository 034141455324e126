package console

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"kindex/builder/content/yamldoc"
	"kindex/edge/live"
	"kindex/edge/submission"
	"kindex/edge/web"
	"kindex/exports/didyoumean"
	"kindex/exports/kinds"
	"kindex/exports/record"
	"kindex/site/form"
	"kindex/site/pages"
	"kindex/site/siteurl"
)

// amendsField is the hidden field that names the entity a correction changes.
const amendsField = "amends"

func fillCorrection(c *web.Call, f *form.Form, key string) (there bool, err error) {
	typ, slug, _ := strings.Cut(key, "/")
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
	for _, v := range e.Values {
		f.Values[v.Field.Path] = form.Text(v.Field, v.Value)
	}
	f.Current = maps.Clone(f.Values)
	return true, nil
}

// wasPrefix precedes the name of a field in the name of the hidden field with the value that a
// correction began with.
const wasPrefix = "was."

// readPrevious removes the values that a correction began with from a form and returns them. A
// field that it lacks began with its present value.
func readPrevious(f *form.Form, sent url.Values) map[string]string {
	was := maps.Clone(f.Current)
	for name, values := range sent {
		if field, ok := strings.CutPrefix(name, wasPrefix); ok && f.Amends != "" && formKinds(f)[field] != "" {
			was[field] = values[0]
			delete(sent, name)
		}
	}
	return was
}

// sameText reports whether two values of a field are the same but for white space.
func sameText(a, b string) bool { return slices.Equal(strings.Fields(a), strings.Fields(b)) }

// superseded returns the problem of a field that a correction changes and that has a new value since
// the form was opened: the correction would undo that change unseen.
func superseded(field, now string) yamldoc.Problem {
	said := "was removed"
	if now != "" {
		said = "is now " + strconv.Quote(web.Shorten(now))
	}
	return yamldoc.Problem{Field: field, Message: "has changed since you opened this form: it " + said + "; check it, and submit again if your value is still right"}
}

func readCorrection(c *web.Call, f *form.Form, sent url.Values) error {
	key := sent.Get(amendsField)
	if key == "" {
		return nil
	}
	there, err := fillCorrection(c, f, key)
	if err == nil && !there {
		err = refused(http.StatusNotFound, "The index no longer has the entity that you are correcting. Your entries are still in the form below.")
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
	file, _ := submission.File(e)
	return string(file)
}

func noSuchEntity(c *web.Call, key string) (*web.Reply, error) {
	typ, slug, _ := strings.Cut(key, "/")
	if !web.PrefersHTML(c.Request.Header["Accept"]) {
		return nil, web.UnknownEntity(c, typ, slug)
	}
	return pageReply(c.Served.Site().MissingEntity(pages.Request{Path: siteurl.Submit, Base: c.BaseURL()}, slug))
}

func showCorrection(c *web.Call, f *form.Form, draft *submission.Draft) (err error) {
	f.Similar, f.Path = []form.Similar{}, f.Amends+".yaml"
	f.Pull = c.Served.Build.Manifest.Repository.Edit(f.Path)
	if draft != nil {
		f.YAML, err = submission.Describe(draft.Changes)
	}
	return err
}

// addFigure adds the signal that a correction changes. Numbers become numbers, so that the rules
// for files apply to them.
func addFigure(declared *kinds.Set, fields map[string]any, values map[string]string) []yamldoc.Problem {
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
	switch {
	case name == "" && len(signal) > 0:
		return []yamldoc.Problem{{Field: form.Figure, Message: "is not chosen, but there is a value, a date or a source"}}
	case name != "" && declared.Signal(name) == nil:
		return []yamldoc.Problem{{Field: form.Figure, Message: "is not one of the choices"}}
	case name != "":
		fields["signals"] = map[string]any{name: signal}
	}
	return nil
}

const maxSimilarCandidates = 30

// similarEntities returns existing entities that a form may describe. It searches for the name and
// keeps entities that have the same URL, a similar name, or a name that contains the given name or
// is contained in it.
func similarEntities(v *live.ServedBuild, name, page string) []form.Similar {
	list := []form.Similar{}
	word := record.FoldName(name)
	if word == "" {
		return list
	}
	for _, o := range v.FindSimilarNames(name, maxSimilarCandidates) {
		e := v.Build.Entity(o)
		samePage := page != "" && e.URL != "" && record.NormalizeURL(e.URL) == record.NormalizeURL(page)
		if len(list) < live.MaxSimilar && (samePage || similarNames(word, record.FoldName(e.Name))) {
			list = append(list, form.Similar{Path: "/" + e.Key() + "/", Name: e.Name, Note: v.Titles[e.Category]})
		}
	}
	return list
}

// similarNames reports whether two names could refer to the same thing: one contains the other,
// or they differ by very few letters.
func similarNames(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	return len(a) > 2 && strings.Contains(b, a) || a == b || didyoumean.Name(a, []string{b}) != ""
}
