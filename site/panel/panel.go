// Package panel defines the data for the pages of sign-in and of the developer panel,
// which the edge fills in and the templates show.
package panel

import (
	"fmt"
	"html/template"
	"time"

	"kindex/site/chart"
	"kindex/site/textfmt"
)

// Page is a sign-in page or a page of the developer panel: a pointer to one of the types whose names end in
// Page. The edge fills it in; package pages renders it.
type Page any

// Head is the metadata of a page, for the layout.
type Head struct {
	Template    string // file name without .html
	Title       string
	Description string
	Status      int // HTTP status; 0 means 200
	Scripts     []string
}

// HeadOf returns the metadata of a page.
func HeadOf(page Page) Head {
	copyScripts := []string{"panel.js"}
	switch p := page.(type) {
	case *SignInPage:
		return Head{Template: "panel-signin", Title: "Sign in", Description: "Sign in to get an API key."}
	case *FirstKeyPage:
		return Head{Template: "panel-firstkey", Title: "Your API key", Scripts: copyScripts}
	case *RefusalPage:
		return Head{Template: "panel-refusal", Title: p.Heading, Status: p.Status}
	case *DeveloperPage:
		return Head{Template: "panel-keys", Title: "API keys", Status: p.Status}
	case *AuditPage:
		return Head{Template: "panel-audit", Title: "Audit log"}
	case *NewKeyPage:
		return Head{Template: "panel-newkey", Title: "New key", Scripts: copyScripts}
	case *RevokeKeyPage:
		return Head{Template: "panel-revoke", Title: "Revoke a key"}
	case *SubmissionsPage:
		return Head{Template: "panel-submissions", Title: "Submissions"}
	case *SubmissionPage:
		return Head{Template: "panel-submission", Title: p.Submission.Name}
	case *WebhooksPage:
		return Head{Template: "panel-webhooks", Title: "Webhooks", Status: p.Status}
	case *NewWebhookPage:
		if p.PreviousUntil != nil {
			return Head{Template: "panel-newwebhook", Title: "New secret", Scripts: copyScripts}
		}
		return Head{Template: "panel-newwebhook", Title: "New webhook", Scripts: copyScripts}
	case *WebhookPage:
		return Head{Template: "panel-webhook", Title: "Webhook", Scripts: copyScripts}
	case *RotateWebhookPage:
		return Head{Template: "panel-rotate", Title: "Rotate a webhook secret"}
	case *DeleteWebhookPage:
		return Head{Template: "panel-delete", Title: "Delete a webhook"}
	}
	panic(fmt.Sprintf("panel: %T is no page", page))
}

// Member is the signed-in account.
type Member struct {
	Account string // its name
	Token   string // CSRF token for forms
}

// SignInPage lets people choose a sign-in provider.
type SignInPage struct{ Providers []SignInProvider }

// SignInProvider is a sign-in provider. Its form is sent to /signin/<Name>.
type SignInProvider struct{ Name, Title string }

// FirstKeyPage shows the first key of a new account. The key is shown only once.
type FirstKeyPage struct {
	Account string
	Login   string // user name at the provider, or "" if unknown
	Key     string
}

// RefusalPage explains why a request was refused.
type RefusalPage struct {
	Member  // unknown if zero
	Status  int
	Heading string
	Text    string
	Back    string // path of the page to continue at
	BackTo  string // label of the link to it
}

// DeveloperPage shows the usage and the keys of an account.
type DeveloperPage struct {
	Member
	Use     Use
	Keys    []APIKey
	Most    int // maximum number of keys
	Name    string
	Fault   string // what is wrong with Name
	Scopes  []Choice
	Lives   []LifeChoice
	Life    string // the Value of the chosen lifetime
	Refused string // why no key was created, if not because of an invalid field
	Once    string // detects a form that is submitted twice
	Status  int

	ScopeFault, LifeFault string // what is wrong with the choices
}

// Choice is a scope that a new key can have, or an event that a webhook can receive.
type Choice struct {
	Name, Text string
	Chosen     bool
}

// LifeChoice is a lifetime that a new key can have.
type LifeChoice struct{ Value, Text string }

// Full reports whether the account has reached the key limit.
func (p *DeveloperPage) Full() bool { return len(p.Keys) >= p.Most }

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

// AuditPage shows the audit log of an account, newest first.
type AuditPage struct {
	Member
	Entries   []AuditEntry
	Count     int    // the number of entries on all pages
	Older     string // path of the next page, or "" if there is none
	Later     bool   // this is not the first page
	Days      int    // retention of entries
	PerAction int    // number of entries kept for each action
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

// NewKeyPage shows a new key. The key is shown only once.
type NewKeyPage struct {
	Member
	Name, Key string
}

// RevokeKeyPage asks for confirmation to revoke a key.
type RevokeKeyPage struct {
	Member
	Key APIKey
}
