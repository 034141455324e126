// Package exports defines the files of a build, and writes, opens and queries
// them. It is the contract between the builder and the edge. Package record
// defines the content of the files, table their rows and columns, packed the
// layout of the binary ones, and store the folder of a build.
//
// A build is immutable. It is stored in exports/builds/<id>/ in an output folder;
// exports/current names the served build. Every byte of a build is determined by
// the content, the commit and the as-of time.
package exports

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/blevesearch/mmap-go"

	"kindex/exports/packed"
	"kindex/exports/record"
	"kindex/exports/store"
)

// Build is an open build. Its files are memory-mapped, so the time to open it
// does not depend on its size, and they stay readable after the build's folder is
// removed. All methods may be called concurrently. Returned slices may point into
// the mapping: they must not be modified, nor used after Close.
type Build struct {
	Dir      string
	Manifest *store.Manifest

	files map[string]mmap.MMap

	n             int // entities, including withdrawn ones
	listed        int
	records       []byte
	offsets       []byte
	rows          []byte
	keys          packed.StringTable
	targets       packed.Uint32s
	keyRank       packed.Uint32s
	scores        [][]byte
	nameRank      packed.Uint32s
	dates         [2]packed.Uint32s
	names         packed.StringTable
	orders        []packed.Uint32s // SortKeys × (asc, desc)
	values        packed.StringTable
	spellings     packed.StringTable
	bitmapOffsets []byte
	bitmaps       []byte
	facets        [][2]packed.Uint32s
	similar       [2][]byte
	features      packed.StringTable
	sources       sources
	archive       *ArchiveReader

	overlay *overlay // edits on top of the build, nil for none
}

// Open maps a build into memory. It checks the manifest but not the content of
// the files: call store.Verify first for that.
func Open(dir string) (*Build, error) {
	r, err := store.OpenFiles(dir)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	m, _, err := store.OpenManifest(r)
	if err != nil {
		return nil, err
	}
	b := &Build{Dir: dir, Manifest: m, files: make(map[string]mmap.MMap, len(m.Files))}
	for _, f := range m.Files {
		if err := b.mapFile(r, f); err != nil {
			return nil, errors.Join(err, b.Close())
		}
	}
	if err := b.openLookups(); err != nil {
		return nil, errors.Join(&store.DamageError{Path: dir, Problem: "has inconsistent lookup files: " + err.Error()}, b.Close())
	}
	return b, nil
}

// OpenCurrent opens the published build of an output folder without verifying it.
func OpenCurrent(root string) (*Build, error) {
	id, err := store.Current(root)
	if err != nil {
		return nil, err
	}
	return Open(filepath.Join(store.BuildsDir(root), id))
}

func (b *Build) mapFile(dir *os.Root, f store.File) error {
	file, err := store.OpenFile(dir, f)
	if err != nil {
		return err
	}
	defer file.Close()
	if f.Size == 0 {
		b.files[f.Path] = nil // an empty file cannot be mapped
		return nil
	}
	m, err := mmap.Map(file, mmap.RDONLY, 0)
	if err != nil {
		return fmt.Errorf("map %s: %w", file.Name(), err)
	}
	b.files[f.Path] = m
	return nil
}

