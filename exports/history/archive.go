// Package history stores and answers what happened to the entities of a build: their versions, the changes
// between them, the catalogue at the end of any past day, and what moved.
//
// It is stored in plain files, see VersionsFile, and held in memory while the build is open.
package history

import (
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"
	"time"

	"kindex/exports/record"
	"kindex/exports/score"
	"kindex/exports/view"
)

// none means no version, no commit and no change.
const none = -1

// Archive is the history of an open build. Versions, changes and commits are identified by their index,
// starting at 0. Its methods may be called concurrently; like slices, they panic if an index is out of
// range.
type Archive struct {
	*stored
	now     *view.View // the present, with edits if there are any
	current func(ordinal uint32) (now uint32, ok bool)
}

// stored is what all views of an archive share.
type stored struct {
	base    *view.View // the present, without edits
	formula func() (*score.Formula, error)
	asOf    time.Time

	head     Head
	commits  []record.ArchivedCommit
	versions []record.Version   // without entities
	contents []content          // by version
	next     []int32            // by version, the next version of the same entity
	at       map[string][]int32 // by type, NUL and slug

	changed    []int32  // by change, its version
	categories []string // by change
	log        changelog

	snapshots map[string]func() (*Snapshot, error) // by day
	days      pastDays
	windows   []Trends
	weeks     []*record.Week
}

// content is the stored content of a version.
type content struct {
	json  []byte
	patch bool // json is a merge patch of the entity's next version
}

// Head returns what history was read.
func (a *Archive) Head() Head { return a.head }

// Commits returns the number of commits that created versions.
func (a *Archive) Commits() int { return len(a.commits) }

// Commit returns commit i.
func (a *Archive) Commit(i int) record.ArchivedCommit { return a.commits[i] }

// Versions returns the number of versions of all entities.
func (a *Archive) Versions() int { return len(a.versions) }

// Version returns version i without its Entity.
func (a *Archive) Version(i int) record.Version { return a.versions[i] }

// json returns the content of a version that is not a deletion, perhaps without members that are null.
func (a *Archive) json(v int) []byte {
	switch c := a.contents[v]; {
	case c.patch:
		return patched(a.json(int(a.next[v])), c.json)
	case c.json != nil:
		return c.json
	}
	ordinal, _, _ := a.base.Find(a.versions[v].Type, a.versions[v].Slug)
	return a.base.Entity(ordinal).AppendAuthored(nil)
}

// Record returns the content of a version as record.Entity.AppendAuthored encodes it. It returns an error
// for a deletion.
func (a *Archive) Record(v int) ([]byte, error) {
	e, err := a.Entity(v)
	if err != nil {
		return nil, err
	}
	return e.AppendAuthored(nil), nil
}

// Entity decodes the content of a version as its author wrote it, without scores and without dates derived
// from the history. It returns an error for a deletion.
func (a *Archive) Entity(v int) (*record.Entity, error) {
	if at := &a.versions[v]; at.Deleted {
		return nil, fmt.Errorf("%s/%s: version %d is a deletion and has no content", at.Type, at.Slug, v)
	}
	return a.decode(a.json(v))
}

func (a *Archive) decode(json []byte) (*record.Entity, error) {
	e := &record.Entity{Kinds: a.base.Kinds()}
	return e, e.Decode(json)
}

// EntityAt decodes a version as the API shows it for a UTC day, YYYY-MM-DD, with the given scores and
// the dates it had. It returns an error for a deletion.
func (a *Archive) EntityAt(v int, day string, s record.Scores) (*record.Entity, error) {
	e, err := a.Entity(v)
	if err != nil {
		return nil, err
	}
	e.Scores, e.Computed = s, a.base.Providers().Compute(e, day)
	e.AddedDate, e.LastUpdated = record.FormatDay(a.versions[v].Added), record.FormatDay(a.versions[v].Updated)
	return e, nil
}

// Last returns the newest version at an address. It may be a deletion, or a version whose entity later
// moved to a different slug.
func (a *Archive) Last(typ, slug string) (v int, ok bool) {
	list := a.at[typ+"\x00"+slug]
	if len(list) == 0 {
		return none, false
	}
	return int(list[len(list)-1]), true
}

// Newest returns the newest version of the entity that a version belongs to.
func (a *Archive) Newest(v int) int {
	for a.next[v] != none {
		v = int(a.next[v])
	}
	return v
}

// NewestOf returns the newest version of a record's entity. An uncommitted entity has no version unless one
// of its earlier slugs has one.
func (a *Archive) NewestOf(ordinal uint32) (v int, ok bool) {
	typ, slug := a.now.Key(ordinal)
	own, known := a.Last(typ, slug)
	if known = known && a.next[own] == none; known && !a.versions[own].Deleted {
		return own, true
	}
	ended := none
	formerly := a.now.Entity(ordinal).FormerKeys()
	for i := range formerly { // the last one wins, as in git
		typ, old, _ := strings.Cut(formerly[len(formerly)-1-i], "/")
		last, ok := a.Last(typ, old)
		if o, isAlias, found := a.now.Find(typ, old); !ok || a.next[last] != none || !found || !isAlias || o != ordinal {
			continue // that entity has moved to a different address
		}
		if !a.versions[last].Deleted {
			return last, true
		}
		ended = max(ended, last)
	}
	if known {
		return own, true
	}
	return ended, ended >= 0
}

// FirstDay returns the UTC day of the first version, or "" if there is none.
func (a *Archive) FirstDay() string {
	if len(a.versions) == 0 {
		return ""
	}
	return dayOf(a.versions[0].Time)
}

// AsOf returns the as-of time of the build.
func (a *Archive) AsOf() time.Time { return a.asOf }

// LastDay returns the later of two UTC days: that of the last version and that of the as-of time.
func (a *Archive) LastDay() string {
	last := ""
	if !a.asOf.IsZero() {
		last = a.asOf.Format(time.DateOnly)
	}
	if n := len(a.versions); n > 0 {
		last = max(last, dayOf(a.versions[n-1].Time))
	}
	return last
}

// Weeks returns the completed weeks with movers, newest first. The caller must not modify the
// weeks.
func (a *Archive) Weeks() []*record.Week { return slices.Clone(a.weeks) }

func dayOf(seconds int64) string { return time.Unix(seconds, 0).UTC().Format(time.DateOnly) }

// EndOf returns the end of a UTC day, YYYY-MM-DD, as a Unix time. An invalid day ends before all versions.
func EndOf(day string) int64 {
	t, err := time.Parse(time.DateOnly, day)
	if err != nil {
		return math.MinInt64
	}
	return t.AddDate(0, 0, 1).Unix()
}

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
