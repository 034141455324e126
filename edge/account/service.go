// Package account implements the operations on accounts: keys, webhooks, submissions and the
// audit log. The API and the panel both use it, so the same rules apply in both.
package account

import (
	"context"
	"errors"
	"net/http"
	"time"

	"kindex/builder/safedial"
	"kindex/edge/apikey"
	"kindex/edge/seal"
	"kindex/edge/storage"
	"kindex/edge/web"
	"kindex/edge/webhook"
	"kindex/site/panel"
)

// Service performs operations on accounts for the API and the panel. It is safe for
// concurrent use.
type Service struct {
	Options
	Dispatch *webhook.Dispatcher
}

// Options configure a Service.
type Options struct {
	State *storage.State
	Keys  *apikey.Authenticator
	// Guard decides which webhook addresses are allowed. If nil, only addresses on the public
	// internet are allowed.
	Guard *safedial.Guard
	// OperatorKeys are used to seal secrets. If nil, this process generates its own key.
	OperatorKeys *seal.Keys
	Challenge    bool // endpoints must confirm their registration
	Schedule     webhook.Schedule
	Poll         time.Duration
	Shared       *web.Shared
}

// New returns a Service with these options, using defaults for those that are not set.
func New(o Options) (*Service, error) {
	if o.Guard == nil {
		o.Guard = safedial.New(safedial.Options{})
	}
	if o.OperatorKeys == nil {
		var err error
		if o.OperatorKeys, err = seal.Parse(seal.Generate()); err != nil {
			return nil, err
		}
	}
	s := &Service{Options: o}
	s.Dispatch = webhook.New(webhook.Options{Store: o.State, Client: s.Guard.Client(), Reserve: s.Guard.Reserve, Owner: storage.NewID(""), Log: o.Shared.Log,
		Metrics: o.Shared.Metrics.Registry, Agent: "kindex-webhook", Now: o.Shared.Now, Schedule: o.Schedule, Poll: o.Poll,
		Secrets: func(w *webhook.Webhook) ([]webhook.Secret, error) { return openSecrets(s.OperatorKeys, w) }})
	return s, nil
}

// CreatedKey describes a new key, including its secret, which is shown only once.
type CreatedKey struct {
	ID        string     `json:"id"`
	Name      string     `json:"name"`
	Key       string     `json:"key"`
	Scopes    []string   `json:"scopes"`
	ExpiresAt *time.Time `json:"expiresAt"`
	CreatedAt time.Time  `json:"createdAt"`
}

// KeysOf returns an account's active keys.
func (s *Service) KeysOf(ctx context.Context, account string) ([]panel.APIKey, error) {
	list, err := s.State.Keys(ctx, account)
	if err != nil {
		return nil, web.StateProblem(err)
	}
	data := make([]panel.APIKey, len(list))
	for i, k := range list {
		data[i] = panel.APIKey{ID: k.ID, Name: k.Name, Masked: k.Masked, Scopes: k.Scopes.Names(), Legacy: k.Legacy,
			ExpiresAt: web.NullableTime(k.ExpiresAt), CreatedAt: web.TruncateToSecond(k.CreatedAt), LastUsedAt: web.NullableTime(s.Keys.LastUsed(k))}
	}
	return data, nil
}

// NewKey is the request body for a new key.
type NewKey struct {
	Name      string   `json:"name"`
	Scopes    []string `json:"scopes"` // nil for the default scopes
	ExpiresAt *string  `json:"expiresAt"`
}

// Grant checks the request and returns the grant for the key.
func (k NewKey) Grant(now time.Time) (apikey.Grant, error) {
	g := apikey.Grant{Name: k.Name, Scopes: apikey.DefaultScopes}
	var fieldErrors []web.FieldError
	check := func(field string, err error) {
		if err != nil {
			fieldErrors = append(fieldErrors, web.FieldError{Field: field, Message: err.Error()})
		}
	}
	check("name", apikey.CheckName(k.Name))
	if k.Scopes != nil {
		var err error
		g.Scopes, err = apikey.ParseScopes(k.Scopes)
		check("scopes", err)
	}
	if k.ExpiresAt != nil {
		at, err := time.Parse(time.RFC3339, *k.ExpiresAt)
		if err != nil {
			err = errors.New("must be an RFC 3339 time, such as 2027-01-31T00:00:00Z")
		} else {
			g.ExpiresAt = web.TruncateToSecond(at)
			err = apikey.CheckExpiry(g.ExpiresAt, now)
		}
		check("expiresAt", err)
	}
	return g, web.InvalidBody(fieldErrors)
}

// CreateKey returns the write that adds a key to an account. The response body is a CreatedKey.
func (s *Service) CreateKey(account string, g apikey.Grant) WriteFunc {
	secret := apikey.Generate()
	return func(tx *storage.Tx) (Result, error) {
		k, err := tx.CreateLimitedKey(account, g, secret)
		if err != nil {
			return Result{}, s.keyProblem(err)
		}
		return Result{Status: http.StatusCreated, secretID: k.ID, Body: CreatedKey{ID: k.ID, Name: k.Name, Key: secret.Reveal(),
			Scopes: k.Scopes.Names(), ExpiresAt: web.NullableTime(k.ExpiresAt), CreatedAt: web.TruncateToSecond(k.CreatedAt)}}, nil
	}
}

// keyProblem converts an error that the client caused to a problem. It returns any other error
// unchanged.
func (s *Service) keyProblem(err error) error {
	var suspended *apikey.SuspendedError
	switch {
	case errors.Is(err, apikey.ErrTooMany):
		return web.NewProblem("too-many-keys", web.AsSentence(err.Error()))
	case errors.As(err, &suspended):
		return s.Shared.SuspendedProblem(suspended)
	}
	return err
}

// RevokeKey revokes an account's key. This takes effect immediately. It returns
// false if the account has no active key with this id.
func (s *Service) RevokeKey(ctx context.Context, account, id string) (revoked bool, err error) {
	if !ValidID("key_", id) {
		return false, nil
	}
	err = s.State.Write(ctx, func(tx *storage.Tx) (err error) {
		revoked, err = tx.RevokeKey(account, id)
		return err
	})
	return revoked, web.StateProblem(err)
}
