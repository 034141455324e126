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
	x.prepare()
	return x, nil
}

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
	for f := 0; err == nil && f < fieldCount; f++ {
		x.fields[f], err = readVocabulary(s, fieldNames[f])
	}
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

func (x *Index) prepare() {
	n := x.build.Len()
	x.lengths, x.words = make([]uint8, n), make([]textWords, n)
	for o, e := range x.build.All {
		x.lengths[o], x.words[o] = nameLength(e), newTextWords(newDocument(e, x.titles))
	}
	x.retired = roaring.Or(x.having("status", record.Deprecated), x.having("status", record.Withdrawn))
	x.topics = sync.OnceValue(x.readTopicNames)
}

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
	with := &Index{build: b, titles: titles, synonyms: x.synonyms, records: b.Len() - int(b.Replaced().GetCardinality())}
	with.fields = with.newVocabularies()
	with.prepare()
	return with, nil
}
