// Package safedial connects to addresses that strangers provide. Such an address must be on
// the public internet: a webhook must not make this server call its own network
// (server-side request forgery).
//
// Addresses are checked twice. CheckURL rejects at registration what can be known then. The
// dialler checks each resolved address again, so that a name that resolves elsewhere later
// (DNS rebinding) cannot be reached. code.dny.dev/ssrf provides the non-public networks,
// from the registries of the IANA; the checks in the standard library miss shared,
// translated and reserved ranges.
package safedial

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"syscall"
	"time"

	"code.dny.dev/ssrf"
)

// ErrRefused is the error for all connections that the guard does not allow.
var ErrRefused = errors.New("not an address on the public internet")

// Resolver resolves names; *net.Resolver implements it. It must be safe for concurrent
// use.
type Resolver interface {
	LookupNetIP(ctx context.Context, network, host string) ([]netip.Addr, error)
}

// Options set what is allowed, and replace the network in tests.
type Options struct {
	Allow []Exception
	// Deny is never talked to, whatever Allow says.
	Deny []Denial
	// NAT64 are prefixes that this machine's network translates to IPv4. Their addresses
	// are checked as the IPv4 addresses that they stand for.
	NAT64 []netip.Prefix
	// HostRate is the number of requests per second allowed to one host, and of
	// connections to one address. 0 means DefaultHostRate; negative values mean no
	// limit.
	HostRate float64
	Now      func() time.Time // nil: time.Now
	Resolver Resolver         // nil: the system's
	Roots    *x509.CertPool   // of certificates; nil: the system's
	// Timeout limits the whole request, and separately its dial and its TLS handshake. 0
	// means the constant Timeout for the request and 5 s each for the dial and the
	// handshake.
	Timeout time.Duration
	// Dial connects to an address, with all settings in d; if nil, d.DialContext is
	// used. It must not send a packet to addresses that d.Control rejects.
	Dial func(ctx context.Context, d *net.Dialer, network, address string) (net.Conn, error)
}

// Guard decides which addresses are allowed. It is safe for concurrent use.
type Guard struct {
	allow          []Exception
	deny           []Denial
	nat64          []netip.Prefix
	resolver       Resolver
	requestLimiter *hostLimiter // by host; nil: no bound
	dialLimiter    *hostLimiter // by address
	dial           func(ctx context.Context, d *net.Dialer, network, address string) (net.Conn, error)
	roots          *x509.CertPool
	timeout        timeouts
	public         *ssrf.Guardian
}

// securePort is the one port that is open to every public address.
const securePort = 443

// wireServer is how machines of one large provider reach their host. It is in public
// address space.
var wireServer = netip.MustParsePrefix("168.63.129.16/32")

// New returns a guard.
func New(o Options) *Guard {
	g := &Guard{allow: slices.Clone(o.Allow), deny: slices.Clone(o.Deny), nat64: slices.Clone(o.NAT64), resolver: o.Resolver, dial: o.Dial, roots: o.Roots,
		timeout: timeouts{dialTimeout, tlsTimeout, Timeout}, public: ssrf.New(ssrf.WithPorts(securePort), ssrf.WithDeniedV4Prefixes(wireServer))}
	if o.Timeout > 0 {
		g.timeout = timeouts{o.Timeout, o.Timeout, o.Timeout}
	}
	if o.HostRate == 0 {
		o.HostRate = DefaultHostRate
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.HostRate > 0 {
		g.requestLimiter, g.dialLimiter = newHostLimiter(o.HostRate, o.Now), newHostLimiter(o.HostRate, o.Now)
	}
	if g.resolver == nil {
		g.resolver = net.DefaultResolver
	}
	if g.dial == nil {
		g.dial = func(ctx context.Context, d *net.Dialer, network, address string) (net.Conn, error) {
			return d.DialContext(ctx, network, address)
		}
	}
	return g
}

// Check returns nil if an address is allowed, or an ErrRefused with the reason, which is
// for the operator's log.
func (g *Guard) Check(to netip.AddrPort) error {
	if g.deniesAddress(to.Addr()) {
		return fmt.Errorf("%w: blocked by the operator", ErrRefused)
	}
	if g.allows(to) {
		return nil
	}
	if a, ok := g.translated(to.Addr()); ok {
		return g.Check(netip.AddrPortFrom(a, to.Port()))
	}
	if a, ok := isatap(to.Addr()); ok {
		if err := g.Check(netip.AddrPortFrom(a, to.Port())); err != nil {
			return err
		}
	}
	if err := g.public.SafeAddrPort(to); err != nil {
		return fmt.Errorf("%w: %w", ErrRefused, err)
	}
	return nil
}

// allows reports whether the operator has made an exception for an address.
func (g *Guard) allows(to netip.AddrPort) bool {
	return slices.ContainsFunc(g.allow, func(e Exception) bool { return e.covers(to) })
}

// control is called with every address before it is connected to and the first packet is
// sent.
func (g *Guard) control(network, address string, _ syscall.RawConn) error {
	if network != "tcp4" && network != "tcp6" {
		return fmt.Errorf("%w: network %s", ErrRefused, network)
	}
	to, err := netip.ParseAddrPort(address)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrRefused, err)
	}
	return g.Check(to)
}