func (b *Build) openLookups() error {
	s := packed.NewSectionReader(func(name string) []byte { return b.files[name] })
	b.records, b.offsets, b.rows = b.files[recordsFile], b.files[offsetsFile], b.files[rowsFile]
	b.n = len(b.rows) / 16
	keys := s.Open(keysFile, 3)
	b.keys, b.targets, b.keyRank = s.Strings(keysFile, keys[0]), keys[1], keys[2]
	cols := s.Open(columnsFile, len(record.ScoreNames)+4)
	k := len(record.ScoreNames)
	b.scores, b.nameRank, b.dates = cols[:k], cols[k], [2]packed.Uint32s{cols[k+1], cols[k+2]}
	b.names = s.Strings(columnsFile, cols[k+3])
	for _, part := range s.Open(ordersFile, 2*len(SortKeys)) {
		b.orders = append(b.orders, part)
	}
	values := s.Open(valuesFile, 3)
	b.values, b.spellings, b.bitmapOffsets = s.Strings(valuesFile, values[0]), s.Strings(valuesFile, values[1]), values[2]
	b.bitmaps = b.files[bitmapsFile]
	facets := s.Open(facetsFile, 2*len(FilterFields))
	for i := range FilterFields {
		b.facets = append(b.facets, [2]packed.Uint32s{facets[2*i], facets[2*i+1]})
	}
	similar := s.Open(similarFile, 2)
	b.similar = [2][]byte{similar[0], similar[1]}
	b.features = s.Strings(featuresFile, b.files[featuresFile])
	b.openSources(s)
	b.openArchive(s)
	if s.Err() != nil {
		return s.Err()
	}
	b.listed = b.Manifest.Counts.Entities
	if len(b.offsets) != 8*(b.n+1) || b.keyRank.Len() != b.n || b.listed > b.n || b.Manifest.Counts.Ranked > b.listed {
		return packed.ErrSections
	}
	return nil
}

