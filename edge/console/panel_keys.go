package console

import (
	"cmp"
	"net/http"
	"slices"
	"strconv"
	"time"

	"kindex/edge/account"
	"kindex/edge/apikey"
	"kindex/edge/auth"
	"kindex/edge/ratelimit"
	"kindex/edge/storage"
	"kindex/edge/web"
	"kindex/site/panel"
)

func (v *panelRequest) keys() (*panel.Page, error) {
	return v.keysPage(http.StatusOK, &panel.Keys{}, apikey.Everything.Names(), "")
}

// keysPage returns the page with the account's keys and a form with these choices.
func (v *panelRequest) keysPage(status int, p *panel.Keys, scopes []string, life string) (page *panel.Page, err error) {
	if p.Keys, err = v.console.Accounts.KeysOf(v.Request.Context(), v.account.ID); err != nil {
		return nil, err
	}
	p.Use, p.Most, p.Once = v.usage(), apikey.MaxActive, storage.NewID("")
	for _, scope := range apikey.AllScopes {
		p.Scopes = append(p.Scopes, panel.Choice{Name: string(scope), Text: scopeTexts[scope], Chosen: slices.Contains(scopes, string(scope))})
	}
	for _, choice := range lifeChoices {
		choice.Chosen = choice.Name == cmp.Or(life, lifeChoices[0].Name)
		p.Lives = append(p.Lives, choice)
	}
	page = v.page("keys", "API keys", p)
	page.Status = status
	return page, nil
}

var scopeTexts = map[apikey.Scope]string{
	apikey.ScopeRead: "read the index", apikey.ScopeSubmit: "submit entities and see your submissions",
	apikey.ScopeWebhooks: "manage webhooks", apikey.ScopeKeys: "manage keys and read the audit log",
}

// lifeChoices are the choices for the lifetime of a new key, in days. The first one is preselected.
var lifeChoices = []panel.Choice{{Name: "never", Text: "Never"}, {Name: "30", Text: "In 30 days"}, {Name: "90", Text: "In 90 days"}, {Name: "365", Text: "In a year"}}

// usage returns the account's used and remaining requests. Calling it does not count as a
// request.
func (v *panelRequest) usage() panel.Use {
	subject := ratelimit.AccountSubject(v.account.ID, v.account.Quota, v.account.Window, v.console.LimitKey)
	if subject.Limit == 0 {
		return panel.Use{Unlimited: true}
	}
	st, err := v.Shared.Limits.Quota.Peek(v.Request.Context(), subject)
	if err != nil {
		v.Shared.Log.Error("reading a counter", "requestId", v.ID, "error", err)
		return panel.Use{Unknown: true}
	}
	return panel.Use{Used: st.Limit - st.Remaining, Limit: st.Limit, Window: st.Window, Reset: st.Reset, Arranged: st.Tier == ratelimit.Enterprise}
}

func (v *panelRequest) createKey() (*panel.Page, error) {
	asked, life := account.NewKey{Name: v.field("name"), Scopes: append([]string{}, v.Request.PostForm["scopes"]...)}, v.field("expires")
	p := &panel.Keys{Name: asked.Name}
	if days, err := strconv.Atoi(life); err == nil {
		at := v.Shared.Now().AddDate(0, 0, days).Format(time.RFC3339)
		asked.ExpiresAt = &at
	}
	if life != "" && !slices.ContainsFunc(lifeChoices, func(c panel.Choice) bool { return c.Name == life }) {
		p.LifeFault = "Choose one of the options."
	}
	g, err := asked.Grant(v.Shared.Now())
	if err != nil {
		problem := web.AsProblem(err)
		p.Fault, p.ScopeFault = fieldError(problem, "name", "the name"), fieldError(problem, "scopes", "the choice")
		if len(asked.Scopes) == 0 {
			p.ScopeFault = "Choose at least one."
		}
	}
	if err != nil || p.LifeFault != "" {
		return v.keysPage(http.StatusBadRequest, p, g.Scopes.Names(), life)
	}
	created, repeated, refused, err := create[account.CreatedKey](v, v.console.Accounts.CreateKey(v.account.ID, g))
	switch {
	case err != nil || repeated:
		return redirect(auth.Panel), err
	case refused != nil:
		p.Refused = refused.Detail
		return v.keysPage(refused.Status, p, g.Scopes.Names(), life)
	}
	page := v.page("newkey", "New key", &panel.NewKey{Name: created.Name, Key: created.Key})
	page.Script = true
	return page, nil
}

