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
	"net/http"
	"net/url"
	"strings"
	"sync"

	"kindex/exports/leaderboard"
)

// Get renders a page. What is wrong with a request is an answer, too; an error is a
// failure of this program or a damaged build.
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

// redirectToSlash leads to the page whose address lacks only its last slash.
func (s *Site) redirectToSlash(r *request) (*Answer, error) {
	q := r.Request
	q.Path += "/"
	if s.find(q).route == nil || strings.HasSuffix(r.Path, "/") {
		p, err := r.notFoundWithSuggestions()
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
	s.allListed = sync.OnceValues(s.countAll)
	s.pastBoards = sync.OnceValue(s.findPastBoards)
	s.facets, s.categoryCounts, s.guides, s.changeFilterValues = s.countFacets(), s.countCategories(), s.renderGuides(), s.changeChoices()
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
