package collect

import (
	"cmp"
	"context"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"golang.org/x/net/http/httpproxy"

	"kindex/builder/safedial"
)

// requestTimeout limits one request, including the body. GitHub ends requests after 10 s; large
// packages of npm take longer.
const requestTimeout = 2 * time.Minute

// NewHTTPClient returns the client for all sources. Every connection goes through guard, except
// one to a proxy that the environment names (HTTPS_PROXY, HTTP_PROXY, NO_PROXY): the proxy is
// the operator's, and then it is the proxy that connects to the source. The client follows no
// redirects.
func NewHTTPClient(guard *safedial.Guard) *http.Client {
	find := httpproxy.FromEnvironment().ProxyFunc()
	var proxies sync.Map // by host and port
	plain := &net.Dialer{Timeout: 10 * time.Second}
	c := guard.WebClient()
	c.Timeout = requestTimeout
	t := c.Transport.(*http.Transport)                                 //nolint:forcetypeassert // it is
	t.ResponseHeaderTimeout, t.DisableCompression = time.Minute, false // the client reads a limited number of bytes
	t.Proxy = func(r *http.Request) (*url.URL, error) {
		u, err := find(r.URL)
		if u != nil {
			port := cmp.Or(u.Port(), map[string]string{"https": "443", "socks5": "1080", "socks5h": "1080"}[u.Scheme], "80")
			proxies.Store(strings.ToLower(net.JoinHostPort(u.Hostname(), port)), true)
		}
		return u, err
	}
	t.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		if _, ok := proxies.Load(strings.ToLower(address)); ok {
			return plain.DialContext(ctx, network, address)
		}
		return guard.Dial(ctx, network, address)
	}
	return c
}
