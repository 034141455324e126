package ratelimit

import (
	"net"
	"net/http"
	"net/netip"
	"sync"
	"time"
)

// Connections are the limits for the open connections of a listener. If one is reached, the
// connection that has been idle longest is closed for a new one; if none is idle, the new one is.
type Connections struct {
	All        int
	PerAddress int            // for an IPv4 address or an IPv6 /64
	Exempt     []netip.Prefix // proxies, from which many clients come
}

// MaxConnections is the maximum number of public connections, each of which takes some 20 KB.
const MaxConnections = 16_384

// NewConnections returns limits that leave a quarter of the files that this process may open to the
// operator's listener, the database, the files of builds and webhooks. An address gets a quarter of the
// connections.
func NewConnections(proxies []netip.Prefix) Connections {
	all := min(MaxConnections, openFileLimit()*3/4)
	return Connections{All: all, PerAddress: max(1, all/4), Exempt: proxies}
}

// ForAdmin returns the limits for the operator's listener.
func (l Connections) ForAdmin() Connections {
	return Connections{All: max(8, l.All/12), PerAddress: max(8, l.All/12)}
}

// limitedListener closes connections beyond the limits. It is told by the server which are idle.
type limitedListener struct {
	net.Listener
	limits Connections

	mu   sync.Mutex
	open map[net.Conn]*openConnection
	from map[netip.Prefix]int
}

type openConnection struct {
	address netip.Prefix // the zero Prefix if it is exempt
	idle    time.Time    // since when; zero while there is a request
}

// Listener returns a listener for a server that keeps to the limits.
func (l Connections) Listener(on net.Listener, srv *http.Server) net.Listener {
	limited := &limitedListener{Listener: on, limits: l, open: map[net.Conn]*openConnection{}, from: map[netip.Prefix]int{}}
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
	address := l.address(c)
	l.mu.Lock()
	defer l.mu.Unlock()
	if address.IsValid() && l.from[address] >= l.limits.PerAddress && !l.closeIdle(address) {
		return false
	}
	if len(l.open) >= l.limits.All && !l.closeIdle(netip.Prefix{}) {
		return false
	}
	l.open[c] = &openConnection{address: address, idle: time.Now()}
	if address.IsValid() {
		l.from[address]++
	}
	return true
}

// address returns what is counted together, or the zero Prefix if the peer is a trusted proxy.
func (l *limitedListener) address(c net.Conn) netip.Prefix {
	tcp, ok := c.RemoteAddr().(*net.TCPAddr)
	if !ok || contains(l.limits.Exempt, plain(tcp.AddrPort().Addr())) {
		return netip.Prefix{}
	}
	return addressOf(tcp.AddrPort().Addr())
}

// closeIdle closes the connection that has been idle longest, of an address or, given the zero Prefix, of
// all. It reports whether there was one.
func (l *limitedListener) closeIdle(address netip.Prefix) bool {
	var oldest net.Conn
	for c, o := range l.open {
		if !o.idle.IsZero() && (!address.IsValid() || o.address == address) && (oldest == nil || o.idle.Before(l.open[oldest].idle)) {
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
	if !o.address.IsValid() {
		return
	}
	if l.from[o.address]--; l.from[o.address] == 0 {
		delete(l.from, o.address)
	}
}
