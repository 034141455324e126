package storage_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"kindex/builder/suite"
	"kindex/edge/storage"
	"kindex/edge/storage/storagetest"
	"kindex/edge/webhook"
)

// sound inserts valid rows into tables that have invariants.
var sound = []string{
	`INSERT INTO accounts (id, name, created_at, audited) VALUES ('acc_a', 'ada', 1, 1)`,
	`INSERT INTO idempotency (account_id, method, path, key, body_hash, status, location, answer, secret_id, created_at) VALUES ('acc_a', 'POST', '/api/submit', 'k', 'h', 201, '', '', '', 1)`,
	`INSERT INTO counters (ends, lasts, subject, used) VALUES (86400000, 86400000, 'ip:192.0.2.1', 3)`,
	`INSERT INTO announced (name, version, seq, build, change_id, commit_of) VALUES ('events', 1, 7, 'b', 'c', 'd')`,
	`INSERT INTO webhook_events (seq, id, event, payload, created_at) VALUES (7, 'evt_a', 'entity.updated', '{}', 1)`,
	webhookRow("wh_a"),
	`INSERT INTO webhook_deliveries (id, webhook_id, kind, event_seq, event_id, event, status, created_at) VALUES ('dlv_e', 'wh_a', 'event', 7, 'evt_a', 'entity.updated', 'pending', 1)`,
	`INSERT INTO sessions (hash, account_id, created_at, seen_at) VALUES ('h', 'acc_a', 1, 1)`,
}

func webhookRow(id string) string {
	return "INSERT INTO webhooks (id, account_id, url, events, secret, created_at) VALUES ('" + id + "', 'acc_a', 'https://x.example/', '[]', 's', 1)"
}

func keyRow(id, hash string) string {
	return "INSERT INTO api_keys (id, account_id, name, masked, hash, created_at) VALUES ('" + id + "', 'acc_a', 'n', 'm', '" + hash + "', 1)"
}

// keyRows returns statements that insert n active keys.
func keyRows(n int) (list []string) {
	for i := range n {
		hash := strings.Repeat(string(rune('a'+i)), 64)
		list = append(list, keyRow("key_"+hash[:1], hash))
	}
	return list
}

// TestCheckOfFiles damages a SQLite file in ways that SQLite itself must detect.
func TestCheckOfFiles(t *testing.T) {
	suite.InTest(t)
	dir := t.TempDir()
	good := filepath.Join(dir, "good.db")
	s := suite.Must(storage.Open(t.Context(), good, storage.Options{}))(t)
	for _, row := range slices.Concat(sound, keyRows(5)) {
		suite.Check(t, writeOne(t.Context(), s, row))
	}
	suite.Check(t, s.Close())
	for _, c := range []struct {
		name, words string
		mended      bool // rewriting the file repairs it, so the backup is sound
		damage      func(path string) error
	}{
		{"mode", "chmod 600", true, func(path string) error { return os.Chmod(path, 0o644) }},
		{"reference", "dangling reference: from api_keys to accounts", false,
			func(path string) error { return storagetest.Exec(path, "DELETE FROM accounts") }},
		{"lost pages", "the file is damaged", true, func(path string) error {
			return storagetest.Exec(path, "PRAGMA writable_schema = ON; DELETE FROM sqlite_schema WHERE name = 'webhooks_account'")
		}},
		{"index", "the file is damaged", false, func(path string) error {
			return storagetest.Exec(path, "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET rootpage = (SELECT rootpage FROM sqlite_schema WHERE name = 'counters') WHERE name = 'sessions'")
		}},
		{"zeros", "malformed", false, zeros},
		{"cut off", "malformed", false, func(path string) error { return os.Truncate(path, 8192) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			bad := copyOf(t, good)
			suite.Check(t, c.damage(bad))
			problems, backedUp := checkAndBackUp(t, bad)
			suite.Contains(t, problems, c.words)
			suite.Equal(t, backedUp, c.mended, "backed up")
		})
	}
}

// zeros overwrites the middle half of a file with zeros: wherever tables and indexes are, some of
// both are in it.
func zeros(path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	clear(text[len(text)/4 : len(text)*3/4])
	return os.WriteFile(path, text, 0o600)
}

func copyOf(t *testing.T, path string) string {
	t.Helper()
	text := suite.Must(os.ReadFile(path))(t)
	to := filepath.Join(t.TempDir(), "bad.db")
	suite.Check(t, os.WriteFile(to, text, 0o600))
	return to
}

// checkAndBackUp checks a file and backs it up. It returns the problems and whether there is
// a backup, and fails the test if other files are left over.
func checkAndBackUp(t *testing.T, path string) (problems string, backedUp bool) {
	t.Helper()
	s, err := storage.Open(t.Context(), path, storage.Options{SkipMigrations: true, MustExist: true})
	if err != nil {
		return err.Error(), false
	}
	defer s.Close()
	if r, err := s.Check(t.Context()); err != nil {
		problems = err.Error()
	} else {
		problems = strings.Join(r.Problems, "\n")
	}
	_, err = s.Backup(t.Context(), path+".backup", false)
	left, globErr := filepath.Glob(filepath.Join(filepath.Dir(path), "*backup*"))
	suite.Holds(t, globErr == nil && (err == nil) == (len(left) == 1), err, "left", left, globErr)
	return problems, err == nil
}

