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
)

//go:embed templates
var templateFiles embed.FS

// frame is what the layout is filled with.
type frame struct {
	*request
	*page
}

// render fills a page into the layout.
func (r *request) render(p *page) (*Answer, error) {
	var b bytes.Buffer
	if err := r.templates[p.Template].ExecuteTemplate(&b, "layout", frame{r, p}); err != nil {
		return nil, err
	}
	return &Answer{Status: cmp.Or(p.Status, http.StatusOK), MediaType: htmlType, Body: b.Bytes(), Gone: p.deletedBy}, nil
}

// SiteTitle is the name of the index.
func (f frame) SiteTitle() string { return f.Build.Manifest.Title }

// Here is the path of the page under which it is best known.
func (f frame) Here() string { return cmp.Or(f.Canonical, f.Path) }

// Abs is an absolute address, "" where that of the site is not known.
func (f frame) Abs(path string) string {
	if f.Base == "" {
		return ""
	}
	return f.Base + strings.TrimPrefix(f.to(path), strings.TrimSuffix(f.to("/"), "/"))
}

// Turned is the number of the page in its list, "" for the first: what tells the titles
// of the list apart.
func (f frame) Turned() string { return f.choice("page") }

// Style is the style sheet of the page.
func (f frame) Style() string { return cmp.Or(f.Sheet, styleSheet) }

// Image is the path of the picture that links to the page show.
func (f frame) Image() string { return cmp.Or(f.Picture, "/og/index.png") }

// In tells whether the page belongs to a section of the navigation.
func (f frame) In(section string) bool {
	at := cmp.Or(f.Section, f.Path)
	return at == section || strings.HasPrefix(at, section) && section != "/"
}

// parsed are the templates by the pages that they are for, each with the layout and
// the parts. They are parsed once; every site has clones with functions of its own.
var parsed = sync.OnceValue(func() map[string]*template.Template {
	files, err := templateFiles.ReadDir("templates")
	if err != nil {
		panic(err) // they are compiled in
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

// Policy is the Content-Security-Policy of the page.
func (f frame) Policy() string { return Policy }

// absolute is the absolute address of a path, "" where that of the site is not known.
func (r *request) absolute(path string) string { return frame{request: r}.Abs(path) }
