package edge

import (
	"context"
	"errors"
	"net/http"
	"time"

	"kindex/edge/apikey"
	"kindex/edge/storage"
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

// keysOf are the active keys of an account.
func (s *Service) keysOf(ctx context.Context, account string) ([]listedKey, error) {
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
func (s *Service) makeKey(account string, g apikey.Grant) write {
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
func (s *Service) keyProblem(err error) error {
	var suspended *apikey.SuspendedError
	switch {
	case errors.Is(err, apikey.ErrTooMany):
		return newProblem("too-many-keys", sentence(err.Error()))
	case errors.As(err, &suspended):
		return s.shared.suspended(suspended)
	}
	return err
}

// endKey revokes a key of an account, at once on this edge. false tells that the
// account has no active key with this id.
func (s *Service) endKey(ctx context.Context, account, id string) (revoked bool, err error) {
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
