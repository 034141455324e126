// Package pages renders the website of a build: on demand for an edge, and as plain files
// at the same paths for a static site.
//
// Paths of pages end in a slash. A page's choices are part of its path, as in
// /leaderboards/nlp/type-tool/page-2/, so that every variant can be a file. Only the
// search, the comparison and the prices use the query.
package pages

import (
	"cmp"
	"html/template"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"kindex/exports/record"
)

// Get renders a page. For an invalid request, it returns an error page as an Answer. It
// returns an error only for a bug or a damaged build.
func (s *Site) Get(q Request) (*Answer, error) {
	q.Base = cmp.Or(q.Base, s.Base)
	r := s.find(q)
	if r.route == nil {
		return s.redirectToSlash(r)
	}
	p, err := r.route.show(r)
	if err != nil {
		return nil, err
	}
	if p.location != "" {
		to := url.URL{Path: strings.TrimSuffix(s.Root, "/") + p.location, RawQuery: p.query}
		return &Answer{Status: http.StatusMovedPermanently, Location: to.String()}, nil
	}
	if p.body != nil {
		return &Answer{Status: http.StatusOK, MediaType: p.mediaType, Body: p.body, Keep: p.maxAge}, nil
	}
	return r.render(p)
}

// redirectToSlash redirects a path that lacks only the trailing slash to its page.
func (s *Site) redirectToSlash(r *request) (*Answer, error) {
	q := r.Request
	q.Path += "/"
	if s.find(q).route == nil || strings.HasSuffix(r.Path, "/") {
		return r.render(r.notFoundWithSuggestions())
	}
	a, err := s.Get(q)
	if err != nil || a.Status >= http.StatusBadRequest {
		return a, err
	}
	to := url.URL{Path: strings.TrimSuffix(s.Root, "/") + q.Path, RawQuery: q.Query.Encode()}
	return &Answer{Status: http.StatusMovedPermanently, Location: to.String()}, nil
}

// New returns the site of a build.
func New(from Source, o Options) (*Site, error) {
	if o.Root == "" {
		o.Root = "/"
	}
	s := &Site{Source: from, Options: o, titles: map[string]string{}}
	for _, c := range from.Categories {
		s.titles[c.Slug] = c.Title
	}
	if v := from.Build.Vocabulary(); v != nil {
		s.wordTitles = make(map[string]string, len(v.Capabilities))
		for _, w := range v.Capabilities {
			s.wordTitles[w.Slug] = string(w.Title)
		}
	}
	s.known = sync.OnceValue(s.findKnown)
	s.quality = sync.OnceValues(s.readQuality)
	s.mapped = sync.OnceValues(s.findMapped)
	s.largest = sync.OnceValue(s.byCount)
	s.news = sync.OnceValues(s.findNews)
	s.names = sync.OnceValue(s.findNames)
	s.places = sync.OnceValue(s.findPlaces)
	s.categoryCounts, s.changeFilterValues = sync.OnceValue(s.countCategories), sync.OnceValue(s.changeChoices)
	s.guides, s.facets = sync.OnceValues(s.renderGuides), map[string]func() []facetValue{}
	s.facetKinds = facetKindsOf(s.kinds())
	for _, k := range s.facetKinds {
		s.facets[k.Field] = sync.OnceValue(func() []facetValue { return s.countFacet(k) })
	}
	s.templates = make(map[string]*template.Template, len(parsed()))
	for name, t := range parsed() {
		own, err := t.Clone()
		if err != nil {
			return nil, err
		}
		s.templates[name] = own.Funcs(s.functions())
	}
	return s, nil
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

// page is a page: its template, data and metadata.
type page struct {
	Template    string // file name without .html
	Title       string // if "", only the title of the index is shown
	Description string // a sentence for search engines and links
	Data        any
	Status      int    // 0 means 200
	NoIndex     bool   // search engines must not index the page
	Sheet       string // the style sheet, or "" for the default
	Scripts     []string
	Picture     string // path of the preview image; "" means the image of the index
	Feed        string // path and query of the API's feed; "" means the feed of all changes
	LinkedData  any    // schema.org, as JSON-LD; nil if there is none
	Canonical   string // canonical path; "" means the page's own
	Section     string // section of the navigation, if the path does not determine it

	deletedBy *record.Version // the version that deleted the entity, for 410
	location  string          // redirect target: an unescaped path, which may contain user input
	query     string          // the query of location, escaped
	body      []byte          // a complete response other than a page
	mediaType string
	maxAge    time.Duration // the time for which body may be cached
}

// Policy is the Content-Security-Policy of every page. It permits only files from the
// site, and nothing inline.
const Policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
	"manifest-src 'self'; form-action 'self'; base-uri 'none'"

// option is a choice.
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
