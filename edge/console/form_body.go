package console

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"kindex/builder/content/yamldoc"
	"kindex/edge/auth"
	"kindex/edge/web"
	"kindex/exports/didyoumean"
	"kindex/exports/kinds"
	"kindex/site/form"
)

// Limits for a form: the size of its body in bytes, and the number of its values. The page's
// form sends one value per field.
const (
	MaxFormSize   = 64 << 10
	MaxFormValues = 500
)

// suggestionField is the name of the buttons that apply a suggestion. A button's value has the
// format field=suggestion.
const suggestionField = "use"

// readFormBody reads the fields of a form, each with all values sent for it, and returns them
// with the size of the body in bytes. It also sets the request's PostForm, as if the request had
// parsed the form itself.
func readFormBody(c *web.Call, f *form.Form) (sent url.Values, size int, err error) {
	refuse := func(status int, text string) (url.Values, int, error) { return nil, 0, refused(status, text) }
	mediaType, _, err := mime.ParseMediaType(c.Request.Header.Get("Content-Type"))
	if err != nil || mediaType != "application/x-www-form-urlencoded" {
		return refuse(http.StatusUnsupportedMediaType, "This address accepts only the form on this page. POST /api/submit accepts JSON.")
	}
	body, err := io.ReadAll(http.MaxBytesReader(c.Writer, c.Request.Body, MaxFormSize))
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		return refuse(http.StatusRequestEntityTooLarge, "The form is too large: all fields together can have at most 64 KiB.")
	case err != nil:
		return refuse(http.StatusBadRequest, "The form was not received completely. Send it again.")
	case bytes.Count(body, []byte("&")) >= MaxFormValues:
		return refuse(http.StatusRequestEntityTooLarge, "The form has too many fields. Use the form on this page.")
	}
	if sent, err = url.ParseQuery(string(body)); err != nil {
		return refuse(http.StatusBadRequest, "The request is not a valid form. Use the form on this page.")
	}
	for name, values := range sent {
		if !utf8.ValidString(name + "&" + strings.Join(values, "&")) {
			return refuse(http.StatusBadRequest, "The form is not valid UTF-8. Use the form on this page.")
		}
	}
	use, value, _ := strings.Cut(sent.Get(suggestionField), "=")
	_, figure := form.IsFigure(use)
	if sent.Del(suggestionField); figure || formKinds(f)[use] != "" {
		sent[use] = []string{value}
	}
	c.Request.Form, c.Request.PostForm = sent, sent
	return sent, len(body), nil
}

func formKinds(f *form.Form) map[string]string {
	kinds := map[string]string{}
	for _, field := range f.Fields() {
		kinds[field.Name] = field.Kind
	}
	return kinds
}

// formValues returns the entered values, formatted as the page will show them again.
func formValues(f *form.Form, sent url.Values) map[string]string {
	values := map[string]string{}
	for name := range formKinds(f) {
		if v := sent[name]; len(v) > 0 {
			values[name] = strings.Join(v, ", ")
		}
	}
	return values
}

// formFields converts a form to the fields of a submission, without line breaks and empty fields;
// in a correction, empty fields are removed, and unchanged ones omitted. It returns only those
// problems that are specific to forms.
func formFields(sent url.Values, f *form.Form) (fields map[string]any, problems []yamldoc.Problem) {
	fields = map[string]any{}
	if f.Amends != "" {
		fields[amendsField] = f.Amends
	}
	known := map[string]form.Field{}
	for _, field := range f.Fields() {
		known[field.Name] = field
	}
	set := func(name string, value any) {
		group, member, nested := strings.Cut(name, ".")
		if !nested {
			fields[name] = value
			return
		}
		if fields[group] == nil {
			fields[group] = map[string]any{}
		}
		fields[group].(map[string]any)[member] = value
	}
	for _, name := range slices.Sorted(maps.Keys(sent)) {
		field, isKnown := known[name]
		_, isFigure := form.IsFigure(name)
		switch {
		case name == auth.FormField || name == amendsField:
			continue
		case !isKnown:
			if len(problems) < web.MaxFieldErrors {
				problems = append(problems, yamldoc.Problem{Field: web.Shorten(name), Message: "is not a field of this form", Suggestion: didyoumean.Name(name, slices.Sorted(maps.Keys(known)))})
			}
			continue
		case len(sent[name]) > 1 && field.Kind != "list":
			problems = append(problems, yamldoc.Problem{Field: name, Message: "is given twice"})
			continue
		}
		if isFigure || f.Amends != "" && sameText(f.Values[name], f.Was[name]) {
			continue
		}
		if now := f.Current[name]; f.Amends != "" && !sameText(now, f.Was[name]) && !sameText(now, f.Values[name]) {
			problems = append(problems, superseded(name, now))
		}
		text := strings.TrimSpace(f.Values[name])
		if field.Kind == "text" {
			text = lineBreaks.Replace(text)
		}
		switch {
		case text == "" && f.Amends == "":
		case text == "":
			set(name, nil)
		case field.Kind == "list":
			if list := form.SplitList(text); len(list) > 0 {
				set(name, listOf(field.Declared, list))
			}
		default:
			set(name, valueOf(field.Declared, text))
		}
	}
	if f.Amends != "" {
		problems = append(problems, addFigure(f.Kinds, fields, f.Values)...)
	}
	return fields, problems
}

var lineBreaks = strings.NewReplacer("\r\n", " ", "\n", " ", "\r", " ")

// valueOf returns the value that a text stands for: a number or an answer of a declared field of that type,
// so that the rules for files apply to it.
func valueOf(f *kinds.Field, text string) any {
	switch {
	case f == nil:
		return text
	case (f.IsNumber() || f.Of == kinds.Number) && yamldoc.IsPlainNumber(text):
		return json.Number(text)
	case f.Type == kinds.Boolean && (text == "true" || text == "false"):
		return text == "true"
	}
	return text
}

func listOf(f *kinds.Field, list []string) []any {
	all := make([]any, len(list))
	for i, s := range list {
		all[i] = valueOf(f, s)
	}
	return all
}
