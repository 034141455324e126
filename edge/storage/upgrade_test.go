package storage_test

import (
	"slices"
	"testing"
	"time"

	"kindex/builder/suite"
	"kindex/edge/storage"
	"kindex/edge/storage/storagetest"
	"kindex/edge/webhook"
)

// TestWaitingEventsSurviveTheUpgrade upgrades a state in which a webhook has a position among the
// events. Those that were waiting for it are pending deliveries now, in order, and no others.
func TestWaitingEventsSurviveTheUpgrade(t *testing.T) {
	suite.InTest(t)
	storagetest.EachTarget(t, func(t *testing.T, target string) {
		s := suite.Must(storage.Open(t.Context(), target, storage.Options{SkipMigrations: true}))(t)
		defer s.Close()
		suite.Check(t, s.MigrateTo(t.Context(), 12))
		hook := func(id, events string, position, disabled string) string {
			return `INSERT INTO webhooks (id, account_id, url, events, secret, created_at, position, disabled_at, next_at) VALUES ('wh_` + id + `', 'acc_a', 'https://x.example/', '` +
				events + `', 's', 1, ` + position + `, ` + disabled + `, 5)`
		}
		for _, statement := range []string{
			`INSERT INTO accounts (id, name, created_at) VALUES ('acc_a', 'ada', 1)`,
			`INSERT INTO webhook_cursor (name, version, seq, build, change_id, recent, moved_at, noticed_at) VALUES ('events', 4, 4, 'b', 'c', '{}', 1, 2)`,
			`INSERT INTO webhook_events (seq, id, event, at, type, slug, name, payload, build, created_at) VALUES
				(1, 'evt_aaaaaaaaaaaaaaaaaaaa', 'entity.updated', 1, 'tool', 'x', 'X', '{}', 'b', 10), (2, 'evt_bbbbbbbbbbbbbbbbbbbb', 'entity.updated', 1, 'tool', 'x', 'X', '{}', 'b', 20),
				(3, 'evt_cccccccccccccccccccc', 'entity.created', 1, 'tool', 'x', 'X', '{}', 'b', 30), (4, 'evt_dddddddddddddddddddd', 'entity.updated', 1, 'tool', 'x', 'X', '{}', 'b', 40)`,
			hook("aaaaaaaaaaaaaaaaaaaa", `["entity.created","entity.updated"]`, "1", "NULL"), hook("bbbbbbbbbbbbbbbbbbbb", `["entity.updated"]`, "1", "7"), hook("cccccccccccccccccccc", `["entity.updated"]`, "4", "NULL"),
			// The first was delivered, and the second has been tried.
			`INSERT INTO webhook_deliveries (id, webhook_id, kind, event_seq, event_id, event, status, attempts, created_at, next_at) VALUES
				('dlv_a', 'wh_aaaaaaaaaaaaaaaaaaaa', 'event', 1, 'evt_aaaaaaaaaaaaaaaaaaaa', 'entity.updated', 'succeeded', 1, 11, NULL),
				('dlv_b', 'wh_aaaaaaaaaaaaaaaaaaaa', 'event', 2, 'evt_bbbbbbbbbbbbbbbbbbbb', 'entity.updated', 'pending', 3, 21, 99),
				('dlv_c', 'wh_bbbbbbbbbbbbbbbbbbbb', 'event', 2, 'evt_bbbbbbbbbbbbbbbbbbbb', 'entity.updated', 'failed', 1, 21, NULL)`,
		} {
			suite.Check(t, writeOne(t.Context(), s, statement))
		}
		suite.Check(t, s.Migrate(t.Context()))
		for id, want := range map[string][]int64{"wh_aaaaaaaaaaaaaaaaaaaa": {2, 3, 4}, "wh_bbbbbbbbbbbbbbbbbbbb": {2, 4}, "wh_cccccccccccccccccccc": nil} {
			list, _, err := s.Deliveries(t.Context(), storage.DeliveryQuery{WebhookID: id, Status: webhook.Pending, Limit: 10})
			suite.Check(t, err)
			var got []int64
			for _, d := range list {
				got = append(got, d.Seq)
			}
			slices.Sort(got)
			suite.Equal(t, got, want, id, "events", "are pending")
		}
		suite.Equal(t, suite.Must(s.Lease(t.Context(), "edge", 10, time.Minute))(t), []string{"wh_aaaaaaaaaaaaaaaaaaaa"}, "leased")
		if _, d, err := s.Next(t.Context(), "edge", "wh_aaaaaaaaaaaaaaaaaaaa"); err != nil || d.ID != "dlv_b" || d.Attempts != 3 || string(d.Payload) != "{}" {
			t.Errorf("next is %+v, %v", d, err)
		}
		if at, err := s.Announced(t.Context()); err != nil || at != (webhook.Announced{Version: 4, Build: "b", Change: "c", Noticed: true}) {
			t.Errorf("announced %+v, %v", at, err)
		}
		suite.Equal(t, len(suite.Must(s.Check(t.Context()))(t).Problems), 0)
	})
}
