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

	"kindex/exports/feed"
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

// covers reports whether a change updates no other fields than those of the kind.
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

// kindOf returns the kind of a change, or nil if it is news.
func kindOf(c *record.Change) *kind {
	for i := range kinds {
		if kinds[i].covers(c) {
			return &kinds[i]
		}
	}
	return nil
}

// group is the changes of a commit that make one entry.
type group struct {
	kind    *kind
	members []int // indexes, in the order of the commit
}

// groupsOf returns the group of each change of a commit, or nil for one that is an entry of its own.
func groupsOf(commit []*record.Change) []*group {
	of := make([]*group, len(commit))
	for i := range kinds {
		k, byKey := &kinds[i], map[string]*group{}
		for j, c := range commit {
			if of[j] != nil || kindOf(c) != k && !(k.alike && k.covers(c)) {
				continue
			}
			g := byKey[k.key(c)]
			if g == nil {
				g = &group{kind: k}
				byKey[k.key(c)] = g
			}
			g.members = append(g.members, j)
		}
		for _, g := range byKey {
			if len(g.members) >= k.min {
				for _, j := range g.members {
					of[j] = g
				}
			}
		}
	}
	return of
}

// maxMoves is the number of changes that a refresh describes.
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

// heaviestFirst sorts members of a commit by how much they moved.
func heaviestFirst(commit []*record.Change, members []int) {
	weights := map[int]float64{}
	for _, i := range members {
		_, weights[i] = heaviest(commit[i])
	}
	slices.SortStableFunc(members, func(a, b int) int { return cmp.Compare(weights[b], weights[a]) })
}

// describe describes a refresh by the first of the given changes, each by its heaviest field.
func describe(k *kind, id string, count int, moved []*record.Change) *feed.Refresh {
	r := &feed.Refresh{ID: id, Count: count, Title: k.title, Alike: k.alike}
	for _, c := range moved[:min(maxMoves, len(moved))] {
		shown := *c
		if field, _ := heaviest(c); !k.alike {
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
	news := 0 // changes of the commit before the first that may belong to a refresh
	for c, err := range changes {
		if err != nil {
			return nil, nil, err
		}
		if len(commit) > 0 && !sameCommit(commit[0], c) {
			list = appendCommit(list, refreshes, commit)
			commit, news = commit[:0], 0
		}
		// The rest of a commit only matters for a refresh that is one of the entries.
		if len(list) >= n || len(list)+news >= n && news == len(commit) {
			break
		}
		if commit = append(commit, c); news == len(commit)-1 && kindOf(c) == nil {
			news++
		}
	}
	list = appendCommit(list, refreshes, commit)
	return list[:min(n, len(list))], refreshes, nil
}

func sameCommit(a, b *record.Change) bool {
	return a.Commit == b.Commit && a.Timestamp.Equal(b.Timestamp)
}

// appendCommit appends the entries of a commit, whose changes come newest first, to list.
func appendCommit(list []*record.Change, refreshes map[string]*feed.Refresh, commit []*record.Change) []*record.Change {
	described := map[*group]bool{}
	for i, g := range groupsOf(commit) {
		switch {
		case g == nil:
			list = append(list, commit[i])
		case !described[g]:
			described[g] = true
			list = append(list, commit[i])
			slices.Reverse(g.members) // oldest first
			oldest, moved := commit[g.members[0]].ID, []*record.Change{}
			heaviestFirst(commit, g.members)
			for _, j := range g.members {
				moved = append(moved, commit[j])
			}
			refreshes[commit[i].ID] = describe(g.kind, oldest, len(moved), moved)
		}
	}
	return list
}