// TestNotices checks that notices and their events are stored together or not at all.
func TestNotices(t *testing.T) {
	suite.InTest(t)
	storagetest.Each(t, func(t *testing.T, open func() *storage.State) {
		s, ctx := open(), t.Context()
		day := func(days int) string { return time.Now().UTC().AddDate(0, 0, days).Format(time.DateOnly) }
		notice := func(retires string) webhook.Notice {
			return webhook.Notice{Type: "model", Slug: "m", Retires: retires, Days: 30}
		}
		record := func(at webhook.Announced, n webhook.Notice, event string, want bool) {
			t.Helper()
			at.Noticed = true
			recorded, err := s.Announce(ctx, at, []webhook.Notice{n, n},
				[]webhook.Event{{ID: event, Name: "entity.retiring", Payload: []byte("{}")}})
			suite.Require(t, err == nil && recorded == want, event, "recorded", recorded, want, err)
		}
		announced := func() webhook.Announced {
			t.Helper()
			return suite.Must(s.Announced(ctx))(t)
		}
		before := announced()
		record(before, notice(day(-364)), "evt_1", true)
		record(before, notice(day(20)), "evt_2", false) // another edge was faster
		after := announced()
		suite.Holds(t, !before.Noticed && after.Noticed &&
			after.Version == before.Version+1, "announced", before, after)
		record(after, notice(day(-10)), "evt_3", true)
		record(announced(), notice(day(20)), "evt_4", true)
		events := storagetest.Events(t, s, 0)
		suite.Holds(t, len(events) == 3 && events[0].ID == "evt_1" && events[2].ID == "evt_4" &&
			events[2].Seq == 3, "events", events)
		all, err := s.Notices(ctx, "")
		if want := map[webhook.Notice]bool{notice(day(-364)): true, notice(day(-10)): true, notice(day(20)): true}; err != nil || !maps.Equal(all, want) {
			t.Errorf("notices %v, want %v: %v", all, want, err)
		}
		suite.Equal(t, suite.Must(s.Notices(ctx, day(0)))(t), map[webhook.Notice]bool{notice(day(20)): true}, "notices ahead")
		suite.Equal(t, len(suite.Must(s.Check(ctx))(t).Problems), 0)
	})
}

// TestPurge checks that rows of each table are deleted once they are too old, however many there are,
// and not before.
func TestPurge(t *testing.T) {
	suite.InTest(t)
	const day = 24 * time.Hour
	tables := map[string]struct {
		age    time.Duration // at which a row is deleted
		insert string        // takes a time and a number
	}{
		"counters":           {25 * time.Hour, "(ends, lasts, subject, used) VALUES (%d, 1000, 'ip:%d', 1)"},
		"idempotency":        {day, "(created_at, key, account_id, method, path, body_hash, status, location, answer, secret_id) VALUES (%d, '%d', 'acc_a', 'POST', '/', '', 0, '', '', '')"},
		"sessions":           {30 * day, "(seen_at, hash, account_id, created_at) VALUES (%d, '%d', 'acc_a', %[1]d)"},
		"audit_log":          {storage.AuditRetention, "(at, seq, account_id, action, actor, actor_id, actor_name, address, target, detail) VALUES (%d, %d, 'acc_a', 'key.created', 'key', '', '', '', '', '')"},
		"retirement_notices": {396 * day, "(created_at, slug, type, retires, notice) VALUES (%d, '%d', 'tool', '2026-01-01', 7)"},
		"webhook_deliveries": {30 * day, "(created_at, id, webhook_id, kind, event_id, event, status) VALUES (%d, '%d', 'wh_a', 'test', 'evt_a', 'webhook.test', 'succeeded')"},
		"webhook_events":     {30 * day, "(created_at, seq, id, event, payload) VALUES (%d, %[2]d, '%[2]d', 'entity.updated', '{}')"},
	}
	storagetest.EachTarget(t, func(t *testing.T, target string) {
		now := time.Now().Truncate(time.Millisecond)
		s, ctx := storagetest.OpenAt(t, target, func() time.Time { return now }), t.Context()
		exec := func(statement string) {
			t.Helper()
			suite.Check(t, writeOne(ctx, s, statement))
		}
		exec("INSERT INTO accounts (id, name, created_at) VALUES ('acc_a', 'ada', 1)")
		exec(webhookRow("wh_a"))
		for table, c := range tables {
			at := now.Add(-c.age).UnixMilli()
			exec(fmt.Sprintf("INSERT INTO "+table+" "+c.insert, at+1, 1))
			exec(fmt.Sprintf("INSERT INTO "+table+" "+c.insert, at-1, 2))
		}
		exec(fmt.Sprintf("INSERT INTO sessions (seen_at, hash, account_id, created_at) VALUES (%d, 'old', 'acc_a', %d)", now.UnixMilli(), now.Add(-90*day).UnixMilli()-1))
		exec(fmt.Sprintf("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000) INSERT INTO counters (ends, lasts, subject, used) SELECT %d, 1000, CAST(i AS TEXT), 1 FROM n",
			now.Add(-26*time.Hour).UnixMilli()))
		if list, count, err := s.AuditLog(ctx, "acc_a", 0, 10); err != nil || count != 1 || list[0].Seq != 1 {
			t.Errorf("an old entry is shown: %+v %v", list, err)
		}
		suite.Check(t, s.Purge(ctx))
		for table := range tables {
			suite.Equal(t, suite.Must(s.Number(ctx, "SELECT COUNT(*) FROM "+table))(t), 1, table, "rows, want 1")
		}
	})
}

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
		at := suite.Must(s.Announced(t.Context()))(t)
		suite.Holds(t, at == (webhook.Announced{Version: 4, Build: "b", Change: "c", Noticed: true}), "announced", at)
		suite.Equal(t, len(suite.Must(s.Check(t.Context()))(t).Problems), 0)
	})
}
