package api

import (
	"net/http"
	"strconv"
	"time"

	"kindex/edge/query"
	"kindex/edge/storage"
	"kindex/edge/web"
	"kindex/exports/view"
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
	account, err := c.Account()
	if err != nil {
		return nil, err
	}
	page, err := readPage(c)
	if err != nil {
		return nil, err
	}
	before := int64(0)
	if page.Cursor != nil {
		if before, err = strconv.ParseInt(page.Cursor.Slug, 10, 64); err != nil || before < 1 || page.Cursor.Type != auditCursor {
			return nil, &query.Error{Param: "cursor", Message: "is not a valid audit log cursor; start again without a cursor"}
		}
	}
	list, count, more, err := a.accounts.AuditPage(c.Request.Context(), account.ID, before, page.Limit)
	if err != nil {
		return nil, err
	}
	answer := struct {
		Data       []auditEntry `json:"data"`
		Count      int          `json:"count"`
		NextCursor *string      `json:"nextCursor"`
	}{make([]auditEntry, len(list)), count, nil}
	for i, e := range list {
		answer.Data[i] = newAuditEntry(e)
	}
	if more {
		last := strconv.FormatInt(list[len(list)-1].Seq, 10)
		next := query.Cursor{Position: view.Position{Type: auditCursor, Slug: last}}.String(cursorScope(c))
		answer.NextCursor = &next
	}
	r, err := web.JSONReply(http.StatusOK, answer)
	if err == nil && answer.NextCursor != nil {
		linkNext(c, r, *answer.NextCursor)
	}
	return r, err
}

const auditCursor = "audit"
