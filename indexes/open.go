package indexes

import (
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"sync"

	"github.com/blevesearch/mmap-go"
	"github.com/blevesearch/vellum"

	"kindex/exports"
	"kindex/exports/packed"
	"kindex/exports/store"
)

// Index is the open search index of a build. Its methods may be called
// concurrently.
type Index struct {
	*diskIndex
	build       *exports.Build
	memSegments []*memSegment // on top of the segment on disk, topmost last
	overlay     *memSegment   // segment for edits, or nil if there are none
	sessions    sync.Pool     // of *session
	names       topicNames
}

// diskIndex is the part of an index that is stored in files.
type diskIndex struct {
	records     int
	listed      int // number of records that are not withdrawn; these records come first
	segment     segmentReader
	phrases     phraseStore
	aliasFST    *vellum.FST
	synonyms    *synonyms
	nameLengths []byte // results of document.nameLength by ordinal
	files       *mappedFiles

	vocabularies [wordFields]*vocabulary
	prefixes     packed.Postings // by field and prefix, for those that very many terms have
	phraseSets   packed.Postings // by field and phrase of one or two words, see phraseSetsFile
}

// Open opens the index of a build, which must stay open as long as the index is
// used. It checks the manifest but not the content of the files; to check that too,
// call Verify first.
func Open(root string, b *exports.Build) (*Index, error) {
	dir := Dir(root, b.Manifest.ID)
	m, err := readManifestOf(dir, b.Manifest.ID, b.Manifest.Index)
	if err != nil {
		return nil, err
	}
	x := &Index{build: b, diskIndex: &diskIndex{records: m.Documents, synonyms: newSynonyms(b.Synonyms()), listed: b.Listed(), files: &mappedFiles{dir: dir, manifest: m}}}
	if x.records != b.Len() {
		return nil, &store.DamageError{Path: filepath.Join(dir, manifestFile), Problem: fmt.Sprintf("lists %d documents, but the build has %d", x.records, b.Len())}
	}
	if err := x.open(); err != nil {
		return nil, errors.Join(err, x.Close())
	}
	return x, nil
}

func (x *diskIndex) open() error {
	segment, err := x.files.segment()
	if err == nil {
		err = x.segment.open(segment, x.records)
	}
	if err != nil {
		return err
	}
	if err := x.phrases.open(x.files); err != nil {
		return err
	}
	aliases, err := x.files.open(aliasesFile)
	if err != nil {
		return err
	}
	if x.aliasFST, err = vellum.Load(aliases); err != nil {
		return fmt.Errorf("%s: %w", aliasesFile, err)
	}
	if x.nameLengths, err = x.files.open(nameLengthsFile); err != nil {
		return err
	}
	if len(x.nameLengths) != x.records || x.phrases.numDocs() != x.records {
		return &store.DamageError{Path: x.files.dir, Problem: fmt.Sprintf("has files that do not match its %d documents", x.records)}
	}
	var errPrefixes, errPhrases error
	x.prefixes, errPrefixes = x.openPostings(prefixesFile)
	x.phraseSets, errPhrases = x.openPostings(phraseSetsFile)
	return errors.Join(x.openVocabularies(), errPrefixes, errPhrases)
}

// isStored reports whether the document of a record is in the segment on disk, not in memory.
func (x *Index) isStored(o uint32) bool { return int(o) < x.records }

// Close releases the index. No search may be in progress in this index or in an
// index that WithEdits derived from it. Closing an index with edits does nothing.
func (x *Index) Close() error {
	if x.overlay != nil {
		return nil
	}
	return errors.Join(x.segment.close(), x.files.close())
}

// mappedFiles opens the files of an index. It opens only files that are listed in
// the manifest, and never through a link.
type mappedFiles struct {
	dir      string
	manifest *Manifest
	maps     []mmap.MMap
}

// file opens a file for reading.
func (m *mappedFiles) file(name string) (*os.File, error) {
	i := slices.IndexFunc(m.manifest.Files, func(f store.File) bool { return f.Path == name })
	if i < 0 {
		return nil, &store.DamageError{Path: filepath.Join(m.dir, manifestFile), Problem: "does not list " + name}
	}
	dir, err := store.OpenFiles(m.dir)
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	return store.OpenFile(dir, m.manifest.Files[i])
}

// segment returns the path of the only segment, which must be a regular file.
func (m *mappedFiles) segment() (string, error) {
	name := ""
	for _, f := range m.manifest.Files {
		if dir, base := path.Split(f.Path); dir != segmentsDir+"/" || path.Ext(base) != ".zap" {
			continue
		}
		if name != "" {
			return "", &store.DamageError{Path: m.dir, Problem: "has more than one segment"}
		}
		name = f.Path
	}
	f, err := m.file(name)
	if err != nil {
		return "", err
	}
	return filepath.Join(m.dir, filepath.FromSlash(name)), f.Close()
}

// open maps a file into memory.
func (m *mappedFiles) open(name string) ([]byte, error) {
	file, err := m.file(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil || info.Size() == 0 { // an empty file cannot be mapped
		return nil, err
	}
	data, err := mmap.Map(file, mmap.RDONLY, 0)
	if err != nil {
		return nil, fmt.Errorf("map %s: %w", file.Name(), err)
	}
	m.maps = append(m.maps, data)
	return data, nil
}

func (m *mappedFiles) close() error {
	var errs []error
	for i := range m.maps {
		errs = append(errs, m.maps[i].Unmap())
	}
	m.maps = nil
	return errors.Join(errs...)
}

// session is the working memory of one search. All sets taken from it are released
// together when the search ends.
type session struct {
	index      *Index
	exhaustive bool                       // take no shortcuts, see SearchExhaustively
	readers    [fieldCount]*vellum.Reader // nil if no record has the field
	iterator   vellum.FSTIterator
	postings   postingReader
	sets       []set
	taken      int     // number of sets in use; lowering it releases those taken last
	memory     set     // see inMemory
	letters    []int32 // see takeLetters
}

// session takes a session from the pool or creates one. The caller must call end.
func (x *Index) session() (*session, error) {
	if s, ok := x.sessions.Get().(*session); ok {
		return s, nil
	}
	s := &session{index: x}
	s.postings.scratch = make(set, len(s.set()))
	s.taken = 0
	for f, terms := range x.segment.terms {
		var err error
		if terms == nil {
			continue
		}
		if s.readers[f], err = terms.Reader(); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// end returns the session to the pool. Its sets must not be used after that.
func (s *session) end() {
	s.taken, s.exhaustive = 0, false
	s.index.sessions.Put(s)
}

// set returns an empty set that belongs to the session.
func (s *session) set() set {
	if s.taken == len(s.sets) {
		s.sets = append(s.sets, make(set, setWords(s.index.maxDoc())))
	} else {
		clear(s.sets[s.taken])
	}
	s.taken++
	return s.sets[s.taken-1]
}
