package storage

import (
	"fmt"
	"strings"

	"kindex/edge/apikey"
	"kindex/edge/submission"
	"kindex/edge/webhook"
)

// invariant is a property that kindex relies on and that the schema does not enforce. The
// query returns the rows that violate it, as one column of text.
type invariant struct {
	tables  []string // read by the query; also table.column if earlier schemas lack the column
	problem string
	query   string // ":now" is replaced by the current time in milliseconds
}

// sqlList formats words, which contain no quotes, as an SQL list.
func sqlList[T ~string](words []T) string {
	list := make([]string, len(words))
	for i, w := range words {
		list[i] = "'" + string(w) + "'"
	}
	return strings.Join(list, ", ")
}

var invariants = []invariant{
	// Keys can expire only in those schema versions that have an audit log.
	{[]string{"api_keys", "audit_log"}, fmt.Sprintf("accounts with more than %d active keys", apikey.MaxActive),
		fmt.Sprintf("SELECT account_id FROM api_keys WHERE "+activeKey(":now")+" GROUP BY account_id HAVING COUNT(*) > %d ORDER BY account_id", apikey.MaxActive)},
	{[]string{"api_keys"}, "unusable keys with incomplete hashes",
		"SELECT id FROM api_keys WHERE LENGTH(hash) <> 64 OR SUBSTR(hash, 1, 8) <> hash_prefix ORDER BY id"},
	{[]string{"api_keys", "audit_log"}, "keys that expire before they are created",
		"SELECT id FROM api_keys WHERE expires_at <= created_at ORDER BY id"},
	{[]string{"audit_log", "accounts"}, "audit logs with invalid sequence numbers",
		"SELECT DISTINCT a.id FROM audit_log l JOIN accounts a ON a.id = l.account_id WHERE l.seq > a.audited OR l.seq < 1 ORDER BY 1"},
	{[]string{"audit_log"}, "audit logs with unknown actions or actors",
		"SELECT DISTINCT account_id FROM audit_log WHERE action NOT IN (" + sqlList(Actions) + ") OR actor NOT IN (" + sqlList(ActorKinds) + ") ORDER BY 1"},
	{[]string{"audit_log"}, fmt.Sprintf("audit logs with more than %d entries for one action", AuditPerAction),
		fmt.Sprintf("SELECT DISTINCT account_id FROM audit_log GROUP BY account_id, action HAVING COUNT(*) > %d ORDER BY 1", AuditPerAction)},
	{[]string{"accounts"}, "accounts with an invalid limit",
		"SELECT id FROM accounts WHERE quota <= 0 OR quota_window <= 0 OR quota IS NULL AND quota_window IS NOT NULL ORDER BY id"},
	{[]string{"counters"}, "request counts below zero",
		"SELECT subject FROM counters WHERE used < 0 ORDER BY subject"},
	{[]string{"counters"}, "request counts with invalid windows",
		"SELECT subject FROM counters WHERE lasts <= 0 OR ends < lasts ORDER BY subject"},
	{[]string{"idempotency", "accounts"}, "responses stored for missing accounts",
		"SELECT DISTINCT i.account_id FROM idempotency i WHERE NOT EXISTS (SELECT 1 FROM accounts a WHERE a.id = i.account_id) ORDER BY 1"},
	{[]string{"idempotency"}, "writes with an Idempotency-Key that have no stored response",
		"SELECT path FROM idempotency WHERE status = 0 ORDER BY path"},
	{[]string{"submissions"}, "submissions with an unknown status",
		"SELECT id FROM submissions WHERE status NOT IN (" + sqlList(submission.Statuses) + ") ORDER BY id"},
	{[]string{"submissions"}, "submissions in review without a pull request",
		"SELECT id FROM submissions WHERE status = 'in-review' AND branch <> '' AND pull_request <= 0 ORDER BY id"},
	{[]string{"submissions.to_close"}, "submissions marked to have their pull request closed that are not withdrawn or have no pull request",
		"SELECT id FROM submissions WHERE to_close <> 0 AND (to_close <> 1 OR status <> 'withdrawn' OR pull_request <= 0) ORDER BY id"},
	{[]string{"webhooks"}, fmt.Sprintf("accounts with more than %d webhooks", webhook.MaxPerAccount),
		fmt.Sprintf("SELECT account_id FROM webhooks GROUP BY account_id HAVING COUNT(*) > %d ORDER BY account_id", webhook.MaxPerAccount)},
	{[]string{"webhook_events", "announced"}, "events after the last one that was announced",
		"SELECT id FROM webhook_events WHERE seq > COALESCE((SELECT seq FROM announced WHERE name = '" + announcedRow + "'), 0) ORDER BY seq"},
	{[]string{"announced"}, "unknown rows of announced builds",
		"SELECT name FROM announced WHERE name <> '" + announcedRow + "' OR seq < 0 OR version < 0 ORDER BY name"},
	{[]string{"webhook_deliveries", "webhook_events", "announced"}, "pending deliveries of missing events",
		"SELECT id FROM webhook_deliveries WHERE status = 'pending' AND payload IS NULL AND event_seq NOT IN (SELECT seq FROM webhook_events) ORDER BY id"},
	{[]string{"retirement_notices"}, "retirement notices sent on or after the retirement date",
		"SELECT type || '/' || slug FROM retirement_notices WHERE notice < 1 ORDER BY 1"},
	{[]string{"webhook_deliveries"}, "deliveries with an unknown status",
		"SELECT id FROM webhook_deliveries WHERE status NOT IN (" + sqlList(webhook.Statuses) + ") OR kind = 'event' AND event_seq IS NULL ORDER BY id"},
	{[]string{"sessions"}, "sessions that end before they start",
		"SELECT account_id FROM sessions WHERE expires_at < created_at ORDER BY account_id"},
}

// jsonColumns contain JSON.
var jsonColumns = []struct{ table, id, column string }{
	{"webhooks", "id", "events"},
	{"webhook_events", "id", "payload"},
	{"webhooks", "id", "fields"},
}
