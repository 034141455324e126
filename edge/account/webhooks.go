package account

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"kindex/builder/safedial"
	"kindex/edge/seal"
	"kindex/edge/storage"
	"kindex/edge/web"
	"kindex/edge/webhook"
	"kindex/exports/didyoumean"
	"kindex/exports/kinds"
	"kindex/exports/record"
	"kindex/site/panel"
)

func openSecrets(keys *seal.Keys, w *webhook.Webhook) (secrets []webhook.Secret, err error) {
	for _, sealed := range []string{w.SealedSecret, w.PreviousSealed} {
		if sealed == "" {
			continue
		}
		secret, err := keys.Open(sealed, webhook.Purpose, w.ID)
		if err != nil {
			return nil, err
		}
		secrets = append(secrets, webhook.Secret(secret))
	}
	return secrets, nil
}

// NewWebhook is a request for a webhook.
type NewWebhook struct {
	URL     string   `json:"url"`
	Events  []string `json:"events"`
	Fields  []string `json:"fields"`
	Figures *bool    `json:"figures"` // nil stands for true
}

// CreatedWebhook describes a new webhook, including its secret, which is shown only once.
type CreatedWebhook struct {
	panel.Registration
	Secret string `json:"secret"`
}

// DescribeWebhook describes a webhook to its owner.
func DescribeWebhook(w webhook.Webhook) panel.Webhook {
	v := panel.Webhook{Registration: panel.Registration{ID: w.ID, URL: w.URL, Events: w.Events, Fields: w.Fields, Figures: !w.IgnoreFigures,
		Active: w.Active(), CreatedAt: web.TruncateToSecond(w.CreatedAt)},
		DisabledAt: web.NullableTime(w.DisabledAt), FailingSince: web.NullableTime(w.FailingSince), LastAttemptAt: web.NullableTime(w.LastAttemptAt),
		LastSuccessAt: web.NullableTime(w.LastSuccessAt)}
	if w.Active() {
		v.NextAttemptAt = web.NullableTime(w.NextAt)
	} else {
		v.DisabledReason = &w.DisabledReason
	}
	return v
}

// CreateWebhook returns the write that adds a webhook to an account. The response body is a
// CreatedWebhook. If the webhook cannot be created, refused is the problem, which the write also
// returns. If the client has disconnected, err is set.
func (s *Service) CreateWebhook(ctx context.Context, declared *kinds.Set, account string, n NewWebhook) (write WriteFunc, refused, err error) {
	w := webhook.Webhook{ID: storage.NewID("wh_"), AccountID: account, Events: sortNames(n.Events, record.WebhookEvents),
		Fields: sortNames(n.Fields, record.ChangeFields(declared)), IgnoreFigures: n.Figures != nil && !*n.Figures}
	fieldErrors := append(checkNames("events", "an event", n.Events, record.WebhookEvents), checkNames("fields", "a field", n.Fields, record.ChangeFields(declared))...)
	if len(n.Events) == 0 {
		fieldErrors = append(fieldErrors, web.FieldError{Field: "events", Message: "must name at least one of " + strings.Join(record.WebhookEvents, ", ")})
	}
	if w.URL, err = s.Guard.CheckURL(ctx, n.URL); err != nil {
		var wrong *safedial.URLError
		if !errors.As(err, &wrong) {
			return nil, nil, err
		}
		fieldErrors = append([]web.FieldError{{Field: "url", Message: wrong.Error()}}, fieldErrors...)
	}
	secret := webhook.NewSecret()
	if s.Challenge && len(fieldErrors) == 0 {
		fault, err := s.Dispatch.Challenge(ctx, storage.NewID("evt_"), w.URL, secret)
		if err != nil {
			return nil, nil, err
		}
		if fault != "" {
			fieldErrors = append(fieldErrors, web.FieldError{Field: "url", Message: fault})
		}
	}
	refused = web.InvalidBody(fieldErrors)
	w.SealedSecret = s.OperatorKeys.Seal([]byte(secret.Reveal()), webhook.Purpose, w.ID)
	return func(tx *storage.Tx) (Result, error) {
		// The write returns this problem only if it is actually performed, so that a successful
		// write can be repeated even if the host no longer resolves.
		if refused != nil {
			return Result{}, refused
		}
		created, err := tx.CreateWebhook(w)
		if errors.Is(err, webhook.ErrTooMany) {
			return Result{}, web.NewProblem("too-many-webhooks", "An account can have at most 10 webhooks; delete one first.")
		}
		if err != nil {
			return Result{}, err
		}
		return Result{Status: http.StatusCreated, Location: "/api/webhooks/" + created.ID, secretID: created.ID,
			Body: CreatedWebhook{DescribeWebhook(created).Registration, secret.Reveal()}}, nil
	}, refused, nil
}

