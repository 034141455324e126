package pages

import (
	"cmp"
	"html/template"
	"net/http"
	"strconv"
	"time"
)

// Panel is a page of signing in, or of the panel in which developers look after
// what is theirs. Whoever serves it has filled it in; the site adds its look.
type Panel interface{ panel() *page }

// Panel renders such a page. It may hold secrets: nobody may keep the answer.
func (s *Site) Panel(q Request, v Panel) (*Answer, error) {
	p := v.panel()
	p.Data, p.NoIndex, p.Section = v, true, "/developer/"
	p.Status = cmp.Or(p.Status, http.StatusOK) // said, there is no canonical address: it is one reader's page
	return (&request{Site: s, Request: q}).render(p)
}

// Member is who is signed in.
type Member struct {
	Account string // its name
	Token   string // for each form
}

// SignInPage lets people choose whom they sign in with.
type SignInPage struct{ Providers []Provider }

// Provider vouches for people. Its form is sent to /signin/<Name>.
type Provider struct{ Name, Title string }

func (*SignInPage) panel() *page {
	return &page{Template: "panel-signin", Title: "Sign in", Description: "Sign in to get an API key."}
}

// FirstKeyPage shows the key that came with a new account, this once.
type FirstKeyPage struct {
	Account string
	Login   string // what they are called at the provider, "" where it has not said
	Key     string
}

func (*FirstKeyPage) panel() *page {
	return &page{Template: "panel-firstkey", Title: "Your API key", Scripts: panelScripts}
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

func (p *RefusalPage) panel() *page {
	return &page{Template: "panel-refusal", Title: p.Heading, Status: p.Status}
}

var panelScripts = []string{"panel.js"}

// DeveloperPage shows what an account has used of its limit, and its keys.
type DeveloperPage struct {
	Member
	Use     Use
	Keys    []PanelKey
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

func (p *DeveloperPage) panel() *page {
	return &page{Template: "panel-keys", Title: "API keys", Status: p.Status}
}

// Full tells that the account may have no further key.
func (p *DeveloperPage) Full() bool { return len(p.Keys) >= p.Most }

// PanelKey is an API key, as far as it can be shown.
type PanelKey struct {
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
	Entries   []PanelEntry
	Count     int    // on all pages
	Older     string // path of the next page, "" for none
	Later     bool   // this is not the first page
	Days      int    // for which entries are kept
	PerAction int    // entries that are kept of each action
}

func (*AuditPage) panel() *page { return &page{Template: "panel-audit", Title: "Audit log"} }

// PanelEntry is an entry of the audit log.
type PanelEntry struct {
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
			return plural(n, unit.name, unit.name+"s")
		}
	}
	return plural(int(u.Window/time.Second), "second", "seconds")
}

// Picture draws the use as a bar with a mark at each quarter of the limit.
func (u Use) Picture() template.HTML {
	share := 0.0
	switch {
	case u.Used >= u.Limit:
		share = 1000
	case u.Used > 0: // what is used can be seen, and what is left
		share = min(max(1000*float64(u.Used)/float64(u.Limit), 4), 996)
	}
	label := count(u.Used) + " of " + count(u.Limit) + " requests used"
	b := `<svg class="use-bar" viewBox="0 0 1000 20" preserveAspectRatio="none" role="img" aria-label="` + label + `">` +
		`<rect class="use-track" width="1000" height="20"/><rect class="use-fill" width="` + strconv.FormatFloat(share, 'f', 1, 64) + `" height="20"/>`
	for _, x := range []string{"250", "500", "750"} {
		b += `<path class="use-mark" d="M` + x + ` 0V20"/>`
	}
	return template.HTML(b + `</svg>`) //nolint:gosec // nothing but numbers
}

// NewKeyPage shows a key that was just made, this once.
type NewKeyPage struct {
	Member
	Name, Key string
}

func (*NewKeyPage) panel() *page {
	return &page{Template: "panel-newkey", Title: "A new key", Scripts: panelScripts}
}

// RevokeKeyPage asks whether a key is to be revoked.
type RevokeKeyPage struct {
	Member
	Key PanelKey
}

func (*RevokeKeyPage) panel() *page { return &page{Template: "panel-revoke", Title: "Revoke a key"} }

// developer tells those who are not signed in what a key is for, and how to get one.
func (r *request) developer() (*page, error) {
	p := &page{Template: "developer", Title: "For developers", Description: "What a key for the API gives: more requests, webhooks, and submissions of your own."}
	if !r.served() {
		p.Description = "Everything is in plain files, and needs no key."
	}
	return p, nil
}
