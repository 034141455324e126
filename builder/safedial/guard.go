// Package safedial connects to addresses that strangers provide. Such an address must be on
// the public internet: neither a webhook nor a redirect of a source that kindex collect reads
// must make this machine send requests into its own network (server-side request forgery).
//
// Addresses are checked twice. CheckURL rejects addresses at registration, as far as possible
// at that time. The dialler checks each resolved address again, so that a name that later
// resolves to a different address (DNS rebinding) is rejected. code.dny.dev/ssrf provides the
// list of non-public networks, based on the IANA registries. The checks in the standard library
// miss shared, translated and reserved ranges.
package safedial

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"syscall"
	"time"

	"code.dny.dev/ssrf"
)

// ErrRefused is the error for every connection that the guard does not allow.
var ErrRefused = errors.New("not an address on the public internet")

// Resolver resolves names. *net.Resolver implements it. It must be safe for concurrent use.
type Resolver interface {
	LookupNetIP(ctx context.Context, network, host string) ([]netip.Addr, error)
}

// Options specify which addresses are allowed. Tests also use them to replace the network.
type Options struct {
	Allow []Exception
	Deny  []Denial // networks and names that are never contacted, whatever Allow says
	Ports []uint16 // allowed on every public address; empty means 443 only
	// NAT64 lists prefixes that this machine's network translates to IPv4. For an address with
	// such a prefix, the embedded IPv4 address is checked instead.
	NAT64 []netip.Prefix
	// HostRate is the maximum number of requests per second to one host, and of connections
	// per second to one address. 0 means DefaultHostRate; negative values mean no limit.
	HostRate float64
	Now      func() time.Time // nil: time.Now
	Resolver Resolver         // nil: the system's resolver
	Roots    *x509.CertPool   // trusted certificates; nil: the system's certificates
	// Timeout applies to the whole request, and separately to its dial and its TLS handshake. 0
	// means the default Timeout for the request and 5 s each for the dial and the handshake.
	Timeout time.Duration
	// Dial connects to an address, using all the settings in d. If nil, d.DialContext is used. It
	// must not send a packet to addresses that d.Control rejects.
	Dial func(ctx context.Context, d *net.Dialer, network, address string) (net.Conn, error)
}

// Guard decides which addresses are allowed. It is safe for concurrent use.
type Guard struct {
	allow          []Exception
	deny           []Denial
	nat64          []netip.Prefix
	resolver       Resolver
	requestLimiter *hostLimiter // by host; nil: no limit
	dialLimiter    *hostLimiter // by address
	dial           func(ctx context.Context, d *net.Dialer, network, address string) (net.Conn, error)
	roots          *x509.CertPool
	timeout        time.Duration // of a whole request
	partTimeout    time.Duration // of its dial and of its TLS handshake
	public         *ssrf.Guardian
}

// securePort is the only port allowed on every public address, unless Options.Ports lists others.
const securePort = 443

// wireServer is the public address at which virtual machines in Azure reach their host.
var wireServer = netip.MustParsePrefix("168.63.129.16/32")

// New returns a guard.
func New(o Options) *Guard {
	ports := o.Ports
	if len(ports) == 0 {
		ports = []uint16{securePort}
	}
	g := &Guard{allow: slices.Clone(o.Allow), deny: slices.Clone(o.Deny), nat64: slices.Clone(o.NAT64), resolver: o.Resolver, dial: o.Dial, roots: o.Roots,
		timeout: cmp.Or(max(o.Timeout, 0), Timeout), partTimeout: cmp.Or(max(o.Timeout, 0), partTimeout), public: ssrf.New(ssrf.WithPorts(ports...), ssrf.WithDeniedV4Prefixes(wireServer))}
	if o.Now == nil {
		o.Now = time.Now
	}
	if perSecond := cmp.Or(o.HostRate, DefaultHostRate); perSecond > 0 {
		g.requestLimiter, g.dialLimiter = newHostLimiter(perSecond, o.Now), newHostLimiter(perSecond, o.Now)
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

// Check returns an error if an address is not allowed. The error wraps ErrRefused and contains
// the reason, for the operator's log.
func (g *Guard) Check(to netip.AddrPort) error {
	if g.denies(to.Addr(), "") {
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

func (g *Guard) allows(to netip.AddrPort) bool {
	return slices.ContainsFunc(g.allow, func(e Exception) bool { return e.covers(to) })
}

// control is called with every address before the first packet is sent to it.
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

// The default timeouts.
const (
	partTimeout = 5 * time.Second // of resolving a name and trying its addresses, and of a TLS handshake
	// Timeout limits a whole request, including the body of the response.
	Timeout = 15 * time.Second
)

const maxAddresses = 4

// Dial connects to host:port over TCP. No address of the host is tried unless all of them are
// allowed. It can be used as the DialContext of an http.Transport.
func (g *Guard) Dial(ctx context.Context, _, address string) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, g.partTimeout)
	defer cancel()
	var port uint16
	host, text, err := net.SplitHostPort(address)
	if err == nil {
		port, err = parsePort(text)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrRefused, err)
	}
	addrs, err := g.addresses(ctx, strings.ToLower(host))
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
		// The remaining time is divided equally among the remaining addresses.
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

// Client returns a client for requests to addresses from strangers. It does not use a proxy or
// follow redirects, supports only https with TLS 1.2 or newer, and gives up after Options.Timeout.
// Idle connections are reused only within one client, so callers should keep the client.
func (g *Guard) Client() *http.Client { return g.client(secureOnly{g.transport()}) }

// WebClient is like Client, but also for http, if Options.Ports has its port.
func (g *Guard) WebClient() *http.Client { return g.client(g.transport()) }

func (g *Guard) client(t http.RoundTripper) *http.Client {
	return &http.Client{Transport: t, Timeout: g.timeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

func (g *Guard) transport() *http.Transport {
	return &http.Transport{
		Proxy:                  nil, // a proxy would resolve names and connect unchecked
		DialContext:            g.Dial,
		TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: g.roots},
		TLSHandshakeTimeout:    g.partTimeout,
		ResponseHeaderTimeout:  g.timeout,
		MaxResponseHeaderBytes: 64 << 10,
		DisableCompression:     true, // a small response must not decompress into a large one
		ForceAttemptHTTP2:      true,
		MaxIdleConns:           512,
		MaxIdleConnsPerHost:    4,
		IdleConnTimeout:        30 * time.Second,
	}
}

// secureOnly rejects requests that are not https, whatever was checked before.
type secureOnly struct{ *http.Transport }

// RoundTrip implements http.RoundTripper.
func (s secureOnly) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Scheme != "https" {
		return nil, fmt.Errorf("%w: scheme %q", ErrRefused, r.URL.Scheme)
	}
	return s.Transport.RoundTrip(r)
}
