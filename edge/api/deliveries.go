package api

import (
	"fmt"
	"net/http"

	"kindex/edge/account"
	"kindex/edge/query"
	"kindex/edge/storage"
	"kindex/edge/web"
	"kindex/edge/webhook"
	"kindex/exports/view"
)

// Deliveries handles GET /api/webhooks/:id/deliveries. The cursor identifies the last delivery
// returned, so new deliveries do not shift later pages.
func (a *API) Deliveries(c *web.Call) (*web.Reply, error) {
	w, err := a.ownWebhook(c)
	if err != nil {
		return nil, err
	}
	status, err := c.Query.OneOf("status", "", webhook.Statuses)
	if err != nil {
		return nil, err
	}
	page, err := readPage(c)
	if err != nil {
		return nil, err
	}
	q := storage.DeliveryQuery{WebhookID: w.ID, Status: webhook.Status(status), Limit: page.Limit + 1}
	if page.Cursor != nil {
		q.Before = &storage.DeliveryPosition{ID: page.Cursor.Slug}
		if _, err := fmt.Sscanf(page.Cursor.Value, "%d %d", &q.Before.CreatedMs, &q.Before.Seq); err != nil || page.Cursor.Type != "delivery" {
			return nil, &query.Error{Param: "cursor", Message: "is not a valid delivery log cursor; start again without a cursor"}
		}
	}
	list, count, err := a.state.Deliveries(c.Request.Context(), q)
	if err != nil {
		return nil, web.StateProblem(err)
	}
	var next *string
	if len(list) > page.Limit {
		list = list[:page.Limit]
		last := list[page.Limit-1]
		text := query.Cursor{Position: view.Position{Value: fmt.Sprint(last.CreatedAt.UnixMilli(), last.Seq), Type: "delivery", Slug: last.ID}}.String(cursorScope(c))
		next = &text
	}
	data := make([]account.DeliveryRecord, len(list))
	for i, d := range list {
		data[i] = account.NewDeliveryRecord(d)
	}
	return web.JSONReply(http.StatusOK, struct {
		Data       []account.DeliveryRecord `json:"data"`
		Count      int                      `json:"count"`
		NextCursor *string                  `json:"nextCursor"`
	}{data, count, next})
}

// TestWebhook handles POST /api/webhooks/:id/test.
func (a *API) TestWebhook(c *web.Call) (*web.Reply, error) {
	w, err := a.ownWebhook(c)
	if err != nil {
		return nil, err
	}
	return a.requestDelivery(c, account.RequestTest(w))
}

// ReplayDelivery handles POST /api/webhooks/:id/deliveries/:delivery/replay.
func (a *API) ReplayDelivery(c *web.Call) (*web.Reply, error) {
	w, err := a.ownWebhook(c)
	if err != nil {
		return nil, err
	}
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
