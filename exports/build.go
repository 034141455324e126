package exports

import (
	"errors"
	"io"
	"os"

	"kindex/exports/history"
	"kindex/exports/record"
	"kindex/exports/score"
	"kindex/exports/store"
	"kindex/exports/view"
)

// Build is an open build: its catalogue in memory, and its files, which are open and so stay readable after
// the build's folder is removed. All methods may be called concurrently. Returned slices must not be modified.
type Build struct {
	Dir      string
	Manifest *store.Manifest
	*view.View

	files map[string]*os.File

	similar      similar
	history      *history.Archive
	boards       [][]BoardEntry
	leaderboards map[string]StoredLeaderboard
	categories   []record.Category
	vocabulary   *record.Vocabulary // nil if there is none
	synonyms     [][]string

	formula func() (*score.Formula, error)

	edits *edits // on top of the build, or nil if there are none
}

// Close closes the files before the garbage collector does, which closes those of a build that nothing refers
// to. It does nothing on a build returned by WithEdits.
func (b *Build) Close() error {
	if b.edits != nil {
		return nil
	}
	var errs []error
	for _, f := range b.files {
		errs = append(errs, f.Close())
	}
	return errors.Join(errs...)
}

// File returns a new reader of one of the build's files, and its manifest entry. ok is false if there is no such file.
func (b *Build) File(path string) (content *io.SectionReader, f store.File, ok bool) {
	file, ok := b.files[path]
	if !ok {
		return nil, f, false
	}
	f, _ = b.Manifest.File(path)
	return io.NewSectionReader(file, 0, f.Size), f, true
}

// ReadFile returns the content of one of the build's files, or nil if there is no such file.
func (b *Build) ReadFile(path string) ([]byte, error) {
	content, f, ok := b.File(path)
	if !ok {
		return nil, nil
	}
	data := make([]byte, f.Size)
	_, err := io.ReadFull(content, data)
	return data, err
}

// Formula returns the formula of the scores.
func (b *Build) Formula() (*score.Formula, error) { return b.formula() }

// Categories returns the categories of the content. The caller must not modify them.
func (b *Build) Categories() []record.Category { return b.categories }

// Vocabulary returns the words for capabilities and tags, or nil if the content does not define
// any. The caller must not modify it.
func (b *Build) Vocabulary() *record.Vocabulary { return b.vocabulary }

// Synonyms returns groups of words and phrases that mean the same in searches. The caller must
// not modify them.
func (b *Build) Synonyms() [][]string { return b.synonyms }
