package history

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"sync"

	"github.com/klauspost/compress/gzip"

	"kindex/exports/jsonenc"
	"kindex/exports/record"
)

// Snapshot says which versions were in the catalogue at the end of a day, and their scores on that day. Its
// ordinals are in the order of record.CompareRank: listed records, best first, then withdrawn ones.
type Snapshot struct {
	Day string // YYYY-MM-DD, UTC

	archive  *Archive
	ranked   int
	versions []uint32        // by ordinal
	scores   []record.Scores // by ordinal
	ordinals []uint32        // by version: the ordinal plus one, or 0 if no record shows the version
}

// SnapshotRow is a row of a snapshot that is written.
type SnapshotRow struct {
	Version                          uint32
	Type, Slug                       string
	Name, Provider, Category, Status string
	Scores                           record.Scores
}

// SnapshotData is a snapshot that is written.
type SnapshotData struct {
	Day      string
	Versions []uint32 // in order
	Ranked   int      // the number of those with a rank, which come first
	File     []byte   // the content of the file
}

// snapshotHead are the members of a snapshot file before its rows.
type snapshotHead struct {
	Day    string `json:"day"`
	Listed int    `json:"listed"` // how many of the entities are not withdrawn
	Ranked int    `json:"ranked"` // how many of those have a composite score
}

// NewSnapshot encodes a snapshot. Its rows are in the order of record.CompareRank.
func NewSnapshot(day string, rows []SnapshotRow) (*SnapshotData, error) {
	head := snapshotHead{Day: day}
	s := &SnapshotData{Day: day, Versions: make([]uint32, len(rows))}
	for i := range rows {
		s.Versions[i] = rows[i].Version
		if rows[i].Status != record.Withdrawn {
			head.Listed++
			if rows[i].Scores.Composite.Known() {
				head.Ranked++
			}
		}
	}
	s.Ranked = head.Ranked
	var out bytes.Buffer
	w, err := gzip.NewWriterLevel(&out, gzipLevel)
	if err != nil {
		return nil, err
	}
	buf, err := json.Marshal(head)
	if err != nil {
		return nil, err
	}
	buf = append(buf[:len(buf)-1], `,"entities":[`...)
	for i := range rows {
		buf = rows[i].append(append(jsonenc.AppendComma(buf, i), '\n'), i+1, i < s.Ranked)
		if _, err := w.Write(buf); err != nil {
			return nil, err
		}
		buf = buf[:0]
	}
	if _, err := w.Write(append(buf, "\n]}\n"...)); err != nil {
		return nil, err
	}
	err = w.Close()
	s.File = out.Bytes()
	return s, err
}

func (r *SnapshotRow) append(dst []byte, rank int, ranked bool) []byte {
	if dst = append(dst, `{"rank":`...); ranked {
		dst = jsonenc.AppendNumber(dst, float64(rank))
	} else {
		dst = append(dst, null...)
	}
	dst = jsonenc.AppendTexts(dst, "type", r.Type, "slug", r.Slug, "name", r.Name, "provider", r.Provider, "category", r.Category, "status", r.Status)
	for _, name := range record.ScoreNames {
		dst = r.Scores.Get(name).AppendJSON(jsonenc.AppendMember(dst, name))
	}
	return append(dst, '}')
}

// stashed is a day that has a snapshot, which is read when it is first needed.
type stashed struct {
	day  string
	file func() ([]byte, error)
	read func() (*Snapshot, error)
}

// stashSnapshots finds the snapshots among the files of a build.
func (a *Archive) stashSnapshots(files []string, file func(name string) ([]byte, error)) {
	for _, name := range files { // they are sorted, so the days are sorted, too
		day, ok := strings.CutPrefix(name, SnapshotsDir)
		if !ok {
			continue
		}
		s := &stashed{day: strings.TrimSuffix(day, snapshotEnd), file: func() ([]byte, error) { return file(name) }}
		s.read = sync.OnceValues(func() (*Snapshot, error) {
			var read *Snapshot
			stored, err := s.file()
			if err == nil {
				read, err = a.readSnapshot(s.day, stored)
			}
			if err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			return read, nil
		})
		a.snapshots = append(a.snapshots, s)
	}
}

func (a *Archive) readSnapshot(day string, file []byte) (*Snapshot, error) {
	data, err := Inflate(file)
	if err != nil {
		return nil, err
	}
	var stored struct {
		snapshotHead
		Entities []struct {
			Type string `json:"type"`
			Slug string `json:"slug"`
			record.Scores
		} `json:"entities"`
	}
	if err := json.Unmarshal(data, &stored); err != nil {
		return nil, err
	}
	s := &Snapshot{Day: day, archive: a, ranked: stored.Ranked, ordinals: make([]uint32, len(a.versions))}
	if n := len(stored.Entities); stored.Day != day || s.ranked < 0 || s.ranked > stored.Listed || stored.Listed > n {
		return nil, fmt.Errorf("is of %q and has %d entities, of which %d are listed and %d ranked", stored.Day, n, stored.Listed, s.ranked)
	}
	for i := range stored.Entities {
		e := &stored.Entities[i]
		v, ok := a.aliveIn(a.at[e.Type+"\x00"+e.Slug], EndOf(day))
		if !ok || s.ordinals[v] != 0 {
			return nil, fmt.Errorf("lists %s/%s, which did not exist on that day, or twice", e.Type, e.Slug)
		}
		s.versions, s.scores = append(s.versions, uint32(v)), append(s.scores, e.Scores)
		s.ordinals[v] = uint32(i) + 1
	}
	return s, nil
}

// Len returns the number of records, including withdrawn ones. Ranked returns how many of those that are
// not withdrawn have a composite score.
func (s *Snapshot) Len() int    { return len(s.versions) }
func (s *Snapshot) Ranked() int { return s.ranked }

// Version returns the version shown by a record.
func (s *Snapshot) Version(ordinal uint32) int { return int(s.versions[ordinal]) }

// FindVersion returns the record that shows a version.
func (s *Snapshot) FindVersion(v int) (ordinal uint32, ok bool) {
	if v < 0 || v >= len(s.ordinals) || s.ordinals[v] == 0 {
		return 0, false
	}
	return s.ordinals[v] - 1, true
}

// Scores returns all scores of a record.
func (s *Snapshot) Scores(ordinal uint32) record.Scores { return s.scores[ordinal] }

// Data returns the snapshot as it is written, to be copied into a later build.
func (s *Snapshot) Data() (*SnapshotData, error) {
	d, _ := s.archive.stashedOn(s.Day)
	file, err := d.file()
	return &SnapshotData{Day: s.Day, Versions: s.versions, Ranked: s.ranked, File: file}, err
}
