package storage

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"
	"unicode"

	"kindex/edge/apikey"
	"kindex/edge/auth"
)

// ActorKind is the way in which an actor accessed an account.
type ActorKind string

// The kinds of actors.
const (
	ByKey      ActorKind = "key"      // an API key
	BySession  ActorKind = "session"  // a person signed in on the website
	ByOperator ActorKind = "operator" // the command line
	ByService  ActorKind = "service"  // kindex itself
	ByAnyone   ActorKind = "anyone"   // whoever reported a leaked key
)

// Actor identifies who made a change.
type Actor struct {
	Kind     ActorKind
	ID, Name string // the key's id and name; "" for other kinds of actors
	Address  string // the IP address of the request, or "" if there is none
}

type actorKey struct{}

// WithActor returns a context for Write. Changes made with it are logged with this actor.
// Without an actor, the log attributes them to the service itself.
func WithActor(ctx context.Context, a Actor) context.Context {
	return context.WithValue(ctx, actorKey{}, a)
}

func actorOf(ctx context.Context) Actor {
	if a, ok := ctx.Value(actorKey{}).(Actor); ok {
		return a
	}
	return Actor{Kind: ByService}
}

// Action is a kind of entry in an audit log.
type Action string

// The actions in an audit log.
const (
	AccountCreated      Action = "account.created"
	AccountSignedIn     Action = "account.signed-in"
	AccountSuspended    Action = "account.suspended"
	AccountReinstated   Action = "account.reinstated"
	AccountLimitChanged Action = "account.limit-changed"
	KeyCreated          Action = "key.created"
	KeyRevoked          Action = "key.revoked"
	KeyReported         Action = "key.reported" // reported as leaked, and therefore revoked
	WebhookCreated      Action = "webhook.created"
	WebhookDeleted      Action = "webhook.deleted"
	WebhookRotated      Action = "webhook.rotated"  // it got a new secret
	WebhookDisabled     Action = "webhook.disabled" // after failures, or because the endpoint asked for it
	SubmissionCreated   Action = "submission.created"
	SubmissionWithdrawn Action = "submission.withdrawn"
	SubmissionInReview  Action = "submission.in-review"
	SubmissionAccepted  Action = "submission.accepted"
	SubmissionPublished Action = "submission.published"
	SubmissionRejected  Action = "submission.rejected"
)

// Actions lists all actions.
var Actions = []Action{AccountCreated, AccountSignedIn, AccountSuspended, AccountReinstated, AccountLimitChanged,
	KeyCreated, KeyRevoked, KeyReported, WebhookCreated, WebhookDeleted, WebhookRotated, WebhookDisabled,
	SubmissionCreated, SubmissionWithdrawn, SubmissionInReview, SubmissionAccepted, SubmissionPublished, SubmissionRejected}

// Limits of an account's audit log.
const (
	// AuditPerAction is the maximum number of entries kept per action; the newest are
	// kept.
	AuditPerAction = 200
	// AuditRetention is how long an entry is kept.
	AuditRetention = 400 * 24 * time.Hour
	// maxDetail is the maximum number of characters in a detail; longer ones are cut off.
	maxDetail = 300
)

// AuditEntry is an entry in an account's audit log. It never contains a secret.
type AuditEntry struct {
	AccountID string
	Seq       int64     // numbers the entries of an account from 1
	At        time.Time // set by Audit
	Actor     Actor     // set by Audit
	Action    Action
	Target    string // the id of the changed object, or "" for the account itself
	Detail    string // human-readable: names, scopes, reasons
}

// ID returns the id of the entry, which is unique within its account.
func (e AuditEntry) ID() string { return "aud_" + strconv.FormatInt(e.Seq, 10) }

// Audit adds an entry to an account's audit log, with the current time and the actor from the
// context passed to Write. If that fails, the transaction fails, too, so that every change is
// in the log. API keys in the detail are redacted, and unprintable characters are replaced. If
// there is no such account, the error is apikey.ErrNoAccount.
func (tx *Tx) Audit(e AuditEntry) error {
	seq, err := one(tx.conn, apikey.ErrNoAccount, into1[int64], "UPDATE accounts SET audited = audited + 1 WHERE id = $1 RETURNING audited", e.AccountID)
	if err != nil {
		return err
	}
	tx.do(`INSERT INTO audit_log (account_id, seq, at, action, actor, actor_id, actor_name, address, target, detail)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`, e.AccountID, seq, tx.now(), string(e.Action), string(tx.actor.Kind),
		tx.actor.ID, sanitizeDetail(tx.actor.Name), tx.actor.Address, e.Target, sanitizeDetail(e.Detail))
	tx.do(`DELETE FROM audit_log WHERE account_id = $1 AND action = $2 AND seq <=
		(SELECT seq FROM audit_log WHERE account_id = $1 AND action = $2 ORDER BY seq DESC LIMIT 1 OFFSET $3)`,
		e.AccountID, string(e.Action), AuditPerAction)
	return tx.failed
}

