package exports

import (
	"errors"
	"fmt"

	"golang.org/x/sync/errgroup"

	"kindex/exports/record"
)

// Archive is what a build knows of the past.
type Archive struct {
	// Head, Path and Mailmap tell what the walk over git has seen, "" outside
	// git. The archive only keeps them.
	Head, Path, Mailmap string
	Formula             string // hash of the formula that scores of the past were computed with
	Commits             []record.ArchivedCommit
	Versions            []record.Version
	Changes             []ChangeEntry
	// Line appends the JSON object of a change, compact and without an end of
	// line. It is called from several goroutines, for the changes after
	// KeptChanges, and more than once for each.
	Line func(dst []byte, i int) []byte
	// Snapshots are the catalogue as it stood on some days, oldest first.
	Snapshots []*SnapshotData
	Trends    []Trends

	// Previous is an earlier build that has the first Kept versions and the first
	// KeptChanges changes already, in every respect; nil for none. They are taken
	// from it, and what Versions and Changes have there is not looked at. The
	// files are the same as those made without it.
	Previous          *Build
	Kept, KeptChanges int
}

// ChangeEntry is what changes are found by.
type ChangeEntry struct {
	ID                    string
	Version               int32 // the version that made the change
	Time                  int64 // Unix seconds
	Type, Category, Event string
	Fields                []string // that changed; their groups are found without being named
}

// SnapshotData is the catalogue as it stood at the end of a UTC day.
type SnapshotData struct {
	Day string // YYYY-MM-DD
	// Versions are those of the entities that there were, withdrawn ones
	// included, in the order of CompareRank with the scores of that day.
	Versions       []uint32
	Scores         []record.Scores // of the Versions
	Listed, Ranked int             // how many are not withdrawn, and have a composite of those
	Raw            []byte          // what an earlier build has of that day, instead of all but Day
}

// Trends is what moved within a window of time.
type Trends struct {
	Window string // its name, such as 7d
	Days   int
	Since  string // the day with whose end the present is compared
	Empty  bool   // there was nothing yet on that day
	List   []Trend
}

// Trend is how one entity moved.
type Trend struct {
	Ordinal      uint32
	Gain         int16        // of the composite, in tenths
	Previous     record.Score // the composite before
	PreviousRank uint32       // 0 for none
	Changes      uint32
}

// WriteArchive writes the changelog in every format, and the files below lookup/
// that an ArchiveReader reads.
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

// check refuses what could not be read back as it was meant.
func (a *Archive) check(previous *ArchiveReader) error {
	if a.Kept < 0 || a.Kept > min(len(a.Versions), previous.Versions()) || a.KeptChanges < 0 || a.KeptChanges > min(len(a.Changes), previous.Changes()) {
		return fmt.Errorf("%d versions and %d changes are said to be those of an earlier build, which has %d and %d",
			a.Kept, a.KeptChanges, previous.Versions(), previous.Changes())
	}
	last := int64(-1 << 62)
	if a.Kept > 0 {
		last = previous.time(a.Kept - 1)
	}
	for i := a.Kept; i < len(a.Versions); i++ {
		v := &a.Versions[i]
		if err := a.checkVersion(i, v); err != nil {
			return fmt.Errorf("version %d, of %s/%s, %w", i, v.Type, v.Slug, err)
		}
		if v.Time < last {
			return fmt.Errorf("version %d, of %s/%s, is older than the one before it", i, v.Type, v.Slug)
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
			return fmt.Errorf("change %s is of version %d of %d, the one before it of %d", c.ID, c.Version, len(a.Versions), before)
		}
		if v := int(c.Version); v >= a.Kept && (int(a.Versions[v].Change) != i || a.Versions[v].Time != c.Time) {
			return fmt.Errorf("change %d is of version %d, which is of change %d, or of another time", i, v, a.Versions[v].Change)
		}
		before = c.Version
	}
	return nil
}

func (a *Archive) checkVersion(i int, v *record.Version) error {
	switch {
	case v.Deleted == (v.Entity != nil || v.Record != nil):
		return errors.New("must have content or be deleted")
	case v.Entity != nil && (v.Entity.Type != v.Type || v.Entity.Slug != v.Slug):
		return errors.New("has the content of " + v.Entity.Key())
	case v.Previous < -1 || int(v.Previous) >= i:
		return fmt.Errorf("follows version %d", v.Previous)
	case v.Change < -1 || int(v.Change) >= len(a.Changes):
		return fmt.Errorf("made change %d of %d", v.Change, len(a.Changes))
	case v.Commit < -1 || int(v.Commit) >= len(a.Commits):
		return fmt.Errorf("is of commit %d of %d", v.Commit, len(a.Commits))
	}
	return nil
}
