package builder

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"kindex/builder/content/yamldoc"
	"kindex/builder/plural"
	"kindex/exports"
	"kindex/exports/board"
	"kindex/exports/parallel"
	"kindex/exports/record"
)

// resolveBoards prepares the boards for ranking.
func (l *Loaded) resolveBoards() (problems yamldoc.Problems) {
	for i, b := range l.Boards {
		var wrong *board.Error
		if err := b.Resolve(l.Kinds, l.Formula); errors.As(err, &wrong) {
			problems = append(problems, l.BoardsFile.Problem(i, wrong.Path, wrong.Message))
		} else if err != nil {
			problems = append(problems, l.BoardsFile.Problem(i, nil, err.Error()))
		}
	}
	return problems
}

// RankedBoard is a board with its entries, best first. Their ordinals are indexes of Entities.
type RankedBoard struct {
	*board.Board
	Entries  []exports.BoardEntry
	Entities []*record.Entity
}

// published reports whether a board has enough ranked entities for a leaderboard.
func (b *RankedBoard) published() bool { return len(b.Entries) >= board.MinEntries }

// RankBoards ranks the boards of the content at a time. The content does not change.
func (l *Loaded) RankBoards(asOf time.Time) ([]RankedBoard, error) {
	day := asOf.UTC().Format(time.DateOnly)
	return rankBoards(l.Boards, len(l.Entities), asOf, func(i int) (*record.Entity, error) {
		e := *l.Entities[i]
		e.Scores, e.Computed = l.Formula.Scores(&e, asOf), l.Providers.Compute(&e, day)
		return &e, nil
	})
}

// Note returns a note if the board is not published, or "".
func (b *RankedBoard) Note() string {
	if b.published() {
		return ""
	}
	return fmt.Sprintf("note: boards.yaml: the board %s is not published: it has %s, and a board needs %d", b.Slug,
		plural.Count(len(b.Entries), "ranked entity", "ranked entities"), board.MinEntries)
}

// rankBoards ranks n entities on boards. entity is called concurrently, once for each of them.
func rankBoards(boards []*board.Board, n int, asOf time.Time, entity func(i int) (*record.Entity, error)) ([]RankedBoard, error) {
	if len(boards) == 0 {
		return nil, nil
	}
	type row struct {
		board int
		exports.BoardEntry
	}
	entities, rows := make([]*record.Entity, n), make([][]row, n)
	err := parallel.Each(n, func(o int) (err error) {
		if entities[o], err = entity(o); err != nil {
			return err
		}
		for i, b := range boards {
			if entry, ok := b.Entry(entities[o], asOf); ok {
				entry.Ordinal = uint32(o) //nolint:gosec // ordinals have 32 bits
				rows[o] = append(rows[o], row{i, entry})
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	list := make([]RankedBoard, len(boards))
	for i, b := range boards {
		list[i] = RankedBoard{Board: b, Entities: entities}
	}
	for _, r := range slices.Concat(rows...) {
		list[r.board].Entries = append(list[r.board].Entries, r.BoardEntry)
	}
	for _, b := range list {
		board.Sort(b.Entries, func(o uint32) (typ, slug string) { return entities[o].Type, entities[o].Slug })
	}
	return list, nil
}

// rankOwnBoards ranks the boards of boards.yaml. A score on a board depends on the entity alone, but ages with the as-of time, so every
// build calculates all of them, as it does all other scores.
func (b *build) rankOwnBoards(context.Context) (err error) {
	if len(b.content.Boards) == 0 {
		return nil
	}
	entities := b.content.Entities
	b.ownBoards, err = rankBoards(b.content.Boards, len(entities), b.AsOf, func(i int) (*record.Entity, error) { return entities[i], nil })
	if err != nil {
		return err
	}
	for i := range b.ownBoards {
		if note := b.ownBoards[i].Note(); note != "" {
			b.report.Warnings = append(b.report.Warnings, note)
		}
	}
	return nil
}

// boardDefinition is a board in the BoardsFile of a build.
type boardDefinition struct {
	*board.Board
	Count     int  `json:"count"`     // ranked entities
	Published bool `json:"published"` // whether these are enough for a leaderboard
}

// writeOwnBoards writes the boards of boards.yaml.
func (b *build) writeOwnBoards() error {
	if len(b.ownBoards) == 0 {
		return nil
	}
	var definitions []boardDefinition
	var entries [][]exports.BoardEntry
	for i := range b.ownBoards {
		r := &b.ownBoards[i]
		definitions = append(definitions, boardDefinition{r.Board, len(r.Entries), r.published()})
		entries = append(entries, r.Entries)
	}
	asJSON, err := json.MarshalIndent(definitions, "", "  ")
	if err != nil {
		return err
	}
	return b.out.WriteBoards(append(asJSON, '\n'), entries)
}
