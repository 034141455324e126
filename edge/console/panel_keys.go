package console

import (
	"net/http"
	"slices"
	"strconv"

	"kindex/edge/account"
	"kindex/edge/apikey"
	"kindex/edge/auth"
	"kindex/edge/ratelimit"
	"kindex/edge/web"
	"kindex/site/panel"
)

// keys shows the account's usage and its keys.
func (v *panelRequest) keys() (panel.Page, error) {
	p, err := v.keysPage()
	return p, err
}

func (v *panelRequest) keysPage() (*panel.DeveloperPage, error) {
	list, err := v.console.Accounts.KeysOf(v.Request.Context(), v.account.ID)
	if err != nil {
		return nil, err
	}
	return &panel.DeveloperPage{Member: v.member, Use: v.usage(), Keys: list, Most: apikey.MaxActive, Once: newFormID(), Life: neverExpires,
		Scopes: scopeChoices(apikey.Everything), Lives: lifeChoices}, nil
}

// scopeTexts describes what each scope allows.
var scopeTexts = map[apikey.Scope]string{
	apikey.ScopeRead: "read the index", apikey.ScopeSubmit: "submit entities and see your submissions",
	apikey.ScopeWebhooks: "manage webhooks", apikey.ScopeKeys: "manage keys and read the audit log",
}

func scopeChoices(chosen apikey.Scopes) (list []panel.Choice) {
	for _, scope := range apikey.AllScopes {
		list = append(list, panel.Choice{Name: string(scope), Text: scopeTexts[scope], Chosen: chosen.Has(scope)})
	}
	return list
}

// neverExpires is the choice for a key that does not expire.
const neverExpires = "never"

// lifeChoices are the choices for the lifetime of a new key, in days.
var lifeChoices = []panel.LifeChoice{{Value: neverExpires, Text: "Never"}, {Value: "30", Text: "In 30 days"},
	{Value: "90", Text: "In 90 days"}, {Value: "365", Text: "In a year"}}

// keyForm reads the form for a new key. It reports only invalid choices; the name is checked
// when the key is created.
func (v *panelRequest) keyForm() (g apikey.Grant, scopeFault, lifeFault string) {
	g.Name = v.field("name")
	var err error
	if g.Scopes, err = apikey.ParseScopes(v.Request.PostForm["scopes"]); err != nil {
		scopeFault = web.AsSentence("the choice " + err.Error())
		if len(v.Request.PostForm["scopes"]) == 0 {
			scopeFault = "Choose at least one."
		}
	}
	switch life := v.field("expires"); {
	case life == "" || life == neverExpires:
	case !slices.ContainsFunc(lifeChoices, func(c panel.LifeChoice) bool { return c.Value == life }):
		lifeFault = "Choose one of the options."
	default:
		days, err := strconv.Atoi(life)
		if err != nil {
			panic(err) // the values of all other choices are numbers
		}
		g.ExpiresAt = web.TruncateToSecond(v.Shared.Now().AddDate(0, 0, days))
	}
	return g, scopeFault, lifeFault
}

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

// createKey creates a key and shows it. The key cannot be shown again.
func (v *panelRequest) createKey() (panel.Page, error) {
	g, scopeFault, lifeFault := v.keyForm()
	if err := apikey.CheckName(g.Name); err != nil || scopeFault != "" || lifeFault != "" {
		return v.keyFormError(g, func(p *panel.DeveloperPage) {
			p.Status, p.ScopeFault, p.LifeFault = http.StatusBadRequest, scopeFault, lifeFault
			if err != nil {
				p.Fault = web.AsSentence("the name " + err.Error())
			}
		})
	}
	created, repeated, refused, err := create[account.CreatedKey](v, v.console.Accounts.CreateKey(v.account.ID, g))
	switch {
	case err != nil || repeated:
		return redirect(auth.Panel), err
	case refused != nil:
		return v.keyFormError(g, func(p *panel.DeveloperPage) { p.Status, p.Refused = refused.Status, refused.Detail })
	}
	return &panel.NewKeyPage{Member: v.member, Name: created.Name, Key: created.Key}, nil
}

// keyFormError returns the form with error messages.
func (v *panelRequest) keyFormError(g apikey.Grant, apply func(*panel.DeveloperPage)) (panel.Page, error) {
	p, err := v.keysPage()
	if err != nil {
		return nil, err
	}
	p.Name, p.Scopes = g.Name, scopeChoices(g.Scopes)
	if life := v.field("expires"); life != "" {
		p.Life = life
	}
	apply(p)
	return p, nil
}

// ownKey returns the key whose ID is in the path.
func (v *panelRequest) ownKey() (panel.APIKey, error) {
	list, err := v.console.Accounts.KeysOf(v.Request.Context(), v.account.ID)
	if err != nil {
		return panel.APIKey{}, err
	}
	for _, k := range list {
		if k.ID == v.Param("key") {
			return k, nil
		}
	}
	return panel.APIKey{}, web.NewProblem("unknown-key", "Your account has no such active key.")
}

// confirmRevoke asks for confirmation.
func (v *panelRequest) confirmRevoke() (panel.Page, error) {
	k, err := v.ownKey()
	return &panel.RevokeKeyPage{Member: v.member, Key: k}, err
}

func (v *panelRequest) revokeKey() (panel.Page, error) {
	revoked, err := v.console.Accounts.RevokeKey(v.Request.Context(), v.account.ID, v.Param("key"))
	if err == nil && !revoked {
		err = web.NewProblem("unknown-key", "Your account has no such active key.")
	}
	return redirect(auth.Panel), err
}
