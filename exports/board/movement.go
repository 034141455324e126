package board

import (
	"cmp"
	"slices"
)

// Movement is how an entity moved on a board.
type Movement struct {
	Known bool // it was on the board before
	By    int  // places climbed among the entities that were on the board at both ends; negative if it fell
}

// Movements returns how the entities on a board moved, given their previous ranks in the order of the
// board, 0 for those that were not on it. Entities that came or went move nobody, other than in the
// delta of the API, which is the difference of the ranks.
func Movements(previous []int) []Movement {
	var both []int // places on the board
	for i, rank := range previous {
		if rank > 0 {
			both = append(both, i)
		}
	}
	moved := make([]Movement, len(previous))
	for now, i := range both {
		moved[i] = Movement{true, -now}
	}
	slices.SortFunc(both, func(a, b int) int { return cmp.Compare(previous[a], previous[b]) })
	for then, i := range both {
		moved[i].By += then
	}
	return moved
}
