// Package pages renders the website of a build: on demand for an edge, and as plain files
// at the same paths for a static site.
//
// Paths of pages end in a slash. A page's choices are part of its path, as in
// /leaderboards/nlp/type-tool/page-2/, so that every variant can be a file. Only what
// people type is in the query: searches, filters, comparisons and the order of lists.
package pages

import (
	"cmp"
	"html/template"
	"io/fs"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"kindex/exports"
	"kindex/exports/board"
	"kindex/exports/feed"
	"kindex/exports/kinds"
	"kindex/exports/news"
	"kindex/exports/record"
	"kindex/exports/score"
	"kindex/exports/sign"
	"kindex/indexes"
	"kindex/site/panel"
)

// Get renders a page. For an invalid request, it returns an error page as an Answer. It
// returns an error only for a bug or a damaged build.
func (s *Site) Get(q Request) (*Answer, error) {
	q.Base = cmp.Or(q.Base, s.Base)
	r := s.find(q)
	switch {
	case r.route != nil:
	case strings.HasSuffix(r.Path, "/") || s.find(Request{Path: r.Path + "/"}).route == nil:
		return r.render(r.notFoundWithSuggestions())
	default: // only the slash at the end is missing
		q.Path += "/"
		a, err := s.Get(q)
		if err != nil || a.Status >= http.StatusBadRequest {
			return a, err
		}
		return &s.moved(q.Path, q.Query.Encode()).Answer, nil
	}
	p, err := r.route.show(r)
	if err != nil {
		return nil, err
	}
	return r.render(p)
}

// moved returns a redirect to an unescaped path, which may contain user input, with an escaped query.
func (s *Site) moved(path, query string) *page {
	to := url.URL{Path: strings.TrimSuffix(s.Root, "/") + path, RawQuery: query}
	return &page{Answer: Answer{Status: http.StatusMovedPermanently, Location: to.String()}}
}

// file returns a response other than a page.
func file(mediaType string, body []byte, keep time.Duration) *page {
	return &page{Answer: Answer{Status: http.StatusOK, MediaType: mediaType, Body: body, Keep: keep}}
}

// New returns the site of a build.
func New(from Source, o Options) *Site {
	if o.Root == "" {
		o.Root = "/"
	}
	s := &Site{Source: from, Options: o, titles: map[string]string{}, templates: map[string]*template.Template{}}
	for _, c := range from.Categories {
		s.titles[c.Slug] = c.Title
	}
	s.mapped = sync.OnceValues(s.findMapped)
	s.news = sync.OnceValue(s.findNews)
	s.names = sync.OnceValue(s.findNames)
	s.places = sync.OnceValue(s.findPlaces)
	s.categoryCounts = sync.OnceValue(s.countCategories)
	s.guides, s.facets = sync.OnceValues(s.renderGuides), map[string]func() []facetValue{}
	s.facetKinds = facetKindsOf(s.kinds())
	for _, k := range s.facetKinds {
		s.facets[k.Field] = sync.OnceValue(func() []facetValue { return s.countFacet(k) })
	}
	base := template.Must(template.New("").Funcs(s.functions()).ParseFS(templateFiles, "templates/layout.html", "templates/part-*.html"))
	files, _ := fs.Glob(templateFiles, "templates/*.html") // the pattern is valid
	for _, file := range files {
		s.templates[strings.TrimSuffix(path.Base(file), ".html")] = template.Must(template.Must(base.Clone()).ParseFS(templateFiles, file))
	}
	return s
}

// Request is a request for a page.
type Request struct {
	Path  string // begins with a slash, without Options.Root
	Query url.Values
	Base  string // absolute URL of the site, without a trailing slash; "" means Options.Base
	// Account is the signed-in account, or "" if there is none. It changes a link in the page header.
	Account string
}

// Answer is a page or a redirect.
type Answer struct {
	Status    int // 200, 301, 400, 404 or 410
	MediaType string
	Body      []byte
	Location  string // redirect target for 301, including Options.Root
	// Gone is the version that deleted the entity, for 410.
	Gone *record.Version
	// Keep is the time for which the response may be cached without revalidation.
	Keep time.Duration
}

const htmlType = "text/html; charset=utf-8"

// page is a page: its template, data and metadata. Without a template, it is the Answer.
type page struct {
	Answer                   // of a page, only the status, for which 0 means 200, and Gone
	Template    string       // file name without .html
	Title       string       // if "", only the title of the index is shown
	Description string       // a sentence for search engines and links
	Member      panel.Member // the signed-in account, on pages of the panel
	Data        any
	NoIndex     bool   // search engines must not index the page
	Sheet       string // the style sheet, or "" for the default
	Scripts     []string
	Picture     string // path of the preview image; "" means the image of the index
	Feed        string // query of the API's feed; "" means that of all changes
	LinkedData  any    // of the index (schema.org), as JSON-LD; nil on other pages
	Canonical   string // canonical path; "" means the page's own
	Section     string // section of the navigation, if the path does not determine it
}

// Policy is the Content-Security-Policy of every page. It permits only files from the
// site, and nothing inline.
const Policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
	"manifest-src 'self'; form-action 'self'; base-uri 'none'"

