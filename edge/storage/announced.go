package storage

import (
	"context"
	"database/sql"
	"errors"

	"kindex/edge/webhook"
)

// announcedRow is the name of the only row of the table announced.
const announcedRow = "events"

// Announced implements webhook.AnnouncerStore.
func (s *State) Announced(ctx context.Context) (webhook.Announced, error) {
	return one(s.on(ctx), nil, func(a *webhook.Announced) []any {
		return []any{&a.Version, &a.Build, &a.Change, &a.Commit, moment(&a.AsOf), moment(&a.CommitTime), &a.Noticed}
	}, "SELECT version, build, change_id, commit_of, as_of, commit_at, noticed_at IS NOT NULL FROM announced WHERE name = $1", announcedRow)
}

// Announce implements webhook.AnnouncerStore. It uses one transaction, so that a crash can
// neither lose an event nor store it twice.
func (s *State) Announce(ctx context.Context, to webhook.Announced, events []webhook.Event) (moved bool, err error) {
	err = s.Write(ctx, func(tx *Tx) error {
		moved, err = tx.moveAnnounced(to.Version, events, "build = $4, change_id = $5, commit_of = $6, as_of = $7, commit_at = $8",
			to.Build, to.Change, to.Commit, toMillis(to.AsOf), toMillis(to.CommitTime))
		return err
	})
	return moved && err == nil, err
}

// moveAnnounced stores events and other values of the row, unless the row has another version.
// Until the transaction ends, no other can store events, so they become visible in the order of
// their seq.
func (tx *Tx) moveAnnounced(version int64, events []webhook.Event, set string, args ...any) (moved bool, err error) {
	if _, err := tx.exec("INSERT INTO announced (name, version, seq, build, change_id, commit_of) VALUES ($1, 0, 0, '', '', '') ON CONFLICT (name) DO NOTHING", announcedRow); err != nil {
		return false, err
	}
	last, err := value[int64](tx.conn, "UPDATE announced SET version = version + 1, seq = seq + $3, "+set+" WHERE name = $1 AND version = $2 RETURNING seq",
		append([]any{announcedRow, version, len(events)}, args...)...)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	if err != nil || len(events) == 0 {
		return err == nil, err
	}
	return true, tx.addEvents(last-int64(len(events)), events)
}

// addEvents stores events after the seq last, and a delivery to each webhook that receives them.
// This includes disabled webhooks, because they may be enabled at any time.
func (tx *Tx) addEvents(last int64, events []webhook.Event) error {
	hooks, err := list(tx.conn, webhookInto, "SELECT "+webhookColumns+" FROM webhooks w ORDER BY id")
	if err != nil {
		return err
	}
	add := tx.inserter("webhook_events", "seq, id, event, payload, created_at")
	deliver := tx.inserter("webhook_deliveries", "id, webhook_id, kind, event_seq, event_id, event, status, created_at")
	for i, e := range events {
		if err := add.add(last+int64(i)+1, e.ID, e.Name, string(e.Payload), tx.now()); err != nil {
			return err
		}
	}
	if err := add.flush(); err != nil {
		return err
	}
	for i := range events {
		for j := range hooks {
			if !hooks[j].Receives(&events[i]) {
				continue
			}
			if err := deliver.add(NewID("dlv_"), hooks[j].ID, string(webhook.ForEvent), last+int64(i)+1, events[i].ID, events[i].Name, string(webhook.Pending), tx.now()); err != nil {
				return err
			}
		}
	}
	return deliver.flush()
}

// Notices implements webhook.AnnouncerStore.
func (s *State) Notices(ctx context.Context, after string) (map[webhook.Notice]bool, error) {
	rows, err := list(s.on(ctx), func(n *webhook.Notice) []any { return []any{&n.Type, &n.Slug, &n.Retires, &n.Days} },
		"SELECT type, slug, retires, notice FROM retirement_notices WHERE retires > $1", after)
	sent := make(map[webhook.Notice]bool, len(rows))
	for _, n := range rows {
		sent[n] = true
	}
	return sent, err
}

// RecordNotices implements webhook.AnnouncerStore, in one transaction.
func (s *State) RecordNotices(ctx context.Context, at webhook.Announced, notices []webhook.Notice, events []webhook.Event) (recorded bool, err error) {
	err = s.Write(ctx, func(tx *Tx) error {
		recorded, err = tx.moveAnnounced(at.Version, events, "noticed_at = COALESCE(noticed_at, $4)", tx.now())
		if err != nil || !recorded {
			return err
		}
		for _, n := range notices {
			if _, err := tx.exec(`INSERT INTO retirement_notices (type, slug, retires, notice, created_at) VALUES ($1, $2, $3, $4, $5)
				ON CONFLICT DO NOTHING`, n.Type, n.Slug, n.Retires, n.Days, tx.now()); err != nil {
				return err
			}
		}
		return nil
	})
	return recorded && err == nil, err
}
