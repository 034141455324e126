package panel

import (
	"slices"
	"time"

	"kindex/exports/record"
)

// Webhooks lists the webhooks of an account and contains the form for new ones.
type Webhooks struct {
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
}

// Full reports whether the account has reached the webhook limit.
func (p *Webhooks) Full() bool { return len(p.Webhooks) >= p.Most }

var eventTexts = map[string]string{"entity.created": "an entity was added", "entity.updated": "an entity changed",
	"entity.deleted": "an entity was deleted", "entity.retiring": "an entity retires in 30 or 7 days"}

// Events returns all events to choose from.
func (p *Webhooks) Events() (list []Choice) {
	for _, name := range record.WebhookEvents {
		list = append(list, Choice{name, eventTexts[name], slices.Contains(p.Chosen, name)})
	}
	return list
}

// Registration is what never changes about a webhook but for Active.
type Registration struct {
	ID        string    `json:"id"`
	URL       string    `json:"url"`
	Events    []string  `json:"events"`
	Fields    []string  `json:"fields"`  // if there are any, it receives only changes of these
	Figures   bool      `json:"figures"` // it receives changes of figures alone
	Active    bool      `json:"active"`
	CreatedAt time.Time `json:"createdAt"`
}

// Webhook is a webhook as the panel and the API show it to its owner, without its secret. A nil time
// means never.
type Webhook struct {
	Registration
	DisabledAt     *time.Time `json:"disabledAt"`
	DisabledReason *string    `json:"disabledReason"`
	FailingSince   *time.Time `json:"failingSince"`
	LastAttemptAt  *time.Time `json:"lastAttemptAt"`
	LastSuccessAt  *time.Time `json:"lastSuccessAt"`
	NextAttemptAt  *time.Time `json:"nextAttemptAt"`
}

// Path returns the path of the webhook's page.
func (w Registration) Path() string { return "/developer/webhooks/" + w.ID + "/" }

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

// NewSecret shows the secret of a new webhook, or the new secret of an existing webhook.
// The secret is shown only once.
type NewSecret struct {
	Webhook       Registration
	Secret        string
	PreviousUntil *time.Time // when the previous secret expires, or nil for a new webhook
}

// Deliveries shows one webhook and one page of its log.
type Deliveries struct {
	List
	Webhook    Webhook
	Deliveries []Delivery
}

// Pending reports whether a delivery is pending.
func (p *Deliveries) Pending() bool {
	return p.Webhook.NextAttemptAt != nil || slices.ContainsFunc(p.Deliveries, func(d Delivery) bool { return d.Status == "pending" })
}

// Delivery is an entry in a webhook's log, as the panel and the API show it to its owner.
type Delivery struct {
	ID             string     `json:"id"`
	WebhookID      string     `json:"webhookId"`
	Kind           string     `json:"kind"` // event, test or replay
	EventID        string     `json:"eventId"`
	Event          string     `json:"event"`
	Status         string     `json:"status"` // pending, succeeded or failed
	Attempts       int        `json:"attempts"`
	CreatedAt      time.Time  `json:"createdAt"`
	LastAttemptAt  *time.Time `json:"lastAttemptAt"`
	NextAttemptAt  *time.Time `json:"nextAttemptAt"`
	ResponseStatus *int       `json:"responseStatus"` // nil if there was no response
	DurationMs     *int64     `json:"durationMs"`     // of the last attempt
	Error          *string    `json:"error"`
}

// Milliseconds returns how long the last attempt took.
func (d Delivery) Milliseconds() int64 {
	if d.DurationMs == nil {
		return 0
	}
	return *d.DurationMs
}

// Rotation asks for confirmation to rotate the secret of a webhook.
type Rotation struct {
	Webhook
	Once string // detects a form that is submitted twice
}
