package history

import (
	"math"
	"sort"
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
func (a *Archive) At(typ, slug, day string) (v int, lifecycle Lifecycle) {
	end := EndOf(day)
	if end == math.MinInt64 {
		return none, Unknown
	}
	list := a.at[typ+"\x00"+slug]
	if len(list) == 0 {
		// An author may list an earlier slug that is not in the history.
		o, isAlias, ok := a.base.Find(typ, slug)
		if !ok || !isAlias {
			return none, Unknown
		}
		now, to := a.base.Key(o)
		if list = a.at[now+"\x00"+to]; len(list) == 0 {
			return none, Unknown
		}
	}
	if v, ok := a.aliveIn(list, end); ok {
		return v, Exists
	}
	return a.VersionBefore(int(list[len(list)-1]), end)
}

// aliveIn returns the version at an address that was current just before end, given all versions there.
func (a *Archive) aliveIn(list []int32, end int64) (v int, ok bool) {
	n := sort.Search(len(list), func(i int) bool { return a.versions[list[i]].Time >= end })
	if n == 0 {
		return none, false
	}
	v = int(list[n-1])
	return v, a.alive(v, end)
}

// alive reports whether a version that began before end was current just before it.
func (a *Archive) alive(v int, end int64) bool {
	after := a.next[v]
	return !a.versions[v].Deleted && (after == none || a.versions[after].Time >= end)
}

// VersionBefore returns the version that the entity of v, under any slug, had just before end.
func (a *Archive) VersionBefore(v int, end int64) (at int, lifecycle Lifecycle) {
	for after := a.next[v]; after != none && a.versions[after].Time < end; after = a.next[v] {
		v = int(after)
	}
	for a.versions[v].Time >= end {
		before := int(a.versions[v].Previous)
		if before == none {
			return v, NotYet
		}
		v = before
	}
	if a.versions[v].Deleted {
		return v, Gone
	}
	return v, Exists
}
