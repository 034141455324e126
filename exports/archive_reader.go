package exports

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"kindex/exports/packed"
	"kindex/exports/record"
)

// noIndex stands for no version, no change and no commit in a lookup file.
const noIndex = math.MaxUint32

// ArchiveReader reads what a build knows of the past. Versions, changes and
// commits are named by their places, which run from 0. What it returns may point
// into the build's mapping. Its methods may be called from many goroutines; like
// those of a slice they panic where there is no such place.
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

	values   packed.Postings // of the filter fields, over versions
	names    packed.StringTable
	nameRank packed.Uint32s

	snapshots []*Snapshot
	log       changelog
	windows   []trendsHead
	trends    [][]byte
}

// Archive returns what the build knows of the past; of a build that was written
// without an archive, nothing. Edits do not change it, but for where the
// entities of Trends stand.
func (b *Build) Archive() *ArchiveReader {
	if b.overlay == nil {
		return b.archive
	}
	r := *b.archive
	r.build = b
	return &r
}

// emptyArchive knows nothing.
func emptyArchive() *ArchiveReader {
	return &ArchiveReader{
		parts: make([][]byte, archiveSections), offsets: make([]byte, 8),
		addresses: packed.NoStrings(), hashes: packed.NoStrings(), authors: packed.NoStrings(), values: packed.NoPostings(), names: packed.NoStrings(),
		log: changelog{offsets: make([]byte, 8), postings: packed.NoPostings()},
	}
}

// openArchive opens the files that WriteArchive wrote. It looks at their shape
// only, so that it takes the same time at any size.
func (b *Build) openArchive(s *packed.SectionReader) {
	r := emptyArchive()
	r.base, r.build, b.archive = b, b, r
	if _, ok := b.Manifest.File(archiveFile); !ok || s.Err() != nil {
		return
	}
	r.openVersions(s)
	r.openValues(s)
	r.openChanges(s)
	r.openTrends(s)
	if s.Err() == nil {
		s.Check(changesFile, r.head.Changes == r.log.n && (r.log.n == 0 || r.ChangeVersion(r.log.n-1) < r.n))
		r.openSnapshots(s)
	}
}

func (r *ArchiveReader) openVersions(s *packed.SectionReader) {
	r.records, r.parts = r.base.files[versionsFile], s.Open(archiveFile, archiveSections)
	if s.Err() != nil {
		return
	}
	if err := json.Unmarshal(r.parts[sectionHead], &r.head); err != nil {
		s.Fail(archiveFile, err)
		return
	}
	r.addresses = s.Strings(archiveFile, r.parts[sectionAddresses])
	r.hashes, r.authors = s.Strings(archiveFile, r.parts[sectionHashes]), s.Strings(archiveFile, r.parts[sectionAuthors])
	r.offsets = r.parts[sectionOffsets]
	n := len(r.parts[sectionTimes]) / 8
	r.n = n
	for _, section := range append([]int{sectionVersionsByAddress}, versionColumns...) {
		s.Check(archiveFile, len(r.parts[section]) == 4*n)
	}
	s.Check(archiveFile, len(r.offsets) == 8*(n+1) && len(r.parts[sectionAddressStarts]) == 4*(r.addresses.Len()+1))
	s.Check(archiveFile, r.authors.Len() == r.hashes.Len() && len(r.parts[sectionPullRequests]) == 4*r.hashes.Len())
	s.Check(versionsFile, s.Err() != nil || packed.Uint64At(r.offsets, n) == uint64(len(r.records)))
}

func (r *ArchiveReader) openValues(s *packed.SectionReader) {
	parts := s.Open(pastValuesFile, packed.PostingSections+2)
	if s.Err() != nil {
		return
	}
	r.values = s.Postings(pastValuesFile, parts)
	r.names, r.nameRank = s.Strings(pastValuesFile, parts[packed.PostingSections]), parts[packed.PostingSections+1]
	s.Check(pastValuesFile, len(r.nameRank) == 4*r.n)
}

func (r *ArchiveReader) openSnapshots(s *packed.SectionReader) {
	for _, f := range r.base.Manifest.Files { // sorted, so the days are
		day, ok := strings.CutPrefix(f.Path, snapshotsDir)
		if !ok {
			continue
		}
		snapshot, err := openSnapshot(strings.TrimSuffix(day, ".bin"), r.base.files[f.Path], r.n)
		s.Check(f.Path, err == nil)
		if err == nil {
			snapshot.archive = r
			r.snapshots = append(r.snapshots, snapshot)
		}
	}
}

// Head is the commit up to which the history was read, "" outside git.
func (r *ArchiveReader) Head() string { return r.head.Head }

// Path is the folder within the repository whose history was read.
func (r *ArchiveReader) Path() string { return r.head.Path }

// Mailmap tells which mailmap the authors' names are from.
func (r *ArchiveReader) Mailmap() string { return r.head.Mailmap }

// Formula is the hash of the formula that scores of the past were computed with.
func (r *ArchiveReader) Formula() string { return r.head.Formula }

// Commits is how many commits made the versions.
func (r *ArchiveReader) Commits() int { return r.hashes.Len() }

