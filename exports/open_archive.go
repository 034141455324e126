package exports

import (
	"encoding/json"
	"strings"

	"kindex/exports/packed"
)

// openArchive opens the files that WriteArchive wrote. It checks only their
// structure, so the time that it takes does not depend on their size.
func (b *Build) openArchive(s *packed.SectionReader) {
	r := emptyArchive()
	r.base, r.build, b.archive = b, b, r
	r.days.compared = comparedDay(r.AsOf())
	if _, ok := b.Manifest.File(archiveFile); !ok || s.Err() != nil {
		return
	}
	r.openVersions(s)
	r.openChanges(s)
	r.openTrends(s)
	r.openWeeks(s)
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

func (r *ArchiveReader) openSnapshots(s *packed.SectionReader) {
	for _, f := range r.base.Manifest.Files { // files are sorted, so the days are sorted too
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

func (r *ArchiveReader) openChanges(s *packed.SectionReader) {
	parts := s.Open(changesFile, changeSections+packed.PostingSections)
	if s.Err() != nil {
		return
	}
	n := len(parts[0]) / 8
	c := changelog{n: n, times: parts[0], versions: parts[1], offsets: parts[2], ids: parts[3], idIndexes: parts[4]}
	c.postings = s.Postings(changesFile, parts[changeSections:])
	s.Check(changesFile, c.versions.Len() == n && len(c.offsets) == 8*(n+1) && len(c.ids) == idSize*n && c.idIndexes.Len() == n)
	const lines = ChangelogFile + ".jsonl"
	c.lines = r.base.files[lines]
	s.Check(lines, s.Err() != nil || packed.Uint64At(c.offsets, n) == uint64(len(c.lines)))
	r.log = c
}
