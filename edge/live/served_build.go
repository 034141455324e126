package live

import (
	"fmt"
	"net/http"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"kindex/exports"
	"kindex/exports/mirror"
	"kindex/exports/record"
	"kindex/exports/sign"
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

	Site func() *pages.Site // returns the pages of its website, which are made on first use

	options         *Options
	signatureLogged sync.Once // that the signature is invalid

	ShownSince atomic.Pointer[time.Time] // when it last became the current build
}

// openBuild verifies and opens a build of an output folder.
func openBuild(o *Options, id string) (v *ServedBuild, err error) {
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
	if _, err := store.Verify(dir); err != nil {
		return nil, err
	}
	if _, err := indexes.Verify(indexes.Dir(o.Root, id), id, m.Index); err != nil {
		return nil, err
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
		if m.Counts.Entities >= 1000 {
			defer debug.FreeOSMemory() // opening needs several times as much as serving
		}
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
	v.Site = sync.OnceValue(func() *pages.Site {
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

const (
	// MaxQueryLen is the maximum length of a search query, in bytes.
	MaxQueryLen = 500
	// MaxSimilar is the maximum number of similar entities reported for a new one.
	MaxSimilar = 5
)

// FindSimilarNames finds entities that a name could refer to.
func (v *ServedBuild) FindSimilarNames(name string, limit int) []uint32 {
	all := v.Build.Select(&view.Filter{})
	text := strings.ReplaceAll(name, `"`, " ") // quotation marks have a special meaning in queries
	if len(text) > MaxQueryLen {
		text = strings.ToValidUTF8(text[:MaxQueryLen], "")
	}
	return v.Index.Alternatives(text, all, limit)
}

// SimilarSlugs returns the entities of a type whose slugs are most similar to the given slug.
func (v *ServedBuild) SimilarSlugs(typ, slug string) (similar []string) {
	ofType := v.Build.Bitmap("type", typ)
	if ofType == nil {
		return nil
	}
	for _, h := range v.Index.Search(slug, ofType, nil, 0, 3).Hits {
		_, slug := v.Build.Key(h.Ordinal)
		similar = append(similar, slug)
	}
	return similar
}

// LicenseLinks returns the Link header with the addresses of the licences in an SPDX
// expression (RFC 8288, relation type license), or nil if there are none. It is a single
// header field because generated clients read only one.
func LicenseLinks(expression string) []string {
	var links []string
	for _, part := range strings.Split(expression, " AND ") {
		if part != "" && !strings.ContainsAny(part, " ()") {
			links = append(links, fmt.Sprintf(`<https://spdx.org/licenses/%s.html>; rel="license"`, part))
		}
	}
	if len(links) == 0 {
		return nil
	}
	return []string{strings.Join(links, ", ")}
}

// Signature describes the signature of the published build, whether it was verified or not. It
// returns nil if the build has none. A publisher can sign a build that is already served, so the
// signature is read each time. An invalid one is logged and not returned.
func (v *ServedBuild) Signature() *sign.Signature {
	id := v.Build.Manifest.ID
	info, err := mirror.SavedSignature(v.options.Root, id, v.options.Verifiers)
	if err != nil {
		v.signatureLogged.Do(func() {
			v.options.Log.Error("the signature of the build is invalid", "build", id, "error", err)
		})
		return nil
	}
	return info
}
