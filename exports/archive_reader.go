package exports

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"kindex/exports/packed"
	"kindex/exports/record"
)

// noIndex means no version, no change or no commit in a lookup file.
const noIndex = math.MaxUint32

// ArchiveReader reads the history that a build stores. Versions, changes and
// commits are identified by their index, starting at 0. Returned slices may point
// into the build's memory mapping. Its methods may be called concurrently; like
// slices, they panic if an index is out of range.
type ArchiveReader struct {
	base  *Build // the build, without edits
	build *Build // the build, with edits if there are any

	head      archiveHead
	records   []byte
	parts     [][]byte // the sections of archive.bin
	offsets   []byte
	addresses packed.StringTable
	hashes    packed.StringTable
	authors   packed.StringTable
	n         int // versions

	snapshots []*Snapshot
	log       changelog
	windows   []Trends
	weeks     []*record.Week

	days *pastDays
}

// Head returns the last commit of the history that was read, or "" outside git.
func (r *ArchiveReader) Head() string { return r.head.Head }

// Path returns the folder within the repository whose history was read.
func (r *ArchiveReader) Path() string { return r.head.Path }

// Mailmap identifies the mailmap used for the authors' names.
func (r *ArchiveReader) Mailmap() string { return r.head.Mailmap }

// Formula returns the hash of the formula used for past scores.
func (r *ArchiveReader) Formula() string { return r.head.Formula }

// Commits returns the number of commits that created versions.
func (r *ArchiveReader) Commits() int { return r.hashes.Len() }

// Commit returns commit i.
func (r *ArchiveReader) Commit(i int) record.ArchivedCommit {
	return record.ArchivedCommit{Hash: string(r.hashes.At(i)), Author: string(r.authors.At(i)),
		PullRequest: int(packed.Uint32s(r.parts[sectionPullRequests]).At(i))}
}

// Versions returns the number of versions of all entities.
func (r *ArchiveReader) Versions() int { return r.n }

// Version returns version i without its Entity.
func (r *ArchiveReader) Version(i int) record.Version {
	typ, slug := r.address(i)
	return record.Version{
		Type: typ, Slug: slug, Deleted: r.deleted(i), Time: r.time(i),
		Commit: r.number(sectionCommit, i), Previous: r.number(sectionPrevious, i), Change: r.number(sectionChange, i),
		Added: r.number(sectionAdded, i), Updated: r.number(sectionUpdated, i),
	}
}

// number returns the value for a version in one of the versionColumns.
func (r *ArchiveReader) number(section, v int) int32 {
	return int32(packed.Uint32s(r.parts[section]).At(v))
}

func (r *ArchiveReader) time(v int) int64        { return int64(packed.Uint64At(r.parts[sectionTimes], v)) }
func (r *ArchiveReader) deleted(v int) bool      { return r.number(sectionAddress, v)&1 == 1 }
func (r *ArchiveReader) addressRank(v int) int   { return int(uint32(r.number(sectionAddress, v)) >> 1) }
func (r *ArchiveReader) previous(v int) int      { return int(r.number(sectionPrevious, v)) }
func (r *ArchiveReader) next(v int) int          { return int(r.number(sectionNext, v)) }
func (r *ArchiveReader) changeOf(v int) int      { return int(r.number(sectionChange, v)) }
func (r *ArchiveReader) day(v, column int) int32 { return r.number(sectionAdded+column, v) }

func (r *ArchiveReader) address(v int) (typ, slug string) {
	typ, slug, _ = strings.Cut(string(r.addresses.At(r.addressRank(v))), "\x00")
	return typ, slug
}

// Record returns the content of a version as record.Entity.AppendAuthored encodes it, or nil for a
// deletion.
func (r *ArchiveReader) Record(v int) []byte {
	from, to := packed.Uint64At(r.offsets, v), packed.Uint64At(r.offsets, v+1)
	if from < to || r.deleted(v) {
		return r.records[from:to:to]
	}
	ordinal, _, _ := r.base.Find(r.address(v))
	return r.base.Entity(ordinal).AppendAuthored(nil)
}

// Entity decodes the content of a version as its author wrote it, without scores
// and without dates derived from the history. It returns an error for a deletion.
func (r *ArchiveReader) Entity(v int) (*record.Entity, error) {
	if r.deleted(v) {
		typ, slug := r.address(v)
		return nil, fmt.Errorf("%s/%s: version %d is a deletion and has no content", typ, slug, v)
	}
	e := new(record.Entity)
	return e, e.UnmarshalJSON(r.Record(v))
}

// EntityAt decodes a version as the API shows it for a UTC day, YYYY-MM-DD, with the given scores and
// the dates it had. It returns an error for a deletion.
func (r *ArchiveReader) EntityAt(v int, day string, s record.Scores) (*record.Entity, error) {
	e, err := r.Entity(v)
	if err != nil {
		return nil, err
	}
	e.Scores, e.Computed = s, r.base.Providers().Compute(e, day)
	e.AddedDate, e.LastUpdated = record.FormatDay(r.day(v, 0)), record.FormatDay(r.day(v, 1))
	return e, nil
}

