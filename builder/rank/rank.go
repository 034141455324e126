// Package rank orders scored entities: the order of ordinals and the
// leaderboards. It is pure.
package rank

import (
	"slices"

	"kindex/exports"
)

// Order sorts entities into the order of their ordinals.
func Order(entities []*exports.Entity) { slices.SortFunc(entities, exports.CompareRank) }

// Board is the leaderboard of a category, or of all: the ranked entities, the
// best first.
type Board struct {
	Name     string
	Entities []*exports.Entity
}

// Boards makes the board of all entities and one for each category. The
// entities are in the order of their ordinals; those without a composite score
// and the withdrawn ones are on no board.
func Boards(entities []*exports.Entity, categories []string) []Board {
	all := Board{Name: exports.AllBoard, Entities: []*exports.Entity{}}
	byCategory := make(map[string][]*exports.Entity, len(categories))
	for _, e := range entities {
		if e.Status == exports.Withdrawn || !e.Scores.Composite.Known() {
			continue
		}
		all.Entities = append(all.Entities, e)
		byCategory[e.Category] = append(byCategory[e.Category], e)
	}
	boards := []Board{all}
	for _, c := range categories {
		boards = append(boards, Board{Name: c, Entities: byCategory[c]})
	}
	return boards
}
