package exports

import (
	"cmp"
	"encoding/binary"
	"slices"
	"sort"

	"kindex/exports/packed"
	"kindex/exports/record"
)

// DayFields are the fields that Build.InDays searches.
var DayFields = []string{"lifecycle.deprecated", "lifecycle.retires", "signals.lastRelease", "signals.released"}

// DayEntry is a record that has a day in one of the DayFields.
type DayEntry struct {
	Ordinal uint32
	Day     string // YYYY-MM-DD
}

// dayOfField returns an entity's day in one of the DayFields, or NoDate if it is unknown. Of
// some signals, only the month is known.
func dayOfField(e *record.Entity, field string) int32 {
	var day string
	switch l := e.Lifecycle; {
	case field == "signals.lastRelease" || field == "signals.released":
		f, _ := e.Signals.Fact(field[len("signals."):])
		day = f.Day
	case l == nil:
	case field == "lifecycle.deprecated":
		day = l.Deprecated
	case field == "lifecycle.retires":
		day = l.Retires
	}
	if n, err := record.DayNumber(day); err == nil {
		return n
	}
	return record.NoDate
}

// dayIndex lists the ordinals that have a day in a field, sorted by day, then by ordinal.
type dayIndex struct {
	days     packed.Uint32s // days since 1970-01-01, as int32
	ordinals packed.Uint32s
}

func (x dayIndex) day(i int) int32 { return int32(x.days.At(i)) }

// packDays packs two sections for each of the DayFields.
func packDays(entities []*record.Entity) []byte {
	type entry struct {
		day     int32
		ordinal uint32
	}
	var parts [][]byte
	for _, field := range DayFields {
		var list []entry
		for i, e := range entities {
			if day := dayOfField(e, field); day != record.NoDate {
				list = append(list, entry{day, uint32(i)})
			}
		}
		slices.SortFunc(list, func(a, b entry) int { return cmp.Or(cmp.Compare(a.day, b.day), cmp.Compare(a.ordinal, b.ordinal)) })
		days, ordinals := make([]byte, 0, 4*len(list)), make([]uint32, len(list))
		for i, e := range list {
			days, ordinals[i] = binary.LittleEndian.AppendUint32(days, uint32(e.day)), e.ordinal
		}
		parts = append(parts, days, packed.PackUint32s(ordinals))
	}
	return packed.PackSections(parts...)
}

func (b *Build) openDays(s *packed.SectionReader) {
	parts := s.Open(daysFile, 2*len(DayFields))
	for i := range DayFields {
		x := dayIndex{parts[2*i], parts[2*i+1]}
		s.Check(daysFile, len(x.days) == len(x.ordinals))
		b.days = append(b.days, x)
	}
}

// InDays returns the records, including withdrawn ones, whose day in one of the DayFields is
// from one day to another, both included. An empty day means no limit. The result is sorted
// by day. The cost depends on the number of results and edits.
func (b *Build) InDays(field, from, to string) ([]DayEntry, error) {
	first, err := record.DayNumber(from)
	if err != nil {
		return nil, err
	}
	last, err := record.DayNumber(cmp.Or(to, "9999-12-31"))
	if err != nil {
		return nil, err
	}
	x := b.days[slices.Index(DayFields, field)]
	var list []DayEntry
	n := x.days.Len()
	for i := sort.Search(n, func(i int) bool { return x.day(i) >= first }); i < n && x.day(i) <= last; i++ {
		if o := x.ordinals.At(i); b.overlay == nil || !b.overlay.replaced.Contains(o) {
			list = append(list, DayEntry{o, record.FormatDay(x.day(i))})
		}
	}
	if b.overlay == nil {
		return list, nil
	}
	for o, e := range b.edits {
		if day := dayOfField(e, field); day != record.NoDate && day >= first && day <= last {
			list = append(list, DayEntry{o, record.FormatDay(day)})
		}
	}
	slices.SortStableFunc(list, func(a, b DayEntry) int { return cmp.Compare(a.Day, b.Day) })
	return list, nil
}
