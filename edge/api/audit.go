package api

import (
	"strconv"
	"time"

	"kindex/edge/query"
	"kindex/edge/storage"
	"kindex/edge/web"
)

// auditEntry is an entry of the audit log as shown to the owner of the account.
type auditEntry struct {
	ID      string         `json:"id"`
	At      time.Time      `json:"at"`
	Action  storage.Action `json:"action"`
	Actor   auditActor     `json:"actor"`
	Address *string        `json:"address"`
	Target  *string        `json:"target"`
	Detail  *string        `json:"detail"`
}

type auditActor struct {
	Kind storage.ActorKind `json:"kind"`
	ID   *string           `json:"id"`
	Name *string           `json:"name"`
}

func newAuditEntry(e storage.AuditEntry) auditEntry {
	return auditEntry{ID: e.ID(), At: web.TruncateToSecond(e.At), Action: e.Action,
		Actor:   auditActor{e.Actor.Kind, nullableString(e.Actor.ID), nullableString(e.Actor.Name)},
		Address: nullableString(e.Actor.Address), Target: nullableString(e.Target), Detail: nullableString(e.Detail)}
}

// nullableString returns nil, which is encoded as null, for an empty string.
func nullableString(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// Audit handles GET /api/developer/audit.
func (a *API) Audit(c *web.Call) (*web.Reply, error) {
	l := openList(c)
	after := l.after("audit")
	before := int64(0)
	if after != nil {
		var err error
		if before, err = strconv.ParseInt(after.Slug, 10, 64); err != nil || before < 1 {
			return nil, errCursor
		}
	}
	entries, count, more, err := a.accounts.AuditPage(c.Request.Context(), c.Principal.Account.ID, before, l.page.Limit)
	if err != nil {
		return nil, err
	}
	l.private = true
	for _, e := range entries {
		l.add(newAuditEntry(e))
	}
	var next *query.Cursor
	if more {
		next = position("audit", "", strconv.FormatInt(entries[len(entries)-1].Seq, 10))
	}
	return l.reply(count, next), nil
}
