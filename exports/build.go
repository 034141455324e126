package exports

import (
	"errors"

	"github.com/blevesearch/mmap-go"

	"kindex/exports/history"
	"kindex/exports/record"
	"kindex/exports/score"
	"kindex/exports/store"
	"kindex/exports/view"
)

// Build is an open build: its catalogue in memory, and its files, which are memory-mapped and so stay
// readable after the build's folder is removed. All methods may be called concurrently. Returned slices
// may point into the mapping: they must not be modified, or used after Close.
type Build struct {
	Dir      string
	Manifest *store.Manifest
	*view.View

	files map[string]mmap.MMap

	similar      similar
	history      *history.Archive
	boards       [][]BoardEntry
	leaderboards map[string]StoredLeaderboard
	vocabulary   *record.Vocabulary // nil if there is none
	synonyms     [][]string

	formula func() (*score.Formula, error)

	edits *edits // on top of the build, or nil if there are none
}

// Close unmaps the build. It does nothing on a build returned by WithEdits.
func (b *Build) Close() error {
	if b.edits != nil {
		return nil
	}
	var errs []error
	for _, m := range b.files {
		if m != nil {
			errs = append(errs, m.Unmap())
		}
	}
	b.files = nil
	return errors.Join(errs...)
}

// File returns the content of one of the build's files and its manifest entry. ok is false if
// there is no such file. The content must not be used after the build is closed.
func (b *Build) File(path string) (data []byte, f store.File, ok bool) {
	if data, ok = b.files[path]; ok {
		f, ok = b.Manifest.File(path)
	}
	return data, f, ok
}

// Formula returns the formula of the scores.
func (b *Build) Formula() (*score.Formula, error) { return b.formula() }

// Vocabulary returns the words for capabilities and tags, or nil if the content does not define
// any. The caller must not modify it.
func (b *Build) Vocabulary() *record.Vocabulary { return b.vocabulary }

// Synonyms returns groups of words and phrases that mean the same in searches. The caller must
// not modify them.
func (b *Build) Synonyms() [][]string { return b.synonyms }
