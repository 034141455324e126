// Package ratelimit limits what clients can make a service do. Limits has all limits that an edge
// applies to requests: quotas, uses, page allowances and gates; Connections limits the connections
// that requests arrive on. The table of limits in operating.md has a row for each of them.
package ratelimit

import (
	"context"
	"net/netip"
	"runtime"
	"time"
)

// Limits are the limits of an edge. They are safe for concurrent use.
type Limits struct {
	Quota *Quota     // requests under /api, in the database
	Pages *Allowance // requests for everything else, weighed by their cost; nil if there is no limit
	// Work is limited by gates: a page or a form, opening a file under /data, which may
	// have to be hashed, calculating a past day, and an export that is generated.
	PageGate, FileGate, PastGate, ExportGate *Gate

	uses *Counts // of Use
	now  func() time.Time
}

// PageBurst is how many seconds of its page allowance an address can use at once.
const PageBurst = 2

// New returns the limits of an edge whose quotas are counted in a store. An address can request a
// number of pages per second, or any number if that is 0.
func New(store Store, pagesPerSecond int, now func() time.Time) *Limits {
	l := &Limits{Quota: NewQuota(store, now), uses: newCounts(), now: now,
		PageGate:   NewGate(GateOptions{Slots: max(8, 2*runtime.GOMAXPROCS(0)), Waiting: 512, Wait: 3 * time.Second}),
		FileGate:   NewGate(GateOptions{Slots: 8, Waiting: 512, Wait: 3 * time.Second}),
		PastGate:   NewGate(GateOptions{Slots: 1, Waiting: 4, Wait: 2 * time.Second}),
		ExportGate: NewGate(GateOptions{Slots: 4, PerCaller: 2, Waiting: 64, Wait: 5 * time.Second}),
	}
	if rate := min(pagesPerSecond, 1_000_000); rate > 0 {
		l.Pages = NewAllowance(rate, PageBurst*rate, time.Now)
	}
	return l
}

// Use is something that does not count towards a quota, but that clients can do only a number of
// times in each window, on each edge.
type Use struct {
	name   string
	Window time.Duration
	// The maximum numbers for an address, its network and an account; 0 means that the use is not
	// counted for it.
	Address, Network, Account int64
}

// The uses. Many people can share an address, but hundreds of them rarely sign in at the same time; a
// form is checked whenever its user stops typing. A thief can use up the quota of a stolen key, which
// must not prevent the key from being reported. Looking up a key or a build costs a query.
var (
	SignIn      = &Use{name: "sign-in", Window: time.Hour, Address: 60, Network: 600}
	FormCheck   = &Use{name: "form-check", Window: time.Hour, Address: 1200, Network: 12_000}
	FormSubmit  = &Use{name: "form-submit", Window: time.Hour, Account: 30}
	PanelChange = &Use{name: "panel-change", Window: time.Hour, Account: 60}
	ReportKey   = &Use{name: "report-key", Window: time.Hour, Address: 60}
	UnknownKey  = &Use{name: "unknown-key", Window: time.Minute, Address: 300}
)

// Allow counts n uses by a client with an address. It reports whether all of them are allowed; if n is
// 0, whether one more would be. wait is the number of seconds until the window ends. The network is
// counted first, so that it can create counts for at most as many addresses as it is allowed uses.
func (l *Limits) Allow(u *Use, addr netip.Addr, n int64) (wait int64, ok bool) {
	if u.Network > 0 {
		if wait, ok := l.allow(u, network(addr).String(), n, u.Network); !ok {
			return wait, false
		}
	}
	return l.allow(u, AddressSubject(addr, 0).ID, n, u.Address)
}

// AllowAccount counts a use by an account, like Allow.
func (l *Limits) AllowAccount(u *Use, account string) (wait int64, ok bool) {
	return l.allow(u, account, 1, u.Account)
}

func (l *Limits) allow(u *Use, subject string, n, limit int64) (wait int64, ok bool) {
	now := l.now()
	w := WindowAt(now, u.Window)
	used, ok, _ := l.uses.Count(context.Background(), u.name+" "+subject, w, n, limit) // it has no errors
	return w.wait(now), ok && (n > 0 || used < limit)
}

// network returns the network around an address that a single customer may have been
// assigned: a /48 for IPv6 or a /24 for IPv4.
func network(addr netip.Addr) netip.Prefix { return prefix(addr, 24, 48) }

// addressOf returns an address as it is counted: with its /64 for IPv6, the usual allocation for one
// customer.
func addressOf(addr netip.Addr) netip.Prefix { return prefix(addr, 32, 64) }

func prefix(addr netip.Addr, bits4, bits6 int) netip.Prefix {
	addr = plain(addr)
	if addr.Is6() {
		bits4 = bits6
	}
	p, err := addr.Prefix(bits4)
	if err != nil { // the zero Addr: a connection without an address
		return netip.Prefix{}
	}
	return p
}
