package exports

import (
	"encoding/json"
	"errors"
	"io"
	"os"

	"github.com/RoaringBitmap/roaring/v2"

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

	files   map[string]*os.File
	records []span // of the JSON of each record in recordsFile

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

// similar are the neighbours of all records as they are stored.
type similar struct {
	Features []Feature `json:"features"`
	// Neighbours has an array of those of each ordinal, nearest first. It stays encoded, which takes a third of the
	// memory. Each is an array: its ordinal, its similarity in ten thousandths, 1 if it is an alternative and else 0,
	// and the reasons.
	Neighbours []json.RawMessage `json:"neighbours"`
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
