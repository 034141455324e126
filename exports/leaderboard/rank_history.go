package leaderboard

import (
	"slices"

	"kindex/exports/record"
)

// RankAt is how an entity stood at the end of a day.
type RankAt struct {
	Day    string       // YYYY-MM-DD, UTC
	Score  record.Score // the composite
	Rank   int          // among all that were ranked, 0 where it was not
	Ranked int          // how many were ranked
}

// RankHistory is how the entity of a record stood at the end of each day of which the
// build has a snapshot, oldest first, as far as it was there. Edits do not change
// it: it is that of the build below them. The first call makes an index of every
// snapshot, 4 bytes a version; from then on the time does not depend on how many
// entities there are.
func (b *Boards) RankHistory(ordinal uint32) ([]RankAt, error) {
	days, err := b.days()
	if err != nil {
		return nil, err
	}
	v, ok := b.archive.NewestOf(ordinal)
	if !ok {
		return nil, nil
	}
	var history []RankAt
	for _, d := range slices.Backward(days) {
		if v, ok = versionBefore(b.archive, v, d.end); v < 0 {
			break
		}
		if !ok {
			continue // deleted, and created again later
		}
		if o, found := d.find(v); found {
			history = append(history, d.rankAt(o))
		}
	}
	slices.Reverse(history)
	return history, nil
}

// rankAt is how a record stood. Ordinals are in the order of the leaderboard of
// all, and what is not ranked follows.
func (d *day) rankAt(ordinal uint32) RankAt {
	s := RankAt{Day: d.snapshot.Day, Score: d.snapshot.Score("composite", ordinal), Ranked: d.snapshot.Ranked()}
	if int(ordinal) < s.Ranked {
		s.Rank = int(ordinal) + 1
	}
	return s
}
