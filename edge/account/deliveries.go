package account

import (
	"net/http"
	"time"

	"kindex/edge/storage"
	"kindex/edge/web"
	"kindex/edge/webhook"
)

// DeliveryRecord is an entry in a webhook's delivery log.
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
		Status: string(d.Status), Attempts: d.Attempts, CreatedAt: web.TruncateToSecond(d.CreatedAt),
		LastAttemptAt: web.NullableTime(d.LastAttemptAt), NextAttemptAt: web.NullableTime(d.NextAt)}
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

// RequestTest returns the write that requests a test delivery to a webhook. The response body is a
// DeliveryRecord.
func RequestTest(w webhook.Webhook) WriteFunc {
	return func(tx *storage.Tx) (Result, error) {
		d, err := tx.RequestTest(w.AccountID, w.ID)
		if err != nil {
			return Result{}, webhookProblem(err, w.ID, "")
		}
		return Result{Status: http.StatusAccepted, Body: NewDeliveryRecord(d)}, nil
	}
}

// RequestReplay returns the write that requests another delivery of an event. The response body is
// a DeliveryRecord.
func RequestReplay(w webhook.Webhook, id string) (WriteFunc, error) {
	if !ValidID("dlv_", id) {
		return nil, webhookProblem(webhook.ErrUnknown, w.ID, id)
	}
	return func(tx *storage.Tx) (Result, error) {
		d, err := tx.RequestReplay(w.AccountID, w.ID, id)
		if err != nil {
			return Result{}, webhookProblem(err, w.ID, id)
		}
		return Result{Status: http.StatusAccepted, Body: NewDeliveryRecord(d)}, nil
	}, nil
}
