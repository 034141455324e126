package api

import (
	"net/http"

	"kindex/edge/account"
	"kindex/edge/query"
	"kindex/edge/storage"
	"kindex/edge/web"
	"kindex/edge/webhook"
)

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

// requestDelivery requests an extra delivery and wakes the dispatcher.
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
