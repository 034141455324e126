package edge

import (
	"net/http"
	"time"

	"kindex/edge/storage"
	"kindex/edge/webhook"
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
