package storage

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"kindex/edge/webhook"
)

// eventsCursor is the name of the only row in webhook_cursor.
const eventsCursor = "events"

// recentChanges is the content of the column recent, as JSON.
type recentChanges struct {
	Log  []string `json:"log"`
	Gone []string `json:"gone"`
}

// EventCursor implements webhook.CursorStore.
func (s *State) EventCursor(ctx context.Context) (webhook.Cursor, error) {
	var c webhook.Cursor
	var at sql.NullInt64
	var recent string
	err := s.row(ctx, "SELECT version, build, change_id, change_at, recent, noticed_at IS NOT NULL FROM webhook_cursor WHERE name = $1", eventsCursor).
		Scan(&c.Version, &c.Build, &c.ChangeID, &at, &recent, &c.Noticed)
	if errors.Is(err, sql.ErrNoRows) {
		return webhook.Cursor{}, nil
	}
	if err != nil {
		return c, err
	}
	c.ChangeAt = fromMillis(at)
	var r recentChanges
	if err := json.Unmarshal([]byte(recent), &r); err != nil {
		return c, fmt.Errorf("reading the last changes sent to webhooks: %w", err)
	}
	c.Log, c.Gone = r.Log, r.Gone
	return c, nil
}

// MoveCursor implements webhook.CursorStore. It uses one transaction, so that a crash can
// neither lose an event nor store it twice.
func (s *State) MoveCursor(ctx context.Context, to webhook.Cursor, events []webhook.Event) (moved bool, err error) {
	err = s.Write(ctx, func(tx *Tx) error {
		moved, err = tx.MoveCursor(to, events)
		return err
	})
	return moved && err == nil, err
}

// MoveCursor replaces the cursor with to, increments its version, stores the events, and wakes the
// webhooks that are waiting for them. If the stored cursor and to have different versions,
// MoveCursor does nothing. An event that is already stored is not changed.
func (tx *Tx) MoveCursor(to webhook.Cursor, events []webhook.Event) (moved bool, err error) {
	recent, err := json.Marshal(recentChanges{to.Log, to.Gone})
	if err != nil {
		return false, err
	}
	last, err := tx.LastEvent()
	if err != nil {
		return false, err
	}
	n, err := tx.exec(`UPDATE webhook_cursor SET version = version + 1, seq = $1, build = $2, change_id = $3, change_at = $4, recent = $5, moved_at = $6
		WHERE name = $7 AND version = $8`, last+int64(len(events)), to.Build, to.ChangeID, toMillis(to.ChangeAt), string(recent), tx.now(), eventsCursor, to.Version)
	if err != nil || n == 0 {
		return false, err
	}
	return true, tx.storeEvents(last, to.Build, events)
}

// storeEvents stores events after the last one, and wakes the webhooks that are waiting for
// them. The caller has moved the cursor's seq past them.
func (tx *Tx) storeEvents(last int64, build string, events []webhook.Event) error {
	for from := 0; from < len(events); from += eventBatchSize {
		if err := tx.addEvents(last+int64(from), build, events[from:min(from+eventBatchSize, len(events))]); err != nil {
			return err
		}
	}
	if len(events) == 0 {
		return nil
	}
	// This includes disabled webhooks because they may be enabled at any time.
	_, err := tx.exec("UPDATE webhooks SET woken = $1, next_at = COALESCE(next_at, $2)", last+int64(len(events)), tx.now())
	return err
}

// LastEvent returns the seq of the newest event, or 0 if there is none. Until the transaction
// ends, no other transaction can store events or call LastEvent.
func (tx *Tx) LastEvent() (seq int64, err error) {
	if _, err := tx.exec(`INSERT INTO webhook_cursor (name, version, seq, build, change_id, recent, moved_at)
		VALUES ($1, 0, 0, '', '', '{}', $2) ON CONFLICT (name) DO NOTHING`, eventsCursor, tx.now()); err != nil {
		return 0, err
	}
	err = tx.row("UPDATE webhook_cursor SET seq = seq WHERE name = $1 RETURNING seq", eventsCursor).Scan(&seq)
	return seq, err
}

// eventBatchSize is the maximum number of events that one statement stores.
const eventBatchSize = 100

func (tx *Tx) addEvents(last int64, build string, events []webhook.Event) error {
	var rows []string
	var args []any
	for i, e := range events {
		row := []any{last + int64(i) + 1, e.ID, e.Name, toMillis(e.At), e.Type, e.Slug, e.Entity, string(e.Payload), build, tx.now()}
		marks := make([]string, len(row))
		for j := range marks {
			marks[j] = fmt.Sprintf("$%d", len(args)+j+1)
		}
		rows, args = append(rows, "("+strings.Join(marks, ",")+")"), append(args, row...)
	}
	_, err := tx.exec("INSERT INTO webhook_events (seq, id, event, at, type, slug, name, payload, build, created_at) VALUES "+
		strings.Join(rows, ",")+" ON CONFLICT (id) DO NOTHING", args...)
	return err
}

// Events returns stored events after a position, in order, up to a maximum number.
func (s *State) Events(ctx context.Context, after int64, limit int) ([]webhook.Event, error) {
	rows, err := s.rows(ctx, "SELECT seq, id, event, at, type, slug, name, payload FROM webhook_events WHERE seq > $1 ORDER BY seq LIMIT $2", after, limit)
	return scanRows(rows, err, func(scan func(...any) error) (e webhook.Event, err error) {
		var at sql.NullInt64
		err = scan(&e.Seq, &e.ID, &e.Name, &at, &e.Type, &e.Slug, &e.Entity, &e.Payload)
		e.At = fromMillis(at)
		return e, err
	})
}
