package exports

import (
	"sort"

	"kindex/exports/record"
)

// Lifecycle is how an entity stood at some time.
type Lifecycle uint8

// The states of a Lifecycle.
const (
	Unknown Lifecycle = iota // no version ever had the address
	NotYet                   // its first version is later
	Exists
	Gone // it was deleted
)

// At returns what was at an address at the end of a UTC day, YYYY-MM-DD: the
// version of the entity that had the address then; else that of the entity that
// has it now, or had it last, under the slug that it had then. For one that was
// Gone it is the version that tells so, for one that was NotYet its first. Where
// the address is Unknown, or the day is none, v is -1.
func (r *ArchiveReader) At(typ, slug, day string) (v int, lifecycle Lifecycle) {
	number, err := record.DayNumber(day)
	if err != nil || number == record.NoDate {
		return -1, Unknown
	}
	end := (int64(number) + 1) * 86400
	list := r.versionsAt(typ, slug)
	if list.Len() == 0 {
		// An author may name an earlier slug that the history does not know.
		o, isAlias, ok := r.base.Find(typ, slug)
		if !ok || !isAlias {
			return -1, Unknown
		}
		if list = r.versionsAt(r.base.Key(o)); list.Len() == 0 {
			return -1, Unknown
		}
	}
	n := sort.Search(list.Len(), func(i int) bool { return r.time(int(list.At(i))) >= end })
	if n > 0 {
		v = int(list.At(n - 1))
		if after := r.next(v); !r.deleted(v) && (after < 0 || r.time(after) >= end) {
			return v, Exists
		}
	}
	return r.versionBefore(int(list.At(list.Len()-1)), end)
}

// versionBefore returns the version at which the entity of a version stood before a
// moment.
func (r *ArchiveReader) versionBefore(v int, end int64) (at int, lifecycle Lifecycle) {
	for after := r.next(v); after > v && r.time(after) < end; after = r.next(v) {
		v = after
	}
	for r.time(v) >= end {
		before := r.previous(v)
		if before < 0 || before >= v {
			return v, NotYet
		}
		v = before
	}
	if r.deleted(v) {
		return v, Gone
	}
	return v, Exists
}
