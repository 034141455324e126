package builder

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"kindex/builder/content/yamldoc"
	"kindex/builder/plural"
	"kindex/exports"
	"kindex/exports/board"
	"kindex/exports/record"
)

// resolveBoards prepares the boards for ranking.
func (l *Loaded) resolveBoards() (problems yamldoc.Problems) {
	for i, b := range l.Boards {
		var wrong *board.Error
		if err := b.Resolve(l.Kinds, l.Formula); errors.As(err, &wrong) {
			problems = append(problems, l.BoardsFile.Problem(wrong.Message, append([]string{"boards", strconv.Itoa(i)}, wrong.Path...)...))
		} else if err != nil {
			problems = append(problems, l.BoardsFile.Problem(err.Error(), "boards", strconv.Itoa(i)))
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

// Published reports whether a board has enough ranked entities for a leaderboard.
func (b *RankedBoard) Published() bool { return len(b.Entries) >= board.MinEntries }

// Note returns a note if the board is not published, or "".
func (b *RankedBoard) Note() string {
	if b.Published() {
		return ""
	}
	return fmt.Sprintf("note: boards.yaml: the board %s is not published: it has %s, and a board needs %d", b.Slug,
		plural.Count(len(b.Entries), "ranked entity", "ranked entities"), board.MinEntries)
}

// RankBoards ranks the boards of the content at a time. The content does not change.
func (l *Loaded) RankBoards(asOf time.Time) []RankedBoard {
	scored := make([]*record.Entity, len(l.Entities))
	for i, e := range l.Entities {
		own := *e
		own.Scores, own.Computed = l.Formula.Scores(&own, asOf), l.Providers.Compute(&own, asOf.UTC().Format(time.DateOnly))
		scored[i] = &own
	}
	return rankBoards(l.Boards, scored, asOf)
}

// rankBoards ranks scored entities on boards.
func rankBoards(boards []*board.Board, entities []*record.Entity, asOf time.Time) []RankedBoard {
	list := make([]RankedBoard, len(boards))
	for i, b := range boards {
		list[i] = RankedBoard{Board: b, Entities: entities}
		for o, e := range entities {
			if entry, ok := b.Entry(e, asOf); ok {
				entry.Ordinal = uint32(o) //nolint:gosec // ordinals have 32 bits
				list[i].Entries = append(list[i].Entries, entry)
			}
		}
		board.Sort(list[i].Entries, func(o uint32) (typ, slug string) { return entities[o].Type, entities[o].Slug })
	}
	return list
}

// rankOwnBoards ranks the boards of boards.yaml. A score on a board depends on the entity alone, but ages with the as-of time, so every
// build calculates all of them, as it does all other scores.
func (b *build) rankOwnBoards(context.Context) error {
	b.ownBoards = rankBoards(b.content.Boards, b.content.Entities, b.AsOf)
	for i := range b.ownBoards {
		if note := b.ownBoards[i].Note(); note != "" {
			b.warn("%s", note)
		}
	}
	return nil
}

// writeOwnBoards writes the boards of boards.yaml.
func (b *build) writeOwnBoards() error {
	if len(b.ownBoards) == 0 {
		return nil
	}
	type definition struct {
		*board.Board
		Count     int  `json:"count"`     // ranked entities
		Published bool `json:"published"` // whether these are enough for a leaderboard
	}
	var definitions []definition
	var entries [][]exports.BoardEntry
	for i := range b.ownBoards {
		r := &b.ownBoards[i]
		definitions = append(definitions, definition{r.Board, len(r.Entries), r.Published()})
		entries = append(entries, r.Entries)
	}
	asJSON, err := json.MarshalIndent(definitions, "", "  ")
	if err != nil {
		return err
	}
	return b.out.WriteBoards(append(asJSON, '\n'), entries)
}