var errUnknownKey = web.NewProblem("unknown-key", "Your account has no such active key.")

func (v *panelRequest) confirmRevoke() (*panel.Page, error) {
	list, err := v.console.Accounts.KeysOf(v.Request.Context(), v.account.ID)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(list, func(k panel.APIKey) bool { return k.ID == v.Param("key") })
	if i < 0 {
		return nil, errUnknownKey
	}
	return v.page("revoke", "Revoke a key", list[i]), nil
}

func (v *panelRequest) revokeKey() (*panel.Page, error) {
	revoked, err := v.console.Accounts.RevokeKey(v.Request.Context(), v.account.ID, v.Param("key"))
	if err == nil && !revoked {
		err = errUnknownKey
	}
	return redirect(auth.Panel), err
}

const PanelLog = "/developer/log/"

// EntriesPerPage is the number of audit log entries per page.
const EntriesPerPage = 30

var actionTexts = map[storage.Action]string{
	storage.AccountCreated: "Account created", storage.AccountSignedIn: "Signed in", storage.AccountSuspended: "Account suspended",
	storage.AccountReinstated: "Account reinstated", storage.AccountLimitChanged: "Limit changed",
	storage.KeyCreated: "Key created", storage.KeyRevoked: "Key revoked", storage.KeyReported: "Key reported as leaked and revoked",
	storage.WebhookCreated: "Webhook created", storage.WebhookDeleted: "Webhook deleted", storage.WebhookRotated: "Webhook secret replaced",
	storage.WebhookDisabled:   "Webhook switched off",
	storage.SubmissionCreated: "Submission sent", storage.SubmissionWithdrawn: "Submission withdrawn", storage.SubmissionInReview: "Submission in review",
	storage.SubmissionAccepted: "Submission accepted", storage.SubmissionPublished: "Submission published", storage.SubmissionRejected: "Submission rejected",
}

func actorText(a storage.Actor) string {
	switch a.Kind {
	case storage.ByKey:
		return "with the key " + strconv.Quote(a.Name)
	case storage.BySession:
		return "on this website"
	case storage.ByOperator:
		return "by the operator"
	case storage.ByAnyone:
		return "by someone who had the key"
	}
	return "by the service"
}

func (v *panelRequest) log() (*panel.Page, error) {
	// If the position is invalid, show the newest entries.
	before, err := strconv.ParseInt(v.Request.URL.Query().Get("before"), 10, 64)
	if err != nil || before < 1 {
		before = 0
	}
	list, count, err := v.console.State.AuditLog(v.Request.Context(), v.account.ID, before, EntriesPerPage+1)
	if err != nil {
		return nil, web.StateProblem(err)
	}
	p := &panel.Audit{List: panel.List{Count: count, Later: before > 0}, Days: int(storage.AuditRetention.Hours() / 24), PerAction: storage.AuditPerAction}
	list, p.Older = pageOf(list, EntriesPerPage, PanelLog, func(e storage.AuditEntry) string { return strconv.FormatInt(e.Seq, 10) })
	for _, e := range list {
		p.Entries = append(p.Entries, panel.AuditEntry{At: web.TruncateToSecond(e.At), Action: actionTexts[e.Action], Actor: actorText(e.Actor),
			Address: e.Actor.Address, Target: e.Target, Detail: e.Detail})
	}
	return v.page("audit", "Audit log", p), nil
}
