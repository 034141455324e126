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
)

// Build is an opened build. Its files are mapped into memory, so opening takes
// the same time at any size, and they stay readable after the build's folder
// was removed. All methods may be called from many goroutines. What they return
// may point into the mapping: it must not be changed, nor used after Close.
type Build struct {
	Dir      string
	Manifest *Manifest

	files map[string]mmap.MMap

	n        int // entities, withdrawn ones included
	listed   int
	records  []byte
	offsets  []byte
	rows     []byte
	keys     stringTable
	targets  uint32s
	keyRank  uint32s
	scores   [][]byte
	nameRank uint32s
	dates    [2]uint32s
	names    stringTable
	orders   []uint32s // SortKeys × (asc, desc)
	values   stringTable
	spelled  stringTable
	places   []byte
	bitmaps  []byte
	facets   [][2]uint32s
	similar  [2][]byte
	features stringTable
	sources  sources
	archive  *ArchiveReader

	draft *draft // edits beside the build, nil for none
}

// Open maps a build into memory. It checks the manifest, not the bytes of the
// files: Verify does that, and should come first.
func Open(dir string) (*Build, error) {
	r, err := OpenFiles(dir)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	m, _, err := readManifest(r)
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
		return nil, errors.Join(&DamageError{Path: dir, Problem: "has lookup files that do not fit together: " + err.Error()}, b.Close())
	}
	return b, nil
}

// OpenCurrent opens the published build of an output folder, unverified.
func OpenCurrent(root string) (*Build, error) {
	id, err := Current(root)
	if err != nil {
		return nil, err
	}
	return Open(filepath.Join(BuildsDir(root), id))
}

func (b *Build) mapFile(dir *os.Root, f File) error {
	file, err := OpenFile(dir, f)
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
	s := &sectioned{b: b}
	b.records, b.offsets, b.rows = b.files[recordsFile], b.files[offsetsFile], b.files[rowsFile]
	b.n = len(b.rows) / 16
	keys := s.open(keysFile, 3)
	b.keys, b.targets, b.keyRank = s.strings(keysFile, keys[0]), keys[1], keys[2]
	cols := s.open(columnsFile, len(ScoreNames)+4)
	k := len(ScoreNames)
	b.scores, b.nameRank, b.dates = cols[:k], cols[k], [2]uint32s{cols[k+1], cols[k+2]}
	b.names = s.strings(columnsFile, cols[k+3])
	for _, part := range s.open(ordersFile, 2*len(SortKeys)) {
		b.orders = append(b.orders, part)
	}
	values := s.open(valuesFile, 3)
	b.values, b.spelled, b.places = s.strings(valuesFile, values[0]), s.strings(valuesFile, values[1]), values[2]
	b.bitmaps = b.files[bitmapsFile]
	facets := s.open(facetsFile, 2*len(FilterFields))
	for i := range FilterFields {
		b.facets = append(b.facets, [2]uint32s{facets[2*i], facets[2*i+1]})
	}
	similar := s.open(similarFile, 2)
	b.similar = [2][]byte{similar[0], similar[1]}
	b.features = s.strings(featuresFile, b.files[featuresFile])
	s.openSources()
	b.openArchive(s)
	if s.err != nil {
		return s.err
	}
	b.listed = b.Manifest.Counts.Entities
	if len(b.offsets) != 8*(b.n+1) || b.keyRank.len() != b.n || b.listed > b.n || b.Manifest.Counts.Ranked > b.listed {
		return errSections
	}
	return nil
}

