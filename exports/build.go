package exports

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/blevesearch/mmap-go"

	"kindex/exports/ids"
	"kindex/exports/jsonenc"
	"kindex/exports/packed"
	"kindex/exports/pricing"
	"kindex/exports/record"
	"kindex/exports/store"
)

// Build is an open build. Its files are memory-mapped: opening a build takes the same time
// regardless of its size, and the files stay readable after the build's folder is removed.
// All methods may be called concurrently. Returned slices may point into the mapping: they
// must not be modified, or used after Close.
type Build struct {
	Dir      string
	Manifest *store.Manifest

	files map[string]mmap.MMap

	n             int // number of entities, including withdrawn ones
	listed        int
	records       []byte
	offsets       []byte
	keys          packed.StringTable
	targets       packed.Uint32s
	keyRank       packed.Uint32s
	scores        [][]byte
	nameRank      packed.Uint32s
	dates         [2]packed.Uint32s
	names         packed.StringTable
	orders        []packed.Uint32s    // columnKeys × (asc, desc)
	prefixes      []packed.PrefixSets // of the descending order of each of the columnKeys; empty unless hasPrefixSets
	measures      []packed.Column
	descending    []packed.Uint32s // for each measure, the records that have it, highest value first
	values        packed.StringTable
	spellings     packed.StringTable
	bitmapOffsets []byte
	valueSizes    packed.Uint32s // the number of records that have each value
	valuesBySize  packed.Uint32s // by field, the indexes of the values, the most frequent first
	bitmaps       []byte
	facets        [2]packed.Uint32s // where the values of each record start, and the values
	frequent      packed.Uint32s    // the indexes of frequent values, in ascending order
	frequentSets  []byte            // their bit sets of records
	days          []dayIndex        // by DayFields
	similar       [2][]byte
	features      packed.StringTable
	ids           idTable
	sources       sources
	archive       *ArchiveReader

	providers    pricing.Providers
	namespaces   []ids.Namespace
	offers       offerColumns
	boards       boardLists
	leaderboards map[string]StoredLeaderboard

	renames    renames
	vocabulary *record.Vocabulary // nil if there is none
	synonyms   [][]string

	overlay *overlay // edits on top of the build, or nil if there are none
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

// File returns the content of one of the build's files and its manifest entry. ok is false if
// there is no such file. The content must not be used after the build is closed.
func (b *Build) File(path string) (data []byte, f store.File, ok bool) {
	if data, ok = b.files[path]; ok {
		f, ok = b.Manifest.File(path)
	}
	return data, f, ok
}

// Providers returns the providers of offers, in the order of providers.yaml. The caller must
// not modify them.
func (b *Build) Providers() pricing.Providers { return b.providers }

// Namespace returns the namespace of identifiers with a name: one that the content declares
// or a built-in one. It returns nil if there is none.
func (b *Build) Namespace(name string) *ids.Namespace {
	i := slices.IndexFunc(b.namespaces, func(n ids.Namespace) bool { return n.Name == name })
	if i < 0 {
		return ids.Find(name)
	}
	return &b.namespaces[i]
}

// Namespaces lists the names of all namespaces of identifiers, sorted.
func (b *Build) Namespaces() []string {
	names := ids.Names()
	for i := range b.namespaces {
		names = append(names, b.namespaces[i].Name)
	}
	slices.Sort(names)
	return names
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

// allRecords returns all listed records and, if withdrawn is set, the withdrawn
// ones too.
func (b *Build) allRecords(withdrawn bool) *roaring.Bitmap {
	set := roaring.New()
	if withdrawn {
		set.AddRange(0, uint64(b.n))
	} else {
		set.AddRange(0, uint64(b.listed))
	}
	return b.applyEdits(set, func(e *record.Entity) bool { return withdrawn || e.Status != record.Withdrawn })
}

// Find returns the ordinal of the record at an address. isAlias reports whether the slug is
// an earlier slug of the record.
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

// Keys calls yield with every address in the build, including earlier slugs, sorted
// by type and slug.
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

// EntityTexts is like Entity, but decodes only the texts that searches look at, as
// record.ParseTexts does.
func (b *Build) EntityTexts(ordinal uint32) (*record.Entity, error) {
	if e := b.edited(ordinal); e != nil {
		return e, nil
	}
	return record.ParseTexts(b.Record(ordinal))
}

// PartOfEntity is like Entity, but decodes only some members of the record. All other fields
// of the entity may be zero. The offers of a record take most of the time.
func (b *Build) PartOfEntity(ordinal uint32, members []string) (*record.Entity, error) {
	if e := b.edited(ordinal); e != nil {
		return e, nil
	}
	part := []byte{'{'}
	for name, value := range jsonenc.Members(b.Record(ordinal)) {
		if slices.Contains(members, string(name)) {
			part = jsonenc.AppendComma(part, len(part)-1)
			part = append(append(jsonenc.AppendString(part, string(name)), ':'), value...)
		}
	}
	e := new(record.Entity)
	return e, e.UnmarshalJSON(append(part, '}'))
}

// Score returns the named score of a record, or null if no score has that name.
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

// Values returns the values that a filter field has in the build, each in its most
// frequent spelling, sorted by folded value.
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
		for i, last := b.valueRange(field); i < last; i++ {
			if !yield(i) {
				return
			}
		}
	}
}

