package live

import (
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
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

	Site func() (*pages.Site, error) // returns the pages of its website, which are made on first use

	options         *Options
	signatureLogged sync.Once // that the signature is invalid

	ShownSince atomic.Pointer[time.Time] // when it last became the current build
}

// openBuild verifies and opens a build of an output folder. It does not read every file if that has
// been verified.
func openBuild(o *Options, id string, verified bool) (v *ServedBuild, err error) {
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
	if !verified { // read all files, those of the index too
		if _, err := store.Verify(dir); err != nil {
			return nil, err
		}
		if _, err := indexes.Verify(indexes.Dir(o.Root, id), id, m.Index); err != nil {
			return nil, err
		}
	}
	b, err := exports.Open(dir)
	if err != nil {
		return nil, err
	}
	b.History().Guard(o.EnterPast)
	if v, err = o.serve(b, m.LastModified(), b.Categories()); err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	if v.Index, err = indexes.Open(o.Root, b); err != nil {
		return nil, err
	}
	go func() {
		defer func() { _ = recover() }() // whoever needs it gets the panic again
		b.Prepare()
	}()
	return v, nil
}

// serve returns a build with these categories that lacks its index.
func (o *Options) serve(b *exports.Build, modified time.Time, categories []record.Category) (v *ServedBuild, err error) {
	v = &ServedBuild{options: o, Modified: []string{modified.UTC().Format(http.TimeFormat)}, Titles: map[string]string{}, Licenses: LicenseLinks(string(b.Manifest.License))}
	if v.Source, err = pages.SourceOf(b); err != nil {
		return nil, err
	}
	v.Categories, v.BuildHeader = slices.Clone(categories), []string{v.ID()}
	for _, c := range categories {
		v.Slugs = append(v.Slugs, c.Slug)
		v.Titles[c.Slug] = c.Title
	}
	v.Site = sync.OnceValues(func() (*pages.Site, error) {
		source := v.Source
		source.Signature = v.Signature
		return pages.New(source, o.Pages)
	})
	return v, nil
}

// ID returns the id of the content that is served. With edits, the id is different, so that
// responses with and without edits are never confused.
func (v *ServedBuild) ID() string {
	if overlay := v.Build.OverlayID(); overlay != "" {
		return v.Build.Manifest.ID + "+" + overlay
	}
	return v.Build.Manifest.ID
}

// withEdits returns the build with edits on top of it. Computed fields are recalculated because those in
// an edit may use a different formula or as-of time than all other scores and their explanations.
func (v *ServedBuild) withEdits(edits []exports.Edit) (*ServedBuild, error) {
	edits, categories := slices.Clone(edits), slices.Clone(v.Categories)
	for i := range edits {
		original := edits[i].Entity
		if original == nil {
			continue
		}
		e := *original
		e.Scores = v.Formula.Scores(&e, v.AsOf)
		e.Computed = v.Build.Providers().Compute(&e, v.AsOf.UTC().Format(time.DateOnly))
		edits[i].Entity = &e
		at, known := slices.BinarySearchFunc(categories, e.Category, func(c record.Category, slug string) int { return strings.Compare(c.Slug, slug) })
		if !known {
			categories = slices.Insert(categories, at, record.Category{Slug: e.Category, Title: e.Category})
		}
	}
	b, err := v.Build.WithEdits(edits)
	if err != nil {
		return nil, err
	}
	w, err := v.options.serve(b, time.Now(), categories)
	if err != nil {
		return nil, err
	}
	w.countCategories()
	if w.Index, err = v.Index.WithEdits(b, w.Titles); err != nil {
		return nil, err
	}
	return w, nil
}

// countCategories counts the listed and the ranked records in each category.
func (v *ServedBuild) countCategories() {
	listed, ranked := v.Build.Select(&view.Filter{}), v.Build.Board(view.AllBoard, "", view.DefaultSort.Key)
	for i := range v.Categories {
		c := &v.Categories[i]
		c.Count, c.Ranked = 0, 0
		if of := v.Build.Bitmap("category", c.Slug); of != nil {
			c.Count, c.Ranked = int(of.AndCardinality(listed)), int(of.AndCardinality(ranked))
		}
	}
}