// Close unmaps the build. It does nothing on a build returned by WithEdits.
func (b *Build) Close() error {
	if b.overlay != nil {
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

// File returns the content of a file of the build, and its manifest entry.
func (b *Build) File(path string) ([]byte, store.File, bool) {
	f, ok := b.Manifest.File(path)
	if !ok {
		return nil, store.File{}, false
	}
	return b.files[path], f, true
}

// Len returns the number of ordinals: listed records, best first, then withdrawn
// ones, then edited ones.
func (b *Build) Len() int { return b.n + len(b.Edited()) }

// Listed returns the number of records that are not withdrawn.
func (b *Build) Listed() int {
	if b.overlay == nil {
		return b.listed
	}
	return int(b.allRecords(false).GetCardinality())
}

// allRecords returns all listed records, and the withdrawn ones if withdrawn is
// set.
func (b *Build) allRecords(withdrawn bool) *roaring.Bitmap {
	set := roaring.New()
	if withdrawn {
		set.AddRange(0, uint64(b.n))
	} else {
		set.AddRange(0, uint64(b.listed))
	}
	return b.applyEdits(set, func(e *record.Entity) bool { return withdrawn || e.Status != record.Withdrawn })
}

// Find returns the ordinal at an address. isAlias reports whether the slug is an
// earlier one.
func (b *Build) Find(typ, slug string) (ordinal uint32, isAlias, ok bool) {
	key := typ + "\x00" + slug
	if b.overlay != nil {
		if t, ok := b.overlay.keys[key]; ok {
			return t >> 1, t&1 == 1, true
		}
	}
	i, ok := b.keys.Search(key)
	if !ok {
		return 0, false, false
	}
	t := b.targets.At(i)
	if b.overlay != nil && b.overlay.replaced.Contains(t>>1) {
		return 0, false, false
	}
	return t >> 1, t&1 == 1, true
}

// Key returns the type and slug of a record.
func (b *Build) Key(ordinal uint32) (typ, slug string) {
	if e := b.edited(ordinal); e != nil {
		return e.Type, e.Slug
	}
	typ, slug, _ = strings.Cut(string(b.keys.At(int(b.keyRank.At(int(ordinal))))), "\x00")
	return typ, slug
}

// Keys calls yield with every address of the build, including earlier slugs, in
// order.
func (b *Build) Keys(yield func(typ, slug string) bool) {
	for i := range b.keys.Len() {
		typ, slug, _ := strings.Cut(string(b.keys.At(i)), "\x00")
		if !yield(typ, slug) {
			return
		}
	}
}

// Record returns the JSON form of a record.
func (b *Build) Record(ordinal uint32) []byte {
	if b.edited(ordinal) != nil {
		return b.overlay.records[int(ordinal)-b.n]
	}
	from := binary.LittleEndian.Uint64(b.offsets[8*int(ordinal):])
	to := binary.LittleEndian.Uint64(b.offsets[8*int(ordinal)+8:])
	return b.records[from:to:to]
}

// Entity decodes a record. The result must not be modified.
func (b *Build) Entity(ordinal uint32) (*record.Entity, error) {
	if e := b.edited(ordinal); e != nil {
		return e, nil
	}
	e := new(record.Entity)
	if err := e.UnmarshalJSON(b.Record(ordinal)); err != nil {
		return nil, err
	}
	return e, nil
}

// ExportRow returns the line of a record in the JSONL export, without its line
// ending. Withdrawn records have one too, although the exports do not include it.
func (b *Build) ExportRow(ordinal uint32) []byte {
	if b.edited(ordinal) != nil {
		return b.overlay.rows[int(ordinal)-b.n]
	}
	at := binary.LittleEndian.Uint64(b.rows[16*int(ordinal):])
	n := binary.LittleEndian.Uint64(b.rows[16*int(ordinal)+8:])
	file := b.files[EntitiesFile+".jsonl"]
	if at&1 == 1 {
		file = b.files[WithdrawnFile]
	}
	at >>= 1
	return file[at : at+n : at+n]
}

// Score returns the named score of a record, null for an unknown name.
func (b *Build) Score(name string, ordinal uint32) record.Score {
	i := slices.Index(record.ScoreNames, name)
	if i < 0 {
		return record.Score{}
	}
	if e := b.edited(ordinal); e != nil {
		return e.Scores.Get(name)
	}
	return record.ScoreFromCode(int16(binary.LittleEndian.Uint16(b.scores[i][2*int(ordinal):])))
}

// Values returns the values of a filter field in the build, each in its most
// frequent spelling, sorted by the folded value.
func (b *Build) Values(field string) []string {
	var list []string
	for i := range b.valuesOf(field) {
		list = append(list, string(b.spellings.At(i)))
	}
	return list
}

// valuesOf calls yield with the indexes of the values of a field.
func (b *Build) valuesOf(field string) func(yield func(int) bool) {
	return func(yield func(int) bool) {
		i, _ := b.values.Search(field + "\x00")
		for ; i < b.values.Len() && strings.HasPrefix(string(b.values.At(i)), field+"\x00"); i++ {
			if !yield(i) {
				return
			}
		}
	}
}

// Bitmap returns the records with a value in a filter field, nil if there are
// none. Values are compared folded.
func (b *Build) Bitmap(field, value string) *roaring.Bitmap {
	folded := record.Fold(value)
	i, ok := b.values.Search(field + "\x00" + folded)
	if !ok && b.overlay == nil {
		return nil
	}
	set := roaring.New()
	if ok {
		set = b.bitmap(i)
	}
	if set = b.applyEdits(set, func(e *record.Entity) bool { return hasValue(e, field, folded) }); set.IsEmpty() {
		return nil
	}
	return set
}

func (b *Build) bitmap(i int) *roaring.Bitmap {
	set := roaring.New()
	if _, err := set.FromBuffer(b.bitmaps[binary.LittleEndian.Uint64(b.bitmapOffsets[8*i:]):]); err != nil {
		panic(fmt.Sprintf("exports: bitmap %d of a verified build: %v", i, err))
	}
	return set
}

// sortValue returns the value of a sort key of a record.
func (b *Build) sortValue(key int, ordinal uint32) int64 {
	if b.edited(ordinal) != nil {
		return b.overlay.values[key][int(ordinal)-b.n]
	}
	i := int(ordinal)
	switch k := len(record.ScoreNames); {
	case key < k:
		if v := int16(binary.LittleEndian.Uint16(b.scores[key][2*i:])); v >= 0 {
			return int64(v)
		}
		return nullValue
	case key == k:
		return int64(b.nameRank.At(i)) * b.stride()
	default:
		return dateValue(int32(b.dates[key-k-1].At(i)))
	}
}

// rank returns the position of a record in the order by type and slug.
func (b *Build) rank(ordinal uint32) int64 {
	if b.edited(ordinal) != nil {
		return b.overlay.rank[int(ordinal)-b.n]
	}
	return int64(b.keyRank.At(int(ordinal))) * b.stride()
}
