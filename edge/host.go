package edge

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
)

// ParseHosts reads names by which a service is reached, without ports.
func ParseHosts(names []string) ([]string, error) {
	var hosts []string
	for _, n := range names {
		host := strings.ToLower(strings.TrimSuffix(n, "."))
		if host == "" || strings.ContainsAny(host, ":/*@ \t[]") {
			return nil, fmt.Errorf("%q is not a host name: write it without scheme and port, such as index.example.lan", n)
		}
		hosts = append(hosts, host)
	}
	return hosts, nil
}

// answersTo reports whether a request's Host can be a name of this service. Names that
// strangers own are refused: a page of theirs could read the answers as its own after
// its name was made to lead here (DNS rebinding). IP addresses and localhost are
// nobody's. A service that listens on a network also answers to names that exist in
// private networks only: whoever can forge these can reach the service without them.
// On loopback they are refused. Clients without a Host are no browsers.
func answersTo(r *http.Request, named []string) bool {
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
	return local == nil || !loopback(local.String()) && internalName(host) // no connection: asked in this process
}

// refuseHost answers a request for a name that is not this service's.
func (c *call) refuseHost(w http.ResponseWriter) {
	c.showLimit(w.Header())
	c.fail(w, newProblem("foreign-host", "This index is not open to other websites, and "+shorten(c.request.Host)+
		" is not one of its names. Use its IP address or localhost. The operator can name more hosts with --hosts, and with --url the public address."))
}

// hostname returns the host of host or host:port in one form.
func hostname(hostport string) string {
	host := hostport
	if h, _, err := net.SplitHostPort(hostport); err == nil {
		host = h
	}
	return strings.ToLower(strings.TrimSuffix(strings.Trim(host, "[]"), "."))
}

// loopback reports whether host or host:port is the machine itself.
func loopback(host string) bool {
	host = hostname(host)
	addr, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && addr.Unmap().IsLoopback()
}

// ownHosts are the names of the service: those given and that of its address.
func ownHosts(o Options) []string {
	if u, err := url.Parse(o.URL); err == nil && u.Host != "" {
		return append([]string{hostname(u.Host)}, o.Hosts...)
	}
	return o.Hosts
}

// onlyHosts refuses requests for other names, on the operator's listener.
func onlyHosts(named []string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !answersTo(r, named) {
			w.Header().Set("X-Content-Type-Options", "nosniff")
			writeStatus(w, http.StatusForbidden, map[string]any{"status": "refused",
				"detail": "This is not one of the names of this listener. Use its IP address or localhost, or name the host with --admin-host."})
			return
		}
		next.ServeHTTP(w, r)
	})
}
