package pages

import (
	"bytes"
	"cmp"
	"embed"
	"html/template"
	"net/http"
	"path"
	"strings"
	"sync"
	"time"

	"kindex/exports/safetext"
	"kindex/site/chart"
	"kindex/site/siteurl"
	"kindex/site/textfmt"
)

//go:embed templates
var templateFiles embed.FS

// frame is the data for the layout template.
type frame struct {
	*request
	*page
}

// render renders a page in the layout.
func (r *request) render(p *page) (*Answer, error) {
	var b bytes.Buffer
	if err := r.templates[p.Template].ExecuteTemplate(&b, "layout", frame{r, p}); err != nil {
		return nil, err
	}
	return &Answer{Status: cmp.Or(p.Status, http.StatusOK), MediaType: htmlType, Body: b.Bytes(), Gone: p.deletedBy}, nil
}

// SiteTitle returns the title of the index.
func (f frame) SiteTitle() string { return f.Build.Manifest.Title }

// Here returns the canonical path of the page.
func (f frame) Here() string { return cmp.Or(f.Canonical, f.Path) }

// Abs returns an absolute URL, or "" if the site's URL is unknown.
func (f frame) Abs(path string) string {
	if f.Base == "" {
		return ""
	}
	return f.Base + strings.TrimPrefix(f.to(path), strings.TrimSuffix(f.to("/"), "/"))
}

// Turned returns the page number in a paged list, or "" for the first page. It is used to
// make the titles of the pages distinct.
func (f frame) Turned() string { return f.choice("page") }

// Style returns the style sheet of the page.
func (f frame) Style() string { return cmp.Or(f.Sheet, styleSheet) }

// Image returns the path of the preview image for links to the page.
func (f frame) Image() string { return cmp.Or(f.Picture, "/og/index.png") }

// In reports whether the page belongs to a section of the navigation.
func (f frame) In(section string) bool {
	at := cmp.Or(f.Section, f.Path)
	return at == section || strings.HasPrefix(at, section) && section != "/"
}

// parsed returns the templates by page, each with the layout and the parts. They are parsed
// once; each site clones them and adds its own functions.
var parsed = sync.OnceValue(func() map[string]*template.Template {
	files, err := templateFiles.ReadDir("templates")
	if err != nil {
		panic(err) // cannot happen: the templates are compiled in
	}
	var shared, own []string
	for _, f := range files {
		if name := f.Name(); name == "layout.html" || strings.HasPrefix(name, "part-") {
			shared = append(shared, "templates/"+name)
		} else {
			own = append(own, "templates/"+name)
		}
	}
	none := &Site{}
	base := template.Must(template.New("").Funcs(none.functions()).ParseFS(templateFiles, shared...))
	m := map[string]*template.Template{}
	for _, file := range own {
		t := template.Must(template.Must(base.Clone()).ParseFS(templateFiles, file))
		m[strings.TrimSuffix(path.Base(file), ".html")] = t
	}
	return m
})

// Policy returns the Content-Security-Policy of the page.
func (f frame) Policy() string { return Policy }

// absolute returns the absolute URL of a path, or "" if the site's URL is unknown.
func (r *request) absolute(path string) string { return frame{request: r}.Abs(path) }

// functions returns the template functions. Every string from an entity must pass through
// name, line or text.
func (s *Site) functions() template.FuncMap {
	return template.FuncMap{
		"to":       s.to,
		"api":      s.api,
		"served":   s.served,
		"static":   func() bool { return s.Static },
		"asset":    s.asset,
		"category": func(slug string) string { return textfmt.Name(s.categoryTitle(slug)) },
		"entity":   siteurl.Entity,
		"name":     textfmt.Name,
		"line":     func(t string) string { return textfmt.Truncate(safetext.OneLine(t), textfmt.MaxLineLen) },
		"text":     func(t string) string { return textfmt.Truncate(safetext.OneLine(t), textfmt.MaxTextLen) },
		"web":      textfmt.WebURL,
		"host":     textfmt.Host,
		"count":    textfmt.Count,
		"compact":  textfmt.Compact,
		"day":      textfmt.Day,
		"moment":   func(t time.Time) string { return t.UTC().Format(time.RFC3339) },
		"on":       func(t time.Time) string { return textfmt.Day(t.UTC().Format(time.DateOnly)) },
		"bar":      chart.Bar,
		"plural":   textfmt.Plural,
		"label":    textfmt.Label,
		"meaning":  func(dimension string) string { return dimensionMeanings[dimension] },
		"add":      func(a, b int) int { return a + b },
		"upper":    textfmt.Capitalize,
		"formula":  s.formulaAddress,
		"snippet":  func(name, text string) snippet { return snippet{name, text} },
	}
}
