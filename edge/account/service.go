// Package account is what people do with their accounts: keys, webhooks, submissions and the
// audit log. The API and the panel call it, so that there is one set of rules.
package account

import (
	"time"

	"kindex/edge/apikey"
	"kindex/edge/safedial"
	"kindex/edge/seal"
	"kindex/edge/storage"
	"kindex/edge/web"
	"kindex/edge/webhook"
)

// Service is what people can do with their accounts: the API and the pages of the panel
// call it, so that there is one set of rules. It may be used by several goroutines.
type Service struct {
	state        *storage.State
	keys         *apikey.Authenticator
	guard        *safedial.Guard
	operatorKeys *seal.Keys
	Dispatch     *webhook.Dispatcher
	challenge    bool // endpoints prove at registration that they want to be webhooks
	now          func() time.Time
	shared       *web.Shared
}

// Options say what a Service works with.
type Options struct {
	State *storage.State
	Keys  *apikey.Authenticator
	// Guard says which addresses webhooks may have; nil: those of the public internet.
	Guard *safedial.Guard
	// OperatorKeys seal secrets; nil: keys of this process alone.
	OperatorKeys *seal.Keys
	Challenge    bool
	Schedule     webhook.Schedule
	Poll         time.Duration
	Shared       *web.Shared
}

// New fills in what was not given.
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
