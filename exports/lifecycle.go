package exports

import (
	"sort"

	"kindex/exports/record"
)

// Lifecycle is the state of an entity at a point in time.
type Lifecycle uint8

// The states of a Lifecycle.
const (
	Unknown Lifecycle = iota // no version ever had the address
	NotYet                   // the entity's first version is later
	Exists
	Gone // the entity was deleted
)

// At returns the version that was at an address at the end of a UTC day, YYYY-MM-DD. If no
// entity had the address on that day, At follows the entity that has the address now, or was
// the last to have it, back to the slug that it had on that day. If the entity was Gone, v is
// its deletion; if it was NotYet there, v is its first version. If the address is Unknown or
// the day is invalid, v is -1.
func (r *ArchiveReader) At(typ, slug, day string) (v int, lifecycle Lifecycle) {
	number, err := record.DayNumber(day)
	if err != nil || number == record.NoDate {
		return -1, Unknown
	}
	end := (int64(number) + 1) * 86400
	list := r.versionsAt(typ, slug)
	if list.Len() == 0 {
		// An author may list an earlier slug that is not in the history.
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

// versionBefore returns the version that the entity of v had just before end.
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
