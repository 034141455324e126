// Package edge serves a published build over HTTP: every /api path, the immutable files
// under /data, and the operator's listener. It reads artifacts and never parses content
// to answer a request.
package edge

import (
	"context"
	"errors"
	"hash/maphash"
	"log/slog"
	"net/http"
	"net/netip"
	"time"

	"github.com/julienschmidt/httprouter"

	"kindex/edge/account"
	"kindex/edge/api"
	"kindex/edge/apikey"
	"kindex/edge/auth"
	"kindex/edge/console"
	"kindex/edge/live"
	"kindex/edge/ratelimit"
	"kindex/edge/safedial"
	"kindex/edge/seal"
	"kindex/edge/storage"
	"kindex/edge/submission/github"
	"kindex/edge/web"
	"kindex/edge/webhook"
	"kindex/exports"
	"kindex/site/pages"
)

// Options configure an edge.
type Options struct {
	Dir   string // the folder that build --out wrote
	State *storage.State
	URL   string // the public address of the service, "" to use the requested host
	// Contact is the operator's address, for users who need higher limits.
	Contact string
	// Origins are the websites that can read responses; nil: DefaultOrigins of URL.
	Origins *Origins
	// Hosts are additional names of a service that not every website can read; the one
	// in URL is always accepted. AdminHosts are the names of the operator's listener.
	Hosts, AdminHosts []string
	// LimitAnonymous and LimitKey are the maximum numbers of requests per UTC day, per
	// IP address without a key and per account; 0 means no limit.
	LimitAnonymous, LimitKey int64
	// LimitPages is the maximum number of page requests per second and IP address; 0
	// means no limit. Addresses of the machine itself are not limited.
	LimitPages int
	// TrustedProxies are the proxies whose forwarding headers are trusted.
	TrustedProxies []netip.Prefix
	Forge          *github.Forge // where submissions are reviewed, nil for none
	// SignIn has the sign-in providers of the website; New sets its other fields.
	SignIn      auth.Options
	Now         func() time.Time // default: time.Now
	Log         *slog.Logger
	LogRequests bool
	// Guard decides which webhook addresses are allowed; nil: those on the public internet.
	Guard *safedial.Guard
	// WebhookChallenge has endpoints prove at registration that they want to be webhooks.
	WebhookChallenge bool
	// OperatorKeys seal secrets in the state; if nil, a key that ends with the process
	// is used, and webhooks are lost with it.
	OperatorKeys    *seal.Keys
	WebhookSchedule webhook.Schedule // nil: webhook.DefaultSchedule
	WebhookPoll     time.Duration    // how often due webhooks are looked for; 0: every second
}

// Server serves one output folder. It is an http.Handler and safe for concurrent use.
type Server struct {
	options  Options
	shared   *web.Shared
	log      *slog.Logger
	now      func() time.Time
	state    *storage.State
	keys     *apikey.Authenticator
	goodKeys goodKeys
	limits   *limits
	gates    gates
	origins  *Origins
	hosts    []string // accepted host names, if not every website can read the service
	reloader *live.Reloader
	accounts *account.Service
	api      *api.API
	console  *console.Console
	router   *httprouter.Router
	handler  http.Handler
	events   *webhook.Announcer
	agents   mcpAgents
	timeouts timeouts // set by tests
}

// New verifies and opens the published build. It returns an error if there is no valid
// build. The caller must close the state after calling Close.
func New(o Options) (*Server, error) {
	if o.State == nil {
		return nil, errors.New("edge: no database")
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	// A client may put its key where it gets logged, such as into the address.
	o.Log = slog.New(apikey.LogHandler(o.Log.Handler()))
	if o.Now == nil {
		o.Now = time.Now
	}
	s := &Server{options: o, log: o.Log, now: o.Now, state: o.State, keys: apikey.NewAuthenticator(o.State, o.Now)}
	if s.origins = o.Origins; s.origins == nil {
		s.origins = DefaultOrigins(o.URL)
	}
	s.hosts = ownHosts(o)
	s.goodKeys.seed = maphash.MakeSeed()
	s.limits = newLimits(o)
	s.gates = newGates(o)
	s.shared = &web.Shared{Log: o.Log, Now: o.Now, Metrics: web.NewMetrics(), LogRequests: o.LogRequests, URL: o.URL, ContactAddress: o.Contact,
		Exports: newExportGate(exportsPerCaller, exportWaitTimeout), Vary: newVaryValues(s.origins), Proxies: ratelimit.NewProxies(o.TrustedProxies, func(from netip.Addr) {
			s.log.Warn("ignoring a forwarding header from an address that is not a trusted proxy; logged once", "from", from)
		})}
	s.reloader = live.New(live.Options{Root: o.Dir, Log: o.Log, Switched: s.onSwitch, Refused: s.shared.Metrics.Refused.Inc,
		Pages: pages.Options{SignIn: o.SignIn.Configured(), Contact: o.Contact, LimitAnonymous: o.LimitAnonymous, LimitKey: o.LimitKey}})
	if err := s.init(); err != nil {
		s.closeLimits()
		return nil, err
	}
	return s, nil
}

// init sets up everything that can fail given the options.
func (s *Server) init() (err error) {
	o := &s.options
	if s.accounts, err = account.New(account.Options{State: o.State, Keys: s.keys, Guard: o.Guard, OperatorKeys: o.OperatorKeys,
		Challenge: o.WebhookChallenge, Schedule: o.WebhookSchedule, Poll: o.WebhookPoll, Shared: s.shared}); err != nil {
		return err
	}
	s.events = webhook.NewAnnouncer(o.State, o.Log, s.accounts.Dispatch.Wake)
	if s.api, err = api.New(api.Options{Dir: o.Dir, State: o.State, Keys: s.keys, Accounts: s.accounts, Shared: s.shared}); err != nil {
		return err
	}
	if s.console, err = console.New(console.Options{Shared: s.shared, Live: s.reloader, Accounts: s.accounts, State: o.State, SignIn: o.SignIn,
		LimitKey: o.LimitKey, Peek: s.limits.Peek, WriteTimeout: writeTimeout}); err != nil {
		return err
	}
	s.routes()
	s.handler = s.guardOrigin(s.router)
	if err := s.newAgents(); err != nil {
		return err
	}
	return s.reloader.Load()
}

// Follow switches the server to every newly published build until ctx ends.
func (s *Server) Follow(ctx context.Context) { s.reloader.Follow(ctx) }

// Reload switches the server to the published build now, without waiting until it is
// noticed. An invalid build is an error; the previous one remains in use.
func (s *Server) Reload() error { return s.reloader.Load() }

// Preview applies edits on top of the published build and of later ones, until it is
// called again. The manifest, the files under /data and the neighbours of entities
// remain as they are in the build.
func (s *Server) Preview(edits []exports.Edit) { s.reloader.Preview(edits) }

// Close releases the build and stores the counts. No request may be in progress.
func (s *Server) Close() {
	s.reloader.Stop()
	s.events.Close()
	s.closeLimits()
}

func (s *Server) closeLimits() {
	if s.console != nil {
		s.console.Close()
	}
	if s.api != nil {
		s.api.Close()
	}
	s.limits.close(s.log)
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.handler.ServeHTTP(w, r) }
