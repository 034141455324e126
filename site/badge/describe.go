package badge

import (
	"fmt"
	"time"

	"kindex/exports"
	"kindex/exports/board"
	"kindex/exports/history"
	"kindex/exports/record"
	"kindex/exports/store"
)

// Kinds lists what a badge can show, starting with the default.
var Kinds = []string{"score", "rank", "trend", "status", "price"}

// DefaultLabel returns the default text of the left half of a badge.
func DefaultLabel(m *store.Manifest, show string) string { return m.Title + " " + show }

// Deleted returns the text and colour of the right half of a deleted entity's badge.
func Deleted() (message, colour string) { return "deleted", Grey }

// Describe returns the text and colour of the right half of an entity's badge. show is
// one of Kinds; title returns the title of a category.
func Describe(b *exports.Build, own *board.List, title func(category string) string, o uint32, show string) (message, colour string, err error) {
	e := b.Entity(o)
	composite := e.Scores.Composite
	switch {
	case e.Status == record.Withdrawn:
		return "withdrawn", Grey, nil
	case show == "status":
		message, colour = status(e, b.Manifest.AsOf[:len(time.DateOnly)])
		return message, colour, nil
	case show == "price":
		message, colour = price(&e.Price)
		return message, colour, nil
	case !composite.Known():
		return "not ranked", Grey, nil
	case show == "score":
		return composite.String(), ScoreColour(composite), nil
	}
	at, err := own.Standing(o, e)
	switch {
	case err != nil:
		return "", "", err
	case at == nil:
		return "not ranked", Grey, nil
	case show == "trend":
		message, colour = trend(at)
		return message, colour, nil
	case at.Title == "":
		at.Title = title(at.Slug)
	}
	return fmt.Sprintf("#%d of %d, %s", at.Rank, at.Of, at.Title), ScoreColour(composite), nil
}

// status describes whether it is safe to depend on an entity on a day: its announced end, its
// status, or how it is maintained.
func status(e *record.Entity, day string) (message, colour string) {
	if l := e.Lifecycle; l != nil {
		switch {
		case l.Retires != "" && l.Retires <= day:
			return "retired", Red
		case l.Retires != "":
			return "retires " + l.Retires, Amber
		case l.Deprecated != "" && l.Deprecated <= day:
			return record.Deprecated, Amber
		}
	}
	switch m := e.Maintenance.State; {
	case e.Status == record.Deprecated:
		return e.Status, Amber
	case m == record.Archived, m == record.Dormant:
		return m, Amber
	}
	return e.Status, Green
}

// price describes what a model costs per million tokens.
func price(p *record.PriceSummary) (message, colour string) {
	switch {
	case !p.Input.Known() && !p.Output.Known():
		return "unknown", Grey
	case p.Input.Micros() == 0 && p.Output.Micros() == 0:
		return "free", Green
	case !p.Output.Known():
		return "$" + p.Input.String() + " in per 1M tokens", Teal
	case !p.Input.Known():
		return "$" + p.Output.String() + " out per 1M tokens", Teal
	}
	return "$" + p.Input.String() + " in, $" + p.Output.String() + " out per 1M tokens", Teal
}

// trend describes an entity's movement on its own board.
func trend(at *board.Standing) (message, colour string) {
	switch {
	case at.Since == "":
		return "no history", Grey
	case !at.Moved.Known:
		return "new", Green
	case at.Moved.By > 0:
		return fmt.Sprintf("up %d in %d days", at.Moved.By, history.MovementDays), Green
	case at.Moved.By < 0:
		return fmt.Sprintf("down %d in %d days", -at.Moved.By, history.MovementDays), Red
	}
	return "steady", Grey
}
