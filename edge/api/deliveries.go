package api

import (
	"kindex/edge/account"
	"kindex/edge/query"
	"kindex/edge/storage"
	"kindex/edge/web"
	"kindex/edge/webhook"
)

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
	page := first(l, deliveries)
	for _, d := range page {
		l.add(account.DescribeDelivery(d))
	}
	var next *query.Cursor
	if len(deliveries) > len(page) {
		next = position("delivery", "", page[len(page)-1].ID)
	}
	return l.reply(count, next), nil
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
