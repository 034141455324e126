package live

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"kindex/exports"
	"kindex/exports/board"
	"kindex/exports/leaderboard"
	"kindex/exports/mirror"
	"kindex/exports/news"
	"kindex/exports/record"
	"kindex/exports/score"
	"kindex/exports/store"
	"kindex/exports/view"
	"kindex/indexes"
	"kindex/site/pages"
)

// ServedBuild is a build that the edge serves. A request acquires the current build once and
// keeps it until the request ends, so that no response mixes two builds. The build is closed
// when the last request that uses it has ended.
type ServedBuild struct {
	Build          *exports.Build
	Index          *indexes.Index
	Formula        *score.Formula
	AsOf           time.Time
	Modified       []string // the Last-Modified header
	UniqueModified bool     // whether Modified identifies this content, see Reloader.modifiedIsUnique
	BuildHeader    []string // the X-Build header
	Licenses       []string // the Link header of exports
	Categories     []record.Category
	Slugs          []string // the slugs of the categories
	Titles         map[string]string

	Boards    *leaderboard.Boards // ranks of entities, now and earlier
	News      *news.Log           // the changes, with their refreshes
	Own       *board.List         // the boards of boards.yaml
	website   website
	options   pages.Options // the options for its pages
	signature *signatureReader

	ShownSince atomic.Pointer[time.Time] // when it last became the current build
	refs       atomic.Int64              // references held by requests, the Reloader, and builds with edits on top
	close      func()
}

// openBuild verifies and opens a build of an output folder. It does not read every file if that has
// been verified.
func openBuild(o Options, id string, verified bool) (v *ServedBuild, err error) {
	dir := filepath.Join(store.BuildsDir(o.Root), id)
	var opened []io.Closer
	defer func() {
		// A forged build can have correct checksums but wrong offsets.
		if r := recover(); r != nil {
			err = &store.DamageError{Path: dir, Problem: fmt.Sprintf("has inconsistent files: %v", r)}
		}
		if err != nil {
			v = nil
			for _, c := range slices.Backward(opened) {
				err = errors.Join(err, c.Close())
			}
		}
	}()
	m, err := store.ReadManifest(dir)
	if err != nil {
		return nil, err
	}
	if err := mirror.CheckSaved(o.Root, id, o.Verifiers); err != nil {
		return nil, err
	}
	if !verified {
		if err := o.verifyFiles(id, dir); err != nil {
			return nil, err
		}
	}
	b, err := exports.Open(dir)
	if err != nil {
		return nil, err
	}
	opened = append(opened, b)
	b.History().Guard(o.EnterPast)
	v = &ServedBuild{Build: b, Modified: []string{m.LastModified().UTC().Format(http.TimeFormat)}, Titles: map[string]string{}}
	v.BuildHeader = []string{v.ID()}
	if v.Index, err = indexes.Open(o.Root, b); err != nil {
		return nil, err
	}
	if err := v.decode(); err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	v.refs.Store(1)
	return v, nil
}

// verifyFiles reads all files of a build and of its index, and compares them with the manifests.
func (o *Options) verifyFiles(id, dir string) error {
	m, err := store.Verify(dir)
	if err != nil {
		return err
	}
	_, err = indexes.Verify(indexes.Dir(o.Root, id), id, m.Index)
	return err
}

// decode decodes the data that every request needs.
func (v *ServedBuild) decode() error {
	source, err := pages.SourceOf(v.Build)
	if err != nil {
		return err
	}
	v.Licenses = LicenseLinks(string(v.Build.Manifest.License))
	v.Formula, v.AsOf, v.Boards, v.News, v.Categories = source.Formula, source.AsOf, source.Boards, source.News, source.Categories
	v.Own = source.Own
	for _, c := range v.Categories {
		v.Slugs = append(v.Slugs, c.Slug)
		v.Titles[c.Slug] = c.Title
	}
	return nil
}

