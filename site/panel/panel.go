// Package panel defines the data for the pages of sign-in and of the developer panel,
// which the edge fills in and the templates show.
package panel

import (
	"html/template"
	"slices"
	"time"

	"kindex/exports/record"
	"kindex/exports/safetext"
	"kindex/site/chart"
	"kindex/site/siteurl"
	"kindex/site/textfmt"
)

// Page is a page of sign-in or of the developer panel. The edge fills it in; package pages renders it.
type Page struct {
	Template    string // file name without panel- and .html
	Title       string
	Description string
	Status      int  // HTTP status; 0 means 200
	Script      bool // it has something to copy, or follows a delivery
	Member      Member
	Data        any // what the template shows
	// Location is a path of the service that is shown instead, or "".
	Location string
}

// Member is the signed-in account; the zero value is nobody.
type Member struct {
	Account string // its name
	Token   string // CSRF token for forms
}

// Provider is a sign-in provider. Its form is sent to /signin/<Name>.
type Provider struct{ Name, Title string }

// NewKey shows a key, which is shown only once.
type NewKey struct {
	Name string // of the key or, for the first one of an account, of the user at the provider
	Key  string
}

// Refusal explains why a request was refused.
type Refusal struct {
	Heading string
	Text    string
	Back    string // path of the page to continue at
	BackTo  string // label of the link to it
}

// List is the part of a list that a page shows.
type List struct {
	Count int    // the number of entries on all pages
	Older string // path of the next page, or "" if there is none
	Later bool   // this is not the first page
}

// Keys shows the usage and the keys of an account.
type Keys struct {
	Use     Use
	Keys    []APIKey
	Most    int // maximum number of keys
	Name    string
	Fault   string // what is wrong with Name
	Scopes  []Choice
	Lives   []Choice
	Refused string // why no key was created, if not because of an invalid field
	Once    string // detects a form that is submitted twice

	ScopeFault, LifeFault string // what is wrong with the choices
}

// Choice is something that a form offers.
type Choice struct {
	Name, Text string
	Chosen     bool
}

// Full reports whether the account has reached the key limit.
func (p *Keys) Full() bool { return len(p.Keys) >= p.Most }

// APIKey is an API key without its secret, as the panel and the API show it to its owner.
type APIKey struct {
	ID         string     `json:"id"`
	Name       string     `json:"name"`
	Masked     string     `json:"masked"`
	Scopes     []string   `json:"scopes"`
	Legacy     bool       `json:"legacy"`    // created before scopes existed, so the key has all of them
	ExpiresAt  *time.Time `json:"expiresAt"` // nil if never
	CreatedAt  time.Time  `json:"createdAt"`
	LastUsedAt *time.Time `json:"lastUsedAt"` // nil if never
}

// Audit shows the audit log of an account, newest first.
type Audit struct {
	List
	Entries   []AuditEntry
	Days      int // retention of entries
	PerAction int // number of entries kept for each action
}

// AuditEntry is an entry in the audit log.
type AuditEntry struct {
	At                                     time.Time
	Action, Actor, Address, Target, Detail string
}

// Use is the usage of an account.
type Use struct {
	Used, Limit int64
	Window      time.Duration
	Reset       time.Time
	Unknown     bool // usage is not available
	Unlimited   bool // there is no limit
	Arranged    bool // the operator set a limit for this account
}

// Left returns the number of requests left.
func (u Use) Left() int64 { return max(0, u.Limit-u.Used) }

// Level returns how close the usage is to the limit: "", "near" if it is 80 percent or
// more, or "full".
func (u Use) Level() string {
	switch {
	case u.Used >= u.Limit:
		return "full"
	case u.Used*5 >= u.Limit*4:
		return "near"
	}
	return ""
}

// Daily reports whether the limit is for a UTC day.
func (u Use) Daily() bool { return u.Window == 24*time.Hour }

// Span returns the window in words.
func (u Use) Span() string {
	for _, unit := range []struct {
		length time.Duration
		name   string
	}{{24 * time.Hour, "day"}, {time.Hour, "hour"}, {time.Minute, "minute"}} {
		if n := int(u.Window / unit.length); n > 0 && u.Window%unit.length == 0 {
			return textfmt.Plural(n, unit.name, unit.name+"s")
		}
	}
	return textfmt.Plural(int(u.Window/time.Second), "second", "seconds")
}

// Picture draws the usage as a bar.
func (u Use) Picture() template.HTML { return chart.Quota(u.Used, u.Limit) }

// Submissions lists the submissions of an account, newest first.
type Submissions struct {
	List
	Submissions []Submission
	Open        int // the number of open submissions: neither published nor closed
	MaxOpen     int // maximum number of open submissions
}

// Submission is a proposed entity and its status. YAML, Changes and Withdrawable are filled in only
// on its own page.
type Submission struct {
	ID          string
	Type, Slug  string
	Name, URL   string
	Status      string // pending, in-review, accepted, published, rejected or withdrawn
	Reason      string // why the submission was rejected
	PullRequest string // URL of the pull request, or "" if there is none
	Number      int64  // number of the pull request, or 0 if there is none
	CreatedAt   time.Time
	UpdatedAt   time.Time
	Amends      bool // it corrects an existing entity

	YAML         string
	Changes      string // what a correction changes
	Withdrawable bool
}

// Path returns the path of the submission's page.
func (s Submission) Path() string { return "/developer/submissions/" + s.ID + "/" }

// Entity returns the path of the entity once it is published.
func (s Submission) Entity() string { return siteurl.Entity(s.Type, s.Slug) }

var submissionSteps = map[string]string{
	"pending": "is waiting for review", "in-review": "is being reviewed in a pull request", "accepted": "was accepted and will be in the next build",
	"published": "is in the index", "rejected": "was rejected", "withdrawn": "was withdrawn by you",
}

// Says returns the state in words.
func (s Submission) Says() string { return submissionSteps[s.Status] }

const longFile = 50_000

// File returns the YAML with hidden characters escaped.
func (s Submission) File() string { return textfmt.Truncate(safetext.EscapeLines(s.YAML), longFile) }

// Changed returns Changes with hidden characters escaped.
func (s Submission) Changed() string {
	return textfmt.Truncate(safetext.EscapeLines(s.Changes), longFile)
}

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
