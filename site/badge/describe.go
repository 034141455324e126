package badge

import (
	"fmt"

	"kindex/exports"
	"kindex/exports/leaderboard"
	"kindex/exports/record"
	"kindex/exports/store"
)

// Kinds are what a badge can show, the usual first.
var Kinds = []string{"score", "rank", "trend"}

// DefaultLabel is the left half of a badge that nobody has named otherwise.
func DefaultLabel(m *store.Manifest, show string) string { return m.Title + " " + show }

// Deleted is the right half of the badge of what was deleted, and its colour.
func Deleted() (message, colour string) { return "deleted", Grey }

// Describe words how the entity of a record stands, as one of Kinds, and gives the
// colour of that: the right half of its badge.
func Describe(b *exports.Build, in *leaderboard.Boards, o uint32, show string) (message, colour string, err error) {
	e, err := b.Entity(o)
	if err != nil {
		return "", "", err
	}
	composite := b.Score("composite", o)
	switch {
	case e.Status == record.Withdrawn:
		return "withdrawn", Grey, nil
	case !composite.Known():
		return "not ranked", Grey, nil
	case show == "score":
		return composite.String(), ScoreColour(composite), nil
	}
	ranked, err := in.Ranked()
	if err != nil {
		return "", "", err
	}
	rank, err := in.Rank(o)
	if err != nil {
		return "", "", err
	}
	if show == "trend" {
		return trend(b, in, o, rank)
	}
	return fmt.Sprintf("#%d of %d", rank, ranked.GetCardinality()), ScoreColour(composite), nil
}

// trend words how an entity has moved on the leaderboard of all, as its delta does.
func trend(b *exports.Build, in *leaderboard.Boards, o uint32, rank int) (message, colour string, err error) {
	former, err := in.PreviousBoard("", exports.AllBoard, "", "composite")
	if err != nil {
		return "", "", err
	}
	previous := former.Ranks(b, []uint32{o})[0]
	switch {
	case !former.Known():
		return "no history", Grey, nil
	case previous == 0:
		return "new", Green, nil
	case previous > rank:
		return fmt.Sprintf("up %d in %d days", previous-rank, leaderboard.MovementDays), Green, nil
	case previous < rank:
		return fmt.Sprintf("down %d in %d days", rank-previous, leaderboard.MovementDays), Red, nil
	}
	return "steady", Grey, nil
}
