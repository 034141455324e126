package pages

import (
	"encoding/json"
	"fmt"
	"html/template"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/RoaringBitmap/roaring/v2"

	"kindex/exports"
	"kindex/exports/leaderboard"
	"kindex/exports/record"
	"kindex/exports/score"
	"kindex/indexes"
)

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
	pictures  *pictureCache

	pastBoards         func() map[string][]string              // what findPastBoards finds, looked for once
	facets             map[string]func() (*facetValues, error) // by field
	categoryCounts     func() ([]category, error)
	guides             func() (map[string]*guidePage, error)
	changeFilterValues func() map[string][]option // what changes can be narrowed down by
	known              knownValues
	allListed          func() (*roaring.Bitmap, map[string][]exports.FacetCount)
}

// types are the types that the build has entities of.
func (s *Site) types() []string {
	return slices.DeleteFunc(slices.Clone(record.Types), func(t string) bool { return s.Build.Bitmap("type", t) == nil })
}

// to is an address of the site for a page: the path with the root before it. A path
// may have a query, or a fragment.
func (s *Site) to(path string) string {
	tail := ""
	if at := strings.IndexAny(path, "?#"); at >= 0 {
		path, tail = path[:at], path[at:]
	}
	u := url.URL{Path: strings.TrimSuffix(s.Root, "/") + path}
	return u.EscapedPath() + tail
}

// api is an address of the API.
func (s *Site) api(path string) string { return s.API + path }

// served tells whether there is an API to lead to.
func (s *Site) served() bool { return !s.Static || s.API != "" }

func (s *Site) categoryTitle(slug string) string {
	if t := s.titles[slug]; t != "" {
		return t
	}
	return slug
}

// SourceOf reads from a build what its pages need, but for the search index.
func SourceOf(b *exports.Build) (Source, error) {
	s := Source{Build: b}
	data, _, _ := b.File(exports.ScoringFile)
	var err error
	if s.Formula, err = score.ParseChecked(data); err != nil {
		return s, err
	}
	if s.AsOf, err = time.Parse(time.RFC3339, b.Manifest.AsOf); err != nil {
		return s, err
	}
	data, _, _ = b.File(exports.CategoriesFile)
	if err := json.Unmarshal(data, &s.Categories); err != nil {
		return s, fmt.Errorf("%s: %w", exports.CategoriesFile, err)
	}
	s.Boards = leaderboard.New(b, s.AsOf)
	return s, nil
}
