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

	"kindex/exports"
	"kindex/exports/feed"
	"kindex/exports/record"
)

//go:embed templates
var templateFiles embed.FS

// page is what a template is filled with, and what stands around it.
type page struct {
	Template    string // file name without .html
	Title       string // "" for that of the index alone
	Description string // a sentence for search engines and links
	Data        any
	Status      int    // 0: 200
	NoIndex     bool   // search engines are to leave it out
	Sheet       string // the style sheet, "" for the usual one
	Scripts     []string
	Picture     string // path of the picture that links show, "" for that of the index
	Feed        string // path of the API's feed with its query, "" for that of all
	LinkedData  any    // schema.org, as JSON-LD; nil for none
	Canonical   string // path under which the page is best known, "" for its own
	Section     string // of the navigation, where the path does not tell

	gone      *record.Version // the version that deleted it, for 410
	location  string          // where the page is instead: a path, not escaped, which may hold what a visitor typed
	query     string          // the query of location, escaped
	body      []byte          // a whole answer that is no page
	mediaType string
	keep      time.Duration // for how long that may be used without asking again
}

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
	return &Answer{Status: cmp.Or(p.Status, http.StatusOK), MediaType: htmlType, Body: b.Bytes(), Gone: p.gone}, nil
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

// feedLink is a feed that programs find in the head of a page.
type feedLink struct{ Format, To string }

// Name is what people call the format.
func (l feedLink) Name() string {
	return map[string]string{"rss": "RSS", "atom": "Atom", "json": "JSON Feed"}[l.Format]
}

// Feeds are the feeds of the page. Files have those of all, and of single entities; the
// others are those of the API.
func (f frame) Feeds() (list []feedLink) {
	if f.Static && (f.API == "" || f.Feed == "") {
		if key, ok := strings.CutPrefix(f.Feed, entityFeedPrefix); ok {
			return []feedLink{{"rss", f.to("/" + key + "/" + feedFile)}}
		}
		for _, of := range [][2]string{{"rss", ".xml"}, {"atom", ".atom"}, {"json", ".json"}} {
			list = append(list, feedLink{of[0], f.to("/" + exports.FeedFile + of[1])})
		}
		return list
	}
	for _, format := range feed.Formats {
		list = append(list, feedLink{format, f.api(feedIn(cmp.Or(f.Feed, "/api/feed"), format))})
	}
	return list
}

// feedIn is the path of a feed of the API in a format.
func feedIn(path, format string) string {
	switch {
	case format == feed.Formats[0]:
		return path
	case strings.Contains(path, "?"):
		return path + "&format=" + format
	}
	return path + "?format=" + format
}

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
