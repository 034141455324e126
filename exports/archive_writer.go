package exports

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"kindex/exports/packed"
	"kindex/exports/record"

	"golang.org/x/sync/errgroup"
)

// writeVersions writes versions.bin and archive.bin. It returns, for each version, the rank of its
// address when all addresses are sorted by type and slug.
func (p *archivePacker) writeVersions() (rank []uint32, err error) {
	offsets, err := p.writeContents()
	if err != nil {
		return nil, err
	}
	head, err := json.Marshal(archiveHead{p.Head, p.Path, p.Mailmap, p.Formula, len(p.Changes)})
	if err != nil {
		return nil, err
	}
	parts := make([][]byte, archiveSections)
	parts[sectionHead], parts[sectionOffsets] = head, offsets
	if rank, err = p.packColumns(parts); err != nil {
		return nil, err
	}
	p.packCommits(parts)
	return rank, p.w.Add(archiveFile, packed.PackSections(parts...))
}

// writeContents writes versions.bin and returns the offsets of the versions in it.
func (p *archivePacker) writeContents() (offsets []byte, err error) {
	f, err := p.w.Create(versionsFile)
	if err != nil {
		return nil, err
	}
	offsets = make([]byte, 8, 8*(len(p.Versions)+1))
	var buf []byte
	for i := 0; i < len(p.Versions) && err == nil; i++ {
		switch v := &p.Versions[i]; {
		case p.Current != nil && p.Current(i):
		case i < p.Kept:
			_, err = f.Write(p.previous.Record(i))
		case !v.Deleted:
			buf = v.Entity.AppendAuthored(buf[:0])
			_, err = f.Write(buf)
		}
		offsets = binary.LittleEndian.AppendUint64(offsets, uint64(f.Size()))
	}
	return offsets, errors.Join(err, f.Close())
}

func (p *archivePacker) packColumns(parts [][]byte) (rank []uint32, err error) {
	previous, kept, n := p.previous.parts, p.Kept, len(p.Versions)
	column := func(section int, number func(v *record.Version) int32) {
		parts[section] = extendColumn(previous[section], kept, n, func(i int) int32 { return number(&p.Versions[i]) })
	}
	column(sectionPrevious, func(v *record.Version) int32 { return v.Previous })
	column(sectionChange, func(v *record.Version) int32 { return v.Change })
	column(sectionCommit, func(v *record.Version) int32 { return v.Commit })
	column(sectionAdded, func(v *record.Version) int32 { return v.Added })
	column(sectionUpdated, func(v *record.Version) int32 { return v.Updated })
	times := append(make([]byte, 0, 8*n), previous[sectionTimes][:8*kept]...)
	var addresses []string
	for i := kept; i < n; i++ {
		times = binary.LittleEndian.AppendUint64(times, uint64(p.Versions[i].Time))
		addresses = append(addresses, p.Versions[i].Type+"\x00"+p.Versions[i].Slug)
	}
	parts[sectionTimes] = times
	ranks := make([]uint32, kept)
	gone := make([]bool, n)
	for i := range n {
		if i < kept {
			t := packed.Uint32s(previous[sectionAddress]).At(i)
			ranks[i], gone[i] = t>>1, t&1 == 1
		} else {
			gone[i] = p.Versions[i].Deleted
		}
	}
	table, rank := packed.MergeStrings(p.previous.addresses, packed.PackUint32s(ranks), kept, addresses)
	parts[sectionAddresses] = packed.PackStrings(table)
	parts[sectionAddress] = extendColumn(nil, 0, n, func(i int) int32 { return deletedBit(rank[i], gone[i]) })
	parts[sectionAddressStarts], parts[sectionVersionsByAddress] = packVersionsByAddress(rank, len(table))
	parts[sectionNext], err = packNext(parts[sectionPrevious])
	return rank, err
}

// deletedBit returns an element of sectionAddress.
func deletedBit(address uint32, deleted bool) int32 {
	if deleted {
		return int32(address<<1) | 1
	}
	return int32(address << 1)
}

// packNext packs the column of next versions, the inverse of the column of previous
// versions.
func packNext(previous packed.Uint32s) ([]byte, error) {
	next := make([]uint32, previous.Len())
	for i := range next {
		next[i] = noIndex
	}
	for i := range next {
		b := previous.At(i)
		if b == noIndex {
			continue
		}
		if next[b] != noIndex {
			return nil, fmt.Errorf("archive: versions %d and %d both follow version %d", next[b], i, b)
		}
		next[b] = uint32(i)
	}
	return packed.PackUint32s(next), nil
}

