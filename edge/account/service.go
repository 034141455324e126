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
