package builder

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"kindex/builder/content"
	"kindex/builder/content/yamldoc"
	"kindex/builder/plural"
	"kindex/exports"
	"kindex/exports/board"
	"kindex/exports/kinds"
	"kindex/exports/record"
	"kindex/exports/view"
)

func (l *Loaded) resolveBoards() (problems yamldoc.Problems) {
	for i, b := range l.Boards {
		var wrong *kinds.Error
		if err := b.Resolve(l.Kinds, l.Formula); errors.As(err, &wrong) {
			problems = append(problems, l.BoardsFile.Problem(wrong.Message, append([]string{"boards", strconv.Itoa(i)}, wrong.Path...)...))
		} else if err != nil {
			problems = append(problems, l.BoardsFile.Problem(err.Error(), "boards", strconv.Itoa(i)))
		}
	}
	return problems
}

// RankedBoard is a board with its ranking, whose ordinals are indexes of the entities.
type RankedBoard struct {
	*board.Board
	*board.Ranking
}

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
	return rankBoards(l.Content, scored, asOf)
}

// rankBoards ranks scored entities on the boards of the content.
func rankBoards(c *content.Content, entities []*record.Entity, asOf time.Time) (list []RankedBoard) {
	if len(c.Boards) == 0 {
		return nil
	}
	catalogue := view.New(entities, nil, view.NewTerms(c.Kinds, c.Providers), "")
	for _, b := range c.Boards {
		list = append(list, RankedBoard{b, b.Rank(catalogue, asOf)})
	}
	return list
}

// rankOwnBoards ranks the boards of boards.yaml. A score on a board depends on the entity alone, but ages with the as-of time, so every
// build calculates all of them, as it does all other scores.
func (b *build) rankOwnBoards(context.Context) error {
	b.ownBoards = rankBoards(b.content, b.content.Entities, b.AsOf)
	for i := range b.ownBoards {
		if note := b.ownBoards[i].Note(); note != "" {
			b.warn("%s", note)
		}
	}
	return nil
}

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
