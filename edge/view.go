package edge

import (
	"errors"
	"fmt"
	"kindex/exports"
	"kindex/exports/leaderboard"
	"kindex/exports/score"
	"kindex/indexes"
	"kindex/site/pages"
	"maps"
	"net/http"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// view is one build as the edge serves it. A request takes the current view
// once and keeps it to its end, so no answer is ever mixed from two builds. The
// build is closed when the last request that sees it has ended.
type view struct {
	build      *exports.Build
	index      *indexes.Index
	formula    *score.Formula
	asOf       time.Time
	modified   []string // Last-Modified
	dated      bool     // whether that time stands for this content alone, see live.datedBy
	named      []string // X-Build
	licenses   []string // Link, of exports
	categories []exports.Category
	slugs      []string // of the categories
	boardNames []string // of the leaderboards of today
	titles     map[string]string

	boards  *leaderboard.Boards     // how entities stand, now and before
	mapped  atomic.Pointer[mapText] // /llms.txt as it was last asked for
	website website
	options pages.Options // of its pages

	shown atomic.Pointer[time.Time] // since when requests have seen it, this time
	users atomic.Int64              // requests, live's own, and views with edits of this one
	close func()
}

// openView verifies and opens a build of an output folder.
func openView(root, id string) (v *view, err error) {
	dir := filepath.Join(exports.BuildsDir(root), id)
	defer func() {
		// Checksums fit in a build that somebody has forged, offsets may not.
		if r := recover(); r != nil {
			v, err = nil, &exports.DamageError{Path: dir, Problem: fmt.Sprintf("has files that do not fit together: %v", r)}
		}
	}()
	m, err := exports.Verify(dir)
	if err != nil {
		return nil, err
	}
	if _, err := indexes.Verify(indexes.Dir(root, id), id, m.Index); err != nil {
		return nil, err
	}
	b, err := exports.Open(dir)
	if err != nil {
		return nil, err
	}
	v = &view{build: b, modified: []string{m.LastModified().UTC().Format(http.TimeFormat)}, titles: map[string]string{}}
	v.named = []string{v.id()}
	if v.index, err = indexes.Open(root, b); err != nil {
		return nil, errors.Join(err, b.Close())
	}
	if err := v.read(); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", dir, err), v.index.Close(), b.Close())
	}
	v.users.Store(1)
	return v, nil
}

// read takes over what every request needs in decoded form.
func (v *view) read() error {
	from, err := pages.SourceOf(v.build)
	if err != nil {
		return err
	}
	v.licenses = licenseLinks(string(v.build.Manifest.License))
	v.formula, v.asOf, v.boards, v.categories = from.Formula, from.AsOf, from.Boards, from.Categories
	for _, c := range v.categories {
		v.slugs = append(v.slugs, c.Slug)
		v.titles[c.Slug] = c.Title
	}
	v.boardNames = append([]string{exports.AllBoard}, v.slugs...)
	return nil
}

// id names what answers are made from. Edits have a name of their own, so that
// nobody takes an answer with some for one without.
func (v *view) id() string {
	if draft := v.build.DraftID(); draft != "" {
		return v.build.Manifest.ID + "+" + draft
	}
	return v.build.Manifest.ID
}

// with returns the view with edits laid over it. It keeps v open until it is
// closed itself.
//
// The scores are computed anew: those that come with an edit may be by another
// formula or as-of time than the ones which stand beside them and explain them.
func (v *view) with(edits []exports.Edit) (*view, error) {
	edits = slices.Clone(edits)
	for i := range edits {
		if old := edits[i].Entity; old != nil {
			e := *old
			e.Scores = v.formula.Scores(&e, v.asOf)
			edits[i].Entity = &e
		}
	}
	b, err := v.build.With(edits)
	if err != nil {
		return nil, err
	}
	w := &view{build: b, formula: v.formula, asOf: v.asOf, modified: []string{time.Now().UTC().Format(http.TimeFormat)}, titles: maps.Clone(v.titles), licenses: v.licenses, options: v.options}
	w.named = []string{w.id()}
	w.boards = leaderboard.New(b, w.asOf)
	w.categories, w.slugs = slices.Clone(v.categories), slices.Clone(v.slugs)
	for _, e := range edits {
		if e.Entity != nil && !slices.Contains(w.slugs, e.Entity.Category) {
			w.addCategory(e.Entity.Category)
		}
	}
	w.boardNames = append([]string{exports.AllBoard}, w.slugs...)
	if err := w.count(); err != nil {
		return nil, err
	}
	if w.index, err = v.index.With(b, w.titles); err != nil {
		return nil, err
	}
	v.retain()
	w.close = v.release
	w.users.Store(1)
	return w, nil
}

// addCategory enters a category of which the build knows nothing yet.
func (v *view) addCategory(slug string) {
	at, _ := slices.BinarySearch(v.slugs, slug)
	v.slugs = slices.Insert(v.slugs, at, slug)
	v.categories = slices.Insert(v.categories, at, exports.Category{Slug: slug, Title: slug})
	v.titles[slug] = slug
}

// count counts the records of the categories.
func (v *view) count() error {
	listed, err := v.build.Select(&exports.Filter{})
	if err != nil {
		return err
	}
	ranked, err := v.boards.Ranked()
	if err != nil {
		return err
	}
	for i := range v.categories {
		c := &v.categories[i]
		c.Count, c.Ranked = 0, 0
		if of := v.build.Bitmap("category", c.Slug); of != nil {
			c.Count, c.Ranked = int(of.AndCardinality(listed)), int(of.AndCardinality(ranked))
		}
	}
	return nil
}

// retain takes part in the view, unless it has been closed already.
func (v *view) retain() bool {
	for {
		n := v.users.Load()
		if n == 0 {
			return false
		}
		if v.users.CompareAndSwap(n, n+1) {
			return true
		}
	}
}

// release gives the view back; the last one closes it.
func (v *view) release() {
	if v.users.Add(-1) == 0 {
		v.close()
	}
}

// website is the site of a view, made when it is first asked for.
type website struct {
	once  sync.Once
	pages *pages.Site
	err   error
}

// site returns the pages of the website, made when they are first asked for.
func (v *view) site() (*pages.Site, error) {
	w := &v.website
	w.once.Do(func() {
		w.pages, w.err = pages.New(pages.Source{Build: v.build, Index: v.index, Boards: v.boards, Formula: v.formula, AsOf: v.asOf, Categories: v.categories}, v.options)
	})
	return w.pages, w.err
}
