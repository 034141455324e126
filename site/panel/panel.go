// Package panel holds the pages of signing in and of the developer panel, as the edge
// fills them in and the templates show them.
package panel

import (
	"html/template"
	"time"

	"kindex/site/chart"
	"kindex/site/textfmt"
)

// Page is a page of signing in, or of the panel in which developers look after
// what is theirs. Whoever serves it has filled it in; the site adds its look.
type Page interface{ Head() Head }

// Head is what the layout needs to know of such a page.
type Head struct {
	Template    string // file name without .html
	Title       string
	Description string
	Status      int // 0 is 200
	Scripts     []string
}

// Member is who is signed in.
type Member struct {
	Account string // its name
	Token   string // for each form
}

// SignInPage lets people choose whom they sign in with.
type SignInPage struct{ Providers []SignInProvider }

// SignInProvider vouches for people. Its form is sent to /signin/<Name>.
type SignInProvider struct{ Name, Title string }

// Head implements Page.
func (*SignInPage) Head() Head {
	return Head{Template: "panel-signin", Title: "Sign in", Description: "Sign in to get an API key."}
}

// FirstKeyPage shows the key that came with a new account, this once.
type FirstKeyPage struct {
	Account string
	Login   string // what they are called at the provider, "" where it has not said
	Key     string
}

// Head implements Page.
func (*FirstKeyPage) Head() Head {
	return Head{Template: "panel-firstkey", Title: "Your API key", Scripts: copyScripts}
}

// RefusalPage says why something was not done.
type RefusalPage struct {
	Member  // nobody where that is not known
	Status  int
	Heading string
	Text    string
	Back    string // path of the page to go on at
	BackTo  string // and what it is called
}

// Head implements Page.
func (p *RefusalPage) Head() Head {
	return Head{Template: "panel-refusal", Title: p.Heading, Status: p.Status}
}

var copyScripts = []string{"panel.js"}

// DeveloperPage shows what an account has used of its limit, and its keys.
type DeveloperPage struct {
	Member
	Use     Use
	Keys    []APIKey
	Most    int // keys that an account may have
	Name    string
	Fault   string // what is wrong with Name
	Scopes  []ScopeChoice
	Lives   []LifeChoice
	Life    string // the value of the chosen one
	Refused string // why no key was made, where no field is to blame
	Once    string // tells a form that is sent again from another
	Status  int

	ScopeFault, LifeFault string // what is wrong with the choices
}

// ScopeChoice is something that a new key may be allowed.
type ScopeChoice struct {
	Name, Text string
	Chosen     bool
}

// LifeChoice is when a new key may expire.
type LifeChoice struct{ Value, Text string }

// Head implements Page.
func (p *DeveloperPage) Head() Head {
	return Head{Template: "panel-keys", Title: "API keys", Status: p.Status}
}

// Full tells that the account may have no further key.
func (p *DeveloperPage) Full() bool { return len(p.Keys) >= p.Most }

// APIKey is an API key, as far as it can be shown.
type APIKey struct {
	ID, Name, Masked string
	Scopes           []string
	Legacy           bool       // older than scopes, so that it has all of them
	ExpiresAt        *time.Time // nil: never
	CreatedAt        time.Time
	LastUsedAt       *time.Time // nil: never
}

// AuditPage shows what was done with an account, the newest first.
type AuditPage struct {
	Member
	Entries   []AuditEntry
	Count     int    // on all pages
	Older     string // path of the next page, "" for none
	Later     bool   // this is not the first page
	Days      int    // for which entries are kept
	PerAction int    // entries that are kept of each action
}

// Head implements Page.
func (*AuditPage) Head() Head { return Head{Template: "panel-audit", Title: "Audit log"} }

// AuditEntry is an entry of the audit log.
type AuditEntry struct {
	At                                     time.Time
	Action, Actor, Address, Target, Detail string
}

// Use is how much of its limit an account has used.
type Use struct {
	Used, Limit int64
	Window      time.Duration
	Reset       time.Time
	Unknown     bool // it cannot be read
	Unlimited   bool // requests are not counted
	Arranged    bool // the operator has arranged the limit with the account
}

// Left is what remains.
func (u Use) Left() int64 { return max(0, u.Limit-u.Used) }

// Level is how near the limit is: "", "near" from four fifths on, or "full".
func (u Use) Level() string {
	switch {
	case u.Used >= u.Limit:
		return "full"
	case u.Used*5 >= u.Limit*4:
		return "near"
	}
	return ""
}

// Daily tells that the limit is for a UTC day.
func (u Use) Daily() bool { return u.Window == 24*time.Hour }

// Span is the window in words.
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

// Picture draws the use as a bar.
func (u Use) Picture() template.HTML { return chart.Quota(u.Used, u.Limit) }

// NewKeyPage shows a key that was just made, this once.
type NewKeyPage struct {
	Member
	Name, Key string
}

// Head implements Page.
func (*NewKeyPage) Head() Head {
	return Head{Template: "panel-newkey", Title: "A new key", Scripts: copyScripts}
}

// RevokeKeyPage asks whether a key is to be revoked.
type RevokeKeyPage struct {
	Member
	Key APIKey
}

// Head implements Page.
func (*RevokeKeyPage) Head() Head {
	return Head{Template: "panel-revoke", Title: "Revoke a key"}
}
