// Package pages renders the website from one build: the edge on demand, and a
// static build into plain files at the same addresses.
//
// Addresses of pages end in a slash. What chooses among the forms of a page stands
// in the path, as /leaderboards/nlp/type-tool/page-2/, so that a folder of files can
// hold it; only the search and the comparison take a query.
package pages

import (
	"cmp"
	"html/template"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/RoaringBitmap/roaring/v2"

	"kindex/exports"
	"kindex/exports/leaderboard"
	"kindex/exports/record"
	"kindex/exports/score"
	"kindex/indexes"
)

// Policy is the Content-Security-Policy of every page: it loads and runs what the
// site has, and nothing that is written into the page.
const Policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
	"manifest-src 'self'; form-action 'self'; base-uri 'none'"

// Source is the build that pages are rendered from. It must stay open as long.
type Source struct {
	Build      *exports.Build
	Index      *indexes.Index      // nil where the search runs in the browser
	Boards     *leaderboard.Boards // how entities stand, now and before; nil: the site makes its own
	Formula    *score.Formula
	AsOf       time.Time
	Categories []record.Category
}

// Options say where the pages will stand.
type Options struct {
	// Root is the path that all addresses begin with: "/", or "/folder/" for a static
	// site that is not at the root of its host. "" is "/".
	Root string
	// Static tells that the pages are files: there is no API beside them, nobody can
	// sign in, and the search runs in the browser.
	Static bool
	// API is the address of an edge that a static site leads to, without a slash at
	// its end, "" for none.
	API string
	// Base is the absolute address of the site, for requests that do not name it,
	// without a slash at its end; "" where nobody knows.
	Base string
	// SignIn tells that people can sign in at /signin.
	SignIn bool
	// Contact is the operator's address, "" for none.
	Contact string
	// LimitAnonymous and LimitKey are how many requests a day an address without a
	// key, and an account, may make of the API; 0 counts none.
	LimitAnonymous, LimitKey int64
}

// Site renders the pages of one build, for any number of goroutines.
type Site struct {
	Source
	Options
	titles    map[string]string // of categories
	templates map[string]*template.Template
	pictures  *pictures

	pastBoards func() map[string][]string        // what findPastBoards finds, looked for once
	counted    map[string]func() (*terms, error) // by field
	classes    func() ([]class, error)
	guides     func() (map[string]*guidePage, error)
	chosenBy   func() map[string][]option // what changes can be narrowed down by
	known      knownValues
	everything func() (*roaring.Bitmap, map[string][]exports.FacetCount)
}

// New makes the site of a build.
func New(from Source, o Options) (*Site, error) {
	if o.Root == "" {
		o.Root = "/"
	}
	s := &Site{Source: from, Options: o, titles: map[string]string{}, pictures: newPictures()}
	for _, c := range from.Categories {
		s.titles[c.Slug] = c.Title
	}
	if s.Boards == nil {
		s.Boards = leaderboard.New(from.Build, from.AsOf)
	}
	s.everything = sync.OnceValues(s.countAll)
	s.pastBoards = sync.OnceValue(s.findPastBoards)
	s.counted, s.classes, s.guides, s.chosenBy = s.counting(), s.countingClasses(), s.rendering(), s.changeChoices()
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

// Request asks for a page.
type Request struct {
	Path  string // begins with a slash, without Options.Root
	Query url.Values
	Base  string // the absolute address of the site, without a slash at its end; "" for Options.Base
	// Account is who is signed in, "" for nobody. It changes a link in the head of the page.
	Account string
}

// Answer is a page, or where it has gone to.
type Answer struct {
	Status    int // 200, 301, 400, 404 or 410
	MediaType string
	Body      []byte
	Location  string // for 301, with Options.Root
	// Gone is the version that deleted what the address had, for 410.
	Gone *record.Version
	// Keep is for how long whoever got the answer may use it without asking again.
	Keep time.Duration
}

const htmlType = "text/html; charset=utf-8"

// Get renders a page. What is wrong with a request is an answer, too; an error is a
// failure of this program or a damaged build.
func (s *Site) Get(q Request) (*Answer, error) {
	q.Base = cmp.Or(q.Base, s.Base)
	r, route := s.find(q)
	if route == nil {
		return s.slashed(r)
	}
	p, err := route.show(r)
	if err != nil {
		return nil, err
	}
	if p.location != "" {
		to := url.URL{Path: strings.TrimSuffix(s.Root, "/") + p.location, RawQuery: p.query}
		return &Answer{Status: http.StatusMovedPermanently, Location: to.String()}, nil
	}
	if p.body != nil {
		return &Answer{Status: http.StatusOK, MediaType: p.mediaType, Body: p.body, Keep: p.keep}, nil
	}
	return r.render(p)
}

// slashed leads to the page whose address lacks only its last slash.
func (s *Site) slashed(r *request) (*Answer, error) {
	q := r.Request
	q.Path += "/"
	if _, other := s.find(q); other == nil || strings.HasSuffix(r.Path, "/") {
		p, err := r.lost()
		if err != nil {
			return nil, err
		}
		return r.render(p)
	}
	a, err := s.Get(q)
	if err != nil || a.Status >= http.StatusBadRequest {
		return a, err
	}
	to := url.URL{Path: strings.TrimSuffix(s.Root, "/") + q.Path, RawQuery: q.Query.Encode()}
	return &Answer{Status: http.StatusMovedPermanently, Location: to.String()}, nil
}

// Paths calls yield with the path of every page of a static site, each once.
func (s *Site) Paths(yield func(path string) bool) {
	seen := map[string]bool{}
	for _, r := range routes {
		if r.paths == nil {
			continue
		}
		for p := range r.paths(s) {
			if seen[p] {
				continue
			}
			if seen[p] = true; !yield(p) {
				return
			}
		}
	}
}

// request is a request under way.
type request struct {
	*Site
	Request
	args    map[string]string // named parts of the path
	choices map[string]string // what chooses a form of the page, by name
}

// arg is a named part of the path.
func (r *request) arg(name string) string { return r.args[name] }

// choice is what the path chooses, "" where it leaves that open.
func (r *request) choice(name string) string { return r.choices[name] }

// with is the path of the same page with another choice; "" as the value takes the
// choice away. Another choice than the page begins at its first page again.
func (r *request) with(name, value string) string {
	chosen := maps.Clone(r.choices)
	if name != "page" {
		delete(chosen, "page")
	}
	chosen[name] = value
	route := r.route()
	return route.path(r.args, chosen)
}

func (r *request) route() *route {
	_, found := r.Site.find(r.Request)
	return found
}

// types are the types that the build has entities of.
func (s *Site) types() []string {
	return slices.DeleteFunc(slices.Clone(record.Types), func(t string) bool { return s.Build.Bitmap("type", t) == nil })
}
