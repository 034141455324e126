package collect

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
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
	env := httpproxy.FromEnvironment()
	proxies := map[string]bool{}
	for _, text := range []string{env.HTTPProxy, env.HTTPSProxy} {
		if address := proxyAddress(text); address != "" {
			proxies[address] = true
		}
	}
	find := env.ProxyFunc()
	plain := &net.Dialer{Timeout: 10 * time.Second}
	t := &http.Transport{
		Proxy: func(r *http.Request) (*url.URL, error) { return find(r.URL) },
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			if proxies[strings.ToLower(address)] {
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

// proxyAddress returns the host and port at which a proxy is dialled, or "" if there is none.
func proxyAddress(text string) string {
	if text != "" && !strings.Contains(text, "://") {
		text = "http://" + text
	}
	u, err := url.Parse(text)
	if err != nil || u.Hostname() == "" {
		return ""
	}
	port := u.Port()
	if port == "" {
		port = map[string]string{"https": "443", "socks5": "1080", "socks5h": "1080"}[u.Scheme]
	}
	if port == "" {
		port = "80"
	}
	return strings.ToLower(net.JoinHostPort(u.Hostname(), port))
}

// budget is a number of requests that all sources share.
type budget struct{ left atomic.Int64 }

func newBudget(n int) *budget {
	b := &budget{}
	b.left.Store(int64(n))
	return b
}

// take reports whether another request may be sent.
func (b *budget) take() bool { return b == nil || b.left.Add(-1) >= 0 }
