// Package webhook notifies other services of changes: when the edge switches to a build, it
// compares it with the one before, entity by entity, and delivers the differences to webhooks. It
// does not store anything itself.
package webhook

import (
	"bytes"
	"crypto/sha256"
	"encoding/base32"
	"encoding/json"
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

// Event is the net change to one entity between two builds, or the notice that an entity is
// about to retire.
type Event struct {
	ID   string // derived from the entity and both builds, or from the notice, so that creating the event again results in the same ID
	Name string // one of record.WebhookEvents, such as entity.updated
	At   time.Time
	// Type, Slug and Entity (the name) are those in the newer build or, if the entity was deleted,
	// those in the older build.
	Type, Slug, Entity string
	// Changes is the net change: an updated field has a different value than before. A
	// created entity has no old values, and a deleted entity has no new values.
	Changes   []record.FieldChange
	ChangeIDs []string // the entries of the changelog that are combined in it, oldest first
	Payload   []byte   // the JSON body that is sent to receivers

	*retiring // nil unless the event is entity.retiring
}

// finalize sets the payload of an event and its ID, which is derived from the entity and the
// cause of the event.
func (e *Event) finalize(cause ...string) error {
	h := sha256.New()
	for _, part := range append([]string{e.Type, e.Slug}, cause...) {
		h.Write([]byte(part + "\x00"))
	}
	e.ID = "evt_" + strings.ToLower(base32.StdEncoding.EncodeToString(h.Sum(nil))[:20])
	type entity struct {
		Type string `json:"type"`
		Slug string `json:"slug"`
		Name string `json:"name"`
	}
	body := struct {
		ID        string          `json:"id"`
		Event     string          `json:"event"`
		Timestamp string          `json:"timestamp"`
		Entity    entity          `json:"entity"`
		Changes   json.RawMessage `json:"changes"`
		ChangeIDs []string        `json:"changeIds"`
		*retiring
	}{e.ID, e.Name, e.At.UTC().Format(time.RFC3339), entity{e.Type, e.Slug, e.Entity}, record.AppendFieldChanges(nil, e.Changes), e.ChangeIDs, e.retiring}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false) // as everywhere else in the API
	if err := enc.Encode(body); err != nil {
		return err
	}
	e.Payload = bytes.TrimSuffix(b.Bytes(), []byte("\n"))
	return nil
}
