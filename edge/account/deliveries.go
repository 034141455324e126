package account

import (
	"net/http"

	"kindex/edge/storage"
	"kindex/edge/web"
	"kindex/edge/webhook"
	"kindex/site/panel"
)

// DescribeDelivery describes a delivery to the owner of its webhook.
func DescribeDelivery(d webhook.Delivery) panel.Delivery {
	v := panel.Delivery{ID: d.ID, WebhookID: d.WebhookID, Kind: string(d.Kind), EventID: d.EventID, Event: d.Event,
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
// panel.Delivery.
func RequestTest(w webhook.Webhook) WriteFunc {
	return requested(w, "", func(tx *storage.Tx) (webhook.Delivery, error) { return tx.RequestTest(w.AccountID, w.ID) })
}

// RequestReplay returns the write that requests another delivery of an event. The response body is
// a panel.Delivery.
func RequestReplay(w webhook.Webhook, id string) (WriteFunc, error) {
	if !ValidID("dlv_", id) {
		return nil, webhookProblem(webhook.ErrUnknown, w.ID, id)
	}
	return requested(w, id, func(tx *storage.Tx) (webhook.Delivery, error) { return tx.RequestReplay(w.AccountID, w.ID, id) }), nil
}

func requested(w webhook.Webhook, id string, request func(*storage.Tx) (webhook.Delivery, error)) WriteFunc {
	return func(tx *storage.Tx) (Result, error) {
		d, err := request(tx)
		return Result{Status: http.StatusAccepted, Body: DescribeDelivery(d)}, webhookProblem(err, w.ID, id)
	}
}
