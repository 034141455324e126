package board

import (
	"slices"

	"kindex/exports/history"
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
// call reads every snapshot.
func (l *List) RankHistory(ordinal uint32) (ranks []RankAt, err error) {
	archive := l.build.History()
	v, ok := archive.NewestOf(ordinal)
	for _, name := range slices.Backward(archive.Snapshots()) {
		if !ok {
			break
		}
		s, err := archive.Snapshot(name)
		if err != nil {
			return nil, err
		}
		var lifecycle history.Lifecycle
		if v, lifecycle = archive.VersionBefore(v, history.EndOf(name)); lifecycle == history.NotYet {
			break
		}
		// Between a deletion and a new creation, the entity is not in the snapshot.
		if rank, composite, found := s.Find(v); found {
			ranks = append(ranks, RankAt{Day: name, Score: composite, Rank: rank, Ranked: s.Ranked})
		}
	}
	slices.Reverse(ranks)
	return ranks, nil
}
