package indexes

import (
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"sync"

	"github.com/RoaringBitmap/roaring/v2"
	segment "github.com/blevesearch/scorch_segment_api/v2"

	"kindex/exports"
	"kindex/exports/record"
	"kindex/exports/store"
)

// Index is the open search index of a build. Its methods may be called concurrently.
type Index struct {
	build    *exports.Build
	titles   map[string]string // of categories by slug
	synonyms *synonyms
	parts    []*part
	lengths  []uint8 // results of nameLength by ordinal
	standing []int32 // what the composite scores add to relevance, by ordinal
	topics   func() *topicNames
}

// part is a segment of the index: the one on disk, or one in memory with edits on top of it.
type part struct {
	segment.Segment
	first  uint32          // the ordinal of its first document
	hidden *roaring.Bitmap // those of its documents that are no longer valid, or nil
	words  [wordFields]func() (vocabulary, error)
}

func newPart(s segment.Segment, first int) *part {
	p := &part{Segment: s, first: uint32(first)}
	for list := range p.words {
		p.words[list] = sync.OnceValues(func() (vocabulary, error) { return readVocabulary(s, list) })
	}
	return p
}

// Open opens the index of a build, which must stay open as long as the index is
// used. It checks the manifest but not the content of the files; to check that too,
// call Verify first.
//
// Of the files, it opens only the segment. Bleve's metadata refers to files by path and
// is not validated when read, so a forged index could make Bleve open any file.
func Open(root string, b *exports.Build) (x *Index, err error) {
	dir := Dir(root, b.Manifest.ID)
	defer func() {
		if r := recover(); r != nil { // zapx panics on a corrupt segment
			x, err = nil, fmt.Errorf("open search index %s: damaged segment: %v", dir, r)
		}
	}()
	m, err := readManifestOf(dir, b.Manifest.ID, b.Manifest.Index)
	if err != nil {
		return nil, err
	}
	if m.Documents != b.Len() {
		return nil, &store.DamageError{Path: filepath.Join(dir, manifestFile), Problem: fmt.Sprintf("lists %d documents, but the build has %d", m.Documents, b.Len())}
	}
	file, err := segmentFile(dir, m)
	if err != nil {
		return nil, err
	}
	s, err := segmentType.Open(file)
	if err != nil {
		return nil, fmt.Errorf("open search index %s: %w", file, err)
	}
	if s.Count() != uint64(b.Len()) {
		return nil, errors.Join(fmt.Errorf("open search index %s: expected %d documents, got %d", file, b.Len(), s.Count()), s.Close())
	}
	x = &Index{build: b, titles: map[string]string{}, synonyms: newSynonyms(b.Synonyms()), parts: []*part{newPart(s, 0)}}
	var categories []record.Category
	data, _, _ := b.File(exports.CategoriesFile)
	if err := json.Unmarshal(data, &categories); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", exports.CategoriesFile, err), s.Close())
	}
	for _, c := range categories {
		x.titles[c.Slug] = c.Title
	}
	x.prepare()
	return x, nil
}

// segmentFile returns the path of the only segment, which must be a regular file.
func segmentFile(dir string, m *Manifest) (string, error) {
	isSegment := func(f store.File) bool { return path.Dir(f.Path) == segmentsDir && path.Ext(f.Path) == ".zap" }
	i := slices.IndexFunc(m.Files, isSegment)
	if i < 0 || slices.ContainsFunc(m.Files[i+1:], isSegment) {
		return "", &store.DamageError{Path: filepath.Join(dir, manifestFile), Problem: "does not list exactly one segment"}
	}
	files, err := store.OpenFiles(dir)
	if err != nil {
		return "", err
	}
	defer files.Close()
	f, err := store.OpenFile(files, m.Files[i])
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, filepath.FromSlash(m.Files[i].Path)), f.Close()
}

// prepare computes what depends on all records.
func (x *Index) prepare() {
	x.lengths = slices.Clone(x.lengths)
	for o := len(x.lengths); o < x.build.Len(); o++ {
		x.lengths = append(x.lengths, nameLength(x.build.Entity(uint32(o))))
	}
	x.standing = make([]int32, x.build.Len())
	for o, e := range x.build.All {
		x.standing[o] = scoreTenth * int32(e.Scores.Composite.Tenths())
	}
	x.topics = sync.OnceValue(x.readTopicNames)
}

// WithEdits returns the index with edits applied on top. b must be the result of
// calling exports.Build.WithEdits on the index's build, and titles maps category
// slugs to titles. Every result is the same as with an index built from the edited
// content, except that it contains the ordinals of b.
//
// The result is valid until x is closed.
func (x *Index) WithEdits(b *exports.Build, titles map[string]string) (*Index, error) {
	switch {
	case x.build.OverlayID() != "":
		return nil, errors.New("indexes: the index already has edits")
	case b.Manifest.ID != x.build.Manifest.ID:
		return nil, fmt.Errorf("indexes: the edits are for build %s, but the index is for build %s", b.Manifest.ID, x.build.Manifest.ID)
	}
	base := *x.parts[0]
	base.hidden = b.Replaced()
	with := &Index{build: b, titles: titles, synonyms: x.synonyms, parts: []*part{&base}, lengths: x.lengths}
	var documents []*document
	for _, e := range b.Edited() {
		documents = append(documents, newDocument(e, titles))
	}
	if len(documents) > 0 {
		s, err := newSegment(documents)
		if err != nil {
			return nil, err
		}
		with.parts = append(with.parts, newPart(s, x.build.Len()))
	}
	with.prepare()
	return with, nil
}

// numDocs returns the number of records.
func (x *Index) numDocs() (n int) {
	for _, p := range x.parts {
		n += int(p.Count())
		if p.hidden != nil {
			n -= int(p.hidden.GetCardinality())
		}
	}
	return n
}

// Close releases the index. No search may be in progress in this index or in an
// index that WithEdits derived from it. Closing an index with edits does nothing.
func (x *Index) Close() error {
	if x.build.OverlayID() != "" {
		return nil
	}
	return x.parts[0].Close()
}
