package leaderboard

import (
	"slices"

	"kindex/exports/record"
)

// Standing is how an entity stood at the end of a day.
type Standing struct {
	Day   string       // YYYY-MM-DD, UTC
	Score record.Score // the composite
	Rank  int          // among all that were ranked, 0 where it was not
	Of    int          // how many were ranked
}

// Course is how the entity of a record stood at the end of each day of which the
// build has a snapshot, oldest first, as far as it was there. Edits do not change
// it: it is that of the build below them. The first call makes an index of every
// snapshot, 4 bytes a version; from then on the time does not depend on how many
// entities there are.
func (b *Boards) Course(ordinal uint32) ([]Standing, error) {
	days, err := b.days()
	if err != nil {
		return nil, err
	}
	v, ok := b.archive.NewestOf(ordinal)
	if !ok {
		return nil, nil
	}
	var course []Standing
	for _, d := range slices.Backward(days) {
		if v, ok = standsAt(b.archive, v, d.end); v < 0 {
			break
		}
		if !ok {
			continue // deleted, and created again later
		}
		if o, found := d.find(v); found {
			course = append(course, d.standing(o))
		}
	}
	slices.Reverse(course)
	return course, nil
}

// standing is how a record stood. Ordinals are in the order of the leaderboard of
// all, and what is not ranked follows.
func (d *day) standing(ordinal uint32) Standing {
	s := Standing{Day: d.past.Day, Score: d.past.Score("composite", ordinal), Of: d.past.Ranked()}
	if int(ordinal) < s.Of {
		s.Rank = int(ordinal) + 1
	}
	return s
}