// versionsAt returns the versions at an address, oldest first.
func (r *ArchiveReader) versionsAt(typ, slug string) packed.Uint32s {
	i, ok := r.addresses.Search(typ + "\x00" + slug)
	if !ok {
		return nil
	}
	begin := packed.Uint32s(r.parts[sectionAddressStarts])
	return r.parts[sectionVersionsByAddress][4*begin.At(i) : 4*begin.At(i+1)]
}

// Last returns the newest version at an address. It may be a deletion, or a version
// whose entity later moved to a different slug.
func (r *ArchiveReader) Last(typ, slug string) (v int, ok bool) {
	list := r.versionsAt(typ, slug)
	if list.Len() == 0 {
		return -1, false
	}
	return int(list.At(list.Len() - 1)), true
}

// Newest returns the newest version of the entity that a version belongs to.
func (r *ArchiveReader) Newest(v int) int {
	for next := r.next(v); next > v; next = r.next(v) {
		v = next
	}
	return v
}

// NewestOf returns the newest version of a record's entity. An uncommitted entity has no
// version unless one of its earlier slugs has one.
func (r *ArchiveReader) NewestOf(ordinal uint32) (v int, ok bool) {
	typ, slug := r.build.Key(ordinal)
	own, known := r.Last(typ, slug)
	if known = known && r.Newest(own) == own; known && !r.deleted(own) {
		return own, true
	}
	ended := -1
	for _, old := range slices.Backward(r.build.Entity(ordinal).Formerly) { // the last one wins, as in git
		last, ok := r.Last(typ, old)
		if o, isAlias, found := r.build.Find(typ, old); !ok || r.Newest(last) != last || !found || !isAlias || o != ordinal {
			continue // that entity has moved to a different address
		}
		if !r.deleted(last) {
			return last, true
		}
		ended = max(ended, last)
	}
	if known {
		return own, true
	}
	return ended, ended >= 0
}

// FirstDay returns the UTC day of the first version, or "" if there is none.
func (r *ArchiveReader) FirstDay() string {
	if r.n == 0 {
		return ""
	}
	return record.FormatDay(dayOf(r.time(0)))
}

// AsOf returns the as-of time of the build.
func (r *ArchiveReader) AsOf() time.Time {
	t, _ := time.Parse(time.RFC3339, r.base.Manifest.AsOf)
	return t
}

// LastDay returns the later of two UTC days: that of the last version and that of the as-of
// time.
func (r *ArchiveReader) LastDay() string {
	last := ""
	if m := r.base.Manifest; len(m.AsOf) >= 10 {
		last = m.AsOf[:10]
	}
	if r.n > 0 {
		last = max(last, record.FormatDay(dayOf(r.time(r.n-1))))
	}
	return last
}

// dayOf returns the UTC day of a Unix time as days since 1970-01-01.
func dayOf(seconds int64) int32 {
	if day := seconds / 86400; seconds%86400 >= 0 {
		return int32(day)
	}
	return int32(seconds/86400 - 1)
}

// Snapshots returns the days that have a snapshot, oldest first.
func (r *ArchiveReader) Snapshots() []string {
	days := make([]string, len(r.snapshots))
	for i, s := range r.snapshots {
		days[i] = s.Day
	}
	return days
}

// Snapshot returns the latest snapshot taken on or before a day.
func (r *ArchiveReader) Snapshot(day string) (*Snapshot, bool) {
	i, ok := slices.BinarySearchFunc(r.snapshots, day, func(s *Snapshot, day string) int { return strings.Compare(s.Day, day) })
	if !ok {
		i--
	}
	if i < 0 {
		return nil, false
	}
	return r.snapshots[i], true
}

// SnapshotData returns a day's snapshot file, to be copied into the archive of a
// later build.
func (r *ArchiveReader) SnapshotData(day string) (*SnapshotData, bool) {
	s, ok := r.Snapshot(day)
	if !ok || s.Day != day {
		return nil, false
	}
	return &SnapshotData{Day: day, Listed: s.listed, Ranked: s.ranked, Raw: r.base.files[snapshotsDir+day+".bin"]}, true
}

// changelog holds the part of an archive that is used to look up changes.
type changelog struct {
	lines     []byte // changelog.jsonl
	n         int
	times     []byte // Unix seconds
	versions  packed.Uint32s
	offsets   []byte // start of each line, then the end of the last line
	ids       []byte // sorted
	idIndexes packed.Uint32s
	postings  packed.Postings // changes by type, category, event and field
}

// emptyArchive returns a reader for an empty history.
func emptyArchive() *ArchiveReader {
	return &ArchiveReader{
		parts: make([][]byte, archiveSections), offsets: make([]byte, 8),
		addresses: packed.NoStrings(), hashes: packed.NoStrings(), authors: packed.NoStrings(),
		log:  changelog{offsets: make([]byte, 8), postings: packed.NoPostings()},
		days: new(pastDays),
	}
}
