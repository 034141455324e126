package news

import (
	"bytes"
	"slices"
	"sync"
	"time"

	"github.com/RoaringBitmap/roaring/v2"

	"kindex/exports"
	"kindex/exports/feed"
	"kindex/exports/jsonenc"
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
	a := l.build.Archive()
	set := a.SelectChanges(exports.ChangeFilter{To: a.Changes(), Event: []string{record.Updated}})
	others := slices.DeleteFunc(slices.Clone(a.ChangeValues("field")), k.has)
	if len(others) > 0 {
		set.AndNot(a.SelectChanges(exports.ChangeFilter{To: a.Changes(), Field: others}))
	}
	return set
}

// Figures returns the changes of figures alone. The caller owns the set.
func (l *Log) Figures() *roaring.Bitmap { return l.selected(&kinds[0]) }

// find finds the refreshes.
func (l *Log) find() (list []*refresh) {
	a, seen := l.build.Archive(), roaring.New()
	for i := range kinds {
		k := &kinds[i]
		set := l.selected(k)
		set.AndNot(seen)
		seen.Or(set)
		var last []byte
		r := &refresh{kind: k, members: roaring.New()}
		add := func() {
			if r.members.GetCardinality() >= uint64(k.min) { //nolint:gosec // small and positive
				list = append(list, r)
			}
		}
		for it := set.Iterator(); it.HasNext(); {
			at := it.Next()
			if now := commitOf(a.ChangeLine(int(at))); !bytes.Equal(now, last) || r.members.IsEmpty() || !a.ChangeTime(int(at)).Equal(a.ChangeTime(int(r.members.Minimum()))) {
				add()
				r, last = &refresh{kind: k, id: idOf(a.ChangeLine(int(at))), members: roaring.New()}, now
				r.ranked = sync.OnceValues(func() ([]uint32, error) {
					list := r.members.ToArray()
					return list, byWeight(list, l.change)
				})
			}
			r.members.Add(at)
		}
		add()
	}
	return list
}

// commitOf returns the end of a change's JSON object: its commit, author and pull request. No quotation
// mark in a text follows a comma, because those in texts are escaped.
func commitOf(line []byte) []byte {
	return line[max(0, bytes.LastIndex(line, []byte(`,"commit":`))):]
}

// idOf returns the first member of a change's JSON object, its ID.
func idOf(line []byte) string {
	for _, id := range jsonenc.Members(line) {
		return jsonenc.Text(id)
	}
	return ""
}

// Entries returns the changes among set that are entries: of each refresh, only the newest one.
func (l *Log) Entries(set *roaring.Bitmap) *roaring.Bitmap {
	entries := set.Clone()
	for _, r := range l.refreshes() {
		if members := roaring.And(r.members, set); members.GetCardinality() >= uint64(r.kind.min) { //nolint:gosec // small and positive
			members.Remove(members.Maximum())
			entries.AndNot(members)
		}
	}
	return entries
}

// Refresh describes the changes of a set for which an entry stands. ok is false if it stands for itself.
func (l *Log) Refresh(entry int, set *roaring.Bitmap) (described *feed.Refresh, ok bool, err error) {
	list := l.refreshes()
	at := slices.IndexFunc(list, func(r *refresh) bool { return r.members.Contains(uint32(entry)) }) //nolint:gosec // the index of a change
	if at < 0 {
		return nil, false, nil
	}
	r := list[at]
	count := int(roaring.And(r.members, set).GetCardinality()) //nolint:gosec // a number of changes
	if count < r.kind.min {
		return nil, false, nil
	}
	ranked, err := r.ranked()
	if err != nil {
		return nil, false, err
	}
	moved := make([]*record.Change, 0, maxMoves)
	for _, i := range ranked {
		if len(moved) < maxMoves && set.Contains(i) {
			c, err := l.change(i)
			if err != nil {
				return nil, false, err
			}
			moved = append(moved, c)
		}
	}
	return describe(r.kind, r.id, count, moved), true, nil
}

func (l *Log) change(i uint32) (*record.Change, error) { return l.build.Archive().Change(int(i)) }

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