// Commit returns one of the commits.
func (r *ArchiveReader) Commit(i int) record.ArchivedCommit {
	return record.ArchivedCommit{Hash: string(r.hashes.At(i)), Author: string(r.authors.At(i)),
		PullRequest: int(packed.Uint32s(r.parts[sectionPullRequests]).At(i))}
}

// Versions is how many versions there are of all entities.
func (r *ArchiveReader) Versions() int { return r.n }

// Version returns one of them, with its Record and without its Entity.
func (r *ArchiveReader) Version(i int) record.Version {
	typ, slug := r.address(i)
	v := record.Version{
		Type: typ, Slug: slug, Deleted: r.deleted(i), Time: r.time(i),
		Commit: r.number(sectionCommit, i), Previous: r.number(sectionPrevious, i), Change: r.number(sectionChange, i),
		Added: r.number(sectionAdded, i), Updated: r.number(sectionUpdated, i),
	}
	if !v.Deleted {
		v.Record = r.record(i)
	}
	return v
}

// number is what a version has in one of the sections.
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

func (r *ArchiveReader) record(v int) []byte {
	from, to := packed.Uint64At(r.offsets, v), packed.Uint64At(r.offsets, v+1)
	return r.records[from:to:to]
}

// Entity decodes the content of a version as its author wrote it: without
// scores and dates of the history. It is an error for one that was deleted.
func (r *ArchiveReader) Entity(v int) (*record.Entity, error) {
	if r.deleted(v) {
		typ, slug := r.address(v)
		return nil, fmt.Errorf("%s/%s was deleted by version %d: it has no content", typ, slug, v)
	}
	e := new(record.Entity)
	return e, e.UnmarshalJSON(r.record(v))
}

// RecordAt returns a version as the API shows it: with the dates that it had,
// and with scores. It is nil for one that was deleted.
func (r *ArchiveReader) RecordAt(v int, s record.Scores) []byte {
	if r.deleted(v) {
		return nil
	}
	return record.CompleteAuthored(r.record(v), &s, r.day(v, 0), r.day(v, 1))
}

// versionsAt are the versions that have an address, the oldest first.
func (r *ArchiveReader) versionsAt(typ, slug string) packed.Uint32s {
	i, ok := r.addresses.Search(typ + "\x00" + slug)
	if !ok {
		return nil
	}
	begin := packed.Uint32s(r.parts[sectionAddressStarts])
	return r.parts[sectionVersionsByAddress][4*begin.At(i) : 4*begin.At(i+1)]
}

// Last returns the newest version that carries an address, which may be that it
// was deleted, or one that another version under another slug follows.
func (r *ArchiveReader) Last(typ, slug string) (v int, ok bool) {
	list := r.versionsAt(typ, slug)
	if list.Len() == 0 {
		return -1, false
	}
	return int(list.At(list.Len() - 1)), true
}

// Newest returns the newest version of the entity that a version is of.
func (r *ArchiveReader) Newest(v int) int {
	for next := r.next(v); next > v; next = r.next(v) {
		v = next
	}
	return v
}

// NewestOf returns the newest version of the entity of a record. What is not
// committed has none, unless it is another name for what is, or was.
func (r *ArchiveReader) NewestOf(ordinal uint32) (v int, ok bool) {
	typ, slug := r.build.Key(ordinal)
	own, known := r.Last(typ, slug)
	if known = known && r.Newest(own) == own; known && !r.deleted(own) {
		return own, true
	}
	ended := -1
	for _, old := range slices.Backward(r.build.aliases(ordinal)) { // of several the one listed last, as in git
		last, ok := r.Last(typ, old)
		if o, isAlias, found := r.build.Find(typ, old); !ok || r.Newest(last) != last || !found || !isAlias || o != ordinal {
			continue // that entity has gone on elsewhere
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

// FirstDay is the UTC day of the first version, "" where there is none.
func (r *ArchiveReader) FirstDay() string {
	if r.n == 0 {
		return ""
	}
	return record.FormatDay(dayOf(r.time(0)))
}

// LastDay is the UTC day of the last version or of the as-of time, whichever is
// later.
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

// dayOf is the number of the UTC day of a moment.
func dayOf(seconds int64) int32 {
	if day := seconds / 86400; seconds%86400 >= 0 {
		return int32(day)
	}
	return int32(seconds/86400 - 1)
}

// Snapshots lists the days whose ends there are snapshots of, oldest first.
func (r *ArchiveReader) Snapshots() []string {
	days := make([]string, len(r.snapshots))
	for i, s := range r.snapshots {
		days[i] = s.Day
	}
	return days
}

// Snapshot returns the latest that is not of a later day.
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

// SnapshotData returns the file of a day, for the archive of a later build.
func (r *ArchiveReader) SnapshotData(day string) (*SnapshotData, bool) {
	s, ok := r.Snapshot(day)
	if !ok || s.Day != day {
		return nil, false
	}
	return &SnapshotData{Day: day, Listed: s.listed, Ranked: s.ranked, Raw: r.base.files[snapshotsDir+day+".bin"]}, true
}
