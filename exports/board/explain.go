package board

import (
	"fmt"
	"time"

	"kindex/exports/record"
	"kindex/exports/score"
)

// Explanation shows how the score of an entity on a board was calculated. Its composite is
// that score; it is shown even if the entity is not on the board for another reason.
type Explanation struct {
	*score.Explanation
	Board Placement `json:"board"`
}

// Placement states what a board requires and what an entity has.
type Placement struct {
	Slug       string       `json:"slug"`
	Title      string       `json:"title"`
	BoardScore record.Score `json:"boardScore"` // null if the entity is not on the board
	Matches    bool         `json:"matches"`    // whether the entity meets the conditions of the board
	Needs      *string      `json:"needs"`      // in words, null if nothing else is needed
	Sources    []string     `json:"sources"`    // of the counted benchmark results, without the model's maker
	Measures   int          `json:"measures"`   // number of counted measures
}

// Explain calculates and explains the score of an entity on the board. Scores and Computed of
// the entity must be set, as of the same time.
func (b *Board) Explain(e *record.Entity, asOf time.Time) *Explanation {
	formula := b.formula
	if e.Type != b.Type { // explain that it does not belong here rather than by which formula
		formula = &score.Formula{Version: b.formula.Version}
	}
	x := &Explanation{Explanation: formula.Explain(e, asOf), Board: Placement{Slug: b.Slug, Title: b.Title, Matches: b.filter.Matches(e)}}
	figures := x.Figures()
	x.Board.Sources, x.Board.Measures = append([]string{}, score.Sources(figures)...), len(figures)
	if needs := b.Needs.Sentence(); needs != "" {
		x.Board.Needs = &needs
	}
	if reason := b.reason(e, x, figures); reason != "" {
		x.Ranked, x.Reason = false, &reason
	}
	if x.Ranked {
		x.Board.BoardScore = x.Composite
	}
	return x
}

// reason returns why an entity with a score is not on the board, or "".
func (b *Board) reason(e *record.Entity, x *Explanation, figures []score.MeasureValue) string {
	p := &x.Board
	switch {
	case e.Status == record.Withdrawn:
		return "" // the score's own reason says so
	case e.Type != b.Type:
		return fmt.Sprintf("the board %s ranks entities of the type %s, not %s", b.Slug, b.Type, e.Type)
	case !p.Matches:
		return "it does not meet the conditions of the board " + b.Slug
	case !x.Ranked:
		return ""
	}
	return b.Needs.Unmet("the board "+b.Slug, figures)
}
