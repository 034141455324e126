package storage_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"kindex/builder/suite"
	"kindex/edge/storage"
	"kindex/edge/storage/storagetest"
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
			if !strings.Contains(problems, c.words) || backedUp != c.mended {
				t.Errorf("backed up: %v; problems: %q", backedUp, problems)
			}
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
	if globErr != nil || (err == nil) != (len(left) == 1) {
		t.Errorf("%v; left: %v %v", err, left, globErr)
	}
	return problems, err == nil
}
