// Package edge serves a published build over HTTP: every /api path, the immutable files
// under /data, and the operator's listener. It reads artifacts and never parses content
// to answer a request.
package edge

import (
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
	"kindex/edge/safedial"
	"kindex/edge/seal"
	"kindex/edge/storage"
	"kindex/edge/submission/github"
	"kindex/edge/web"
	"kindex/edge/webhook"
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

// request is a call with what admits it.
type request struct {
	*web.Call
	server *Server
	quota  quota
}
