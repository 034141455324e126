package exports

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/klauspost/compress/gzip"

	"kindex/exports/history"
	"kindex/exports/jsonenc"
	"kindex/exports/parallel"
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

	files   map[string]*os.File
	stored  []byte // recordsFile, nil if it is too large to stay in memory
	records []span // of the JSON of each record in it

	features     []Feature
	similar      [][]storedNeighbour // by ordinal, nearest first
	history      *history.Archive
	boards       [][]BoardEntry
	leaderboards map[string]StoredLeaderboard
	categories   []record.Category
	vocabulary   record.Vocabulary // nil if there is none
	synonyms     [][]string

	formula func() (*score.Formula, error)

	edits *edits // on top of the build, or nil if there are none
}

// BoardEntry is an entity on a board of boards.yaml.
type BoardEntry struct {
	Ordinal uint32       `json:"ordinal"`
	Score   record.Score `json:"score"` // on the board; always known
	// Oldest and Newest are the DayNumbers of the oldest and the newest figure in the score,
	// record.NoDate if no figure has a date.
	Oldest int32 `json:"oldest"`
	Newest int32 `json:"newest"`
}

// StoredLeaderboard is a leaderboard in a build: an array in JSON, and its SHA-256 in hexadecimal.
type StoredLeaderboard struct {
	JSON   []byte
	SHA256 string
}

// edits describes how a build with edits differs from the build without them.
type edits struct {
	id       string
	base     *view.View        // without the edits
	replaced *roaring.Bitmap   // ordinals of the base that are unused now
	current  map[uint32]uint32 // replaced ordinal → the ordinal of the edited entity
}

// Feature is a property that two similar entities share, such as a tag.
type Feature struct {
	Kind  string `json:"kind"` // category, tag, capability, provider, word, …
	Value string `json:"value"`
}

// Neighbour is a similar entity.
type Neighbour struct {
	Similarity  float64 // 0 to 1
	Ordinal     uint32
	Reasons     []uint32 // indexes into a list of features, strongest first; at most MaxReasons
	Alternative bool     // it does the same job; otherwise, it is related
}

// MaxReasons is the maximum number of features listed for a neighbour.
const MaxReasons = 3

// The kinds of neighbours, as the API names them.
const (
	Alternative = "alternative"
	Related     = "related"
)

// Kind returns Alternative or Related.
func (n *Neighbour) Kind() string {
	if n.Alternative {
		return Alternative
	}
	return Related
}

// similarLists is the content of the file of the neighbours.
type similarLists struct {
	Features []Feature `json:"features"`
	// Neighbours has an array of those of each ordinal, nearest first. Each is an array: its ordinal, its similarity
	// in ten thousandths, 1 if it is an alternative and else 0, and the reasons.
	Neighbours []json.RawMessage `json:"neighbours"`
}

