package history

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/klauspost/compress/gzip"

	"kindex/exports/jsonenc"
	"kindex/exports/record"
)

// Snapshot says which versions were in the catalogue at the end of a day, in the order of record.CompareRank:
// listed ones, best first, then withdrawn ones.
type Snapshot struct {
	Day      string   // YYYY-MM-DD, UTC
	Versions []uint32 // in order
	Ranked   int      // the number of those with a rank, which come first
	File     func() ([]byte, error)

	places     map[uint32]int // by version, for Find
	composites []record.Score // by place
}

// SnapshotRow is a row of a snapshot that is written.
type SnapshotRow struct {
	Version                          uint32
	Type, Slug                       string
	Name, Provider, Category, Status string
	Scores                           record.Scores
}

type snapshotHead struct {
	Day    string `json:"day"`
	Listed int    `json:"listed"` // how many of the entities are not withdrawn
	Ranked int    `json:"ranked"` // how many of those have a composite score
}

// NewSnapshot encodes a snapshot. Its rows are in the order of record.CompareRank.
func NewSnapshot(day string, rows []SnapshotRow) (*Snapshot, error) {
	head := snapshotHead{Day: day}
	s := &Snapshot{Day: day, Versions: make([]uint32, len(rows))}
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
	s.File = func() ([]byte, error) { return out.Bytes(), nil }
	return s, w.Close()
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

// findSnapshots finds the snapshots among the files of a build. Each is read when it is first needed.
func (a *Archive) findSnapshots(files []string, file func(name string) ([]byte, error)) {
	a.snapshots = map[string]func() (*Snapshot, error){}
	for _, name := range files {
		if day, ok := strings.CutPrefix(strings.TrimSuffix(name, snapshotEnd), SnapshotsDir); ok {
			a.snapshots[day] = sync.OnceValues(func() (*Snapshot, error) {
				s, err := a.readSnapshot(day, func() ([]byte, error) { return file(name) })
				if err != nil {
					return nil, fmt.Errorf("%s: %w", name, err)
				}
				return s, nil
			})
		}
	}
}

// Snapshots returns the days that have a snapshot, oldest first.
func (a *Archive) Snapshots() []string { return slices.Sorted(maps.Keys(a.snapshots)) }

// Snapshot returns the snapshot of a day, or nil if there is none.
func (a *Archive) Snapshot(day string) (*Snapshot, error) {
	if read := a.snapshots[day]; read != nil {
		return read()
	}
	return nil, nil
}

func (a *Archive) readSnapshot(day string, file func() ([]byte, error)) (*Snapshot, error) {
	data, err := file()
	if err == nil {
		data, err = Inflate(data)
	}
	if err != nil {
		return nil, err
	}
	var stored struct {
		snapshotHead
		Entities []struct {
			Type      string       `json:"type"`
			Slug      string       `json:"slug"`
			Composite record.Score `json:"composite"`
		} `json:"entities"`
	}
	if err := json.Unmarshal(data, &stored); err != nil {
		return nil, err
	}
	s := &Snapshot{Day: day, Ranked: stored.Ranked, File: file, places: map[uint32]int{}}
	if n := len(stored.Entities); stored.Day != day || s.Ranked < 0 || s.Ranked > stored.Listed || stored.Listed > n {
		return nil, fmt.Errorf("is of %q and has %d entities, of which %d are listed and %d ranked", stored.Day, n, stored.Listed, s.Ranked)
	}
	for i := range stored.Entities {
		e := &stored.Entities[i]
		v, ok := a.aliveIn(a.at[e.Type+"\x00"+e.Slug], EndOf(day))
		if _, again := s.places[uint32(v)]; !ok || again {
			return nil, fmt.Errorf("lists %s/%s, which did not exist on that day, or twice", e.Type, e.Slug)
		}
		s.places[uint32(v)] = i
		s.Versions, s.composites = append(s.Versions, uint32(v)), append(s.composites, e.Composite)
	}
	return s, nil
}

// Find returns the rank of a version in a snapshot that was read, 0 if it had none, and its composite score.
func (s *Snapshot) Find(v int) (rank int, composite record.Score, ok bool) {
	i, ok := s.places[uint32(v)]
	if !ok {
		return 0, composite, false
	}
	if i < s.Ranked {
		rank = i + 1
	}
	return rank, s.composites[i], true
}
