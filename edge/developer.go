package edge

import (
	"net/http"
	"strings"

	"kindex/edge/apikey"
	"kindex/edge/query"
	"kindex/exports/didyoumean"
)

// GET /api/developer/api-keys
func (a *API) listKeys(c *call) (*reply, error) {
	account, err := c.account()
	if err != nil {
		return nil, err
	}
	data, err := a.accounts.keysOf(c.request.Context(), account.ID)
	if err != nil {
		return nil, err
	}
	return object(http.StatusOK, struct {
		Data  []listedKey `json:"data"`
		Count int         `json:"count"`
	}{data, len(data)})
}

// POST /api/developer/api-keys
func (a *API) createKey(c *call) (*reply, error) {
	account, err := c.account()
	if err != nil {
		return nil, err
	}
	var body newKey
	if err := c.decode(&body); err != nil {
		return nil, err
	}
	grant, err := body.grant(c.shared.now())
	if err != nil {
		return nil, err
	}
	if own := c.principal.key.Scopes; !own.Covers(grant.Scopes) {
		return nil, insufficientScope((grant.Scopes &^ own).List()[0],
			"A key can give only scopes that it has: this one has "+own.String()+", and the new one would have "+grant.Scopes.String()+".")
	}
	return a.accounts.writeOnce(c, a.accounts.makeKey(account.ID, grant))
}

// DELETE /api/developer/api-keys
func (a *API) revokeKey(c *call) (*reply, error) {
	account, err := c.account()
	if err != nil {
		return nil, err
	}
	id, err := keyToRevoke(c)
	if err == nil && id != c.principal.key.ID { // every key may end itself
		err = c.permit(apikey.ScopeKeys)
	}
	if err != nil {
		return nil, err
	}
	switch revoked, err := a.accounts.endKey(c.request.Context(), account.ID, id); {
	case err != nil:
		return nil, err
	case !revoked:
		return nil, a.unknownKey(c, account.ID, id)
	}
	return object(http.StatusNoContent, nil)
}

// keyToRevoke is the id in the address or in the body.
func keyToRevoke(c *call) (string, error) {
	id, err := c.query.Text("id")
	if err != nil {
		return "", err
	}
	if c.request.ContentLength == 0 { // without a body
		if id == "" {
			return "", &query.Error{Param: "id", Message: `is required: the id of the key, here or in a body {"id": "key_…"}`}
		}
		return id, nil
	}
	var body struct {
		ID string `json:"id"`
	}
	if err := c.decode(&body); err != nil {
		return "", err
	}
	switch {
	case body.ID == "":
		return "", invalidBody([]FieldError{{"id", "is required: the id of the key"}})
	case id != "" && id != body.ID:
		return "", invalidBody([]FieldError{{"id", "is another one than that in the address; name one key"}})
	}
	return body.ID, nil
}

// unknownKey is the answer for a key that is not the account's, or is no more,
// whether or not another has it.
func (a *API) unknownKey(c *call, accountID, id string) error {
	if strings.HasPrefix(id, apikey.Prefix) {
		// It may be a whole key: it is not repeated.
		return newProblem("unknown-key", "This looks like a key; name it by its id, which begins with key_: GET /api/developer/api-keys lists them.")
	}
	list, err := a.state.Keys(c.request.Context(), accountID)
	if err != nil {
		return stateProblem(err)
	}
	ids := make([]string, len(list))
	for i, k := range list {
		ids[i] = k.ID
	}
	p := newProblem("unknown-key", "Your account has no active key "+shorten(id)+"; GET /api/developer/api-keys lists those that it has.")
	return p.suggest(didyoumean.Name(id, ids))
}
