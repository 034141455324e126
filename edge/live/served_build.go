package live

import (
	"fmt"
	"maps"
	"net/http"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"kindex/exports"
	"kindex/exports/mirror"
	"kindex/exports/record"
	"kindex/exports/store"
	"kindex/exports/view"
	"kindex/indexes"
	"kindex/site/pages"
)

// ServedBuild is a build that the edge serves. A request acquires the current build once and
// keeps it until the request ends, so that no response mixes two builds. A build that nothing refers to any more
// is garbage.
type ServedBuild struct {
	pages.Source
	Modified       []string // the Last-Modified header
	UniqueModified bool     // whether Modified identifies this content, see Reloader.modifiedIsUnique
	BuildHeader    []string // the X-Build header
	Licenses       []string // the Link header of exports
	Slugs          []string // the slugs of the categories
	Titles         map[string]string

	website   website
	options   pages.Options // the options for its pages
	signature *signatureReader

	ShownSince atomic.Pointer[time.Time] // when it last became the current build
}

// openBuild verifies and opens a build of an output folder. It does not read every file if that has
// been verified.
func openBuild(o Options, id string, verified bool) (v *ServedBuild, err error) {
	dir := filepath.Join(store.BuildsDir(o.Root), id)
	defer func() {
		// A forged build can have correct checksums but impossible content.
		if r := recover(); r != nil {
			v, err = nil, &store.DamageError{Path: dir, Problem: fmt.Sprintf("has inconsistent files: %v", r)}
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
	b.History().Guard(o.EnterPast)
	v = &ServedBuild{Modified: []string{m.LastModified().UTC().Format(http.TimeFormat)}, Titles: map[string]string{}, Licenses: LicenseLinks(string(m.License))}
	if v.Source, err = pages.SourceOf(b); err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	if v.Index, err = indexes.Open(o.Root, b); err != nil {
		return nil, err
	}
	go func() {
		defer func() { _ = recover() }() // whoever needs it gets the panic again
		b.Prepare()
	}()
	v.BuildHeader = []string{v.ID()}
	for _, c := range v.Categories {
		v.Slugs = append(v.Slugs, c.Slug)
		v.Titles[c.Slug] = c.Title
	}
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

// ID returns the id of the content that is served. With edits, the id is different, so that
// responses with and without edits are never confused.
func (v *ServedBuild) ID() string {
	if overlay := v.Build.OverlayID(); overlay != "" {
		return v.Build.Manifest.ID + "+" + overlay
	}
	return v.Build.Manifest.ID
}

// withEdits returns the build with edits on top of it. Computed fields are recalculated because those in an edit may use a different formula
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
	w := &ServedBuild{Modified: []string{time.Now().UTC().Format(http.TimeFormat)}, Slugs: slices.Clone(v.Slugs), Titles: maps.Clone(v.Titles),
		Licenses: v.Licenses, options: v.options, signature: v.signature}
	if w.Source, err = pages.SourceOf(b); err != nil {
		return nil, err
	}
	w.BuildHeader = []string{w.ID()}
	for _, e := range edits {
		if e.Entity != nil && !slices.Contains(w.Slugs, e.Entity.Category) {
			w.addCategory(e.Entity.Category)
		}
	}
	w.countCategories()
	if w.Index, err = v.Index.WithEdits(b, w.Titles); err != nil {
		return nil, err
	}
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
		source := v.Source
		source.Signature = v.Signature
		w.pages, w.err = pages.New(source, v.options)
	})
	return w.pages, w.err
}
