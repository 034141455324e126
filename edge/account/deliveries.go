package account

import (
	"net/http"
	"time"

	"kindex/edge/storage"
	"kindex/edge/web"
	"kindex/edge/webhook"
)

// DeliveryRecord is an entry of the log of a webhook.
type DeliveryRecord struct {
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

func NewDeliveryRecord(d webhook.Delivery) DeliveryRecord {
	v := DeliveryRecord{ID: d.ID, WebhookID: d.WebhookID, Kind: string(d.Kind), EventID: d.EventID, Event: d.Event,
		Status: string(d.Status), Attempts: d.Attempts, CreatedAt: web.Second(d.CreatedAt),
		LastAttemptAt: web.TimeOrNull(d.LastAttemptAt), NextAttemptAt: web.TimeOrNull(d.NextAt)}
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

// AskTest is the write that has a test sent to a webhook, and has a DeliveryRecord
// as its body.
func AskTest(w webhook.Webhook) WriteFunc {
	return func(tx *storage.Tx) (Result, error) {
		d, err := tx.AskTest(w.AccountID, w.ID)
		if err != nil {
			return Result{}, webhookProblem(err, w.ID, "")
		}
		return Result{Status: http.StatusAccepted, Body: NewDeliveryRecord(d)}, nil
	}
}

// AskReplay is the write that has the event of a delivery sent once more, and has a
// DeliveryRecord as its body.
func AskReplay(w webhook.Webhook, id string) (WriteFunc, error) {
	if !PlausibleID("dlv_", id) {
		return nil, webhookProblem(webhook.ErrUnknown, w.ID, id)
	}
	return func(tx *storage.Tx) (Result, error) {
		d, err := tx.AskReplay(w.AccountID, w.ID, id)
		if err != nil {
			return Result{}, webhookProblem(err, w.ID, id)
		}
		return Result{Status: http.StatusAccepted, Body: NewDeliveryRecord(d)}, nil
	}, nil
}