// Bitmap returns the records that have a value in a filter field, or nil if there
// are none. Values are compared in folded form.
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

// frequentSet returns the bit set of the records that have value i, or nil if the value is not frequent.
func (b *Build) frequentSet(i int) []byte {
	at := sort.Search(b.frequent.Len(), func(k int) bool { return int(b.frequent.At(k)) >= i })
	if at == b.frequent.Len() || int(b.frequent.At(at)) != i {
		return nil
	}
	size := 8 * ((b.n + 63) / 64)
	return b.frequentSets[size*at : size*(at+1)]
}

// sortValue returns a record's value for a sort key.
func (b *Build) sortValue(key int, ordinal uint32) int64 {
	if b.edited(ordinal) != nil {
		return b.overlay.values[key][int(ordinal)-b.n]
	}
	i := int(ordinal)
	switch k := len(record.ScoreNames); {
	case key >= len(columnKeys):
		if v, ok := b.measures[sortMeasures[key-len(columnKeys)]].Get(ordinal); ok {
			return v
		}
		return nullValue
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

// overlay holds the effect of edits on a build: the added records, with ordinals that follow
// the build's own, and the set of the build's ordinals that are no longer valid.
type overlay struct {
	id            string
	entities      []*record.Entity // the record of ordinal n+i is entities[i]
	records       [][]byte
	replaced      *roaring.Bitmap   // ordinals of the build that were replaced or removed
	newOrdinals   map[uint32]uint32 // replaced ordinal → new ordinal
	keys          map[string]uint32 // as Build.targets
	ids           map[string][]uint32
	names         []string  // folded names, sorted and unique
	slugs         []string  // type, NUL, slug; in sorted order
	values        [][]int64 // by sort key, then by entity
	rank          []int64   // position in the order by type and slug
	sortPositions []float64 // among ordinals
}

// stride returns the distance between the positions of consecutive table entries. It leaves
// room between two entries for a cursor and for every name that edits added.
func (b *Build) stride() int64 {
	if b.overlay == nil {
		return 4
	}
	return int64(2 * (max(len(b.overlay.names), len(b.overlay.slugs)) + 2))
}

// edited returns the edited entity with the given ordinal, or nil if the ordinal is one of
// the build's own.
func (b *Build) edited(ordinal uint32) *record.Entity {
	if int(ordinal) < b.n {
		return nil
	}
	return b.overlay.entities[int(ordinal)-b.n]
}

// edits calls yield with each edited entity and its ordinal.
func (b *Build) edits(yield func(ordinal uint32, e *record.Entity) bool) {
	if b.overlay == nil {
		return
	}
	for i, e := range b.overlay.entities {
		if !yield(uint32(b.n+i), e) {
			return
		}
	}
}

// applyEdits converts a set of the build's own ordinals to a set in the edited build: it
// removes replaced records and adds the matching edited entities.
func (b *Build) applyEdits(set *roaring.Bitmap, fits func(*record.Entity) bool) *roaring.Bitmap {
	if b.overlay == nil {
		return set
	}
	set = roaring.AndNot(set, b.overlay.replaced)
	for o, e := range b.edits {
		if fits(e) {
			set.Add(o)
		}
	}
	return set
}

// Edited returns the edited entities. Their ordinals follow those of the build.
func (b *Build) Edited() []*record.Entity {
	if b.overlay == nil {
		return nil
	}
	return b.overlay.entities
}

// hasValue reports whether one of an entity's values in a filter field has the
// given folded form.
func hasValue(e *record.Entity, field, folded string) bool {
	return slices.ContainsFunc(e.FieldValues(field), func(v string) bool { return record.Fold(v) == folded })
}

// sources holds the content of the sources file.
type sources struct {
	flags   []byte
	ends    packed.Uint32s
	aliases packed.StringTable
}
