// Package account implements the operations on accounts: keys, webhooks, submissions and the
// audit log. The API and the panel both use it, so the same rules apply in both.
package account

import (
	"time"

	"kindex/builder/safedial"
	"kindex/edge/apikey"
	"kindex/edge/seal"
	"kindex/edge/storage"
	"kindex/edge/web"
	"kindex/edge/webhook"
)

// Service performs operations on accounts for the API and the panel. It is safe for
// concurrent use.
type Service struct {
	state        *storage.State
	keys         *apikey.Authenticator
	guard        *safedial.Guard
	operatorKeys *seal.Keys
	Dispatch     *webhook.Dispatcher
	challenge    bool // endpoints must confirm their registration
	now          func() time.Time
	shared       *web.Shared
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
	Challenge    bool
	Schedule     webhook.Schedule
	Poll         time.Duration
	Shared       *web.Shared
}

// New returns a Service with these options, using defaults for those that are not set.
func New(o Options) (*Service, error) {
	s := &Service{state: o.State, keys: o.Keys, guard: o.Guard, operatorKeys: o.OperatorKeys, challenge: o.Challenge, now: o.Shared.Now, shared: o.Shared}
	if s.guard == nil {
		s.guard = safedial.New(safedial.Options{})
	}
	if s.operatorKeys == nil {
		var err error
		if s.operatorKeys, err = seal.Parse(seal.Generate()); err != nil {
			return nil, err
		}
	}
	s.Dispatch = webhook.New(webhook.Options{Store: o.State, Client: s.guard.Client(), Reserve: s.guard.Reserve, Owner: storage.NewID(""), Log: o.Shared.Log,
		Metrics: o.Shared.Metrics.Registry, Agent: "kindex-webhook", Now: o.Shared.Now, Schedule: o.Schedule, Poll: o.Poll,
		Secrets: func(w *webhook.Webhook) ([]webhook.Secret, error) { return openSecrets(s.operatorKeys, w) }})
	return s, nil
}
