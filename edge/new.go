package edge

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/netip"
	"time"

	"kindex/edge/account"
	"kindex/edge/api"
	"kindex/edge/apikey"
	"kindex/edge/console"
	"kindex/edge/live"
	"kindex/edge/ratelimit"
	"kindex/edge/web"
	"kindex/edge/webhook"
	"kindex/exports"
	"kindex/site/pages"
)

// enterPast waits until a past day may be calculated. The caller calls leave when it is.
func (s *Server) enterPast() (leave func(), err error) {
	return s.shared.Limits.PastGate.Enter(context.Background(), "")
}

// New verifies and opens the published build. It returns an error if there is no valid build,
// unless builds are pulled from a bucket: then the server responds with 503 until one has been pulled.
// The caller must close the database after calling Close.
func New(o Options) (*Server, error) {
	if o.State == nil {
		return nil, errors.New("edge: no database")
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	// Log messages can contain a key that a client has put in the wrong place, such as in the
	// URL.
	o.Log = slog.New(apikey.LogHandler(o.Log.Handler()))
	if o.Now == nil {
		o.Now = time.Now
	}
	s := &Server{options: o, log: o.Log, now: o.Now, state: o.State, keys: apikey.NewAuthenticator(o.State, o.Now)}
	if s.origins = o.Origins; s.origins == nil {
		s.origins = DefaultOrigins(o.URL)
	}
	s.hosts = ownHosts(o)
	s.shared = &web.Shared{Log: o.Log, Now: o.Now, Metrics: web.NewMetrics(), LogRequests: o.LogRequests, URL: o.URL, ContactAddress: o.Contact, SignIn: o.SignIn.Configured(), Limited: o.LimitAnonymous > 0 || o.LimitKey > 0,
		Limits: ratelimit.New(o.State, o.LimitPages, o.Now), Origins: s.origins.varies(), Proxies: ratelimit.NewProxies(o.TrustedProxies, func(from netip.Addr) {
			s.log.Warn("ignoring a forwarding header from an address that is not a trusted proxy; logged once", "from", from)
		})}
	s.reloader = live.New(live.Options{Root: o.Dir, Log: o.Log, Verifiers: o.Verifiers, EnterPast: s.enterPast, Switched: s.onSwitch, Refused: s.shared.Metrics.Refused.Inc,
		Pages: pages.Options{SignIn: o.SignIn.Configured(), Contact: o.Contact, LimitAnonymous: o.LimitAnonymous, LimitKey: o.LimitKey}})
	if err := s.init(); err != nil {
		return nil, err
	}
	return s, nil
}

// init performs the parts of the setup that can fail.
func (s *Server) init() (err error) {
	o := &s.options
	if s.accounts, err = account.New(account.Options{State: o.State, Keys: s.keys, Guard: o.Guard, OperatorKeys: o.OperatorKeys,
		Challenge: o.WebhookChallenge, Schedule: o.WebhookSchedule, Poll: o.WebhookPoll, Shared: s.shared}); err != nil {
		return err
	}
	s.events = webhook.NewAnnouncer(webhook.AnnouncerOptions{Store: o.State, Served: s.announced, Open: s.openAnnounced, Now: o.Now,
		Poll: cmp.Or(o.WebhookPoll, time.Second), Log: o.Log, OnEvents: s.accounts.Dispatch.Wake})
	s.api = api.New(live.NewOldBuilds(o.Dir, o.Verifiers), o.State, s.accounts)
	if s.console, err = console.New(console.Options{Shared: s.shared, Live: s.reloader, Accounts: s.accounts, State: o.State, SignIn: o.SignIn,
		LimitKey: o.LimitKey, WriteTimeout: writeTimeout}); err != nil {
		return err
	}
	s.registerStateMetric()
	s.routes()
	s.handler = s.guardOrigin(s.router)
	s.newAgents()
	if o.Pull.From == nil {
		return s.reloader.Load()
	}
	s.puller, err = live.NewPuller(o.Pull, s.reloader, o.Now, s.shared.Metrics.Registry)
	return err
}

// Follow switches the server to each new build that is published, until ctx ends.
func (s *Server) Follow(ctx context.Context) { s.reloader.Follow(ctx) }

// Reload switches the server to the published build immediately, without waiting until Follow
// notices it. If the build is invalid, Reload returns an error and the previous build remains in
// use.
func (s *Server) Reload() error { return s.reloader.Load() }

// ApplyEdits applies edits on top of the published build, and of later builds, until it is called
// again. The manifest, the files under /data and the lists of similar entities are not affected.
func (s *Server) ApplyEdits(edits []exports.Edit) { s.reloader.ApplyEdits(edits) }

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.handler.ServeHTTP(w, r) }