func sanitizeDetail(s string) string {
	s = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return unicode.ReplacementChar
		}
		return r
	}, apikey.Redact(strings.ToValidUTF8(s, string(unicode.ReplacementChar))))
	if r := []rune(s); len(r) > maxDetail {
		s = string(r[:maxDetail-1]) + "…"
	}
	return s
}

// AuditLog returns entries of an account's log, newest first, and the total number of
// entries. before is the Seq of the last entry on the previous page, or 0 for the first page.
// limit must be at least 1.
func (s *State) AuditLog(ctx context.Context, accountID string, before int64, limit int) (entries []AuditEntry, count int, err error) {
	oldest := s.now().Add(-AuditRetention).UnixMilli()
	where, args := "account_id = $1 AND at > $2", arguments{accountID, oldest}
	c := s.on(ctx)
	count = c.count("audit_log WHERE "+where, args...)
	if before > 0 {
		where += " AND seq < " + args.add(before)
	}
	most := args.add(limit)
	entries, err = list(c, func(e *AuditEntry) []any {
		e.AccountID = accountID
		return []any{&e.Seq, moment(&e.At), &e.Action, &e.Actor.Kind, &e.Actor.ID, &e.Actor.Name, &e.Actor.Address, &e.Target, &e.Detail}
	}, "SELECT seq, at, action, actor, actor_id, actor_name, address, target, detail FROM audit_log WHERE "+where+
		" ORDER BY seq DESC LIMIT "+most, args...)
	return entries, count, err
}

// How long rows are kept.
const (
	// counterRetention is how long counts of past windows are kept. An edge whose clock is up to a
	// day ahead must not delete the counts that others still need.
	counterRetention = 25 * time.Hour
	// deliveryRetention is how long events and deliveries that have been made are kept.
	deliveryRetention = 30 * 24 * time.Hour
	// noticeRetention is how long notices are kept: until a year after the retirement, in case
	// the clock of an edge is set back.
	noticeRetention = (365 + 31) * 24 * time.Hour
)

// expiring lists the tables whose rows expire: their primary key, the condition for a row t to be
// deleted, in which $1 is the time before which it must have been written or have expired, and how
// long ago that is.
var expiring = []struct {
	table, key, condition string
	age                   time.Duration
}{
	{"counters", "ends, lasts, subject", "t.ends < $1", counterRetention},
	{"idempotency", "account_id, method, path, key", "t.created_at <= $1", idempotencyTTL},
	{"sessions", "hash", "t.seen_at <= $1 OR t.created_at <= $1 - 5184000000", auth.SessionIdleTimeout}, // MaxSessionAge is 60 days longer
	{"audit_log", "account_id, seq", "t.at <= $1", AuditRetention},
	{"retirement_notices", "type, slug, retires, notice", "t.created_at < $1", noticeRetention},
	{"webhook_deliveries", "id", "t.created_at < $1 AND COALESCE(t.last_attempt_at, 0) < $1 AND NOT (" + awaited + ")", deliveryRetention},
	{"webhook_events", "seq", "t.created_at < $1 AND NOT EXISTS (SELECT 1 FROM webhook_deliveries d WHERE d.event_seq = t.seq)", deliveryRetention},
}

// purgeBatchSize is the maximum number of rows that one statement deletes, so that it does not block
// other statements for long.
const purgeBatchSize = 2000

// Purge deletes what has expired, and secrets of webhooks that have been replaced. Several edges can
// do this on the same database.
func (s *State) Purge(ctx context.Context) error {
	var failed []error
	for _, e := range expiring {
		statement := "DELETE FROM " + e.table + " WHERE (" + e.key + ") IN (SELECT " + e.key + " FROM " + e.table + " t WHERE " + e.condition + " ORDER BY " + e.key + " LIMIT $2)"
		for n := int64(purgeBatchSize); n == purgeBatchSize; {
			var err error
			n, err = s.on(ctx).exec(statement, s.now().Add(-e.age).UnixMilli(), purgeBatchSize)
			failed = append(failed, s.wrap("deleting old rows of "+e.table, err))
		}
	}
	_, err := s.on(ctx).exec("UPDATE webhooks SET previous_secret = NULL, previous_until = NULL WHERE previous_until <= $1", s.now().UnixMilli())
	return errors.Join(append(failed, s.wrap("deleting replaced secrets", err))...)
}
