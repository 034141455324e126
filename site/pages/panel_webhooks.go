package pages

import (
	"time"

	"kindex/exports/record"
	"kindex/exports/safetext"
)

// WebhooksPage lists the webhooks of an account, and makes new ones.
type WebhooksPage struct {
	Member
	Webhooks   []PanelWebhook
	Most       int // webhooks that an account may have
	URL        string
	Chosen     []string // names of events
	URLFault   string
	EventFault string
	Refused    string // why none was made, where no field is to blame
	Once       string // tells a form that is sent again from another
	Status     int
}

func (p *WebhooksPage) panel() *page {
	return &page{Template: "panel-webhooks", Title: "Webhooks", Status: p.Status}
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

// PanelWebhook is a webhook as its owner sees it. A time that is nil has not been.
type PanelWebhook struct {
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
func (w PanelWebhook) Path() string { return "/developer/webhooks/" + w.ID + "/" }

// State is "active", "failing" or "disabled".
func (w PanelWebhook) State() string {
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
	Webhook PanelWebhook
	Secret  string
	// PreviousUntil is how long the secret before is valid, nil for a new webhook.
	PreviousUntil *time.Time
}

func (p *NewWebhookPage) panel() *page {
	if p.PreviousUntil != nil {
		return &page{Template: "panel-newwebhook", Title: "A new secret", Scripts: panelScripts}
	}
	return &page{Template: "panel-newwebhook", Title: "A new webhook", Scripts: panelScripts}
}

// WebhookPage shows one webhook and a part of its log.
type WebhookPage struct {
	Member
	Webhook    PanelWebhook
	Deliveries []PanelDelivery
	Count      int    // of all deliveries
	Older      string // path of the next part of the log, "" at its end
	Later      bool   // this is not the first part
}

func (*WebhookPage) panel() *page {
	return &page{Template: "panel-webhook", Title: "Webhook", Scripts: panelScripts}
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

// PanelDelivery is an entry of the log of a webhook.
type PanelDelivery struct {
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
	Webhook PanelWebhook
	Once    string // tells the form from every other one
}

func (*RotateWebhookPage) panel() *page {
	return &page{Template: "panel-rotate", Title: "A new secret for a webhook"}
}

// DeleteWebhookPage asks whether a webhook is to be deleted.
type DeleteWebhookPage struct {
	Member
	Webhook PanelWebhook
}

func (*DeleteWebhookPage) panel() *page {
	return &page{Template: "panel-delete", Title: "Delete a webhook"}
}

// SubmissionsPage lists what an account has submitted, the newest first.
type SubmissionsPage struct {
	Member
	Submissions []PanelSubmission
	Count       int    // of all
	Open        int    // those that no build holds yet and nobody has closed
	MaxOpen     int    // the number of open ones that the account may have
	Older       string // path of the next part, "" at the end
	Later       bool   // this is not the first part
}

func (*SubmissionsPage) panel() *page {
	return &page{Template: "panel-submissions", Title: "Submissions"}
}

// PanelSubmission is a proposed entity and how far it has come.
type PanelSubmission struct {
	ID          string
	Type, Slug  string
	Name, URL   string
	Status      string // pending, in-review, accepted, published, rejected or withdrawn
	Reason      string // why it was rejected
	PullRequest string // its address, "" for none
	Number      int64  // of the pull request, 0 for none
	CreatedAt   time.Time
	UpdatedAt   time.Time
	YAML        string // single ones only

	Withdrawable bool // its status allows that; single ones only
}

// Path is where the submission is shown.
func (s PanelSubmission) Path() string { return "/developer/submissions/" + s.ID + "/" }

// Entity is where the entity is, once it is published.
func (s PanelSubmission) Entity() string { return entityPath(s.Type, s.Slug) }

// submissionSteps say what the states mean.
var submissionSteps = map[string]string{
	"pending": "waits for somebody to look at it", "in-review": "is looked at in a pull request", "accepted": "is accepted, and comes with the next build",
	"published": "is in the index", "rejected": "was not taken in", "withdrawn": "was withdrawn by you",
}

// Says is the state in words.
func (s PanelSubmission) Says() string { return submissionSteps[s.Status] }

// longFile is how much of a file is shown, in characters.
const longFile = 50_000

// File is the YAML, with escapes in the place of hidden characters.
func (s PanelSubmission) File() string { return cut(safetext.EscapeLines(s.YAML), longFile) }

// SubmissionPage shows one submission with its file.
type SubmissionPage struct {
	Member
	Submission PanelSubmission
}

func (p *SubmissionPage) panel() *page {
	return &page{Template: "panel-submission", Title: p.Submission.Name}
}
