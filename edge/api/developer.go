package api

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"kindex/edge/account"
	"kindex/edge/apikey"
	"kindex/edge/query"
	"kindex/edge/ratelimit"
	"kindex/edge/storage"
	"kindex/edge/web"
	"kindex/edge/webhook"
	"kindex/exports/didyoumean"
	"kindex/exports/jsonenc"
)

// ListKeys handles GET /api/developer/api-keys.
func (a *API) ListKeys(c *web.Call) (*web.Reply, error) {
	data, err := a.accounts.KeysOf(c.Request.Context(), c.Principal.Account.ID)
	if err != nil {
		return nil, err
	}
	return privateList(c, data, itself), nil
}

// CreateKey handles POST /api/developer/api-keys.
func (a *API) CreateKey(c *web.Call) (*web.Reply, error) {
	var body account.NewKey
	if err := c.Decode(&body); err != nil {
		return nil, err
	}
	grant, err := body.Grant(c.Shared.Now())
	if err != nil {
		return nil, err
	}
	if own := c.Principal.Key.Scopes; !own.Covers(grant.Scopes) {
		return nil, web.InsufficientScope(apikey.Scope((grant.Scopes &^ own).Names()[0]),
			"A key can grant only its own scopes: this key has "+own.String()+", but the new key would have "+grant.Scopes.String()+".")
	}
	return a.accounts.Write(c, a.accounts.CreateKey(c.Principal.Account.ID, grant))
}

// RevokeKey handles DELETE /api/developer/api-keys.
func (a *API) RevokeKey(c *web.Call) (*web.Reply, error) {
	owner, err := c.Account()
	if err != nil {
		return nil, err
	}
	id, err := keyIDParam(c)
	if err == nil && id != c.Principal.Key.ID { // every key can revoke itself
		err = c.RequireScope(apikey.ScopeKeys)
	}
	if err != nil {
		return nil, err
	}
	switch revoked, err := a.accounts.RevokeKey(c.Request.Context(), owner.ID, id); {
	case err != nil:
		return nil, err
	case !revoked:
		return nil, a.unknownKey(c, owner.ID, id)
	}
	return web.JSONReply(http.StatusNoContent, nil)
}

// keyIDParam returns the key ID from the query parameters or the body.
func keyIDParam(c *web.Call) (string, error) {
	id := c.Query.Text("id")
	if c.Query.Err != nil {
		return "", c.Query.Err
	}
	if c.Request.ContentLength == 0 { // there is no body
		if id == "" {
			return "", &query.Error{Param: "id", Message: `is required: send the key's id as a parameter or in a body {"id": "key_…"}`}
		}
		return id, nil
	}
	var body struct {
		ID string `json:"id"`
	}
	if err := c.Decode(&body); err != nil {
		return "", err
	}
	switch {
	case body.ID == "":
		return "", web.InvalidBody([]web.FieldError{{Field: "id", Message: "is required: send the key's id"}})
	case id != "" && id != body.ID:
		return "", web.InvalidBody([]web.FieldError{{Field: "id", Message: "does not match the id parameter; name a single key"}})
	}
	return body.ID, nil
}

// unknownKey returns the problem for a key that is not an active key of this account. It is the
// same whether or not another account has the key.
func (a *API) unknownKey(c *web.Call, accountID, id string) error {
	if strings.HasPrefix(id, apikey.Prefix) {
		// The ID may actually be a complete key, so do not repeat it.
		return web.NewProblem("unknown-key", "This looks like the key itself; use its id, which starts with key_. GET /api/developer/api-keys lists the ids.")
	}
	list, err := a.state.Keys(c.Request.Context(), accountID)
	if err != nil {
		return web.StateProblem(err)
	}
	ids := each(list, func(k apikey.Key) string { return k.ID })
	p := web.NewProblem("unknown-key", "Your account has no active key "+web.Shorten(id)+"; GET /api/developer/api-keys lists its keys.")
	return p.WithSuggestion(didyoumean.Name(id, ids))
}

// RevokeLeakedKey handles POST /api/developer/api-keys/revoke.
//
// Anyone who has a leaked key can revoke it, as its owner would want. No other key is
// needed. The response reveals no more about the key than using it would.
func (a *API) RevokeLeakedKey(c *web.Call) (*web.Reply, error) {
	if wait, ok := c.Shared.Limits.Allow(ratelimit.ReportKey, c.Shared.Proxies.Client(c.Request), 1); !ok {
		return nil, web.NewProblem("rate-limited", fmt.Sprintf("An IP address can report at most %d keys per hour.", ratelimit.ReportKey.Address)+
			c.Shared.ContactSentence(" To report more, write to %s.")).RetryAfter(wait)
	}
	c.SetDeadline()
	var body struct {
		Key string `json:"key"`
	}
	if err := c.Decode(&body); err != nil {
		return nil, err
	}
	secret, err := apikey.Parse(body.Key) // the checksum rejects most strings that cannot be keys
	if err != nil {
		return nil, web.InvalidBody([]web.FieldError{{Field: "key", Message: strings.TrimPrefix(err.Error(), "this ")}})
	}
	ctx := storage.WithActor(c.Request.Context(), storage.Actor{Kind: storage.ByAnyone, Address: c.Shared.ClientAddress(c.Request)})
	err = a.state.Write(ctx, func(tx *storage.Tx) error {
		_, err := tx.RevokeReported(secret)
		return err
	})
	switch {
	case errors.Is(err, apikey.ErrUnknown):
		return nil, web.NewProblem("unknown-key", "This service never issued this key.")
	case err != nil:
		return nil, web.StateProblem(err)
	}
	return web.JSONReply(http.StatusNoContent, nil)
}

