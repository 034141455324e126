package panel

import (
	"time"

	"kindex/exports/record"
)

// WebhooksPage lists the webhooks of an account and contains the form for new ones.
type WebhooksPage struct {
	Member
	Webhooks   []Webhook
	Most       int // maximum number of webhooks
	URL        string
	Chosen     []string // names of events
	Fields     string   // names of fields, as typed
	NoFigures  bool
	URLFault   string
	EventFault string
	FieldFault string
	Refused    string // why no webhook was created, if not because of an invalid field
	Once       string // detects a form that is submitted twice
	Status     int
}

// Full reports whether the account has reached the webhook limit.
func (p *WebhooksPage) Full() bool { return len(p.Webhooks) >= p.Most }

// EventChoice is an event that a webhook can receive.
type EventChoice struct {
	Name, Text string
	Chosen     bool
}

var eventTexts = map[string]string{"entity.created": "an entity was added", "entity.updated": "an entity changed",
	"entity.deleted": "an entity was deleted", "entity.retiring": "an entity retires in 30 or 7 days"}

// Events returns all events to choose from.
func (p *WebhooksPage) Events() []EventChoice {
	var list []EventChoice
	for _, name := range record.WebhookEvents {
		c := EventChoice{Name: name, Text: eventTexts[name]}
		for _, chosen := range p.Chosen {
			c.Chosen = c.Chosen || chosen == name
		}
		list = append(list, c)
	}
	return list
}

// Webhook is a webhook as its owner sees it. A nil time means never.
type Webhook struct {
	ID, URL        string
	Events         []string
	Fields         []string // if there are any, it receives only changes of these
	Figures        bool     // it receives changes of figures alone
	Active         bool
	CreatedAt      time.Time
	DisabledAt     *time.Time
	DisabledReason string
	FailingSince   *time.Time
	LastAttemptAt  *time.Time
	LastSuccessAt  *time.Time
	NextAttemptAt  *time.Time
}

// Path returns the path of the webhook's page.
func (w Webhook) Path() string { return "/developer/webhooks/" + w.ID + "/" }

// State returns "active", "failing" or "disabled".
func (w Webhook) State() string {
	switch {
	case !w.Active:
		return "disabled"
	case w.FailingSince != nil:
		return "failing"
	}
	return "active"
}

// NewWebhookPage shows the secret of a new webhook, or the new secret of an existing webhook.
// The secret is shown only once.
type NewWebhookPage struct {
	Member
	Webhook Webhook
	Secret  string
	// PreviousUntil is when the previous secret expires, or nil for a new webhook.
	PreviousUntil *time.Time
}

// WebhookPage shows one webhook and one page of its log.
type WebhookPage struct {
	Member
	Webhook    Webhook
	Deliveries []Delivery
	Count      int    // total number of deliveries
	Older      string // path of the next page of the log, or "" on the last page
	Later      bool   // this is not the first page
}

// Pending reports whether a delivery is pending.
func (p *WebhookPage) Pending() bool {
	for _, d := range p.Deliveries {
		if d.Status == "pending" {
			return true
		}
	}
	return p.Webhook.NextAttemptAt != nil
}

// Delivery is an entry in a webhook's log.
type Delivery struct {
	ID             string
	Kind           string // event, test or replay
	Event          string
	EventID        string
	Status         string // pending, succeeded or failed
	Attempts       int
	CreatedAt      time.Time
	LastAttemptAt  *time.Time
	NextAttemptAt  *time.Time
	ResponseStatus int   // 0 if there was no response
	Milliseconds   int64 // of the last attempt
	Error          string
}

// RotateWebhookPage asks for confirmation to rotate the secret of a webhook.
type RotateWebhookPage struct {
	Member
	Webhook Webhook
	Once    string // detects a form that is submitted twice
}

// DeleteWebhookPage asks for confirmation to delete a webhook.
type DeleteWebhookPage struct {
	Member
	Webhook Webhook
}
