package exports

import (
	"encoding/binary"
	"math"
	"math/bits"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"kindex/exports/packed"
	"kindex/exports/record"
)

// Snapshot is the catalogue at the end of a day. Its ordinals are in the order of
// CompareRank: listed records, best first, then withdrawn ones. It is valid until
// its build is closed.
type Snapshot struct {
	Day string // YYYY-MM-DD, UTC

	archive        *ArchiveReader
	listed, ranked int
	versions       packed.Uint32s // by ordinal
	ordinals       packed.Uint32s // by version: the ordinal plus one, or 0 if no record shows the version
	scores         [][]byte       // by ScoreNames
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

// Find returns the record that shows a version.
func (s *Snapshot) Find(v int) (ordinal uint32, ok bool) {
	if v < 0 || v >= s.ordinals.Len() {
		return 0, false
	}
	ordinal = s.ordinals.At(v) - 1 // wraps around if there is none
	if int64(ordinal) >= int64(s.Len()) || s.Version(ordinal) != v {
		return 0, false
	}
	return ordinal, true
}

// Score returns the named score of a record, or null if no score has that name.
func (s *Snapshot) Score(name string, ordinal uint32) record.Score {
	i := slices.Index(record.ScoreNames, name)
	if i < 0 {
		return record.Score{}
	}
	return record.ScoreFromCode(s.code(i, ordinal))
}

func (s *Snapshot) code(i int, ordinal uint32) int16 {
	return int16(binary.LittleEndian.Uint16(s.scores[i][2*int(ordinal):]))
}

// Scores returns all scores of a record.
func (s *Snapshot) Scores(ordinal uint32) (scores record.Scores) {
	for i, name := range record.ScoreNames {
		scores.Set(name, record.ScoreFromCode(s.code(i, ordinal)))
	}
	return scores
}

// Key returns the type and slug of a record.
func (s *Snapshot) Key(ordinal uint32) (typ, slug string) {
	return s.archive.address(s.Version(ordinal))
}

// KeyRank returns the position of a record's type and slug in the order by type and slug.
// Positions can be compared within a build.
func (s *Snapshot) KeyRank(ordinal uint32) int { return s.archive.addressRank(s.Version(ordinal)) }

// Record returns the JSON form of a record, with the scores and dates that it had
// on that day.
func (s *Snapshot) Record(ordinal uint32) []byte {
	return s.archive.RecordAt(s.Version(ordinal), s.Day, s.Scores(ordinal))
}

// Entity decodes a record. The result must not be modified.
func (s *Snapshot) Entity(ordinal uint32) (*record.Entity, error) {
	e := new(record.Entity)
	return e, e.UnmarshalJSON(s.Record(ordinal))
}

// Select returns the ordinals of the records that match a filter. The caller owns
// the set.
func (s *Snapshot) Select(f *Filter) (*roaring.Bitmap, error) {
	var selected *roaring.Bitmap // the selected versions, or nil for all
	for _, field := range FilterFields {
		alternatives, ok := f.Fields[field]
		if !ok {
			continue
		}
		any := roaring.New()
		for _, values := range alternatives {
			any = roaring.Or(any, s.withAllValues(field, values))
		}
		if field == "maintenance" { // an old reading no longer counts
			day, err := record.DayNumber(s.Day)
			if err != nil {
				return nil, err
			}
			any = s.archive.measures[maintenanceRead].Within(any, int64(day)-record.MaxMaintenanceDays, math.MaxInt64)
		}
		if selected != nil {
			any = packed.And(any, selected)
		}
		selected = any
	}
	ranges, err := f.ranges()
	if err != nil {
		return nil, err
	}
	for _, r := range ranges {
		selected = s.archive.measures[r.measure].Within(selected, r.low, r.high)
	}
	n := s.listed
	if f.Fields["status"] != nil {
		n = s.Len()
	}
	minimum := [3]int32{math.MinInt32, math.MinInt32, math.MinInt32} // composite, days
	if f.MinScore.Known() {
		minimum[0] = int32(f.MinScore.Code())
	}
	for i, since := range [2]string{f.AddedSince, f.UpdatedSince} {
		day, err := record.DayNumber(since)
		if err != nil {
			return nil, err
		}
		minimum[1+i] = day
	}
	hasMinimum := minimum != [3]int32{math.MinInt32, math.MinInt32, math.MinInt32}
	if selected == nil && !hasMinimum {
		all := roaring.New()
		all.AddRange(0, uint64(n))
		return all, nil
	}
	var wanted []uint64
	if selected != nil {
		wanted = selected.ToDense()
	}
	dense := make([]uint64, (n+63)/64)
	for o := range uint32(n) {
		v := s.Version(o)
		if selected != nil && (v>>6 >= len(wanted) || wanted[v>>6]>>(v&63)&1 == 0) {
			continue
		}
		// The dates are elsewhere in memory for each record: read them only if the filter needs them.
		if !hasMinimum || int32(s.code(0, o)) >= minimum[0] && s.archive.day(v, 0) >= minimum[1] && s.archive.day(v, 1) >= minimum[2] {
			dense[o>>6] |= 1 << (o & 63)
		}
	}
	return roaring.FromDense(dense, false), nil
}

// withAllValues returns the versions that have all of the values in a field. A value and those
// that it replaced count as the same, because the versions are older than the replacement.
func (s *Snapshot) withAllValues(field string, values []string) *roaring.Bitmap {
	return packed.Intersect(values, func(v string) *roaring.Bitmap {
		return s.archive.values.Any(field, foldAll(s.archive.build.sameValues(field, v)))
	})
}

func foldAll(values []string) []string {
	list := make([]string, len(values))
	for i, v := range values {
		list[i] = record.Fold(v)
	}
	return list
}

// Board returns the records on a leaderboard: those in a category (AllBoard for
// any) and of a type ("" for any) that have the score.
func (s *Snapshot) Board(category, typ, score string) (*roaring.Bitmap, error) {
	set, err := s.Select(boardFilter(category, typ))
	if err != nil {
		return nil, err
	}
	column := slices.Index(record.ScoreNames, score)
	if column == 0 { // the composite score: the ranked records come first
		set.RemoveRange(uint64(s.ranked), uint64(s.Len()))
		return set, nil
	}
	dense := set.ToDense()
	for i, chosen := range dense {
		for ; chosen != 0; chosen &= chosen - 1 {
			if bit := bits.TrailingZeros64(chosen); s.code(column, uint32(64*i+bit)) < 0 {
				dense[i] &^= 1 << bit
			}
		}
	}
	return roaring.FromDense(dense, false), nil
}
