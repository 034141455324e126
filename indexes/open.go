package indexes

import (
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"sync"

	"github.com/RoaringBitmap/roaring/v2"

	"kindex/exports"
	"kindex/exports/parallel"
	"kindex/exports/record"
	"kindex/exports/store"
)

// Index is the search index of a build in memory. Its methods may be called concurrently.
type Index struct {
	build    *exports.Build
	records  int               // number of records, without those that edits replace
	titles   map[string]string // of categories by slug
	synonyms *synonyms
	fields   [fieldCount]vocabulary
	lengths  []uint8     // results of nameLength by ordinal
	standing []int32     // what the composite scores add to relevance, by ordinal
	words    []textWords // by ordinal
	retired  *roaring.Bitmap
	topics   func() *topicNames
}

// Open reads the index of a build. It checks the manifest but not the content of the files; to check that
// too, call Verify first.
//
// Of the files, it opens only the segment. Bleve's metadata refers to files by path and
// is not validated when read, so a forged index could make Bleve open any file.
func Open(root string, b *exports.Build) (*Index, error) {
	dir := Dir(root, b.Manifest.ID)
	m, err := readManifest(dir, b.Manifest.ID, b.Manifest.Index)
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
	x := &Index{build: b, records: b.Len(), titles: map[string]string{}, synonyms: newSynonyms(b.Synonyms())}
	if err := x.readSegment(file); err != nil {
		return nil, fmt.Errorf("open search index %s: %w", file, err)
	}
	for _, c := range b.Categories() {
		x.titles[c.Slug] = c.Title
	}
	x.prepare(nil)
	return x, nil
}

// readSegment reads all fields of a segment file.
func (x *Index) readSegment(file string) (err error) {
	defer func() {
		if r := recover(); r != nil { // zapx panics on a corrupt segment
			err = fmt.Errorf("damaged segment: %v", r)
		}
	}()
	s, err := segmentType.Open(file)
	if err != nil {
		return err
	}
	if s.Count() != uint64(x.records) {
		return errors.Join(fmt.Errorf("expected %d documents, got %d", x.records, s.Count()), s.Close())
	}
	err = parallel.Each(fieldCount, func(f int) (err error) {
		x.fields[f], err = readVocabulary(s, fieldNames[f])
		return err
	})
	return errors.Join(err, s.Close())
}

// segmentFile returns the path of the only segment, which must be a regular file.
func segmentFile(dir string, m *store.IndexManifest) (string, error) {
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

// prepare computes what depends on all records. words are those of the first ones, if they are known.
func (x *Index) prepare(words []textWords) {
	x.lengths, x.standing = make([]uint8, x.build.Len()), make([]int32, x.build.Len())
	for o, e := range x.build.All {
		x.lengths[o], x.standing[o] = nameLength(e), scoreTenth*int32(e.Scores.Composite.Tenths())
	}
	x.words = append(slices.Clone(words), make([]textWords, x.build.Len()-len(words))...)
	parallel.Ranges(x.build.Len()-len(words), func(from, to int) {
		for o := len(words) + from; o < len(words)+to; o++ {
			x.words[o] = newTextWords(newDocument(x.build.Entity(uint32(o)), x.titles))
		}
	})
	x.retired = roaring.Or(x.having("status", record.Deprecated), x.having("status", record.Withdrawn))
	x.topics = sync.OnceValue(x.readTopicNames)
}

// having returns the records that have a value in a filter field.
func (x *Index) having(field, value string) *roaring.Bitmap {
	if found := x.build.Bitmap(field, value); found != nil {
		return found
	}
	return roaring.New()
}

// WithEdits returns the index with edits applied on top. b must be the result of
// calling exports.Build.WithEdits on the index's build; titles maps category slugs to
// titles, those of the index and of new categories. Every result is the same as with an index built from the edited
// content, except that it contains the ordinals of b.
func (x *Index) WithEdits(b *exports.Build, titles map[string]string) (*Index, error) {
	switch {
	case x.build.OverlayID() != "":
		return nil, errors.New("indexes: the index already has edits")
	case b.Manifest.ID != x.build.Manifest.ID:
		return nil, fmt.Errorf("indexes: the edits are for build %s, but the index is for build %s", b.Manifest.ID, x.build.Manifest.ID)
	}
	with := &Index{build: b, titles: titles, synonyms: x.synonyms}
	with.readEdits(x)
	with.prepare(x.words)
	return with, nil
}
