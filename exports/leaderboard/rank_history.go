package leaderboard

import (
	"slices"

	"kindex/exports/record"
)

// RankAt is the rank and score of an entity at the end of a day.
type RankAt struct {
	Day    string       // YYYY-MM-DD, UTC
	Score  record.Score // the composite
	Rank   int          // among all ranked entities; 0 if the entity was not ranked
	Ranked int          // number of ranked entities
}

// RankHistory returns the rank of a record's entity on each day that has a snapshot
// and on which the entity existed, oldest first. Edits do not change it. The first
// call reads every snapshot. After
// that, the cost does not depend on the number of entities.
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
			continue // the entity was deleted, then created again later
		}
		if o, found := d.snapshot.FindVersion(v); found {
			history = append(history, d.rankAt(o))
		}
	}
	slices.Reverse(history)
	return history, nil
}

// rankAt returns the rank and score of a record. Ordinals are in the order of the
// overall leaderboard, followed by unranked records.
func (d *day) rankAt(ordinal uint32) RankAt {
	s := RankAt{Day: d.snapshot.Day, Score: d.snapshot.Scores(ordinal).Composite, Ranked: d.snapshot.Ranked()}
	if int(ordinal) < s.Ranked {
		s.Rank = int(ordinal) + 1
	}
	return s
}