// Close unmaps the build. A build with edits leaves that to the one below.
func (b *Build) Close() error {
	if b.draft != nil {
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

// File returns the bytes of a file of the build.
func (b *Build) File(path string) ([]byte, File, bool) {
	f, ok := b.Manifest.File(path)
	if !ok {
		return nil, File{}, false
	}
	return b.files[path], f, true
}

// Len is the number of ordinals. Listed records come first in their order, the
// best first, then withdrawn ones, then edited ones.
func (b *Build) Len() int { return b.n + len(b.Edited()) }

// Listed is the number of records that are not withdrawn.
func (b *Build) Listed() int {
	if b.draft == nil {
		return b.listed
	}
	return int(b.everything(false).GetCardinality())
}

// everything returns the records that lists show, or withdrawn ones too.
func (b *Build) everything(withdrawn bool) *roaring.Bitmap {
	set := roaring.New()
	if withdrawn {
		set.AddRange(0, uint64(b.n))
	} else {
		set.AddRange(0, uint64(b.listed))
	}
	return b.settle(set, func(e *Entity) bool { return withdrawn || e.Status != Withdrawn })
}

// Find returns the ordinal at an address. moved tells that the address is an
// earlier one.
func (b *Build) Find(typ, slug string) (ordinal uint32, moved, ok bool) {
	key := typ + "\x00" + slug
	if b.draft != nil {
		if t, ok := b.draft.keys[key]; ok {
			return t >> 1, t&1 == 1, true
		}
	}
	i, ok := b.keys.search(key)
	if !ok {
		return 0, false, false
	}
	t := b.targets.at(i)
	if b.draft != nil && b.draft.dead.Contains(t>>1) {
		return 0, false, false
	}
	return t >> 1, t&1 == 1, true
}

// Key returns the type and slug of a record.
func (b *Build) Key(ordinal uint32) (typ, slug string) {
	if e := b.edited(ordinal); e != nil {
		return e.Type, e.Slug
	}
	typ, slug, _ = strings.Cut(string(b.keys.at(int(b.keyRank.at(int(ordinal))))), "\x00")
	return typ, slug
}

// Keys calls yield with every address that the build has, earlier ones
// included, in order.
func (b *Build) Keys(yield func(typ, slug string) bool) {
	for i := range b.keys.len() {
		typ, slug, _ := strings.Cut(string(b.keys.at(i)), "\x00")
		if !yield(typ, slug) {
			return
		}
	}
}

// Record returns the JSON form of a record.
func (b *Build) Record(ordinal uint32) []byte {
	if b.edited(ordinal) != nil {
		return b.draft.records[int(ordinal)-b.n]
	}
	from := binary.LittleEndian.Uint64(b.offsets[8*int(ordinal):])
	to := binary.LittleEndian.Uint64(b.offsets[8*int(ordinal)+8:])
	return b.records[from:to:to]
}

// Entity decodes a record. It must not be changed.
func (b *Build) Entity(ordinal uint32) (*Entity, error) {
	if e := b.edited(ordinal); e != nil {
		return e, nil
	}
	e := new(Entity)
	if err := e.UnmarshalJSON(b.Record(ordinal)); err != nil {
		return nil, err
	}
	return e, nil
}

// ExportRow returns the line of a record in the JSONL export, without its end.
// Withdrawn records have one too, though no prebuilt export holds it.
func (b *Build) ExportRow(ordinal uint32) []byte {
	if b.edited(ordinal) != nil {
		return b.draft.rows[int(ordinal)-b.n]
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

// Score returns one of the scores of a record, null for a name that is none.
func (b *Build) Score(name string, ordinal uint32) Score {
	i := slices.Index(ScoreNames, name)
	if i < 0 {
		return Score{}
	}
	if e := b.edited(ordinal); e != nil {
		return e.Scores.Get(name)
	}
	return scoreFromCode(int16(binary.LittleEndian.Uint16(b.scores[i][2*int(ordinal):])))
}

// Values lists what records of the build have in a filter field, as most of
// them spell it, sorted by the folded value.
func (b *Build) Values(field string) []string {
	var list []string
	for i := range b.valuesOf(field) {
		list = append(list, string(b.spelled.at(i)))
	}
	return list
}

// valuesOf calls yield with the places of the values of a field.
func (b *Build) valuesOf(field string) func(yield func(int) bool) {
	return func(yield func(int) bool) {
		i, _ := b.values.search(field + "\x00")
		for ; i < b.values.len() && strings.HasPrefix(string(b.values.at(i)), field+"\x00"); i++ {
			if !yield(i) {
				return
			}
		}
	}
}

// Bitmap returns the records that have a value in a filter field, nil if none
// has. The comparison folds case and marks.
func (b *Build) Bitmap(field, value string) *roaring.Bitmap {
	folded := Fold(value)
	i, ok := b.values.search(field + "\x00" + folded)
	if !ok && b.draft == nil {
		return nil
	}
	set := roaring.New()
	if ok {
		set = b.bitmap(i)
	}
	if set = b.settle(set, func(e *Entity) bool { return hasValue(e, field, folded) }); set.IsEmpty() {
		return nil
	}
	return set
}

func (b *Build) bitmap(i int) *roaring.Bitmap {
	set := roaring.New()
	if _, err := set.FromBuffer(b.bitmaps[binary.LittleEndian.Uint64(b.places[8*i:]):]); err != nil {
		panic(fmt.Sprintf("exports: bitmap %d of a verified build: %v", i, err))
	}
	return set
}

// sortValue is what a record has in a sort key.
func (b *Build) sortValue(key int, ordinal uint32) int64 {
	if b.edited(ordinal) != nil {
		return b.draft.values[key][int(ordinal)-b.n]
	}
	i := int(ordinal)
	switch k := len(ScoreNames); {
	case key < k:
		if v := int16(binary.LittleEndian.Uint16(b.scores[key][2*i:])); v >= 0 {
			return int64(v)
		}
		return nullValue
	case key == k:
		return int64(b.nameRank.at(i)) * b.stretch()
	default:
		return dateValue(int32(b.dates[key-k-1].at(i)))
	}
}

// rank is the place of a record in the order by type and slug.
func (b *Build) rank(ordinal uint32) int64 {
	if b.edited(ordinal) != nil {
		return b.draft.rank[int(ordinal)-b.n]
	}
	return int64(b.keyRank.at(int(ordinal))) * b.stretch()
}