// ID returns the id of the content that is served. With edits, the id is different, so that
// responses with and without edits are never confused.
func (v *ServedBuild) ID() string {
	if overlay := v.Build.OverlayID(); overlay != "" {
		return v.Build.Manifest.ID + "+" + overlay
	}
	return v.Build.Manifest.ID
}

// withEdits returns the build with edits on top of it. The result retains v until it is
// closed. Computed fields are recalculated because those in an edit may use a different formula
// or as-of time than all other scores and their explanations.
func (v *ServedBuild) withEdits(edits []exports.Edit) (*ServedBuild, error) {
	edits = slices.Clone(edits)
	for i := range edits {
		if original := edits[i].Entity; original != nil {
			e := *original
			e.Scores = v.Formula.Scores(&e, v.AsOf)
			e.Computed = v.Build.Providers().Compute(&e, v.AsOf.UTC().Format(time.DateOnly))
			edits[i].Entity = &e
		}
	}
	b, err := v.Build.WithEdits(edits)
	if err != nil {
		return nil, err
	}
	w := &ServedBuild{Build: b, Formula: v.Formula, AsOf: v.AsOf, Modified: []string{time.Now().UTC().Format(http.TimeFormat)}, Titles: maps.Clone(v.Titles), Licenses: v.Licenses, options: v.options, signature: v.signature}
	w.BuildHeader = []string{w.ID()}
	w.Boards, w.News = leaderboard.New(b, w.AsOf), news.New(b, w.AsOf)
	if w.Own, err = board.Open(b, w.Boards, w.Formula, w.AsOf); err != nil {
		return nil, err
	}
	w.Categories, w.Slugs = slices.Clone(v.Categories), slices.Clone(v.Slugs)
	for _, e := range edits {
		if e.Entity != nil && !slices.Contains(w.Slugs, e.Entity.Category) {
			w.addCategory(e.Entity.Category)
		}
	}
	w.countCategories()
	if w.Index, err = v.Index.WithEdits(b, w.Titles); err != nil {
		return nil, err
	}
	v.Retain()
	w.close = v.Release
	w.refs.Store(1)
	return w, nil
}

// addCategory adds a category that is not in the build.
func (v *ServedBuild) addCategory(slug string) {
	at, _ := slices.BinarySearch(v.Slugs, slug)
	v.Slugs = slices.Insert(v.Slugs, at, slug)
	v.Categories = slices.Insert(v.Categories, at, record.Category{Slug: slug, Title: slug})
	v.Titles[slug] = slug
}

// countCategories counts the listed and the ranked records in each category.
func (v *ServedBuild) countCategories() {
	listed, ranked := v.Build.Select(&view.Filter{}), v.Boards.Ranked()
	for i := range v.Categories {
		c := &v.Categories[i]
		c.Count, c.Ranked = 0, 0
		if of := v.Build.Bitmap("category", c.Slug); of != nil {
			c.Count, c.Ranked = int(of.AndCardinality(listed)), int(of.AndCardinality(ranked))
		}
	}
}

// Retain takes a reference to the build, unless it has been closed already.
func (v *ServedBuild) Retain() bool {
	for {
		n := v.refs.Load()
		if n == 0 {
			return false
		}
		if v.refs.CompareAndSwap(n, n+1) {
			return true
		}
	}
}

// Refs returns the number of references to the build.
func (v *ServedBuild) Refs() int64 { return v.refs.Load() }

// Release releases a reference. Releasing the last one closes the build.
func (v *ServedBuild) Release() {
	if v.refs.Add(-1) == 0 {
		v.close()
	}
}

// website holds the pages of a build's website, created on first use.
type website struct {
	once  sync.Once
	pages *pages.Site
	err   error
}

// Site returns the pages of the build's website, creating them on first use.
func (v *ServedBuild) Site() (*pages.Site, error) {
	w := &v.website
	w.once.Do(func() {
		w.pages, w.err = pages.New(pages.Source{Build: v.Build, Index: v.Index, Boards: v.Boards, News: v.News, Own: v.Own, Formula: v.Formula, AsOf: v.AsOf, Categories: v.Categories, Signature: v.Signature}, v.options)
	})
	return w.pages, w.err
}
