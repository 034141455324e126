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

	"kindex/exports/leaderboard"
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

// Paths calls yield with the path of each page of a static site, once per page.
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

// New returns the site of a build.
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
