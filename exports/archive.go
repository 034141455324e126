package exports

import (
	"encoding/binary"

	"kindex/exports/packed"
	"kindex/exports/record"
)

// Archive is the history that a build stores: versions, changes, snapshots and
// trends.
type Archive struct {
	// Head, Path and Mailmap describe the git history that was read, "" outside
	// git. The archive only stores them.
	Head, Path, Mailmap string
	Formula             string // hash of the formula used for past scores
	Commits             []record.ArchivedCommit
	Versions            []record.Version
	Changes             []ChangeEntry
	// Line appends change i as a compact JSON object without a line ending. It
	// is called from several goroutines, and several times per change, but only
	// for changes after the first KeptChanges.
	Line func(dst []byte, i int) []byte
	// Snapshots are the catalogue as of some days, oldest first.
	Snapshots []*SnapshotData
	Trends    []Trends

	// Previous is an earlier build that already has identical copies of the first
	// Kept versions and the first KeptChanges changes; nil for none. They are
	// copied from it, and those elements of Versions and Changes are not read.
	// The files are the same as without Previous.
	Previous          *Build
	Kept, KeptChanges int
}

// ChangeEntry holds the values by which a change is looked up.
type ChangeEntry struct {
	ID                    string
	Version               int32 // the version created by the change
	Time                  int64 // Unix seconds
	Type, Category, Event string
	Fields                []string // that changed; their groups are indexed too
}

// SnapshotData is the content of a snapshot: the catalogue at the end of a UTC day.
type SnapshotData struct {
	Day string // YYYY-MM-DD
	// Versions are the versions of all entities of that day, including withdrawn
	// ones, ordered as by CompareRank with the scores of that day.
	Versions       []uint32
	Scores         []record.Scores // of the Versions
	Listed, Ranked int             // how many are not withdrawn; how many of those have a composite
	Raw            []byte          // the file of an earlier build; replaces all fields but Day
}

// Trends is the movement of entities within a time window.
type Trends struct {
	Window string // its name, such as 7d
	Days   int
	Since  string // the present is compared with the end of this day
	Empty  bool   // the index was still empty on that day
	List   []Trend
}

// Trend is the movement of one entity.
type Trend struct {
	Ordinal      uint32
	Gain         int16        // of the composite, in tenths
	Previous     record.Score // the composite before
	PreviousRank uint32       // 0 for none
	Changes      uint32
}

// archiveHead holds the values of an archive that are not lists.
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
	sectionOffsets           // of the records in versions.bin, then its length
	sectionTimes             // Unix seconds
	sectionPrevious          // the previous version of the same entity
	sectionNext              // the next version of the same entity
	sectionChange            // the change that created it
	sectionCommit            // the commit that created it
	sectionAdded             // a day
	sectionUpdated           // a day
	sectionAddress           // index of the address<<1, +1 for a deletion
	sectionAddresses         // type, NUL, slug; sorted, unique
	sectionAddressStarts     // where the versions of an address start in the next section
	sectionVersionsByAddress // versions by address
	sectionHashes            // of the commits
	sectionAuthors           // of the commits
	sectionPullRequests      // of the commits
	archiveSections
)

// versionColumns are the sections with one number per version.
var versionColumns = []int{sectionPrevious, sectionNext, sectionChange, sectionCommit, sectionAdded, sectionUpdated, sectionAddress}

// archivePacker writes an archive.
type archivePacker struct {
	*Archive
	w        *Writer
	previous *ArchiveReader // the archive of Previous, or an empty one
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