type option struct {
	Name, Value string
	Count       int
	To          string // URL with the option chosen or, if the option is already chosen, with it removed
	Chosen      bool
}

// markChosen marks the option with a value as chosen, and reports whether there is one.
func markChosen(list []option, value string) (found bool) {
	for i := range list {
		list[i].Chosen = list[i].Value == value
		found = found || list[i].Chosen
	}
	return found
}

// each returns what a function makes of each element of a list.
func each[T, U any](list []T, of func(T) U) []U {
	out := make([]U, len(list))
	for i, x := range list {
		out[i] = of(x)
	}
	return out
}

// group is a part of a list.
type group[T any] struct {
	ID, Title string
	Note      string // what the rows have in common besides the title
	Rows      []T
	More      int // rows that are left out
}

// grouped divides a list into groups of consecutive elements with the same title.
func grouped[T any](list []T, title func(T) string) (groups []group[T]) {
	for i, x := range list {
		if i == 0 || title(x) != groups[len(groups)-1].Title {
			groups = append(groups, group[T]{Title: title(x)})
		}
		last := &groups[len(groups)-1]
		last.Rows = append(last.Rows, x)
	}
	return groups
}

// first returns the first element of a list that a function accepts, or the zero value if there is none.
func first[T any](list []T, accepts func(T) bool) (found T) {
	if i := slices.IndexFunc(list, accepts); i >= 0 {
		found = list[i]
	}
	return found
}

// Source is the build that pages are rendered from. It must stay open as long as the Site
// is in use.
type Source struct {
	Build      *exports.Build
	Index      *indexes.Index // nil if the search runs in the browser
	News       *news.Log      // the changes, with their refreshes
	Own        *board.List    // the boards of boards.yaml, and earlier ranks on all leaderboards
	Formula    *score.Formula
	AsOf       time.Time
	Categories []record.Category
	// Signature returns the signature of the build, or nil if it has none; it can change. The
	// function is nil if nothing is known about signatures.
	Signature func() *sign.Signature
}

// Options defines where and how the pages are served.
type Options struct {
	// Root is the path prefix of all pages: "/", or "/folder/" for a static site that is
	// not at the root of its host. "" means "/".
	Root string
	// Static means that the pages are files: there is no API next to them and no sign-in,
	// and the search runs in the browser.
	Static bool
	// API is the URL of an edge that a static site links to, without a trailing slash, or
	// "" if there is none.
	API string
	// Base is the absolute URL of the site without a trailing slash, or "" if it is
	// unknown. It is used for requests without a URL of their own.
	Base string
	// SignIn means that people can sign in at /signin.
	SignIn bool
	// Contact is the operator's address, or "" if there is none.
	Contact string
	// LimitAnonymous and LimitKey are the daily limits on API requests for an IP address
	// without a key, and for an account; 0 means unlimited.
	LimitAnonymous, LimitKey int64
}

// Site renders the pages of one build. Its methods may be called concurrently.
type Site struct {
	Source
	Options
	titles    map[string]string // of categories
	templates map[string]*template.Template

	facetKinds     []*facetKind
	facets         map[string]func() []facetValue // by field
	knownColumns   sync.Map                       // []string by kind; see columnNames
	categoryCounts func() []category
	guides         func() ([]*guidePage, error)
	news           func() *homeNewsLists         // result of findNews, which is called once
	names          func() map[string][]knownName // result of findNames, which is called once
	places         func() map[uint32]boardPlace  // result of findPlaces, which is called once
	mapped         func() ([]link, error)        // result of findMapped, which is called once
}

// types returns the types that entities in the build have.
func (s *Site) types() []string {
	return slices.DeleteFunc(slices.Clone(s.Build.Kinds().Names()), func(t string) bool { return s.Build.Bitmap("type", t) == nil })
}

// to returns the URL of a path on the site: the path with the root as its prefix. The
// path may have a query or a fragment.
func (s *Site) to(path string) string {
	tail := ""
	if at := strings.IndexAny(path, "?#"); at >= 0 {
		path, tail = path[:at], path[at:]
	}
	u := url.URL{Path: strings.TrimSuffix(s.Root, "/") + path}
	return u.EscapedPath() + tail
}

func (s *Site) api(path string) string { return s.API + path }

// served reports whether there is an API that pages can link to.
func (s *Site) served() bool { return !s.Static || s.API != "" }

func (s *Site) categoryTitle(slug string) string {
	return cmp.Or(s.titles[slug], slug)
}

// SourceOf reads everything that pages need from a build, except the search index.
func SourceOf(b *exports.Build) (Source, error) {
	s := Source{Build: b}
	var err error
	if s.Formula, err = b.Formula(); err != nil {
		return s, err
	}
	if s.AsOf, err = time.Parse(time.RFC3339, b.Manifest.AsOf); err != nil {
		return s, err
	}
	s.Categories = slices.Clone(b.Categories())
	s.News = news.New(b, s.AsOf)
	s.Own, err = board.Open(b, s.Formula, s.AsOf)
	return s, err
}

// words returns what names the subjects of changes.
func (s *Site) words() feed.Words {
	return feed.Words{Kinds: s.kinds(), Categories: s.titles, Name: s.Build.NameOf}
}

func (s *Site) kinds() *kinds.Set { return s.Build.Kinds() }
