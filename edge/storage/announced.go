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
// neither lose an event nor store it twice. Until it ends, no other can store events, so they
// become visible in the order of their seq.
func (s *State) Announce(ctx context.Context, to webhook.Announced, notices []webhook.Notice, events []webhook.Event) (moved bool, err error) {
	err = s.Write(ctx, func(tx *Tx) error {
		tx.do("INSERT INTO announced (name, version, seq, build, change_id, commit_of) VALUES ($1, 0, 0, '', '', '') ON CONFLICT (name) DO NOTHING", announcedRow)
		last, err := value[int64](tx.conn, `UPDATE announced SET version = version + 1, seq = seq + $3, build = $4, change_id = $5, commit_of = $6, as_of = $7, commit_at = $8,
			noticed_at = COALESCE(noticed_at, $9) WHERE name = $1 AND version = $2 RETURNING seq`,
			announcedRow, to.Version, len(events), to.Build, to.Change, to.Commit, toMillis(to.AsOf), toMillis(to.CommitTime), sql.NullInt64{Int64: tx.now(), Valid: to.Noticed})
		if moved = err == nil; errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		for _, n := range notices {
			tx.do(`INSERT INTO retirement_notices (type, slug, retires, notice, created_at) VALUES ($1, $2, $3, $4, $5)
				ON CONFLICT DO NOTHING`, n.Type, n.Slug, n.Retires, n.Days, tx.now())
		}
		return tx.addEvents(last-int64(len(events)), events)
	})
	return moved && err == nil, err
}

// addEvents stores events after the seq last, and a delivery to each webhook that receives them.
// This includes disabled webhooks, because they may be enabled at any time.
func (tx *Tx) addEvents(last int64, events []webhook.Event) error {
	hooks, _ := list(tx.conn, webhookInto, "SELECT "+webhookColumns+" FROM webhooks w ORDER BY id")
	add := tx.inserter("webhook_events", "seq, id, event, payload, created_at")
	for i, e := range events {
		add.add(last+int64(i)+1, e.ID, e.Name, string(e.Payload), tx.now())
	}
	add.flush()
	deliver := tx.inserter("webhook_deliveries", "id, webhook_id, kind, event_seq, event_id, event, status, created_at")
	for i := range events {
		for j := range hooks {
			if hooks[j].Receives(&events[i]) {
				deliver.add(NewID("dlv_"), hooks[j].ID, string(webhook.ForEvent), last+int64(i)+1, events[i].ID, events[i].Name, string(webhook.Pending), tx.now())
			}
		}
	}
	deliver.flush()
	return tx.failed
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
