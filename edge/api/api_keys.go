package api

import (
	"net/http"
	"strings"

	"kindex/edge/account"
	"kindex/edge/apikey"
	"kindex/edge/query"
	"kindex/edge/web"
	"kindex/exports/didyoumean"
)

// ListKeys handles GET /api/developer/api-keys.
func (a *API) ListKeys(c *web.Call) (*web.Reply, error) {
	data, err := a.accounts.KeysOf(c.Request.Context(), c.Principal.Account.ID)
	if err != nil {
		return nil, err
	}
	l := newList(c)
	l.private = true
	for _, k := range data {
		l.add(k)
	}
	return l.reply(len(data), nil), nil
}

// CreateKey handles POST /api/developer/api-keys.
func (a *API) CreateKey(c *web.Call) (*web.Reply, error) {
	var body account.NewKey
	if err := c.Decode(&body); err != nil {
		return nil, err
	}
	grant, err := body.Grant(c.Shared.Now())
	if err != nil {
		return nil, err
	}
	if own := c.Principal.Key.Scopes; !own.Covers(grant.Scopes) {
		return nil, web.InsufficientScope(apikey.Scope((grant.Scopes &^ own).Names()[0]),
			"A key can grant only its own scopes: this key has "+own.String()+", but the new key would have "+grant.Scopes.String()+".")
	}
	return a.accounts.Write(c, a.accounts.CreateKey(c.Principal.Account.ID, grant))
}

// RevokeKey handles DELETE /api/developer/api-keys.
func (a *API) RevokeKey(c *web.Call) (*web.Reply, error) {
	owner, err := c.Account()
	if err != nil {
		return nil, err
	}
	id, err := keyIDParam(c)
	if err == nil && id != c.Principal.Key.ID { // every key can revoke itself
		err = c.RequireScope(apikey.ScopeKeys)
	}
	if err != nil {
		return nil, err
	}
	switch revoked, err := a.accounts.RevokeKey(c.Request.Context(), owner.ID, id); {
	case err != nil:
		return nil, err
	case !revoked:
		return nil, a.unknownKey(c, owner.ID, id)
	}
	return web.JSONReply(http.StatusNoContent, nil)
}

// keyIDParam returns the key ID from the query parameters or the body.
func keyIDParam(c *web.Call) (string, error) {
	id := c.Query.Text("id")
	if c.Query.Err != nil {
		return "", c.Query.Err
	}
	if c.Request.ContentLength == 0 { // there is no body
		if id == "" {
			return "", &query.Error{Param: "id", Message: `is required: send the key's id as a parameter or in a body {"id": "key_…"}`}
		}
		return id, nil
	}
	var body struct {
		ID string `json:"id"`
	}
	if err := c.Decode(&body); err != nil {
		return "", err
	}
	switch {
	case body.ID == "":
		return "", web.InvalidBody([]web.FieldError{{Field: "id", Message: "is required: send the key's id"}})
	case id != "" && id != body.ID:
		return "", web.InvalidBody([]web.FieldError{{Field: "id", Message: "does not match the id parameter; name a single key"}})
	}
	return body.ID, nil
}

// unknownKey returns the problem for a key that is not an active key of this account. It is the
// same whether or not another account has the key.
func (a *API) unknownKey(c *web.Call, accountID, id string) error {
	if strings.HasPrefix(id, apikey.Prefix) {
		// The ID may actually be a complete key, so do not repeat it.
		return web.NewProblem("unknown-key", "This looks like the key itself; use its id, which starts with key_. GET /api/developer/api-keys lists the ids.")
	}
	list, err := a.state.Keys(c.Request.Context(), accountID)
	if err != nil {
		return web.StateProblem(err)
	}
	ids := make([]string, len(list))
	for i, k := range list {
		ids[i] = k.ID
	}
	p := web.NewProblem("unknown-key", "Your account has no active key "+web.Shorten(id)+"; GET /api/developer/api-keys lists its keys.")
	return p.WithSuggestion(didyoumean.Name(id, ids))
}
