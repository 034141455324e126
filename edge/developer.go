package edge

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"kindex/edge/apikey"
	"kindex/edge/query"
	"kindex/edge/storage"
	"kindex/exports/didyoumean"
)

// listedKey is a key as its owner sees it in the list.
type listedKey struct {
	ID         string         `json:"id"`
	Name       string         `json:"name"`
	Masked     string         `json:"masked"`
	Scopes     []apikey.Scope `json:"scopes"`
	Legacy     bool           `json:"legacy"`
	ExpiresAt  *time.Time     `json:"expiresAt"`
	CreatedAt  time.Time      `json:"createdAt"`
	LastUsedAt *time.Time     `json:"lastUsedAt"`
}

// createdKey is a key as its owner sees it once.
type createdKey struct {
	ID        string         `json:"id"`
	Name      string         `json:"name"`
	Key       string         `json:"key"`
	Scopes    []apikey.Scope `json:"scopes"`
	ExpiresAt *time.Time     `json:"expiresAt"`
	CreatedAt time.Time      `json:"createdAt"`
}

// second is a time as answers tell it.
func second(t time.Time) time.Time { return t.UTC().Truncate(time.Second) }

// GET /api/developer/api-keys
func (s *Server) listKeys(c *call) (*reply, error) {
	account, err := c.account()
	if err != nil {
		return nil, err
	}
	data, err := s.keysOf(c.request.Context(), account.ID)
	if err != nil {
		return nil, err
	}
	return object(http.StatusOK, struct {
		Data  []listedKey `json:"data"`
		Count int         `json:"count"`
	}{data, len(data)})
}

// keysOf are the active keys of an account.
func (s *Server) keysOf(ctx context.Context, account string) ([]listedKey, error) {
	list, err := s.state.Keys(ctx, account)
	if err != nil {
		return nil, stateProblem(err)
	}
	data := make([]listedKey, len(list))
	for i, k := range list {
		data[i] = listedKey{ID: k.ID, Name: k.Name, Masked: k.Masked, Scopes: k.Scopes.List(), Legacy: k.Legacy,
			ExpiresAt: perhaps(k.ExpiresAt), CreatedAt: second(k.CreatedAt), LastUsedAt: perhaps(s.keys.LastUsed(k))}
	}
	return data, nil
}

// POST /api/developer/api-keys
func (s *Server) createKey(c *call) (*reply, error) {
	account, err := c.account()
	if err != nil {
		return nil, err
	}
	var body newKey
	if err := c.decode(&body); err != nil {
		return nil, err
	}
	grant, err := body.grant(s.now())
	if err != nil {
		return nil, err
	}
	if own := c.caller.key.Scopes; !own.Covers(grant.Scopes) {
		return nil, insufficientScope((grant.Scopes &^ own).List()[0],
			"A key can give only scopes that it has: this one has "+own.String()+", and the new one would have "+grant.Scopes.String()+".")
	}
	return c.once(s.makeKey(account.ID, grant))
}

// newKey is the body that asks for a key.
type newKey struct {
	Name      string   `json:"name"`
	Scopes    []string `json:"scopes"` // nil for the default ones
	ExpiresAt *string  `json:"expiresAt"`
}

// grant is what the body asks for.
func (k newKey) grant(now time.Time) (apikey.Grant, error) {
	g := apikey.Grant{Name: k.Name, Scopes: apikey.DefaultScopes}
	var faults []FieldError
	fault := func(field string, err error) {
		if err != nil {
			faults = append(faults, FieldError{field, err.Error()})
		}
	}
	fault("name", apikey.CheckName(k.Name))
	if k.Scopes != nil {
		var err error
		g.Scopes, err = apikey.ParseScopes(k.Scopes)
		fault("scopes", err)
	}
	if k.ExpiresAt != nil {
		at, err := time.Parse(time.RFC3339, *k.ExpiresAt)
		if err != nil {
			err = errors.New("must be a time such as 2027-01-31T00:00:00Z (RFC 3339)")
		} else {
			g.ExpiresAt = second(at)
			err = apikey.CheckExpiry(g.ExpiresAt, now)
		}
		fault("expiresAt", err)
	}
	return g, invalidBody(faults)
}

// makeKey is the write that adds a key to an account, and has a createdKey as its
// body.
func (s *Server) makeKey(account string, g apikey.Grant) write {
	secret := apikey.Generate()
	return func(tx *storage.Tx) (outcome, error) {
		k, err := tx.CreateLimitedKey(account, g, secret)
		if err != nil {
			return outcome{}, s.keyProblem(err)
		}
		return outcome{status: http.StatusCreated, secretID: k.ID, body: createdKey{ID: k.ID, Name: k.Name, Key: secret.Reveal(),
			Scopes: k.Scopes.List(), ExpiresAt: perhaps(k.ExpiresAt), CreatedAt: second(k.CreatedAt)}}, nil
	}
}

// keyProblem is why no key was made, where that is the account's own affair.
func (s *Server) keyProblem(err error) error {
	var suspended *apikey.SuspendedError
	switch {
	case errors.Is(err, apikey.ErrTooMany):
		return newProblem("too-many-keys", sentence(err.Error()))
	case errors.As(err, &suspended):
		return s.suspended(suspended)
	}
	return err
}

// DELETE /api/developer/api-keys
func (s *Server) revokeKey(c *call) (*reply, error) {
	account, err := c.account()
	if err != nil {
		return nil, err
	}
	id, err := c.keyToRevoke()
	if err == nil && id != c.caller.key.ID { // every key may end itself
		err = c.permit(apikey.ScopeKeys)
	}
	if err != nil {
		return nil, err
	}
	switch revoked, err := s.endKey(c.request.Context(), account.ID, id); {
	case err != nil:
		return nil, err
	case !revoked:
		return nil, s.unknownKey(c, account.ID, id)
	}
	return object(http.StatusNoContent, nil)
}

// endKey revokes a key of an account, at once on this edge. false tells that the
// account has no active key with this id.
func (s *Server) endKey(ctx context.Context, account, id string) (revoked bool, err error) {
	if !plausibleID("key_", id) {
		return false, nil
	}
	err = s.state.Write(ctx, func(tx *storage.Tx) (err error) {
		revoked, err = tx.RevokeKey(account, id)
		return err
	})
	if revoked {
		s.keys.Forget()
	}
	return revoked, stateProblem(err)
}

// keyToRevoke is the id in the address or in the body.
func (c *call) keyToRevoke() (string, error) {
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
func (s *Server) unknownKey(c *call, accountID, id string) error {
	if strings.HasPrefix(id, apikey.Prefix) {
		// It may be a whole key: it is not repeated.
		return newProblem("unknown-key", "This looks like a key; name it by its id, which begins with key_: GET /api/developer/api-keys lists them.")
	}
	list, err := s.state.Keys(c.request.Context(), accountID)
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
