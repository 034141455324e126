package edge

import (
	"net"
	"net/http"
	"net/netip"
	"sync"
	"time"
)

// connectionLimits are the limits for the open connections of a listener. If one is reached, the
// connection that has been idle longest is closed for a new one; if none is idle, the new one is.
type connectionLimits struct {
	all        int
	perNetwork int            // for an IPv4 address or an IPv6 /64
	exempt     []netip.Prefix // proxies, from which many clients come
}

// maxOpen is the maximum number of public connections, each of which takes some 20 KB.
const maxOpen = 16_384

// newConnectionLimits returns limits that leave a quarter of the files that this process may open to the
// operator's listener, the database, the files of builds and webhooks. A network gets a quarter of the
// connections.
func newConnectionLimits(proxies []netip.Prefix) connectionLimits {
	all := min(maxOpen, openFileLimit()*3/4)
	return connectionLimits{all: all, perNetwork: max(1, all/4), exempt: proxies}
}

// forAdmin returns the limits for the operator's listener.
func (l connectionLimits) forAdmin() connectionLimits {
	return connectionLimits{all: max(8, l.all/12), perNetwork: max(8, l.all/12)}
}

// limitedListener closes connections beyond the limits. It is told by the server which are idle.
type limitedListener struct {
	net.Listener
	limits connectionLimits

	mu   sync.Mutex
	open map[net.Conn]*openConnection
	from map[netip.Prefix]int
}

type openConnection struct {
	network netip.Prefix // the zero Prefix if it is exempt
	idle    time.Time    // since when; zero while there is a request
}

// limitConnections returns a listener for a server that keeps to the limits.
func limitConnections(l net.Listener, srv *http.Server, limits connectionLimits) net.Listener {
	limited := &limitedListener{Listener: l, limits: limits, open: map[net.Conn]*openConnection{}, from: map[netip.Prefix]int{}}
	srv.ConnState = limited.changed
	return limited
}

// Accept implements net.Listener.
func (l *limitedListener) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if l.admit(c) {
			return c, nil
		}
		_ = c.Close() // it is refused
	}
}

func (l *limitedListener) admit(c net.Conn) bool {
	network := l.network(c)
	l.mu.Lock()
	defer l.mu.Unlock()
	if network.IsValid() && l.from[network] >= l.limits.perNetwork && !l.closeIdle(network) {
		return false
	}
	if len(l.open) >= l.limits.all && !l.closeIdle(netip.Prefix{}) {
		return false
	}
	l.open[c] = &openConnection{network: network, idle: time.Now()}
	if network.IsValid() {
		l.from[network]++
	}
	return true
}

// network returns the network whose connections are counted together, or the zero Prefix if the peer is a
// trusted proxy.
func (l *limitedListener) network(c net.Conn) netip.Prefix {
	tcp, ok := c.RemoteAddr().(*net.TCPAddr)
	if !ok {
		return netip.Prefix{}
	}
	addr := tcp.AddrPort().Addr().Unmap().WithZone("")
	for _, p := range l.limits.exempt {
		if p.Contains(addr) {
			return netip.Prefix{}
		}
	}
	bits := addr.BitLen()
	if addr.Is6() {
		bits = 64
	}
	p, _ := addr.Prefix(bits) // cannot fail for an address without a zone
	return p
}

// closeIdle closes the connection that has been idle longest, of a network or, given the zero Prefix, of
// all. It reports whether there was one.
func (l *limitedListener) closeIdle(network netip.Prefix) bool {
	var oldest net.Conn
	for c, o := range l.open {
		if !o.idle.IsZero() && (!network.IsValid() || o.network == network) && (oldest == nil || o.idle.Before(l.open[oldest].idle)) {
			oldest = c
		}
	}
	if oldest == nil {
		return false
	}
	l.remove(oldest)
	_ = oldest.Close() // the server sees that it is closed
	return true
}

// changed is called by the server when the state of a connection changes.
func (l *limitedListener) changed(c net.Conn, state http.ConnState) {
	l.mu.Lock()
	defer l.mu.Unlock()
	o := l.open[c]
	switch {
	case o == nil: // it was closed to make room
	case state == http.StateActive:
		o.idle = time.Time{}
	case state == http.StateIdle:
		o.idle = time.Now()
	case state == http.StateClosed, state == http.StateHijacked:
		l.remove(c)
	}
}

func (l *limitedListener) remove(c net.Conn) {
	o := l.open[c]
	delete(l.open, c)
	if !o.network.IsValid() {
		return
	}
	if l.from[o.network]--; l.from[o.network] == 0 {
		delete(l.from, o.network)
	}
}

// timeouts overrides headerTimeout, readTimeout, the end of DrainDelay and the limits for connections in
// tests; 0 and nil keep the defaults.
type timeouts struct {
	header, read time.Duration
	drainDelay   <-chan time.Time
	connections  *connectionLimits // nil: newConnectionLimits
}
