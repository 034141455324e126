package exports

import (
	"encoding/binary"

	"kindex/exports/packed"
	"kindex/exports/pricing"
	"kindex/exports/record"
)

// Archive is the history that a build stores: versions, changes, snapshots and
// trends.
type Archive struct {
	// Head, Path and Mailmap describe the git history that was read. They are ""
	// outside git. The archive only stores them.
	Head, Path, Mailmap string
	Formula             string // hash of the formula used for past scores
	Commits             []record.ArchivedCommit
	Versions            []record.Version
	// Current reports whether the content of a version is that of the record at its address, as the author
	// wrote it; the build then contains it only once. If Current is nil, no version is.
	Current func(i int) bool
	Changes []ChangeEntry
	// Line appends change i as a compact JSON object without a line ending. It is called
	// concurrently, and several times per change, but only for changes after the first
	// KeptChanges.
	Line func(dst []byte, i int) ([]byte, error)
	// Snapshots hold the catalogue at the end of certain days, oldest first.
	Snapshots []*SnapshotData
	Trends    []Trends
	// Weeks lists the completed weeks with movers, newest first.
	Weeks []*record.Week
	// Providers are those of the build. The prices of past versions depend on them.
	Providers pricing.Providers

	// Previous is an earlier build that already contains the first Kept versions
	// and the first KeptChanges changes, or nil if there is none. They are copied
	// from it, and the corresponding elements of Versions and Changes are not read.
	// The files written are the same as without Previous.
	Previous          *Build
	Kept, KeptChanges int
}

// ChangeEntry holds the values by which a change can be looked up.
type ChangeEntry struct {
	ID                    string
	Version               int32 // the version created by the change
	Time                  int64 // Unix seconds
	Type, Category, Event string
	Fields                []string // the changed fields; their groups are indexed too
}

// SnapshotData is the content of a snapshot: the catalogue at the end of a UTC day.
type SnapshotData struct {
	Day string // YYYY-MM-DD
	// Versions lists the version of every entity on that day, including withdrawn
	// ones, in the order that CompareRank defines for that day's scores.
	Versions       []uint32
	Scores         []record.Scores // one per element of Versions
	Listed, Ranked int             // number not withdrawn; number of those with a composite score
	Raw            []byte          // file from an earlier build; if set, replaces all fields except Day
}

// Trends holds the movement of entities within a time window.
type Trends struct {
	Window string   `json:"window"` // name of the window, such as 7d
	Days   int      `json:"days"`
	Since  string   `json:"since"` // the present state is compared with the state at the end of this day
	Empty  bool     `json:"empty"` // the index was still empty on that day
	List   []Trend  `json:"list"`
	Growth []Growth `json:"growth"` // by signal, then by gain
}

// Trend is the movement of one entity.
type Trend struct {
	Ordinal uint32 `json:"ordinal"`
	// Score and Previous are the composite scores at both ends of the window, by the same formula and as of
	// the same time.
	Score    record.Score `json:"score"`
	Previous record.Score `json:"previous"`
	// Rank and PreviousRank are the ranks among the entities that were ranked at both ends, or 0.
	Rank         uint32 `json:"rank"`
	PreviousRank uint32 `json:"previousRank"`
	Changes      uint32 `json:"changes"`
}

// Gain returns the difference of the scores in tenths of a point, or 0 if one of them is unknown.
func (t *Trend) Gain() int16 {
	if !t.Score.Known() || !t.Previous.Known() {
		return 0
	}
	return t.Score.Tenths() - t.Previous.Tenths()
}

// archiveHead holds the scalar values of an archive.
type archiveHead struct {
	Head    string `json:"head"`
	Path    string `json:"path"`
	Mailmap string `json:"mailmap"`
	Formula string `json:"formula"`
	Changes int    `json:"changes"`
}

// The sections of lookup/archive.bin.
const (
	sectionHead              = iota
	sectionOffsets           // offsets of the records in versions.bin, then the length of versions.bin
	sectionTimes             // Unix seconds
	sectionPrevious          // the previous version of the same entity
	sectionNext              // the next version of the same entity
	sectionChange            // the change that created it
	sectionCommit            // the commit that created it
	sectionAdded             // a day
	sectionUpdated           // a day
	sectionAddress           // address index<<1, +1 for a deletion
	sectionAddresses         // type, NUL, slug; sorted, unique
	sectionAddressStarts     // where the versions of an address start in the next section
	sectionVersionsByAddress // versions grouped by address
	sectionHashes            // commit hashes
	sectionAuthors           // commit authors
	sectionPullRequests      // pull request numbers of the commits
	archiveSections
)

// versionColumns are the sections with one number per version.
var versionColumns = []int{sectionPrevious, sectionNext, sectionChange, sectionCommit, sectionAdded, sectionUpdated, sectionAddress}

// archivePacker writes an archive.
type archivePacker struct {
	*Archive
	w        *Writer
	previous *ArchiveReader // the archive of Previous, or an empty archive
}

// extendColumn returns a column of n numbers whose first kept numbers are copied
// from the previous build.
func extendColumn(previous packed.Uint32s, kept, n int, number func(i int) int32) []byte {
	b := make([]byte, 0, 4*n)
	b = append(b, previous[:4*kept]...)
	for i := kept; i < n; i++ {
		b = binary.LittleEndian.AppendUint32(b, uint32(number(i)))
	}
	return b
}
