package news

import (
	"bytes"
	"cmp"
	"slices"
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
	build     *exports.Build
	asOf      time.Time
	refreshes func() []*refresh // oldest first
	months    sync.Map          // months that were summed up, by name
}

// refresh is the changes of a commit that make one entry.
type refresh struct {
	kind    *kind
	id      string // the ID of the oldest change
	members *roaring.Bitmap
	ranked  func() ([]uint32, error) // the members that moved most, first
}

// New returns the log of a build. The as-of time ends the present month.
func New(b *exports.Build, asOf time.Time) *Log {
	l := &Log{build: b, asOf: asOf.UTC()}
	l.refreshes = sync.OnceValue(l.find)
	return l
}

// selected returns the updates that change none but the fields of a kind.
func (l *Log) selected(k *kind) *roaring.Bitmap {
	a := l.build.History()
	set := a.SelectChanges(history.ChangeFilter{To: a.Changes(), Event: []string{record.Updated}})
	others := slices.DeleteFunc(slices.Clone(a.ChangeValues("field")), k.has)
	if len(others) > 0 {
		set.AndNot(a.SelectChanges(history.ChangeFilter{To: a.Changes(), Field: others}))
	}
	return set
}

// Figures returns the changes of figures alone. The caller owns the set.
func (l *Log) Figures() *roaring.Bitmap { return l.selected(&kinds[0]) }

// find finds the refreshes.
func (l *Log) find() (list []*refresh) {
	seen, grouped := roaring.New(), roaring.New()
	for i := range kinds {
		k := &kinds[i]
		set := l.selected(k)
		if k.alike { // what the other kinds have too few of may be alike
			set.AndNot(grouped)
		} else {
			set.AndNot(seen)
		}
		seen.Or(set)
		for _, r := range l.ofCommits(k, set) {
			if r.isLarge(r.members) {
				grouped.Or(r.members)
				list = append(list, r)
			}
		}
	}
	return list
}

// ofCommits groups the changes of a kind by commit and, if they must be alike, by what they have in common.
func (l *Log) ofCommits(k *kind, set *roaring.Bitmap) (list []*refresh) {
	a, keys := l.build.History(), map[uint32]string{}
	if k.alike {
		for _, of := range []string{"type", "field"} {
			for _, v := range a.ChangeValues(of) {
				filter := history.ChangeFilter{To: a.Changes(), Type: []string{v}}
				if of == "field" {
					filter.Type, filter.Field = nil, []string{v}
				}
				for it := roaring.And(a.SelectChanges(filter), set).Iterator(); it.HasNext(); {
					keys[it.Next()] += " " + v
				}
			}
		}
	}
	var last string
	var of map[string]*refresh // those of the last commit
	for it := set.Iterator(); it.HasNext(); {
		at := it.Next()
		if now := a.ChangeTime(int(at)).String() + commitOf(a.ChangeLine(int(at))); now != last || of == nil {
			last, of = now, map[string]*refresh{}
		}
		if of[keys[at]] == nil {
			of[keys[at]] = l.newRefresh(k, a.ChangeID(int(at)))
			list = append(list, of[keys[at]])
		}
		of[keys[at]].members.Add(at)
	}
	return list
}

// newRefresh returns a refresh without members. The ID is that of the first of them.
func (l *Log) newRefresh(k *kind, id string) *refresh {
	r := &refresh{kind: k, id: id, members: roaring.New()}
	r.ranked = sync.OnceValues(func() ([]uint32, error) {
		list := r.members.ToArray()
		weights := make(map[uint32]float64, len(list))
		for _, i := range list {
			c, err := l.change(i)
			if err != nil {
				return nil, err
			}
			weights[i] = weight(c)
		}
		slices.SortStableFunc(list, func(a, b uint32) int { return cmp.Compare(weights[b], weights[a]) })
		return list, nil
	})
	return r
}

// isLarge reports whether some of the members are enough for a refresh.
func (r *refresh) isLarge(members *roaring.Bitmap) bool {
	return members.GetCardinality() >= uint64(r.kind.min)
}

// commitOf returns the end of a change's JSON object: its commit, author and pull request. No quotation
// mark in a text follows a comma, because those in texts are escaped.
func commitOf(line []byte) string {
	return string(line[max(0, bytes.LastIndex(line, []byte(`,"commit":`))):])
}

// Entries returns the changes among set that are entries: of each refresh, only the newest one.
func (l *Log) Entries(set *roaring.Bitmap) *roaring.Bitmap {
	entries := set.Clone()
	for _, r := range l.refreshes() {
		if members := roaring.And(r.members, set); r.isLarge(members) {
			members.Remove(members.Maximum())
			entries.AndNot(members)
		}
	}
	return entries
}

// Refresh describes the changes of a set for which an entry stands. ok is false if it stands for itself.
func (l *Log) Refresh(entry int, set *roaring.Bitmap) (described *feed.Refresh, ok bool, err error) {
	for _, r := range l.refreshes() {
		if !r.members.Contains(uint32(entry)) {
			continue
		}
		members := roaring.And(r.members, set)
		ranked, err := r.ranked()
		if err != nil || !r.isLarge(members) {
			return nil, false, err
		}
		var moved []*record.Change
		for _, i := range ranked {
			if len(moved) < maxMoves && members.Contains(i) {
				c, err := l.change(i)
				if err != nil {
					return nil, false, err
				}
				moved = append(moved, c)
			}
		}
		return describe(r.kind, r.id, int(members.GetCardinality()), moved), true, nil
	}
	return nil, false, nil
}

func (l *Log) change(i uint32) (*record.Change, error) { return l.build.History().Change(int(i)) }

// Refreshes returns the IDs of all refreshes, by which Members finds their changes.
func (l *Log) Refreshes() (ids []string) {
	for _, r := range l.refreshes() {
		ids = append(ids, r.id)
	}
	return ids
}

// Members returns the changes of the refresh with an ID. The caller must not modify the set.
func (l *Log) Members(id string) (set *roaring.Bitmap, ok bool) {
	for _, r := range l.refreshes() {
		if r.id == id {
			return r.members, true
		}
	}
	return nil, false
}
