package exports

import (
	"errors"
	"fmt"

	"golang.org/x/sync/errgroup"

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

// WriteArchive writes the changelog in every format, and the lookup files that an
// ArchiveReader reads.
func (w *Writer) WriteArchive(a *Archive) error {
	previous := emptyArchive()
	if a.Previous != nil {
		previous = a.Previous.archive
	}
	if err := a.check(previous); err != nil {
		return fmt.Errorf("archive: %w", err)
	}
	p := &archivePacker{Archive: a, w: w, previous: previous}
	var g errgroup.Group
	g.Go(p.writeChanges)
	g.Go(func() error {
		rank, err := p.writeVersions()
		return errors.Join(err, p.writeSnapshots(rank), p.writeTrends())
	})
	return g.Wait()
}

// check rejects an archive that could not be read back correctly.
func (a *Archive) check(previous *ArchiveReader) error {
	if a.Kept < 0 || a.Kept > min(len(a.Versions), previous.Versions()) || a.KeptChanges < 0 || a.KeptChanges > min(len(a.Changes), previous.Changes()) {
		return fmt.Errorf("keeps %d versions and %d changes, but the previous build has %d and %d",
			a.Kept, a.KeptChanges, previous.Versions(), previous.Changes())
	}
	last := int64(-1 << 62)
	if a.Kept > 0 {
		last = previous.time(a.Kept - 1)
	}
	for i := a.Kept; i < len(a.Versions); i++ {
		v := &a.Versions[i]
		if err := a.checkVersion(i, v); err != nil {
			return fmt.Errorf("version %d of %s/%s %w", i, v.Type, v.Slug, err)
		}
		if v.Time < last {
			return fmt.Errorf("version %d of %s/%s is older than the one before it", i, v.Type, v.Slug)
		}
		last = v.Time
	}
	before := int32(-1)
	if a.KeptChanges > 0 {
		before = int32(previous.ChangeVersion(a.KeptChanges - 1))
	}
	for i := a.KeptChanges; i < len(a.Changes); i++ {
		c := &a.Changes[i]
		if c.Version <= before || int(c.Version) >= len(a.Versions) {
			return fmt.Errorf("change %s has version %d of %d, and the change before it has version %d", c.ID, c.Version, len(a.Versions), before)
		}
		if v := int(c.Version); v >= a.Kept && (int(a.Versions[v].Change) != i || a.Versions[v].Time != c.Time) {
			return fmt.Errorf("change %d has version %d, which has change %d or a different time", i, v, a.Versions[v].Change)
		}
		before = c.Version
	}
	return nil
}

func (a *Archive) checkVersion(i int, v *record.Version) error {
	switch {
	case v.Deleted == (v.Entity != nil || v.Record != nil):
		return errors.New("must either have content or be deleted")
	case v.Entity != nil && (v.Entity.Type != v.Type || v.Entity.Slug != v.Slug):
		return errors.New("has the content of " + v.Entity.Key())
	case v.Previous < -1 || int(v.Previous) >= i:
		return fmt.Errorf("follows version %d", v.Previous)
	case v.Change < -1 || int(v.Change) >= len(a.Changes):
		return fmt.Errorf("has change %d of %d", v.Change, len(a.Changes))
	case v.Commit < -1 || int(v.Commit) >= len(a.Commits):
		return fmt.Errorf("has commit %d of %d", v.Commit, len(a.Commits))
	}
	return nil
}
