package exports

import (
	"encoding/binary"
	"slices"
	"time"

	"kindex/exports/packed"
	"kindex/exports/record"
	"kindex/exports/view"
)

// Snapshot says which versions were in the catalogue at the end of a day, and their scores on that day.
// Its ordinals are in the order of CompareRank: listed records, best first, then withdrawn ones. It is
// valid until its build is closed.
type Snapshot struct {
	Day string // YYYY-MM-DD, UTC

	archive        *ArchiveReader
	listed, ranked int
	versions       packed.Uint32s // by ordinal
	ordinals       packed.Uint32s // by version: the ordinal plus one, or 0 if no record shows the version
	scores         [][]byte       // by ScoreNames

	view *view.View // nil if it is not in memory
}

// pack encodes a snapshot file.
func (s *SnapshotData) pack() []byte {
	counts := binary.LittleEndian.AppendUint64(nil, uint64(s.Listed))
	counts = binary.LittleEndian.AppendUint64(counts, uint64(s.Ranked))
	needed := uint32(0)
	for _, v := range s.Versions {
		needed = max(needed, v+1)
	}
	counts = binary.LittleEndian.AppendUint64(counts, uint64(needed))
	parts := [][]byte{counts, packed.PackUint32s(s.Versions)}
	for _, name := range record.ScoreNames {
		column := make([]byte, 0, 2*len(s.Scores))
		for i := range s.Scores {
			column = binary.LittleEndian.AppendUint16(column, uint16(s.Scores[i].Get(name).Code()))
		}
		parts = append(parts, column)
	}
	ordinals := make([]uint32, needed)
	for o, v := range s.Versions {
		ordinals[v] = uint32(o) + 1
	}
	parts = append(parts, packed.PackUint32s(ordinals))
	return packed.PackSections(parts...)
}

// openSnapshot opens a snapshot in an archive that has the given number of
// versions.
func openSnapshot(day string, file []byte, versions int) (*Snapshot, error) {
	scores := len(record.ScoreNames)
	parts, err := packed.UnpackSections(file, 3+scores)
	if err != nil || len(parts[0]) != 24 || packed.Uint64At(parts[0], 2) > uint64(versions) {
		return nil, packed.ErrSections
	}
	s := &Snapshot{Day: day, versions: parts[1], scores: parts[2 : 2+scores], ordinals: parts[2+scores],
		listed: int(packed.Uint64At(parts[0], 0)), ranked: int(packed.Uint64At(parts[0], 1))}
	for _, column := range s.scores {
		if len(column) != 2*s.Len() || len(s.versions)%4 != 0 {
			return nil, packed.ErrSections
		}
	}
	if len(s.ordinals) != 4*int(packed.Uint64At(parts[0], 2)) {
		return nil, packed.ErrSections
	}
	if uint(s.listed) > uint(s.Len()) || uint(s.ranked) > uint(s.listed) {
		return nil, packed.ErrSections
	}
	return s, nil
}

// Len returns the number of records, including withdrawn ones. Listed returns how
// many are not withdrawn, and Ranked how many of those have a composite score.
func (s *Snapshot) Len() int    { return s.versions.Len() }
func (s *Snapshot) Listed() int { return s.listed }
func (s *Snapshot) Ranked() int { return s.ranked }

// Version returns the version shown by a record.
func (s *Snapshot) Version(ordinal uint32) int { return int(s.versions.At(int(ordinal))) }

// FindVersion returns the record that shows a version.
func (s *Snapshot) FindVersion(v int) (ordinal uint32, ok bool) {
	if v < 0 || v >= s.ordinals.Len() {
		return 0, false
	}
	ordinal = s.ordinals.At(v) - 1 // wraps around if there is none
	if int64(ordinal) >= int64(s.Len()) || s.Version(ordinal) != v {
		return 0, false
	}
	return ordinal, true
}

// Scores returns all scores of a record.
func (s *Snapshot) Scores(ordinal uint32) (scores record.Scores) {
	for i, name := range record.ScoreNames {
		scores.Set(name, record.ScoreFromCode(int16(binary.LittleEndian.Uint16(s.scores[i][2*int(ordinal):]))))
	}
	return scores
}

// pastRow is an entity on a past day, and its version.
type pastRow struct {
	version uint32
	entity  *record.Entity
}

func (r *ArchiveReader) calculate(day string) (*Snapshot, error) {
	midnight, err := time.Parse(time.DateOnly, day)
	if err != nil {
		return nil, err
	}
	formula, err := r.base.formula()
	if err != nil {
		return nil, err
	}
	var rows []pastRow
	end := midnight.AddDate(0, 0, 1).Unix()
	for v := 0; v < r.n && r.time(v) < end; v++ {
		if after := r.next(v); r.deleted(v) || after > v && r.time(after) < end {
			continue
		}
		e, err := r.EntityAt(v, day, record.Scores{})
		if err != nil {
			return nil, err
		}
		e.Scores = formula.Scores(e, midnight)
		rows = append(rows, pastRow{uint32(v), e})
	}
	slices.SortFunc(rows, func(a, b pastRow) int { return record.CompareRank(a.entity, b.entity) })
	data := SnapshotData{Day: day}
	entities := make([]*record.Entity, len(rows))
	for i, row := range rows {
		entities[i] = row.entity
		data.Versions, data.Scores = append(data.Versions, row.version), append(data.Scores, row.entity.Scores)
	}
	v := view.New(entities, nil, r.build.Terms, day)
	data.Listed, data.Ranked = v.Listed(), v.Ranked()
	s, err := openSnapshot(day, data.pack(), r.n)
	if err == nil {
		s.archive, s.view = r, v
	}
	return s, err
}
