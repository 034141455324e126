package news

import (
	"sync"
	"time"

	"github.com/RoaringBitmap/roaring/v2"

	"kindex/exports"
	"kindex/exports/feed"
	"kindex/exports/history"
	"kindex/exports/record"
)

// Log is the changelog of a build, with its refreshes. It is safe for concurrent use.
type Log struct {
	build  *exports.Build
	asOf   time.Time
	found  func() *found
	months sync.Map // months that were summed up, by name
}

// found is what the changelog has: the changes of figures alone, and the refreshes, oldest first.
type found struct {
	figures   *roaring.Bitmap
	refreshes []*refresh
}

// refresh is the changes of a commit that make one entry.
type refresh struct {
	kind    *kind
	id      string // the ID of the oldest change
	members *roaring.Bitmap
	ranked  []uint32 // the members that moved most, first
}

// New returns the log of a build. The as-of time ends the present month.
func New(b *exports.Build, asOf time.Time) *Log {
	return &Log{build: b, asOf: asOf.UTC(), found: sync.OnceValue(func() *found { return find(b.History()) })}
}

func find(a *history.Archive) *found {
	f := &found{figures: roaring.New()}
	var commit []*record.Change
	var at []uint32
	for it := a.SelectChanges(history.ChangeFilter{To: a.Changes(), Event: []string{record.Updated}}).Iterator(); it.HasNext(); {
		i := it.Next()
		c := a.Change(int(i))
		if len(commit) > 0 && !sameCommit(commit[0], c) {
			f.add(commit, at)
			commit, at = nil, nil
		}
		commit, at = append(commit, c), append(at, i)
	}
	f.add(commit, at)
	return f
}

// add adds the updates of a commit.
func (f *found) add(commit []*record.Change, at []uint32) {
	of := map[*group]*refresh{}
	for i, g := range groupsOf(commit) {
		if kindOf(commit[i]) == &kinds[0] {
			f.figures.Add(at[i])
		}
		if g == nil {
			continue
		}
		if of[g] == nil {
			of[g] = &refresh{kind: g.kind, id: commit[i].ID, members: roaring.New()}
			f.refreshes = append(f.refreshes, of[g])
			heaviestFirst(commit, g.members)
			for _, j := range g.members {
				of[g].ranked = append(of[g].ranked, at[j])
			}
		}
		of[g].members.Add(at[i])
	}
}

// Figures returns the changes of figures alone. The caller must not modify the set.
func (l *Log) Figures() *roaring.Bitmap { return l.found().figures }

// isLarge reports whether some of the members are enough for a refresh.
func (r *refresh) isLarge(members *roaring.Bitmap) bool {
	return members.GetCardinality() >= uint64(r.kind.min)
}

// Entries returns the changes among set that are entries: of each refresh, only the newest one.
func (l *Log) Entries(set *roaring.Bitmap) *roaring.Bitmap {
	entries := set.Clone()
	for _, r := range l.found().refreshes {
		if members := roaring.And(r.members, set); r.isLarge(members) {
			members.Remove(members.Maximum())
			entries.AndNot(members)
		}
	}
	return entries
}

// Refresh describes the changes of a set for which an entry stands. It returns nil if it stands for itself.
func (l *Log) Refresh(entry int, set *roaring.Bitmap) *feed.Refresh {
	for _, r := range l.found().refreshes {
		if !r.members.Contains(uint32(entry)) {
			continue
		}
		members := roaring.And(r.members, set)
		if !r.isLarge(members) {
			return nil
		}
		var moved []*record.Change
		for _, i := range r.ranked {
			if len(moved) < maxMoves && members.Contains(i) {
				moved = append(moved, l.build.History().Change(int(i)))
			}
		}
		return describe(r.kind, r.id, int(members.GetCardinality()), moved)
	}
	return nil
}

// Members returns the changes of the refresh with an ID. The caller must not modify the set.
func (l *Log) Members(id string) (set *roaring.Bitmap, ok bool) {
	for _, r := range l.found().refreshes {
		if r.id == id {
			return r.members, true
		}
	}
	return nil, false
}