// storedNeighbour is a Neighbour in the form in memory: there are more of them than of anything else.
type storedNeighbour struct {
	ordinal     uint32
	similarity  uint16 // in ten thousandths
	alternative bool
	count       uint8 // of the reasons
	reasons     [MaxReasons]uint32
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

// Vocabulary returns the words of vocabulary.yaml, or nil if the content has none. The caller must not
// modify it.
func (b *Build) Vocabulary() record.Vocabulary { return b.vocabulary }

// Words returns the words of the vocabulary for the values of a filter.
func (b *Build) Words(filter string) []record.Word {
	switch filter {
	case "capability":
		return b.vocabulary[record.CapabilityWords]
	case "tag":
		return b.vocabulary[record.TagWords]
	}
	for _, f := range b.Kinds().Leaves() {
		if f.Query == filter {
			return b.vocabulary[f.Vocabulary]
		}
	}
	return nil
}

// Synonyms returns groups of words and phrases that mean the same in searches. The caller must
// not modify them.
func (b *Build) Synonyms() [][]string { return b.synonyms }

// MarshalJSON implements json.Marshaler.
func (n Neighbour) MarshalJSON() ([]byte, error) {
	list := []uint32{n.Ordinal, uint32(math.Round(n.Similarity * 10000)), 0}
	if n.Alternative {
		list[2] = 1
	}
	return json.Marshal(append(list, n.Reasons...))
}

// WriteNeighbours writes the neighbours of all entities, in the order of their ordinals. The
// reasons are indexes into features.
func (w *Writer) WriteNeighbours(neighbours [][]Neighbour, features []Feature) error {
	f, err := w.Create(similarFile)
	if err != nil {
		return err
	}
	member, err := gzip.NewWriterLevel(f, gzipLevel)
	if err != nil {
		return errors.Join(err, f.Close())
	}
	stored := similarLists{Features: features}
	for _, list := range neighbours {
		encoded, err := json.Marshal(list)
		if err != nil {
			return errors.Join(err, f.Close())
		}
		stored.Neighbours = append(stored.Neighbours, encoded)
	}
	return errors.Join(json.NewEncoder(member).Encode(stored), member.Close(), f.Close())
}

// openSimilar reads the neighbours, and rejects those of records that do not exist.
func (b *Build) openSimilar() error {
	var lists similarLists
	file, err := b.ReadFile(similarFile)
	if err == nil {
		file, err = history.Inflate(file)
	}
	if err == nil {
		err = jsonenc.Borrow(file, &lists)
	}
	if err == nil && len(lists.Neighbours) != b.Len() {
		err = fmt.Errorf("has the neighbours of %d entities, but there are %d", len(lists.Neighbours), b.Len())
	}
	if err == nil {
		b.features, b.similar = slices.Clone(lists.Features), make([][]storedNeighbour, b.Len())
		err = parallel.Each(b.Len(), func(i int) (err error) {
			b.similar[i], err = b.decodeNeighbours(lists.Neighbours[i])
			return err
		})
	}
	if err != nil {
		return fmt.Errorf("%s: %w", similarFile, err)
	}
	for i := range b.features { // the file does not stay in memory
		f := &b.features[i]
		f.Kind, f.Value = strings.Clone(f.Kind), strings.Clone(f.Value)
	}
	return nil
}

func (b *Build) decodeNeighbours(encoded []byte) ([]storedNeighbour, error) {
	var lists [][]uint32
	if err := jsonenc.Decode(encoded, &lists); err != nil {
		return nil, err
	}
	near := make([]storedNeighbour, len(lists))
	for i, n := range lists {
		if len(n) < 3 || len(n) > 3+MaxReasons || n[1] > 10000 {
			return nil, fmt.Errorf("has the neighbour %v, which is not an ordinal, a similarity, 1 or 0, and up to %d reasons", n, MaxReasons)
		}
		reasons := n[3:]
		if int(n[0]) >= b.Len() || slices.ContainsFunc(reasons, func(r uint32) bool { return int(r) >= len(b.features) }) {
			return nil, fmt.Errorf("has a neighbour %d or a reason that does not exist", n[0])
		}
		near[i] = storedNeighbour{ordinal: n[0], similarity: uint16(n[1]), alternative: n[2] == 1, count: uint8(len(reasons))}
		copy(near[i].reasons[:], reasons)
	}
	return near, nil
}

// Similar returns the neighbours that were computed for a record in the build, nearest first.
// An edited record keeps the neighbours that it had before. A new record has none.
func (b *Build) Similar(ordinal uint32) (list []Neighbour) {
	if b.edits != nil && int(ordinal) >= b.edits.base.Len() {
		o, isAlias, ok := b.edits.base.Find(b.Key(ordinal))
		if !ok || isAlias {
			return nil
		}
		ordinal = o
	}
	for _, n := range b.similar[ordinal] {
		if o, ok := b.currentOrdinal(n.ordinal); ok {
			list = append(list, Neighbour{float64(n.similarity) / 10000, o, slices.Clone(n.reasons[:n.count]), n.alternative})
		}
	}
	return list
}

// Feature returns the feature that a Neighbour's reason refers to.
func (b *Build) Feature(i uint32) Feature { return b.features[i] }

// Edit is an entity that was changed, added or removed on top of a build.
type Edit struct {
	Type, Slug string
	Entity     *record.Entity // the entity with its scores; nil if it was removed
}

// WithEdits returns the build with edits applied on top. Every lookup, selection, order and count gives
// the same result as in a build of the edited content. Files, neighbours and the manifest remain those of
// b, and so do the ordinals of entities without an edit; those of edited entities follow.
//
// The result is valid until b is closed and need not be closed itself. Each entity may occur only once in
// edits. No further edits can be applied to a build with edits.
func (b *Build) WithEdits(list []Edit) (*Build, error) {
	if b.edits != nil {
		return nil, fmt.Errorf("exports: the build already has edits")
	}
	list = slices.Clone(list)
	slices.SortFunc(list, func(x, y Edit) int { return cmp.Or(cmp.Compare(x.Type, y.Type), cmp.Compare(x.Slug, y.Slug)) })
	d := &edits{base: b.View, replaced: roaring.New(), current: map[uint32]uint32{}}
	entities := make([]*record.Entity, b.Len())
	for o, e := range b.All {
		entities[o] = e
	}
	sum := sha256.New()
	for _, e := range list {
		if base, isAlias, known := b.Find(e.Type, e.Slug); known && !isAlias {
			d.replaced.Add(base)
			entities[base] = nil
			if e.Entity != nil {
				d.current[base] = uint32(len(entities))
			}
		}
		fmt.Fprintf(sum, "%s\x00%s\x00", e.Type, e.Slug)
		if e.Entity != nil {
			entities = append(entities, e.Entity)
			sum.Write(e.Entity.AppendJSON(nil))
		}
	}
	d.id = hex.EncodeToString(sum.Sum(nil)[:4])
	with := *b
	with.View, with.edits = view.New(entities, b.storedRecord, b.Terms, ""), d
	return &with, nil
}

// OverlayID identifies the edits among all possible edits of the same build. It is "" if
// there are no edits.
func (b *Build) OverlayID() string {
	if b.edits == nil {
		return ""
	}
	return b.edits.id
}

// Edited returns the edited entities. Their ordinals follow those of the build.
func (b *Build) Edited() (list []*record.Entity) {
	if b.edits == nil {
		return nil
	}
	for o := b.edits.base.Len(); o < b.Len(); o++ {
		list = append(list, b.Entity(uint32(o)))
	}
	return list
}

// Replaced returns the build's own ordinals that edits replaced or removed, or nil
// if there are no edits. The set must not be modified.
func (b *Build) Replaced() *roaring.Bitmap {
	if b.edits == nil {
		return nil
	}
	return b.edits.replaced
}

// currentOrdinal returns the ordinal that a listed record of the build has after
// the edits; ok is false if it was removed or withdrawn.
func (b *Build) currentOrdinal(ordinal uint32) (at uint32, ok bool) {
	if b.edits == nil || !b.edits.replaced.Contains(ordinal) {
		return ordinal, true
	}
	at, ok = b.edits.current[ordinal]
	return at, ok && b.Entity(at).Status != record.Withdrawn
}
