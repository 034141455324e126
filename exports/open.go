package exports

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
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
	ranked   int
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
	shown    stringTable
	places   []byte
	bitmaps  []byte
	facets   [][2]uint32s
	similar  [2][]byte
	features stringTable
}

// Open maps a build into memory. It checks the manifest, not the bytes of the
// files: Verify does that, and should come first.
func Open(dir string) (*Build, error) {
	m, err := ReadManifest(dir)
	if err != nil {
		return nil, err
	}
	b := &Build{Dir: dir, Manifest: m, files: make(map[string]mmap.MMap, len(m.Files))}
	for _, f := range m.Files {
		if err := b.mapFile(f); err != nil {
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

func (b *Build) mapFile(f File) error {
	path := filepath.Join(b.Dir, filepath.FromSlash(f.Path))
	file, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return &DamageError{Path: path, Problem: "is missing"}
	}
	if err != nil {
		return err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	if info.Size() != f.Size {
		return &DamageError{Path: path, Problem: fmt.Sprintf("has %d bytes, the manifest says %d", info.Size(), f.Size)}
	}
	if f.Size == 0 {
		b.files[f.Path] = nil // an empty file cannot be mapped
		return nil
	}
	m, err := mmap.Map(file, mmap.RDONLY, 0)
	if err != nil {
		return fmt.Errorf("map %s: %w", path, err)
	}
	b.files[f.Path] = m
	return nil
}

// sectioned opens lookup files, keeping the first error.
type sectioned struct {
	b   *Build
	err error
}

func (s *sectioned) open(name string, want int) [][]byte {
	parts, err := unpackSections(s.b.files[name], want)
	if err != nil {
		if s.err == nil {
			s.err = fmt.Errorf("%s: %w", name, err)
		}
		return make([][]byte, want)
	}
	return parts
}

func (s *sectioned) strings(name string, part []byte) stringTable {
	t, err := openStrings(part)
	if err != nil && s.err == nil {
		s.err = fmt.Errorf("%s: %w", name, err)
	}
	return t
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
	b.values, b.shown, b.places = s.strings(valuesFile, values[0]), s.strings(valuesFile, values[1]), values[2]
	b.bitmaps = b.files[bitmapsFile]
	facets := s.open(facetsFile, 2*len(FilterFields))
	for i := range FilterFields {
		b.facets = append(b.facets, [2]uint32s{facets[2*i], facets[2*i+1]})
	}
	similar := s.open(similarFile, 2)
	b.similar = [2][]byte{similar[0], similar[1]}
	b.features = s.strings(featuresFile, b.files[featuresFile])
	if s.err != nil {
		return s.err
	}
	b.listed, b.ranked = b.Manifest.Counts.Entities, b.Manifest.Counts.Ranked
	if len(b.offsets) != 8*(b.n+1) || b.keyRank.len() != b.n || b.listed > b.n || b.ranked > b.listed {
		return errSections
	}
	return nil
}

// Close unmaps the build.
func (b *Build) Close() error {
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

// Len is the number of records, withdrawn ones included. Listed records come
// first in the order of ordinals, and of those the ranked ones.
func (b *Build) Len() int { return b.n }

// Listed is the number of records that are not withdrawn: the ordinals below it.
func (b *Build) Listed() int { return b.listed }

// Ranked is the number of listed records with a composite score: the ordinals
// below it.
func (b *Build) Ranked() int { return b.ranked }

// Find returns the ordinal at an address. moved tells that the address is an
// earlier one.
func (b *Build) Find(typ, slug string) (ordinal uint32, moved, ok bool) {
	i, ok := b.keys.search(typ + "\x00" + slug)
	if !ok {
		return 0, false, false
	}
	t := b.targets.at(i)
	return t >> 1, t&1 == 1, true
}

// Key returns the type and slug of a record.
func (b *Build) Key(ordinal uint32) (typ, slug string) {
	typ, slug, _ = strings.Cut(string(b.keys.at(int(b.keyRank.at(int(ordinal))))), "\x00")
	return typ, slug
}

// Keys calls yield with every address, earlier ones included, in order.
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
	from := binary.LittleEndian.Uint64(b.offsets[8*int(ordinal):])
	to := binary.LittleEndian.Uint64(b.offsets[8*int(ordinal)+8:])
	return b.records[from:to:to]
}

// Entity decodes a record.
func (b *Build) Entity(ordinal uint32) (*Entity, error) {
	e := new(Entity)
	if err := e.UnmarshalJSON(b.Record(ordinal)); err != nil {
		return nil, err
	}
	return e, nil
}

// ExportRow returns the line of a record in the JSONL export, without its end.
// Withdrawn records have one too, though no prebuilt export holds it.
func (b *Build) ExportRow(ordinal uint32) []byte {
	at := binary.LittleEndian.Uint64(b.rows[16*int(ordinal):])
	n := binary.LittleEndian.Uint64(b.rows[16*int(ordinal)+8:])
	file := b.files[EntitiesFile+".jsonl"]
	if at&1 == 1 {
		file = b.files[WithdrawnFile]
	}
	at >>= 1
	return file[at : at+n : at+n]
}

// Score returns one of the scores of a record.
func (b *Build) Score(name string, ordinal uint32) Score {
	for i, s := range ScoreNames {
		if s == name {
			return scoreFromCode(int16(binary.LittleEndian.Uint16(b.scores[i][2*int(ordinal):])))
		}
	}
	return Score{}
}

// Values calls yield with every value of a filter field and the records that
// have it, sorted by the folded value.
func (b *Build) Values(field string, yield func(value string, set *roaring.Bitmap) bool) {
	i, _ := b.values.search(field + "\x00")
	for ; i < b.values.len(); i++ {
		if !strings.HasPrefix(string(b.values.at(i)), field+"\x00") {
			return
		}
		if !yield(string(b.shown.at(i)), b.bitmap(i)) {
			return
		}
	}
}

// Bitmap returns the records that have a value in a filter field, nil if none
// has. The comparison folds case and marks.
func (b *Build) Bitmap(field, value string) *roaring.Bitmap {
	i, ok := b.values.search(field + "\x00" + Fold(value))
	if !ok {
		return nil
	}
	return b.bitmap(i)
}

func (b *Build) bitmap(i int) *roaring.Bitmap {
	set := roaring.New()
	if _, err := set.FromBuffer(b.bitmaps[binary.LittleEndian.Uint64(b.places[8*i:]):]); err != nil {
		panic(fmt.Sprintf("exports: bitmap %d of a verified build: %v", i, err))
	}
	return set
}

// Similar returns the precomputed neighbours of a record, the nearest first.
func (b *Build) Similar(ordinal uint32) []Neighbour {
	offsets := uint32s(b.similar[0])
	from, to := offsets.at(int(ordinal)), offsets.at(int(ordinal)+1)
	list := make([]Neighbour, 0, to-from)
	for i := from; i < to; i++ {
		raw := b.similar[1][int(i)*neighbourSize:]
		nb := Neighbour{
			Ordinal:    binary.LittleEndian.Uint32(raw),
			Similarity: float64(binary.LittleEndian.Uint16(raw[4:])) / 10000,
		}
		for j := range min(int(binary.LittleEndian.Uint16(raw[6:])), maxReasons) {
			nb.Reasons = append(nb.Reasons, binary.LittleEndian.Uint32(raw[8+4*j:]))
		}
		list = append(list, nb)
	}
	return list
}

// Feature returns what a Neighbour's reason points to.
func (b *Build) Feature(i uint32) Feature {
	kind, value, _ := strings.Cut(string(b.features.at(int(i))), "\x00")
	return Feature{kind, value}
}

// sortValue is what a record has in a sort key.
func (b *Build) sortValue(key int, ordinal uint32) int64 {
	i := int(ordinal)
	switch k := len(ScoreNames); {
	case key < k:
		if v := int16(binary.LittleEndian.Uint16(b.scores[key][2*i:])); v >= 0 {
			return int64(v)
		}
		return nullValue
	case key == k:
		return int64(b.nameRank.at(i))
	default:
		if d := int32(b.dates[key-k-1].at(i)); d != math.MinInt32 {
			return int64(d)
		}
		return nullValue
	}
}