// packVersionsByAddress packs the versions grouped by address, oldest first.
func packVersionsByAddress(rank []uint32, addresses int) (begin, versions []byte) {
	starts := make([]uint32, addresses+1)
	for _, r := range rank {
		starts[r+1]++
	}
	for i := range addresses {
		starts[i+1] += starts[i]
	}
	begin = packed.PackUint32s(starts)
	list := make([]uint32, len(rank))
	for i, r := range rank {
		list[starts[r]] = uint32(i)
		starts[r]++
	}
	return begin, packed.PackUint32s(list)
}

func (p *archivePacker) packCommits(parts [][]byte) {
	hashes, authors := make([]string, len(p.Commits)), make([]string, len(p.Commits))
	numbers := make([]uint32, len(p.Commits))
	for i, c := range p.Commits {
		hashes[i], authors[i], numbers[i] = c.Hash, c.Author, uint32(c.PullRequest)
	}
	parts[sectionHashes], parts[sectionAuthors], parts[sectionPullRequests] = packed.PackStrings(hashes), packed.PackStrings(authors), packed.PackUint32s(numbers)
}

// writeSnapshots writes one file per day.
func (p *archivePacker) writeSnapshots(rank []uint32) error {
	last := ""
	for _, s := range p.Snapshots {
		if _, err := record.DayNumber(s.Day); err != nil || s.Day <= last {
			return fmt.Errorf("archive: the snapshot of %q must not follow the snapshot of %q", s.Day, last)
		}
		last = s.Day
		data := s.Raw
		if data == nil {
			if err := p.checkSnapshot(s, rank); err != nil {
				return fmt.Errorf("archive: snapshot of %s: %w", s.Day, err)
			}
			data = s.pack()
		} else if _, err := openSnapshot(s.Day, data, len(rank)); err != nil {
			return fmt.Errorf("archive: snapshot of %s: %w", s.Day, err)
		}
		if err := p.w.Add(snapshotsDir+s.Day+".bin", data); err != nil {
			return err
		}
	}
	return nil
}

// checkSnapshot rejects a snapshot whose counts are inconsistent or whose order differs from
// that of CompareRank.
func (p *archivePacker) checkSnapshot(s *SnapshotData, rank []uint32) error {
	if len(s.Scores) != len(s.Versions) || s.Listed > len(s.Versions) || s.Ranked > s.Listed || s.Ranked < 0 {
		return fmt.Errorf("inconsistent counts: %d listed, %d ranked, %d versions, %d scores", s.Listed, s.Ranked, len(s.Versions), len(s.Scores))
	}
	for i, v := range s.Versions {
		if int(v) >= len(rank) {
			return fmt.Errorf("lists version %d, but there are %d versions", v, len(rank))
		}
		if i == 0 || i == s.Listed {
			continue
		}
		c := s.Scores[i-1].Composite.Compare(s.Scores[i].Composite)
		if c < 0 || c == 0 && rank[s.Versions[i-1]] >= rank[v] {
			return fmt.Errorf("version %d must not come after version %d", v, s.Versions[i-1])
		}
	}
	return nil
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
		return errors.Join(err, p.writeSnapshots(rank), p.writeTrends(), p.writeWeeks())
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
			return fmt.Errorf("change %s belongs to version %d of %d, but the change before it belongs to version %d", c.ID, c.Version, len(a.Versions), before)
		}
		if v := int(c.Version); v >= a.Kept && (int(a.Versions[v].Change) != i || a.Versions[v].Time != c.Time) {
			return fmt.Errorf("change %d belongs to version %d, which refers to change %d or has a different time", i, v, a.Versions[v].Change)
		}
		before = c.Version
	}
	return nil
}

func (a *Archive) checkVersion(i int, v *record.Version) error {
	switch {
	case v.Deleted == (v.Entity != nil):
		return errors.New("must either have content or be a deletion")
	case v.Entity != nil && (v.Entity.Type != v.Type || v.Entity.Slug != v.Slug):
		return errors.New("has the content of " + v.Entity.Key())
	case v.Previous < -1 || int(v.Previous) >= i:
		return fmt.Errorf("follows version %d", v.Previous)
	case v.Change < -1 || int(v.Change) >= len(a.Changes):
		return fmt.Errorf("refers to change %d, but there are %d changes", v.Change, len(a.Changes))
	case v.Commit < -1 || int(v.Commit) >= len(a.Commits):
		return fmt.Errorf("refers to commit %d, but there are %d commits", v.Commit, len(a.Commits))
	}
	return nil
}
