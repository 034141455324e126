package collect

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
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
// redirects. roots may be nil for the system's certificates.
func NewHTTPClient(guard *safedial.Guard, roots *x509.CertPool) *http.Client {
	find := httpproxy.FromEnvironment().ProxyFunc()
	var proxies sync.Map // by host and port
	plain := &net.Dialer{Timeout: 10 * time.Second}
	t := &http.Transport{
		Proxy: func(r *http.Request) (*url.URL, error) {
			u, err := find(r.URL)
			if u != nil {
				port := cmp.Or(u.Port(), map[string]string{"https": "443", "socks5": "1080", "socks5h": "1080"}[u.Scheme], "80")
				proxies.Store(strings.ToLower(net.JoinHostPort(u.Hostname(), port)), true)
			}
			return u, err
		},
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			if _, ok := proxies.Load(strings.ToLower(address)); ok {
				return plain.DialContext(ctx, network, address)
			}
			return guard.Dial(ctx, network, address)
		},
		TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: roots},
		TLSHandshakeTimeout:    10 * time.Second,
		ResponseHeaderTimeout:  time.Minute,
		MaxResponseHeaderBytes: 64 << 10,
		ForceAttemptHTTP2:      true,
		MaxIdleConnsPerHost:    2,
		IdleConnTimeout:        30 * time.Second,
	}
	return &http.Client{Transport: t, Timeout: requestTimeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}
