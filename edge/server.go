// Package edge serves a published build over HTTP: every path under /api, the immutable files
// under /data, the website, and the operator's listener. It reads only build artifacts and never
// parses content to answer a request.
package edge

import (
	"log/slog"
	"net/http"
	"net/netip"
	"sync"
	"time"

	"github.com/julienschmidt/httprouter"
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
	now      func() time.Time
	state    *storage.State
	keys     *apikey.Authenticator
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
	agents   mcpAgents
	timeouts timeouts // set by tests
}

// timeouts overrides headerTimeout, readTimeout, the end of DrainDelay and the limits for connections in
// tests; 0 and nil keep the defaults.
type timeouts struct {
	header, read time.Duration
	drainDelay   <-chan time.Time
	connections  *ratelimit.Connections // nil: NewConnections
}

// mcpAgents serves the Model Context Protocol at /mcp. Each call is turned into in-process
// requests to the API, which count towards the caller's limit.
type mcpAgents struct {
	handler http.Handler

	mu     sync.Mutex
	build  string // ID of the build that server describes
	server *mcp.Server
}

// Limits for a connection.
const (
	headerTimeout = 5 * time.Second
	readTimeout   = 15 * time.Second
	writeTimeout  = 60 * time.Second // extended for a long response while the client keeps reading
	idleTimeout   = 120 * time.Second
	maxHeaderLen  = 32 << 10
)
