package edge

import (
	"fmt"
	"net/http"
	"time"

	"kindex/edge/query"
	"kindex/edge/storage"
	"kindex/edge/webhook"
	"kindex/exports"
)

// shownDelivery is an entry of the log of a webhook.
type shownDelivery struct {
	ID             string     `json:"id"`
	WebhookID      string     `json:"webhookId"`
	Kind           string     `json:"kind"`
	EventID        string     `json:"eventId"`
	Event          string     `json:"event"`
	Status         string     `json:"status"`
	Attempts       int        `json:"attempts"`
	CreatedAt      time.Time  `json:"createdAt"`
	LastAttemptAt  *time.Time `json:"lastAttemptAt"`
	NextAttemptAt  *time.Time `json:"nextAttemptAt"`
	ResponseStatus *int       `json:"responseStatus"`
	DurationMs     *int64     `json:"durationMs"`
	Error          *string    `json:"error"`
}

func showDelivery(d webhook.Delivery) shownDelivery {
	v := shownDelivery{ID: d.ID, WebhookID: d.WebhookID, Kind: string(d.Kind), EventID: d.EventID, Event: d.Event,
		Status: string(d.Status), Attempts: d.Attempts, CreatedAt: second(d.CreatedAt),
		LastAttemptAt: perhaps(d.LastAttemptAt), NextAttemptAt: perhaps(d.NextAt)}
	if d.ResponseStatus != 0 {
		v.ResponseStatus = &d.ResponseStatus
	}
	if d.Error != "" {
		v.Error = &d.Error
	}
	if d.Attempts > 0 {
		took := d.Took.Milliseconds()
		v.DurationMs = &took
	}
	return v
}

// GET /api/webhooks/:id/deliveries
//
// The cursor names the last delivery that was given, so that those which come on
// top while somebody reads move nothing.
func (s *Server) deliveries(c *call) (*reply, error) {
	w, err := c.ownWebhook()
	if err != nil {
		return nil, err
	}
	status, err := c.query.OneOf("status", "", webhook.Statuses)
	if err != nil {
		return nil, err
	}
	page, err := c.query.Page(c.scope(), query.MaxLimit)
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
	list, count, err := s.state.Deliveries(c.request.Context(), q)
	if err != nil {
		return nil, stateProblem(err)
	}
	var next *string
	if len(list) > page.Limit {
		list = list[:page.Limit]
		last := list[page.Limit-1]
		text := query.Cursor{Place: exports.Place{Value: fmt.Sprint(last.CreatedAt.UnixMilli(), last.Seq), Type: "delivery", Slug: last.ID}}.String(c.scope())
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
func (s *Server) testWebhook(c *call) (*reply, error) {
	w, err := c.ownWebhook()
	if err != nil {
		return nil, err
	}
	return s.ask(c, askTest(w))
}

// askTest is the write that has a test sent to a webhook, and has a shownDelivery
// as its body.
func askTest(w webhook.Webhook) write {
	return func(tx *storage.Tx) (outcome, error) {
		d, err := tx.AskTest(w.AccountID, w.ID)
		if err != nil {
			return outcome{}, webhookProblem(err, w.ID, "")
		}
		return outcome{status: http.StatusAccepted, body: showDelivery(d)}, nil
	}
}

// POST /api/webhooks/:id/deliveries/:delivery/replay
func (s *Server) replayDelivery(c *call) (*reply, error) {
	w, err := c.ownWebhook()
	if err != nil {
		return nil, err
	}
	do, err := askReplay(w, c.param("delivery"))
	if err != nil {
		return nil, err
	}
	return s.ask(c, do)
}

// askReplay is the write that has the event of a delivery sent once more, and has a
// shownDelivery as its body.
func askReplay(w webhook.Webhook, id string) (write, error) {
	if !plausibleID("dlv_", id) {
		return nil, webhookProblem(webhook.ErrUnknown, w.ID, id)
	}
	return func(tx *storage.Tx) (outcome, error) {
		d, err := tx.AskReplay(w.AccountID, w.ID, id)
		if err != nil {
			return outcome{}, webhookProblem(err, w.ID, id)
		}
		return outcome{status: http.StatusAccepted, body: showDelivery(d)}, nil
	}, nil
}

// ask has something sent outside its turn, and wakes who sends it.
func (s *Server) ask(c *call, do write) (*reply, error) {
	if err := c.decodeNothing(); err != nil {
		return nil, err
	}
	r, err := c.once(do)
	if err == nil {
		s.hooks.dispatch.Wake()
	}
	return r, err
}