// checkNames returns the errors in a list of names in a field of the request.
func checkNames(field, what string, names, known []string) (fieldErrors []web.FieldError) {
	for i, name := range names {
		switch {
		case !slices.Contains(known, name):
			near := didyoumean.Name(name, known)
			fieldErrors = append(fieldErrors, web.FieldError{Field: field, Suggestion: near,
				Message: "has " + web.Shorten(name) + ", which is not " + what + "; " + didyoumean.Hint(near, known)})
		case slices.Contains(names[:i], name):
			fieldErrors = append(fieldErrors, web.FieldError{Field: field, Message: "has " + name + " twice"})
		}
		if len(fieldErrors) == 10 {
			break // enough to show what is wrong
		}
	}
	return fieldErrors
}

// sortNames returns the names in the order of all known ones, without unknown ones.
func sortNames(names, known []string) []string {
	return slices.DeleteFunc(append([]string{}, known...), func(name string) bool { return !slices.Contains(names, name) })
}

// WebhookOf returns an account's webhook.
func (s *Service) WebhookOf(ctx context.Context, account, id string) (w webhook.Webhook, err error) {
	if !ValidID("wh_", id) {
		return w, unknownWebhook(id)
	}
	w, err = s.State.Webhook(ctx, account, id)
	return w, webhookProblem(err, id, "")
}

// ValidID reports whether a string has the form of an id. Other strings are never passed to the
// database.
func ValidID(prefix, id string) bool {
	return strings.HasPrefix(id, prefix) && len(id) <= 64 && isVisibleASCII(id)
}

func unknownWebhook(id string) *web.Problem {
	return web.NewProblem("unknown-webhook", "Your account has no webhook "+web.Shorten(id)+"; GET /api/webhooks lists its webhooks.")
}

// webhookProblem converts an error from the state to a problem. Errors that the client caused
// become specific problems.
func webhookProblem(err error, id, delivery string) error {
	switch {
	case errors.Is(err, webhook.ErrUnknown) && delivery != "":
		return web.NewProblem("unknown-delivery", "This webhook has no delivery "+web.Shorten(delivery)+"; GET /api/webhooks/"+id+"/deliveries lists its deliveries from the last 30 days.")
	case errors.Is(err, webhook.ErrUnknown):
		return unknownWebhook(id)
	case errors.Is(err, webhook.ErrBusy):
		return web.NewProblem("too-many-waiting", "This webhook already has 100 pending tests and replays; wait until they have been sent.")
	}
	return web.StateProblem(err)
}

// RotatedWebhook describes a webhook's new secret, which is shown only once.
type RotatedWebhook struct {
	ID                      string    `json:"id"`
	Secret                  string    `json:"secret"`
	PreviousSecretExpiresAt time.Time `json:"previousSecretExpiresAt"`
}

// RotateSecret returns the write that gives a webhook a new secret. The response body is a
// RotatedWebhook. For a day, deliveries are also signed with the previous secret. Any older secret
// is dropped immediately, so two rotations in a row invalidate a leaked secret.
func (s *Service) RotateSecret(w webhook.Webhook) WriteFunc {
	secret := webhook.NewSecret()
	sealed := s.OperatorKeys.Seal([]byte(secret.Reveal()), webhook.Purpose, w.ID)
	until := s.Shared.Now().Add(webhook.RotationOverlap)
	return func(tx *storage.Tx) (Result, error) {
		err := tx.RotateWebhook(w.AccountID, w.ID, sealed, until)
		return Result{Status: http.StatusOK, secretID: w.ID, Body: RotatedWebhook{w.ID, secret.Reveal(), web.TruncateToSecond(until)}}, webhookProblem(err, w.ID, "")
	}
}

// DeleteWebhook deletes a webhook and its delivery log.
func (s *Service) DeleteWebhook(ctx context.Context, w webhook.Webhook) error {
	err := s.State.Write(ctx, func(tx *storage.Tx) error { return tx.DeleteWebhook(w.AccountID, w.ID) })
	return webhookProblem(err, w.ID, "")
}

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
