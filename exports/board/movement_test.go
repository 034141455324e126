package board_test

import (
	"testing"

	"kindex/builder/suite"
	"kindex/exports/board"
)

func TestMovements(t *testing.T) {
	t.Parallel()
	// The first was third, the second is new, the third was first, the fourth was ninth.
	got := board.Movements([]int{3, 0, 1, 9})
	want := []board.Movement{{Known: true, By: 1}, {}, {Known: true, By: -1}, {Known: true}}
	suite.Equal(t, got, want)
	if got := board.Movements(nil); len(got) != 0 {
		t.Errorf("%v on an empty board", got)
	}
}
