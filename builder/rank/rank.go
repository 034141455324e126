// Package rank puts scored entities in the order of their ordinals, and creates the
// leaderboards. It has no side effects.
package rank

import (
	"slices"

	"kindex/exports/record"
	"kindex/exports/view"
)

// Board is the leaderboard of a category or of all entities. It lists the ranked entities,
// best first.
type Board struct {
	Name     string
	Entities []*record.Entity
}

// Boards orders entities by ordinal, and returns the leaderboard of all of them and one for each category.
// Withdrawn entities and those without a composite score are not on any leaderboard.
func Boards(entities []*record.Entity, categories []record.Category) []Board {
	slices.SortFunc(entities, record.CompareRank)
	all := Board{Name: view.AllBoard, Entities: []*record.Entity{}}
	byCategory := make(map[string][]*record.Entity, len(categories))
	for _, e := range entities {
		if e.Status == record.Withdrawn || !e.Scores.Composite.Known() {
			continue
		}
		all.Entities = append(all.Entities, e)
		byCategory[e.Category] = append(byCategory[e.Category], e)
	}
	boards := []Board{all}
	for _, c := range categories {
		boards = append(boards, Board{Name: c.Slug, Entities: byCategory[c.Slug]})
	}
	return boards
}
