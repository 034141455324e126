package storage_test

import (
	"context"
	"fmt"
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
	`INSERT INTO sessions (hash, account_id, created_at, seen_at, expires_at) VALUES ('h', 'acc_a', 1, 1, 2)`,
}

func webhookRow(id string) string {
	return "INSERT INTO webhooks (id, account_id, url, events, secret, created_at) VALUES ('" + id + "', 'acc_a', 'https://x.example/', '[]', 's', 1)"
}

func keyRow(id, hash, prefix string) string {
	return "INSERT INTO api_keys (id, account_id, name, masked, hash, hash_prefix, created_at) VALUES ('" + id + "', 'acc_a', 'n', 'm', '" + hash + "', '" + prefix + "', 1)"
}

func auditRow(action, actor string) string {
	return "INSERT INTO audit_log (account_id, seq, at, action, actor, actor_id, actor_name, address, target, detail) VALUES ('acc_a', 1, 1, '" +
		action + "', '" + actor + "', '', '', '', '', '')"
}

func submissionRow(id, status string) string {
	return "INSERT INTO submissions (id, account_id, status, type, slug, name, url, identity, yaml, reason, branch, commit_hash, pull_request, pull_request_url, created_at, updated_at) VALUES ('" +
		id + "', 'acc_a', '" + status + "', 'tool', '" + id + "', '', '', '" + id + "', '', '', '', '', 0, '', 1, 1)"
}

// keyRows returns statements that insert n active keys.
func keyRows(n int) (list []string) {
	for i := range n {
		hash := strings.Repeat(string(rune('a'+i)), 64)
		list = append(list, keyRow("key_"+hash[:1], hash, hash[:8]))
	}
	return list
}

func webhookRows(n int) (list []string) {
	for i := range n {
		list = append(list, webhookRow("wh_"+string(rune('b'+i))))
	}
	return list
}

// TestCheckFinds introduces one fault at a time and checks that it is reported.
func TestCheckFinds(t *testing.T) {
	suite.InTest(t)
	cases := []struct {
		wrong string // "" if there is no problem
		rows  []string
	}{
		{"", nil},
		{"", keyRows(5)},
		{"accounts with more than 5 active keys: acc_a", keyRows(6)},
		{"", append(keyRows(6), "UPDATE api_keys SET revoked_at = 2 WHERE id = 'key_a'")},
		{"", append(keyRows(6), "UPDATE api_keys SET expires_at = 2 WHERE id = 'key_a'")},
		{"accounts with more than 5 active keys: acc_a", append(keyRows(6), "UPDATE api_keys SET expires_at = 99999999999999 WHERE id = 'key_a'")},
		{"keys that expire before they are created: key_a", append(keyRows(1), "UPDATE api_keys SET expires_at = 1 WHERE id = 'key_a'")},
		{"audit logs with invalid sequence numbers: acc_a", []string{auditRow("key.created", "key"), "UPDATE accounts SET audited = 0"}},
		{"audit logs with unknown actions or actors: acc_a", []string{auditRow("key.lost", "key")}},
		{"audit logs with unknown actions or actors: acc_a", []string{auditRow("key.created", "robot")}},
		{"", []string{auditRow("key.created", "key")}},
		{"unusable keys with incomplete hashes: key_z", []string{keyRow("key_z", strings.Repeat("z", 63), "zzzzzzzz")}},
		{"unusable keys with incomplete hashes: key_z", []string{keyRow("key_z", strings.Repeat("z", 64), "yyyyyyyy")}},
		{"accounts with an invalid limit: acc_a", []string{"UPDATE accounts SET quota = 0"}},
		{"accounts with an invalid limit: acc_a", []string{"UPDATE accounts SET quota_window = 1000"}},
		{"", []string{"UPDATE accounts SET quota = 10, quota_window = 1000"}},
		{"request counts below zero: ip:192.0.2.2", []string{"INSERT INTO counters (ends, lasts, subject, used) VALUES (2, 1, 'ip:192.0.2.2', -1)"}},
		{"request counts with invalid windows: ip:192.0.2.2", []string{"INSERT INTO counters (ends, lasts, subject, used) VALUES (2, 0, 'ip:192.0.2.2', 1)"}},
		{"responses stored for missing accounts: acc_b", []string{"UPDATE idempotency SET account_id = 'acc_b'"}},
		{"that have no stored response: /api/submit", []string{"UPDATE idempotency SET status = 0"}},
		{"submissions with an unknown status: sub_a", []string{submissionRow("sub_a", "lost")}},
		{"submissions in review without a pull request: sub_a", []string{submissionRow("sub_a", "in-review"), "UPDATE submissions SET branch = 'submission/sub_a'"}},
		{"", []string{submissionRow("sub_a", "pending"), submissionRow("sub_b", "rejected")}},
		{"pull request closed that are not withdrawn or have no pull request: sub_a", []string{submissionRow("sub_a", "rejected"), "UPDATE submissions SET to_close = 1"}},
		{"", []string{submissionRow("sub_a", "withdrawn"), "UPDATE submissions SET to_close = 1, pull_request = 7"}},
		{"accounts with more than 10 webhooks: acc_a", webhookRows(10)},
		{"", webhookRows(9)},
		{"events after the last one that was announced: evt_a", []string{"UPDATE announced SET seq = 6"}},
		{"unknown rows of announced builds: other", []string{"INSERT INTO announced (name, version, seq, build, change_id, commit_of) VALUES ('other', 1, 7, 'b', 'c', 'd')"}},
		{"pending deliveries of missing events: dlv_e", []string{"DELETE FROM webhook_events"}},
		{"deliveries with an unknown status: dlv_a", []string{"INSERT INTO webhook_deliveries (id, webhook_id, kind, event_id, event, status, created_at) VALUES ('dlv_a', 'wh_a', 'test', 'e', 'test', 'lost', 1)"}},
		{"deliveries with an unknown status: dlv_a", []string{"INSERT INTO webhook_deliveries (id, webhook_id, kind, event_id, event, status, created_at) VALUES ('dlv_a', 'wh_a', 'event', 'e', 'test', 'failed', 1)"}},
		{"sessions that end before they start: acc_a", []string{"UPDATE sessions SET expires_at = 0"}},
		{"webhooks wh_a: the column events is not valid JSON", []string{"UPDATE webhooks SET events = '[entity'"}},
		{"webhook_events evt_a: the column payload is not valid JSON", []string{"UPDATE webhook_events SET payload = ''"}},
		{"webhooks wh_a: the column fields is not valid JSON", []string{"UPDATE webhooks SET fields = 'x y'"}},
	}
	storagetest.Each(t, func(t *testing.T, open func() *storage.State) {
		s := open()
		for _, c := range cases {
			name := c.wrong
			if name == "" {
				name = "nothing"
			}
			t.Run(name, func(t *testing.T) { testCheck(t, s, c.wrong, c.rows) })
		}
	})
}

