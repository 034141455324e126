package storage

import (
	"context"
	"time"

	"kindex/edge/webhook"
)

// noticeRetention is how long notices are kept after the retirement. They are no longer needed
// after the retirement, except if an edge's clock is set back.
const noticeRetention = 365 * 24 * time.Hour

// Notices implements webhook.NoticeStore.
func (s *State) Notices(ctx context.Context, after string) (map[webhook.Notice]bool, error) {
	rows, err := s.rows(ctx, "SELECT type, slug, retires, notice FROM retirement_notices WHERE retires > $1", after)
	list, err := scanRows(rows, err, func(scan func(...any) error) (n webhook.Notice, err error) {
		err = scan(&n.Type, &n.Slug, &n.Retires, &n.Days)
		return n, err
	})
	sent := make(map[webhook.Notice]bool, len(list))
	for _, n := range list {
		sent[n] = true
	}
	return sent, err
}

// RecordNotices implements webhook.NoticeStore. It uses one transaction, so that a crash can
// neither lose an event nor store it twice.
func (s *State) RecordNotices(ctx context.Context, at webhook.Cursor, notices []webhook.Notice, events []webhook.Event) (recorded bool, err error) {
	err = s.Write(ctx, func(tx *Tx) error {
		recorded, err = tx.recordNotices(at, notices, events)
		return err
	})
	return recorded && err == nil, err
}

func (tx *Tx) recordNotices(at webhook.Cursor, notices []webhook.Notice, events []webhook.Event) (recorded bool, err error) {
	last, err := tx.LastEvent()
	if err != nil {
		return false, err
	}
	n, err := tx.exec(`UPDATE webhook_cursor SET version = version + 1, seq = $1, noticed_at = COALESCE(noticed_at, $2)
		WHERE name = $3 AND version = $4`, last+int64(len(events)), tx.now(), eventsCursor, at.Version)
	if err != nil || n == 0 {
		return false, err
	}
	for _, n := range notices {
		if _, err := tx.exec(`INSERT INTO retirement_notices (type, slug, retires, notice, created_at) VALUES ($1, $2, $3, $4, $5)
			ON CONFLICT DO NOTHING`, n.Type, n.Slug, n.Retires, n.Days, tx.now()); err != nil {
			return false, err
		}
	}
	oldest := time.UnixMilli(tx.now()).Add(-noticeRetention).UTC().Format(time.DateOnly)
	if _, err := tx.exec("DELETE FROM retirement_notices WHERE retires < $1", oldest); err != nil {
		return false, err
	}
	return true, tx.storeEvents(last, at.Build, events)
}
