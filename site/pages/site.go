package pages

import (
	"html/template"
	"net/url"
	"slices"
	"strings"
	"time"

	"kindex/exports"
	"kindex/exports/board"
	"kindex/exports/feed"
	"kindex/exports/kinds"
	"kindex/exports/leaderboard"
	"kindex/exports/news"
	"kindex/exports/record"
	"kindex/exports/score"
	"kindex/exports/sign"
	"kindex/indexes"
)

// Source is the build that pages are rendered from. It must stay open as long as the Site
// is in use.
type Source struct {
	Build      *exports.Build
	Index      *indexes.Index      // nil if the search runs in the browser
	Boards     *leaderboard.Boards // current and earlier ranks
	News       *news.Log           // the changes, with their refreshes
	Own        *board.List         // the boards of boards.yaml
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
	titles     map[string]string // of categories
	wordTitles map[string]string // of capabilities
	templates  map[string]*template.Template

	facetKinds         []*facetKind
	facets             map[string]func() []facetValue // by field
	categoryCounts     func() []category
	guides             func() ([]*guidePage, error)
	changeFilterValues func() map[string][]option // filter values on the changes page
	known              func() []knownValuesOf
	news               func() (*homeNewsLists, error)   // result of findNews, which is called once
	names              func() map[string][]knownName    // result of findNames, which is called once
	places             func() map[uint32]boardPlace     // result of findPlaces, which is called once
	mapped             func() ([][]sitemapEntry, error) // result of findMapped, which is called once
	largest            func() []string                  // result of byCount, which is called once
	quality            func() (*qualityPage, error)     // result of readQuality, which is called once
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

// api returns the URL of a path of the API.
func (s *Site) api(path string) string { return s.API + path }

// served reports whether there is an API that pages can link to.
func (s *Site) served() bool { return !s.Static || s.API != "" }

func (s *Site) categoryTitle(slug string) string {
	if t := s.titles[slug]; t != "" {
		return t
	}
	return slug
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
	s.Boards, s.News = leaderboard.New(b, s.AsOf), news.New(b, s.AsOf)
	s.Own, err = board.Open(b, s.Boards, s.Formula, s.AsOf)
	return s, err
}

// words returns what names the subjects of changes.
func (s *Site) words() feed.Words { return feed.Words{Kinds: s.kinds(), Categories: s.titles} }

// kinds returns the kinds of the index.
func (s *Site) kinds() *kinds.Set { return s.Build.Kinds() }