// testCheck inserts rows into a state, checks it, and deletes all rows again.
func testCheck(t *testing.T, s *storage.State, wrong string, rows []string) {
	defer func() {
		tables, err := s.Tables(context.Background())
		if err == nil {
			tables = slices.DeleteFunc(tables, func(name string) bool { return name == "webhooks" || name == "accounts" })
			tables = append(tables, "webhooks", "accounts") // last, because other tables refer to them
			err = s.Write(context.Background(), func(tx *storage.Tx) error {
				for _, name := range tables {
					if err := tx.Exec("DELETE FROM " + name); err != nil {
						return err
					}
				}
				return nil
			})
		}
		if err != nil {
			t.Fatal(err)
		}
	}()
	if err := s.Write(t.Context(), func(tx *storage.Tx) error {
		for _, row := range slices.Concat(sound, rows) {
			if err := tx.Exec(row); err != nil {
				return fmt.Errorf("%s: %w", row, err)
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	r, err := s.Check(t.Context())
	switch {
	case err != nil:
		t.Fatal(err)
	case wrong == "" && len(r.Problems) > 0:
		t.Errorf("%q", r.Problems)
	case wrong != "" && (len(r.Problems) != 1 || !strings.Contains(r.Problems[0], wrong)):
		t.Errorf("%q, want %q", r.Problems, wrong)
	}
	if r.Server == "" || r.Version != r.Latest || len(r.Counts) < 10 {
		t.Errorf("%+v", r)
	}
}

// TestInvariantsAreOfTables fails if an invariant names a table that does not exist, for
// example because it was renamed. Check would just skip the invariant, as it does for earlier
// schemas.
func TestInvariantsAreOfTables(t *testing.T) {
	tables, err := storagetest.SQLite(t).Tables(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range storage.InvariantTables() {
		if !slices.Contains(tables, name) {
			t.Errorf("no table %s", name)
		}
	}
}

// TestCheckNamesSome checks that a long list is abbreviated.
func TestCheckNamesSome(t *testing.T) {
	s := storagetest.SQLite(t)
	for _, subject := range strings.Fields("a b c d e f g") {
		if err := writeOne(t.Context(), s, "INSERT INTO counters (ends, lasts, subject, used) VALUES (2, 1, $1, -1)", subject); err != nil {
			t.Fatal(err)
		}
	}
	r, err := s.Check(t.Context())
	if err != nil || !slices.Equal(r.Problems, []string{"request counts below zero: a, b, c, d, e, 2 more"}) {
		t.Errorf("%q %v", r.Problems, err)
	}
}

// TestCheckOfFiles damages a SQLite file in ways that SQLite itself must detect.
func TestCheckOfFiles(t *testing.T) {
	suite.InTest(t)
	dir := t.TempDir()
	good := filepath.Join(dir, "good.db")
	s, err := storage.Open(t.Context(), good, storage.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range slices.Concat(sound, keyRows(5)) {
		if err := writeOne(t.Context(), s, row); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
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
			if err := c.damage(bad); err != nil {
				t.Fatal(err)
			}
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
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	to := filepath.Join(t.TempDir(), "bad.db")
	if err := os.WriteFile(to, text, 0o600); err != nil {
		t.Fatal(err)
	}
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
