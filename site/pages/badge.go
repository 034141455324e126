package pages

import (
	"fmt"

	"kindex/exports"
	"kindex/exports/leaderboard"
	"kindex/exports/record"
	"kindex/exports/store"
	"kindex/site"
)

// BadgeShows are what a badge can show, the usual first.
var BadgeShows = []string{"score", "rank", "trend"}

// BadgeLabel is the left half of a badge that nobody has named otherwise.
func BadgeLabel(m *store.Manifest, show string) string { return m.Title + " " + show }

// GoneBadge is the right half of the badge of what was deleted, and its colour.
func GoneBadge() (message, colour string) { return "deleted", site.Grey }

// Standing words how the entity of a record stands, as one of BadgeShows, and gives the
// colour of that: the right half of its badge.
func Standing(b *exports.Build, in *leaderboard.Boards, o uint32, show string) (message, colour string, err error) {
	e, err := b.Entity(o)
	if err != nil {
		return "", "", err
	}
	composite := b.Score("composite", o)
	switch {
	case e.Status == record.Withdrawn:
		return "withdrawn", site.Grey, nil
	case !composite.Known():
		return "not ranked", site.Grey, nil
	case show == "score":
		return composite.String(), site.ScoreColour(composite), nil
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
	return fmt.Sprintf("#%d of %d", rank, ranked.GetCardinality()), site.ScoreColour(composite), nil
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
		return "no history", site.Grey, nil
	case previous == 0:
		return "new", site.Green, nil
	case previous > rank:
		return fmt.Sprintf("up %d in %d days", previous-rank, leaderboard.MovementDays), site.Green, nil
	case previous < rank:
		return fmt.Sprintf("down %d in %d days", rank-previous, leaderboard.MovementDays), site.Red, nil
	}
	return "steady", site.Grey, nil
}
