package webhook

import (
	"iter"
	"slices"
	"strconv"
	"strings"
	"time"

	"kindex/exports/record"
)

// Earlier is the content of a build that was announced.
type Earlier interface {
	// Entities returns all entities, withdrawn ones too.
	Entities() iter.Seq[*record.Entity]
	// HasChange reports whether the changelog has a change.
	HasChange(id string) bool
}

// Source is the content of a build that is to be announced.
type Source interface {
	Earlier
	// LastChange returns the newest change in the changelog and its commit, or "" if there is none.
	LastChange() (id, commit string)
	// Changes returns the changes of the entity that has an address, or had it last, under any
	// slug, oldest first.
	Changes(typ, slug string) ([]*record.Change, error)
	// At returns the content as it was after a change. ok is false if the changelog lacks it, or
	// has it in another commit: then the history before it may be another one. A commit "" is not
	// compared.
	At(change, commit string) (e Earlier, ok bool, err error)
	// Retirements returns the retirements from one day to another, both included, without
	// withdrawn entities.
	Retirements(from, to string) []Retirement
}

// compare returns the events of a build: the difference to the build at, entity by entity. There
// is none for an entity of which only computed values have changed.
func compare(at *Announced, before Earlier, b *Build) ([]Event, error) {
	var events []Event
	listed := map[string]bool{} // changes that an event lists
	for _, p := range record.Pairs(before.Entities(), b.Entities()) {
		if p.Before == p.After {
			continue
		}
		changes := record.Diff(p.Before, p.After)
		if len(changes) == 0 {
			continue
		}
		e := Event{Name: record.Updated, At: b.time()}
		var old, now record.Scores
		shown := p.After
		if p.Before == nil {
			e.Name = record.Created
		} else {
			old = p.Before.Scores
		}
		if p.After == nil {
			e.Name, shown = record.Deleted, p.Before
		} else {
			now = p.After.Scores
		}
		e.Type, e.Slug, e.Entity = shown.Type, shown.Slug, shown.Name
		e.Changes = append(changes, record.DiffScores(&old, &now)...)
		if err := e.addChangeIDs(before, b, listed); err != nil {
			return nil, err
		}
		if err := e.finalize(e.Name, strconv.FormatInt(at.Version, 10), at.Build, b.ID); err != nil {
			return nil, err
		}
		events = append(events, e)
	}
	return events, nil
}

// addChangeIDs lists the changes of the event's entity that the earlier build did not have. An
// address that several entities had is no reason to list a change twice.
func (e *Event) addChangeIDs(before Earlier, b *Build, listed map[string]bool) error {
	e.ChangeIDs = []string{}
	changes, err := b.Changes(e.Type, e.Slug)
	for _, c := range changes {
		if !before.HasChange(c.ID) && !listed[c.ID] {
			listed[c.ID] = true
			e.ChangeIDs, e.At = append(e.ChangeIDs, c.ID), c.Timestamp
		}
	}
	return err
}

// time returns the time of events that no change in the changelog explains.
func (b *Build) time() time.Time {
	if b.CommitTime.IsZero() {
		return b.AsOf
	}
	return b.CommitTime
}

// Receives reports whether a webhook receives an event. The choice of fields is a choice of
// changes, and does not apply to notices.
func (w *Webhook) Receives(e *Event) bool {
	if !slices.Contains(w.Events, e.Name) {
		return false
	}
	if e.retiring != nil {
		return true
	}
	if w.IgnoreFigures && !slices.ContainsFunc(e.Changes, func(c record.FieldChange) bool { return !record.IsFigure(c.Field) }) {
		return false
	}
	return len(w.Fields) == 0 || slices.ContainsFunc(e.Changes, func(c record.FieldChange) bool {
		return slices.ContainsFunc(w.Fields, func(f string) bool { return within(c.Field, f) || within(f, c.Field) })
	})
}

// within reports whether a field is another field or one of its parts.
func within(field, group string) bool {
	rest, ok := strings.CutPrefix(field, group)
	return ok && (rest == "" || rest[0] == '.')
}
