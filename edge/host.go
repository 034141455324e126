package edge

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"

	"kindex/edge/web"
)

// hostAllowed reports whether a request's Host can be a name of this service. Names that
// strangers can own are rejected: a stranger could point the name to this service, and a page
// under that name could then read the responses as same-origin (DNS rebinding). IP addresses and
// localhost have no owner. A service that listens on a network also accepts names that exist
// only in private networks, because anyone who can forge such a name can also reach the service
// without it. A service that listens on loopback rejects them. Requests without a Host are
// accepted, since browsers always send one.
func hostAllowed(r *http.Request, named []string) bool {
	host := hostname(r.Host)
	if host == "" || host == "localhost" {
		return true
	}
	if _, err := netip.ParseAddr(host); err == nil {
		return true
	}
	for _, n := range named {
		if host == n {
			return true
		}
	}
	local, _ := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	return local == nil || !loopback(local.String()) && internalName(host) // without a connection, the request was made in this process
}

// refuseHost answers a request for a host name that is not this service's.
func (c *request) refuseHost(w http.ResponseWriter) {
	c.setLimitHeaders(w.Header())
	c.Fail(w, web.NewProblem("foreign-host", "This index is not open to other websites, and "+web.Shorten(c.Request.Host)+
		" is not one of its host names. Use its IP address or localhost. The operator can add host names with --hosts, and set the public address with --url."))
}

// ownHosts returns the service's host names: the names in Options and the name in its URL.
func ownHosts(o Options) []string {
	if u, err := url.Parse(o.URL); err == nil && u.Host != "" {
		return append([]string{hostname(u.Host)}, o.Hosts...)
	}
	return o.Hosts
}

// requireHost rejects requests to the operator's listener whose Host is unknown.
func requireHost(named []string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !hostAllowed(r, named) {
			w.Header().Set("X-Content-Type-Options", "nosniff")
			writeStatus(w, http.StatusForbidden, map[string]any{"status": "refused",
				"detail": "This listener does not accept this host name. Use its IP address or localhost, or add the host name with --admin-host."})
			return
		}
		next.ServeHTTP(w, r)
	})
}
