// Package news tells changes that readers wait for from others: it makes one entry of each refresh, and
// sums up months.
//
// A refresh is a commit's changes to nothing but the figures of several entities. A commit that only
// edits how many entities are described and found makes one entry, too, and so do changes of the same fields
// of several entities of a kind. What readers wait for of each entity, such as versions, prices and
// retirements, stays an entry of its own.
package news

import (
	"cmp"
	"iter"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/RoaringBitmap/roaring/v2"

	"kindex/exports"
	"kindex/exports/feed"
	"kindex/exports/history"
	"kindex/exports/record"
)

// IsNews reports whether a field is neither a figure nor about how an entity is described and found.
func IsNews(field string) bool {
	group, _, _ := strings.Cut(field, ".")
	return !record.IsFigure(field) && !slices.Contains([]string{"description", "tags", "capabilities", "ids", "links"}, group)
}

// kind is a kind of changes of which those of one commit make one entry.
type kind struct {
	title string            // what happened to the entities, after their number
	has   func(string) bool // whether a field may change
	min   int               // fewer changes stay entries of their own
	alike bool              // only those of the same fields and kind of entities make one
}

// kinds lists the kinds. A change is of the first one that has all its fields or, if that has too few in the
// commit, of the last.
var kinds = []kind{
	{feed.FiguresRead, record.IsFigure, 2, false},
	{feed.DetailsEdited, func(field string) bool { return !IsNews(field) }, 20, false},
	{"", isAlike, 5, true},
}

// isAlike reports whether nobody waits for a field of one entity more than for that of others.
func isAlike(field string) bool {
	group, _, _ := strings.Cut(field, ".")
	return !record.IsFigure(field) && !slices.Contains([]string{"status", "name", "slug", "version", "license", "lifecycle", "offers", "signals"}, group)
}

func (k *kind) covers(c *record.Change) bool {
	return c.Event == record.Updated && !slices.ContainsFunc(c.Fields, func(f record.FieldChange) bool { return !k.has(f.Field) })
}

// key returns what the changes of an entry have in common, if they must be alike.
func (k *kind) key(c *record.Change) string {
	if !k.alike {
		return ""
	}
	key := c.Type
	for _, f := range c.Fields {
		key += " " + f.Field
	}
	return key
}

func kindOf(c *record.Change) *kind {
	for i := range kinds {
		if kinds[i].covers(c) {
			return &kinds[i]
		}
	}
	return nil
}

// refresh is the changes of a commit that make one entry.
type refresh struct {
	kind    *kind
	id      string // the ID of the oldest change
	members *roaring.Bitmap
	ranked  []uint32 // the members that moved most, first
}

// refreshesOf returns the refresh of each change of a commit, or nil for one that is an entry of its own. The changes
// come oldest first, with the numbers that stand for them.
func refreshesOf(commit []*record.Change, numbers []uint32) []*refresh {
	of := make([]*refresh, len(commit))
	for i := range kinds {
		k, byKey := &kinds[i], map[string][]int{}
		for j, c := range commit {
			if of[j] == nil && (kindOf(c) == k || k.alike && k.covers(c)) {
				byKey[k.key(c)] = append(byKey[k.key(c)], j)
			}
		}
		for _, members := range byKey {
			if len(members) < k.min {
				continue
			}
			r := &refresh{kind: k, id: commit[members[0]].ID, members: roaring.New()}
			for _, j := range members {
				of[j] = r
				r.members.Add(numbers[j])
			}
			for _, j := range heaviestFirst(commit, members) {
				r.ranked = append(r.ranked, numbers[j])
			}
		}
	}
	return of
}

const maxMoves = 8

// heaviest returns the field of a change that moved most in relation to its size, and how much. What has
// no number before and after has not moved.
func heaviest(c *record.Change) (field record.FieldChange, most float64) {
	for _, f := range c.Fields {
		if strings.HasPrefix(f.Field, "scores.") {
			continue
		}
		weight := 0.0
		before, err := strconv.ParseFloat(string(f.Old), 64)
		if after, err2 := strconv.ParseFloat(string(f.New), 64); err == nil && err2 == nil && min(before, after) >= 0 {
			// A step from 2 to 4 says less than one from 2,000 to 3,000.
			weight = math.Abs(math.Log((1+after)/(1+before))) * max(0, math.Log10(1+max(before, after))-1)
		}
		if field.Field == "" || weight > most {
			field, most = f, weight
		}
	}
	return field, most
}

func heaviestFirst(commit []*record.Change, members []int) []int {
	weights := map[int]float64{}
	for _, i := range members {
		_, weights[i] = heaviest(commit[i])
	}
	return slices.SortedStableFunc(slices.Values(members), func(a, b int) int { return cmp.Compare(weights[b], weights[a]) })
}

// describe describes a refresh by the first of the given changes, each by its heaviest field.
func describe(of *refresh, count int, moved []*record.Change) *feed.Refresh {
	r := &feed.Refresh{ID: of.id, Count: count, Title: of.kind.title, Alike: of.kind.alike}
	for _, c := range moved[:min(maxMoves, len(moved))] {
		shown := *c
		if field, _ := heaviest(c); !of.kind.alike {
			shown.Fields = []record.FieldChange{field}
		}
		r.Moves = append(r.Moves, &shown)
	}
	return r
}

// Newest returns the first n entries of changes, which come newest first. A change for which there is a
// refresh by its ID stands for all changes of that refresh.
func Newest(changes iter.Seq2[*record.Change, error], n int) (list []*record.Change, refreshes map[string]*feed.Refresh, err error) {
	refreshes = map[string]*feed.Refresh{}
	var commit []*record.Change
	for c, err := range changes {
		if err != nil {
			return nil, nil, err
		}
		if len(commit) > 0 && !sameCommit(commit[0], c) {
			if list = appendCommit(list, refreshes, commit); len(list) >= n {
				return list[:n], refreshes, nil
			}
			commit = nil
		}
		commit = append(commit, c)
	}
	list = appendCommit(list, refreshes, commit)
	return list[:min(n, len(list))], refreshes, nil
}

func sameCommit(a, b *record.Change) bool {
	return a.Commit == b.Commit && a.Timestamp.Equal(b.Timestamp)
}

// appendCommit appends the entries of a commit, whose changes come newest first, to list.
func appendCommit(list []*record.Change, refreshes map[string]*feed.Refresh, commit []*record.Change) []*record.Change {
	slices.Reverse(commit)
	numbers := make([]uint32, len(commit))
	for i := range numbers {
		numbers[i] = uint32(i)
	}
	for i, r := range slices.Backward(refreshesOf(commit, numbers)) {
		if r != nil && r.members.Maximum() != uint32(i) {
			continue
		}
		if list = append(list, commit[i]); r != nil {
			var moved []*record.Change
			for _, j := range r.ranked {
				moved = append(moved, commit[j])
			}
			refreshes[commit[i].ID] = describe(r, len(moved), moved)
		}
	}
	return list
}

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

func (f *found) add(commit []*record.Change, at []uint32) {
	for i, r := range refreshesOf(commit, at) {
		if kindOf(commit[i]) == &kinds[0] {
			f.figures.Add(at[i])
		}
		if r != nil && r.members.Minimum() == at[i] {
			f.refreshes = append(f.refreshes, r)
		}
	}
}

// Figures returns the changes of figures alone. The caller must not modify the set.
func (l *Log) Figures() *roaring.Bitmap { return l.found().figures }

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
		return describe(r, int(members.GetCardinality()), moved)
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