type auditEntry struct {
	ID      string                 `json:"id"`
	At      time.Time              `json:"at"`
	Action  storage.Action         `json:"action"`
	Actor   auditActor             `json:"actor"`
	Address jsonenc.OptionalString `json:"address"`
	Target  jsonenc.OptionalString `json:"target"`
	Detail  jsonenc.OptionalString `json:"detail"`
}

type auditActor struct {
	Kind storage.ActorKind      `json:"kind"`
	ID   jsonenc.OptionalString `json:"id"`
	Name jsonenc.OptionalString `json:"name"`
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
	entries, count, err := a.state.AuditLog(c.Request.Context(), c.Principal.Account.ID, before, l.page.Limit+1)
	if err != nil {
		return nil, web.StateProblem(err)
	}
	l.private = true
	return l.reply(count, addPage(l, entries, func(e storage.AuditEntry) any {
		return auditEntry{e.ID(), web.TruncateToSecond(e.At), e.Action, auditActor{e.Actor.Kind, jsonenc.OptionalString(e.Actor.ID), jsonenc.OptionalString(e.Actor.Name)},
			jsonenc.OptionalString(e.Actor.Address), jsonenc.OptionalString(e.Target), jsonenc.OptionalString(e.Detail)}
	}, func(last storage.AuditEntry) *query.Cursor {
		return position("audit", "", strconv.FormatInt(last.Seq, 10))
	})), nil
}

// CreateWebhook handles POST /api/webhooks.
func (a *API) CreateWebhook(c *web.Call) (*web.Reply, error) {
	var body account.NewWebhook
	if err := c.Decode(&body); err != nil {
		return nil, err
	}
	write, refused, err := a.accounts.CreateWebhook(c.Request.Context(), c.Served.Build.Kinds(), c.Principal.Account.ID, body)
	if err == nil && !account.HasIdempotencyKey(c) {
		err = refused
	}
	if err != nil {
		return nil, err
	}
	return a.accounts.Write(c, write)
}

// ListWebhooks handles GET /api/webhooks.
func (a *API) ListWebhooks(c *web.Call) (*web.Reply, error) {
	hooks, err := a.state.Webhooks(c.Request.Context(), c.Principal.Account.ID)
	if err != nil {
		return nil, web.StateProblem(err)
	}
	return privateList(c, hooks, func(w webhook.Webhook) any { return account.DescribeWebhook(w) }), nil
}

// OfWebhook returns a handler for the webhook with the ID in the path, if it belongs to the caller.
func (a *API) OfWebhook(answer func(*web.Call, webhook.Webhook) (*web.Reply, error)) web.Handler {
	return func(c *web.Call) (*web.Reply, error) {
		w, err := a.accounts.WebhookOf(c.Request.Context(), c.Principal.Account.ID, c.Param("id"))
		if err != nil {
			return nil, err
		}
		return answer(c, w)
	}
}

// Webhook handles GET /api/webhooks/:id.
func (a *API) Webhook(_ *web.Call, w webhook.Webhook) (*web.Reply, error) {
	return web.JSONReply(http.StatusOK, account.DescribeWebhook(w))
}

// DeleteWebhook handles DELETE /api/webhooks/:id.
func (a *API) DeleteWebhook(c *web.Call, w webhook.Webhook) (*web.Reply, error) {
	if err := a.accounts.DeleteWebhook(c.Request.Context(), w); err != nil {
		return nil, err
	}
	return web.JSONReply(http.StatusNoContent, nil)
}

// RotateWebhook handles POST /api/webhooks/:id/rotate.
func (a *API) RotateWebhook(c *web.Call, w webhook.Webhook) (*web.Reply, error) {
	if err := c.DecodeEmpty(); err != nil {
		return nil, err
	}
	return a.accounts.Write(c, a.accounts.RotateSecret(w))
}

// Deliveries handles GET /api/webhooks/:id/deliveries. The cursor identifies the last delivery
// returned, so new deliveries do not shift later pages.
func (a *API) Deliveries(c *web.Call, w webhook.Webhook) (*web.Reply, error) {
	status, l := c.Query.OneOf("status", "", webhook.Statuses), openList(c)
	after := l.after("delivery")
	q := storage.DeliveryQuery{WebhookID: w.ID, Status: webhook.Status(status), Limit: l.page.Limit + 1}
	if after != nil {
		if q.Before = after.Slug; !account.ValidID("dlv_", q.Before) {
			return nil, errCursor
		}
	}
	deliveries, count, err := a.state.Deliveries(c.Request.Context(), q)
	if err != nil {
		return nil, web.StateProblem(err)
	}
	l.private = true
	return l.reply(count, addPage(l, deliveries, func(d webhook.Delivery) any { return account.DescribeDelivery(d) },
		func(last webhook.Delivery) *query.Cursor { return position("delivery", "", last.ID) })), nil
}

// TestWebhook handles POST /api/webhooks/:id/test.
func (a *API) TestWebhook(c *web.Call, w webhook.Webhook) (*web.Reply, error) {
	return a.requestDelivery(c, account.RequestTest(w))
}

// ReplayDelivery handles POST /api/webhooks/:id/deliveries/:delivery/replay.
func (a *API) ReplayDelivery(c *web.Call, w webhook.Webhook) (*web.Reply, error) {
	write, err := account.RequestReplay(w, c.Param("delivery"))
	if err != nil {
		return nil, err
	}
	return a.requestDelivery(c, write)
}

func (a *API) requestDelivery(c *web.Call, write account.WriteFunc) (*web.Reply, error) {
	if err := c.DecodeEmpty(); err != nil {
		return nil, err
	}
	r, err := a.accounts.Write(c, write)
	if err == nil {
		a.accounts.Dispatch.Wake()
	}
	return r, err
}
