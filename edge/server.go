// Package edge serves a published build over HTTP: every path under /api, the immutable files
// under /data, the website, and the operator's listener. It reads only build artifacts and never
// parses content to answer a request.
package edge

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/netip"
	"sync/atomic"
	"time"

	"github.com/julienschmidt/httprouter"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"golang.org/x/mod/sumdb/note"

	"kindex/builder/safedial"
	"kindex/edge/account"
	"kindex/edge/api"
	"kindex/edge/apikey"
	"kindex/edge/auth"
	"kindex/edge/console"
	"kindex/edge/live"
	"kindex/edge/mcp"
	"kindex/edge/ratelimit"
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
	Dir string // the output folder of kindex build
	// Pull configures the bucket from which builds are pulled into Dir; if its From is nil, none are
	// pulled. A server that pulls builds can start without one.
	Pull live.PullOptions
	// Verifiers are the keys that are accepted: each build must be signed with one of them. If there
	// are none, builds need no signature.
	Verifiers []note.Verifier
	State     *storage.State
	URL       string // the service's public address; if "", the requested host is used
	// Contact is the operator's address, for users who need higher limits.
	Contact string
	// Origins are the websites that can read responses. If nil, DefaultOrigins(URL) is used.
	Origins *Origins
	// Hosts are additional host names of a service that not every website can read; the host in
	// URL is always accepted. AdminHosts are the host names of the operator's listener.
	Hosts, AdminHosts []string
	// LimitAnonymous and LimitKey are the maximum numbers of requests per UTC day: per IP
	// address for requests without a key, and per account. 0 means no limit.
	LimitAnonymous, LimitKey int64
	// LimitPages is the maximum number of page requests per second and IP address; 0 means no
	// limit. Requests from this machine are not limited.
	LimitPages int
	// TrustedProxies are the addresses of proxies whose forwarding headers are trusted.
	TrustedProxies []netip.Prefix
	Forge          *github.Forge // where submissions are reviewed, or nil
	// SignIn configures the website's sign-in providers; New sets its other fields.
	SignIn      auth.Options
	Now         func() time.Time // default: time.Now
	Log         *slog.Logger
	LogRequests bool
	// Guard decides which webhook addresses are allowed. If nil, all addresses on the public
	// internet are allowed.
	Guard *safedial.Guard
	// WebhookChallenge requires endpoints to prove at registration that they expect to receive
	// webhooks.
	WebhookChallenge bool
	// OperatorKeys seal the secrets in the database. If nil, a temporary key is used, so webhooks
	// stop working when the process ends.
	OperatorKeys    *seal.Keys
	WebhookSchedule webhook.Schedule // nil: webhook.DefaultSchedule
	WebhookPoll     time.Duration    // how often to look for webhooks that are due; if 0, every second
}

// Server serves the builds in one output folder. It is an http.Handler and safe for concurrent
// use.
type Server struct {
	options  Options
	shared   *web.Shared
	log      *slog.Logger
	state    *storage.State
	origins  *Origins
	hosts    []string // the accepted host names, if not every website can read the service
	reloader *live.Reloader
	puller   *live.Puller // nil if nothing is pulled
	accounts *account.Service
	api      *api.API
	console  *console.Console
	router   *httprouter.Router
	handler  http.Handler
	events   *webhook.Announcer
	timeouts timeouts // set by tests

	agentHandler http.Handler           // of the Model Context Protocol
	agents       atomic.Pointer[agents] // for the build last served
}

// timeouts overrides headerTimeout, readTimeout, the end of DrainDelay and the limits for connections in
// tests; 0 and nil keep the defaults.
type timeouts struct {
	header, read time.Duration
	drainDelay   <-chan time.Time
	connections  *ratelimit.Connections // nil: NewConnections
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
	s := &Server{options: o, log: o.Log, state: o.State, hosts: ownHosts(o)}
	if s.origins = o.Origins; s.origins == nil {
		s.origins = DefaultOrigins(o.URL)
	}
	s.shared = &web.Shared{Log: o.Log, Now: o.Now, Metrics: web.NewMetrics(), LogRequests: o.LogRequests, URL: o.URL, ContactAddress: o.Contact, SignIn: o.SignIn.Configured(),
		Keys: apikey.NewAuthenticator(o.State, o.Now), LimitAnonymous: o.LimitAnonymous, LimitKey: o.LimitKey,
		Limits: ratelimit.New(o.State, o.LimitPages, o.Now), Origins: s.origins.varies(), Proxies: ratelimit.NewProxies(o.TrustedProxies, func(from netip.Addr) {
			s.log.Warn("ignoring a forwarding header from an address that is not a trusted proxy; logged once", "from", from)
		})}
	s.reloader = live.New(live.Options{Root: o.Dir, Log: o.Log, Verifiers: o.Verifiers, EnterPast: s.enterPast, Switched: s.switched, Refused: s.shared.Metrics.Refused.Inc,
		Pages: pages.Options{SignIn: o.SignIn.Configured(), Contact: o.Contact, LimitAnonymous: o.LimitAnonymous, LimitKey: o.LimitKey}})
	if err := s.init(); err != nil {
		return nil, err
	}
	return s, nil
}

// switched is called after the server has switched to a build. It must not block.
func (s *Server) switched(v *live.ServedBuild, took time.Duration) {
	s.shared.Metrics.Switched(v, took)
	s.events.Wake()
}

// enterPast waits until a past day may be calculated. The caller calls leave when it is.
func (s *Server) enterPast() (leave func(), err error) {
	return s.shared.Limits.PastGate.Enter(context.Background(), "")
}

// init performs the parts of the setup that can fail.
func (s *Server) init() (err error) {
	o := &s.options
	if s.accounts, err = account.New(account.Options{State: o.State, Keys: s.shared.Keys, Guard: o.Guard, OperatorKeys: o.OperatorKeys,
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
	promauto.With(s.shared.Metrics.Registry).NewGaugeFunc(prometheus.GaugeOpts{Name: "kindex_state_reachable",
		Help: "Whether the database is reachable: 1 or 0."}, func() float64 { return float64(s.reachable(context.Background())) })
	s.routes()
	s.handler = s.guardOrigin(s.router)
	s.agentHandler = mcp.Handler(func(*http.Request) *mcp.Server { return s.Agents() })
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
