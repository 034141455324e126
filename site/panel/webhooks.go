package panel

import (
	"time"

	"kindex/exports/record"
)

// WebhooksPage lists the webhooks of an account, and makes new ones.
type WebhooksPage struct {
	Member
	Webhooks   []Webhook
	Most       int // webhooks that an account may have
	URL        string
	Chosen     []string // names of events
	URLFault   string
	EventFault string
	Refused    string // why none was made, where no field is to blame
	Once       string // tells a form that is sent again from another
	Status     int
}

// Head implements Page.
func (p *WebhooksPage) Head() Head {
	return Head{Template: "panel-webhooks", Title: "Webhooks", Status: p.Status}
}

// Full tells that the account may have no further webhook.
func (p *WebhooksPage) Full() bool { return len(p.Webhooks) >= p.Most }

// EventChoice is an event that a webhook may hear of.
type EventChoice struct {
	Name, Text string
	Chosen     bool
}

var eventTexts = map[string]string{"entity.created": "something new is in the index", "entity.updated": "something has changed",
	"entity.deleted": "something was deleted"}

// Events are all there are to choose from.
func (p *WebhooksPage) Events() []EventChoice {
	var list []EventChoice
	for _, name := range record.Events {
		c := EventChoice{Name: name, Text: eventTexts[name]}
		for _, chosen := range p.Chosen {
			c.Chosen = c.Chosen || chosen == name
		}
		list = append(list, c)
	}
	return list
}

// Webhook is a webhook as its owner sees it. A time that is nil has not been.
type Webhook struct {
	ID, URL        string
	Events         []string
	Active         bool
	CreatedAt      time.Time
	DisabledAt     *time.Time
	DisabledReason string
	FailingSince   *time.Time
	LastAttemptAt  *time.Time
	LastSuccessAt  *time.Time
	NextAttemptAt  *time.Time
}

// Path is where the webhook is looked after.
func (w Webhook) Path() string { return "/developer/webhooks/" + w.ID + "/" }

// State is "active", "failing" or "disabled".
func (w Webhook) State() string {
	switch {
	case !w.Active:
		return "disabled"
	case w.FailingSince != nil:
		return "failing"
	}
	return "active"
}

// NewWebhookPage shows the secret of a webhook that was just made or given another
// one, this once.
type NewWebhookPage struct {
	Member
	Webhook Webhook
	Secret  string
	// PreviousUntil is how long the secret before is valid, nil for a new webhook.
	PreviousUntil *time.Time
}

// Head implements Page.
func (p *NewWebhookPage) Head() Head {
	if p.PreviousUntil != nil {
		return Head{Template: "panel-newwebhook", Title: "A new secret", Scripts: copyScripts}
	}
	return Head{Template: "panel-newwebhook", Title: "A new webhook", Scripts: copyScripts}
}

// WebhookPage shows one webhook and a part of its log.
type WebhookPage struct {
	Member
	Webhook    Webhook
	Deliveries []Delivery
	Count      int    // of all deliveries
	Older      string // path of the next part of the log, "" at its end
	Later      bool   // this is not the first part
}

// Head implements Page.
func (*WebhookPage) Head() Head {
	return Head{Template: "panel-webhook", Title: "Webhook", Scripts: copyScripts}
}

// Pending tells that something is under way.
func (p *WebhookPage) Pending() bool {
	for _, d := range p.Deliveries {
		if d.Status == "pending" {
			return true
		}
	}
	return p.Webhook.NextAttemptAt != nil
}

// Delivery is an entry of the log of a webhook.
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
	ResponseStatus int   // 0: no answer came
	Milliseconds   int64 // of the last attempt
	Error          string
}

// RotateWebhookPage asks whether a webhook is to have another secret.
type RotateWebhookPage struct {
	Member
	Webhook Webhook
	Once    string // tells the form from every other one
}

// Head implements Page.
func (*RotateWebhookPage) Head() Head {
	return Head{Template: "panel-rotate", Title: "A new secret for a webhook"}
}

// DeleteWebhookPage asks whether a webhook is to be deleted.
type DeleteWebhookPage struct {
	Member
	Webhook Webhook
}

// Head implements Page.
func (*DeleteWebhookPage) Head() Head {
	return Head{Template: "panel-delete", Title: "Delete a webhook"}
}
