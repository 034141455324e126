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
