package edge

import (
	"fmt"
	"net/http"

	"kindex/edge/query"
	"kindex/edge/storage"
	"kindex/edge/webhook"
	"kindex/exports"
)

// GET /api/webhooks/:id/deliveries
//
// The cursor names the last delivery that was given, so that those which come on
// top while somebody reads move nothing.
func (a *API) deliveries(c *call) (*reply, error) {
	w, err := a.ownWebhook(c)
	if err != nil {
		return nil, err
	}
	status, err := c.query.OneOf("status", "", webhook.Statuses)
	if err != nil {
		return nil, err
	}
	page, err := c.query.Page(cursorScope(c), query.MaxLimit)
	if err != nil {
		return nil, err
	}
	q := storage.DeliveryQuery{WebhookID: w.ID, Status: webhook.Status(status), Limit: page.Limit + 1}
	if page.Cursor != nil {
		q.Before = &storage.DeliveryPlace{ID: page.Cursor.Slug}
		if _, err := fmt.Sscanf(page.Cursor.Value, "%d %d", &q.Before.CreatedMs, &q.Before.Seq); err != nil || page.Cursor.Type != "delivery" {
			return nil, &query.Error{Param: "cursor", Message: "does not belong to a log of deliveries; begin again without one"}
		}
	}
	list, count, err := a.state.Deliveries(c.request.Context(), q)
	if err != nil {
		return nil, stateProblem(err)
	}
	var next *string
	if len(list) > page.Limit {
		list = list[:page.Limit]
		last := list[page.Limit-1]
		text := query.Cursor{Place: exports.Place{Value: fmt.Sprint(last.CreatedAt.UnixMilli(), last.Seq), Type: "delivery", Slug: last.ID}}.String(cursorScope(c))
		next = &text
	}
	data := make([]shownDelivery, len(list))
	for i, d := range list {
		data[i] = showDelivery(d)
	}
	return object(http.StatusOK, struct {
		Data       []shownDelivery `json:"data"`
		Count      int             `json:"count"`
		NextCursor *string         `json:"nextCursor"`
	}{data, count, next})
}

// POST /api/webhooks/:id/test
func (a *API) testWebhook(c *call) (*reply, error) {
	w, err := a.ownWebhook(c)
	if err != nil {
		return nil, err
	}
	return a.ask(c, askTest(w))
}

// POST /api/webhooks/:id/deliveries/:delivery/replay
func (a *API) replayDelivery(c *call) (*reply, error) {
	w, err := a.ownWebhook(c)
	if err != nil {
		return nil, err
	}
	do, err := askReplay(w, c.param("delivery"))
	if err != nil {
		return nil, err
	}
	return a.ask(c, do)
}

// ask has something sent outside its turn, and wakes who sends it.
func (a *API) ask(c *call, do write) (*reply, error) {
	if err := c.decodeNothing(); err != nil {
		return nil, err
	}
	r, err := a.accounts.writeOnce(c, do)
	if err == nil {
		a.accounts.dispatch.Wake()
	}
	return r, err
}