// Timeouts of a request and its parts.
const (
	dialTimeout = 5 * time.Second // a name and all its addresses
	tlsTimeout  = 5 * time.Second
	// Timeout bounds a whole request, including the body of the response.
	Timeout = 15 * time.Second
)

// timeouts are the timeouts of one Guard.
type timeouts struct{ dial, tls, request time.Duration }

// maxAddresses is how many addresses of one name are tried.
const maxAddresses = 4

// Dial connects to host:port over TCP. Every address of the host must be allowed, or
// none is tried. It can be used as the DialContext of an http.Transport.
func (g *Guard) Dial(ctx context.Context, _, address string) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, g.timeout.dial)
	defer cancel()
	host, port, err := splitHostPort(address)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrRefused, err)
	}
	addrs, err := g.addresses(ctx, host)
	if err != nil {
		return nil, err
	}
	for _, a := range addrs {
		if err := g.Check(netip.AddrPortFrom(a, port)); err != nil {
			return nil, err
		}
	}
	addrs = addrs[:min(len(addrs), maxAddresses)]
	deadline, _ := ctx.Deadline()
	var failed error
	for i, a := range addrs {
		// What is left of the time is shared by those that are left to try.
		share := time.Until(deadline) / time.Duration(len(addrs)-i)
		d := &net.Dialer{Timeout: share, KeepAlive: 15 * time.Second, Control: g.control}
		end, err := g.reserveDial(netip.AddrPortFrom(a, port))
		if err != nil {
			return nil, err
		}
		c, err := g.dial(ctx, d, "tcp", netip.AddrPortFrom(a, port).String())
		end()
		if err == nil {
			return c, nil
		}
		failed = errors.Join(failed, err)
	}
	return nil, failed
}

// Client returns a client for requests to addresses from strangers. It uses no proxy,
// follows no redirects, supports only https with TLS 1.2 or newer, and gives up after
// Options.Timeout. Its idle connections are shared; keep one client.
func (g *Guard) Client() *http.Client {
	t := &http.Transport{
		Proxy:                  nil, // a proxy would resolve and connect unguarded
		DialContext:            g.Dial,
		TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: g.roots},
		TLSHandshakeTimeout:    g.timeout.tls,
		ResponseHeaderTimeout:  g.timeout.request,
		MaxResponseHeaderBytes: 64 << 10,
		DisableCompression:     true, // a small answer must not unfold into a large one
		ForceAttemptHTTP2:      true,
		MaxIdleConns:           512,
		MaxIdleConnsPerHost:    4,
		IdleConnTimeout:        30 * time.Second,
	}
	return &http.Client{Transport: secureOnly{t}, Timeout: g.timeout.request,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// secureOnly rejects requests that are not https, whatever the earlier checks did.
type secureOnly struct{ *http.Transport }

// RoundTrip implements http.RoundTripper.
func (s secureOnly) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Scheme != "https" {
		return nil, fmt.Errorf("%w: scheme %q", ErrRefused, r.URL.Scheme)
	}
	return s.Transport.RoundTrip(r)
}
