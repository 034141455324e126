package edge

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"sync/atomic"
	"time"

	"kindex/builder/score"
	"kindex/exports"
	"kindex/indexes"
)

// view is one build as the edge serves it. A request takes the current view
// once and keeps it to its end, so no answer is ever mixed from two builds. The
// build is closed when the last request that sees it has ended.
type view struct {
	build      *exports.Build
	index      *indexes.Index
	formula    *score.Formula
	asOf       time.Time
	modified   string // Last-Modified
	categories []exports.Category
	slugs      []string // of the categories
	titles     map[string]string

	users atomic.Int64 // requests, and 1 for being current
	close func()
}

// openView verifies and opens a build of an output folder.
func openView(root, id string) (*view, error) {
	dir := filepath.Join(exports.BuildsDir(root), id)
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
	v := &view{build: b, modified: m.LastModified().UTC().Format(http.TimeFormat), titles: map[string]string{}}
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
	data, _, _ := v.build.File(exports.ScoringFile)
	var err error
	if v.formula, err = score.Read(data); err != nil {
		return err
	}
	if v.asOf, err = time.Parse(time.RFC3339, v.build.Manifest.AsOf); err != nil {
		return err
	}
	data, _, _ = v.build.File(exports.CategoriesFile)
	if err := json.Unmarshal(data, &v.categories); err != nil {
		return fmt.Errorf("%s: %w", exports.CategoriesFile, err)
	}
	for _, c := range v.categories {
		v.slugs = append(v.slugs, c.Slug)
		v.titles[c.Slug] = c.Title
	}
	return nil
}

func (v *view) id() string { return v.build.Manifest.ID }

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
