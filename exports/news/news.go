// Package news tells changes that readers wait for from others: it makes one entry of each refresh, and
// sums up months.
//
// A refresh is a commit's changes to nothing but the figures of several entities. A commit that only
// edits how many entities are described and found makes one entry, too. What else such a commit changes,
// such as versions, prices and retirements, stays an entry for each entity.
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
}

// kinds lists the kinds. A change is of the first one that has all its fields.
var kinds = []kind{
	{feed.FiguresRead, record.IsFigure, 2},
	{feed.DetailsEdited, func(field string) bool { return !IsNews(field) }, 20},
}

// kindOf returns the kind of a change, or nil if it is news.
func kindOf(c *record.Change) *kind {
	if c.Event != record.Updated {
		return nil
	}
	for i := range kinds {
		if !slices.ContainsFunc(c.Fields, func(f record.FieldChange) bool { return !kinds[i].has(f.Field) }) {
			return &kinds[i]
		}
	}
	return nil
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

func weight(c *record.Change) float64 {
	_, most := heaviest(c)
	return most
}

// describe describes a refresh by the first of the given changes, each by its heaviest field.
func describe(k *kind, id string, count int, moved []*record.Change) *feed.Refresh {
	r := &feed.Refresh{ID: id, Count: count, Title: k.title}
	for _, c := range moved[:min(maxMoves, len(moved))] {
		shown := *c
		field, _ := heaviest(c)
		shown.Fields = []record.FieldChange{field}
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

// appendCommit appends the entries of a commit to list.
func appendCommit(list []*record.Change, refreshes map[string]*feed.Refresh, commit []*record.Change) []*record.Change {
	of, described := map[*kind][]*record.Change{}, map[*kind]bool{}
	for _, c := range commit {
		k := kindOf(c)
		of[k] = append(of[k], c)
	}
	for _, c := range commit {
		k := kindOf(c)
		members := of[k]
		grouped := k != nil && len(members) >= k.min
		if described[k] {
			continue
		}
		described[k] = grouped
		if list = append(list, c); grouped {
			slices.Reverse(members) // oldest first
			moved := slices.SortedStableFunc(slices.Values(members), func(a, b *record.Change) int { return cmp.Compare(weight(b), weight(a)) })
			refreshes[c.ID] = describe(k, members[0].ID, len(members), moved)
		}
	}
	return list
}
